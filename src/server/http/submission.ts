/** A submission in the API's words, made into the one JobSpec, with the defaults that hold everywhere. */

import { basename } from 'node:path';
import { MOST_SCRIPT_BYTES } from '../../model/bounds.ts';
import { bytesFromText } from '../../model/bytes.ts';
import type { BlobHash } from '../../model/ids.ts';
import type {
  ArraySpec,
  GpuRequest,
  JobSpec,
  Program,
  ResourceRequest,
  Streams,
  Warning,
} from '../../model/job-spec.ts';
import { parseRanges } from '../../model/ranges.ts';
import { gpuPartsOf, keptOf } from './kept.ts';
import { failed, HttpError } from './reply.ts';
import type { Submission } from './shapes/request.ts';
import { signalNumber } from './signals.ts';

export interface Surroundings {
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly keepBlob: (bytes: Uint8Array) => BlobHash;
}

const MOST_ELEMENTS = 1_000_000;
const DEFAULT_UMASK = '022';

export function specOf(wish: Submission, around: Surroundings): JobSpec {
  const script = scriptOf(wish);
  const array = arrayOf(wish.array ?? null);
  const resources = resourcesOf(wish.resources ?? {});
  const home = { ...around.environment, ...wish.environment }.HOME ?? null;
  return {
    name: wish.name ?? defaultName(wish),
    user: around.user,
    account: wish.account ?? null,
    qos: wish.qos ?? null,
    queue: wish.queue ?? '',
    workDir: wish.workDir,
    streams: streamsOf(wish, array !== null),
    resources,
    limitMs: wish.limitMs ?? null,
    warning: warningOf(wish),
    array,
    dependencies: wish.dependencies ?? null,
    beginAt: wish.beginAt ?? null,
    deadlineAt: wish.deadlineAt ?? null,
    held: wish.held ?? false,
    priority: wish.priority ?? 0,
    nice: wish.nice ?? 0,
    requeue: wish.requeue ?? true,
    ...keptOf(wish, home),
    ...gpuPartsOf(wish, home),
    comment: wish.comment ?? null,
    mail: wish.mail ?? null,
    origin: { dialect: 'api', words: {} },
    // Last, because it keeps bytes: nothing is kept for a submission that is refused.
    program: programOf(wish, script, resources.ranks, around),
  };
}

function programOf(
  wish: Submission,
  script: string | null,
  ranks: number,
  { environment, keepBlob }: Surroundings,
): Program {
  // A script starts its own ranks; a plain command with several is meant to run once in each.
  const spread = script === null && ranks > 1 ? 'everyRank' : 'once';
  return {
    script: script === null ? null : keepBlob(bytesFromText(script)),
    argv: script === null ? (wish.command ?? []) : (wish.arguments ?? []),
    environment: keepBlob(environmentBytes({ ...environment, ...wish.environment })),
    umask: Number.parseInt(wish.umask ?? DEFAULT_UMASK, 8),
    ulimits: wish.ulimits ?? {},
    spread: wish.spread ?? spread,
    caller: null,
  };
}

/** The script's text, or null when it is a plain command; exactly one of the two must be there. */
function scriptOf({ command, script, arguments: args }: Submission): string | null {
  if (script !== undefined) {
    if (command !== undefined) throw mistake('command: give a command or a script, not both');
    return checkedScript(script);
  }
  if (command === undefined) {
    throw mistake('command: missing; give a command or a script', '"command": ["python", "train.py"]');
  }
  if (args !== undefined) throw mistake('arguments: these belong to a script; a command carries its own');
  if (command[0] === '') throw mistake('command[0]: the program has no name');
  return null;
}

function checkedScript(script: string): string {
  if (Buffer.byteLength(script) > MOST_SCRIPT_BYTES) {
    throw new HttpError(failed(413, 'tooLarge', `script: larger than ${MOST_SCRIPT_BYTES} bytes`));
  }
  if (script.trim() === '') throw mistake('script: it is empty');
  if (script.includes('\0')) throw mistake('script: it has NUL characters in it, so it is no script');
  if (script.includes('\r\n')) {
    throw mistake('script: it has DOS line endings (\\r\\n), which a shell takes as part of each line');
  }
  return script;
}

function streamsOf({ streams }: Submission, isArray: boolean): Streams {
  const stdout = streams?.stdout ?? (isArray ? 'trainyard-%A_%a.out' : 'trainyard-%j.out');
  const stderr = streams?.stderr ?? null;
  return {
    stdin: streams?.stdin ?? null,
    stdout,
    // Two openings of one file would write over each other.
    stderr: stderr === stdout ? null : stderr,
    openMode: streams?.openMode ?? 'truncate',
    makeDirectories: streams?.makeDirectories ?? true,
  };
}

function defaultName({ command }: Submission): string {
  const name = basename(command?.[0] ?? 'script').replace(/[\u0000-\u001f\u007f]/g, '?');
  return name === '' ? 'job' : name.slice(0, 1024);
}

function environmentBytes(environment: Readonly<Record<string, string>>): Uint8Array {
  const pairs = Object.entries(environment).map(([name, value]) => `${name}=${value}\0`);
  return bytesFromText(pairs.join(''));
}

function resourcesOf(wish: NonNullable<Submission['resources']>): ResourceRequest {
  const ranksPerNode = wish.ranksPerNode ?? null;
  const asked = typeof wish.nodes === 'number' ? { min: wish.nodes, max: wish.nodes } : (wish.nodes ?? null);
  const ranks = wish.ranks ?? (asked?.min ?? 1) * (ranksPerNode ?? 1);
  return {
    nodes: nodesFor(asked, ranks, ranksPerNode),
    ranks,
    ranksPerNode,
    cpusPerRank: wish.cpusPerRank ?? 1,
    cpusAsked: wish.cpusPerRank !== undefined,
    memory: wish.memory ?? null,
    gpus: gpusOf(wish.gpus ?? null),
    exclusive: wish.exclusive ?? false,
    constraint: wish.constraint ?? null,
    onlyNodes: wish.onlyNodes ?? [],
    exceptNodes: wish.exceptNodes ?? [],
  };
}

/** As many nodes as the ranks can cover and need, within what was asked. */
function nodesFor(
  asked: ResourceRequest['nodes'] | null,
  ranks: number,
  ranksPerNode: number | null,
): ResourceRequest['nodes'] {
  const needed = ranksPerNode === null ? 1 : Math.ceil(ranks / ranksPerNode);
  if (asked === null) return { min: needed, max: needed };
  if (asked.min > asked.max) throw mistake('resources.nodes: min is larger than max');
  if (ranks < asked.min) throw mistake(`resources.ranks: ${ranks} ranks cannot cover ${asked.min} nodes`);
  if (needed > asked.max) {
    throw mistake(
      `resources.ranks: ${ranks} ranks do not fit on ${asked.max} nodes with ${ranksPerNode} on each`,
    );
  }
  return { min: Math.max(asked.min, needed), max: Math.min(asked.max, ranks) };
}

function gpusOf(wish: NonNullable<Submission['resources']>['gpus'] | null): GpuRequest | null {
  if (typeof wish === 'number') return { count: wish, per: 'job', kind: null, shareMillis: 1000 };
  if (wish != null && wish.sharing !== undefined && wish.shareMillis < 1000)
    throw mistake('resources.gpus.sharing: shareMillis says already how much of a GPU it wants');
  return wish ?? null;
}

function warningOf({ warning }: Submission): Warning | null {
  if (warning === undefined || warning === null) return null;
  return { ...warning, signal: signalNumber(warning.signal, 'warning.signal') };
}

/** `0-9`, `1-100:2`, `0-99%8`. */
function arrayOf(text: string | null): ArraySpec | null {
  if (text === null) return null;
  const match = /^([^%]+)(?:%(\d{1,9}))?$/.exec(text);
  const indices = match === null ? null : parseRanges(match[1] as string, MOST_ELEMENTS);
  const throttle = match?.[2] === undefined ? null : Number(match[2]);
  if (indices === null || throttle === 0) {
    throw mistake(
      `array: ${JSON.stringify(text.slice(0, 80))} is not a set of indices`,
      '0-9, 1-100:2 or 0-99%8',
    );
  }
  return { indices, throttle };
}

function mistake(message: string, hint: string | null = null): HttpError {
  return new HttpError(failed(422, 'badRequest', message, hint));
}
