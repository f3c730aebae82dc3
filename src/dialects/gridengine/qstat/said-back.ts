/**
 * What a job was submitted with, as `qstat -j` says it back in text and in XML: paths, mail, arguments, its tasks.
 * Values only; their labels are elsewhere.
 */

import type { Job } from '../../../model/job.ts';
import type { JobView } from '../../../model/query.ts';
import { writtenLine } from '../submit/shells.ts';
import { GRID_ENGINE, type GridEngineWord, wordOf } from '../words.ts';

export interface HostedPath {
  /** Null: any host. */
  readonly host: string | null;
  readonly path: string;
}

/** `-o`, `-e`, `-i`: what was given; of other dialects' jobs, where it really goes. */
export function pathsOf(
  view: JobView,
  word: 'outputPath' | 'errorPath' | 'inputPath',
): readonly HostedPath[] {
  const { job } = view;
  const written = wordOf(job, word);
  if (written !== null)
    return written
      .split(',')
      .filter((part) => part !== '')
      .map(hostedPath);
  if (job.spec.origin.dialect === GRID_ENGINE) return [];
  const paths = {
    outputPath: view.stdoutPath,
    errorPath: view.stderrPath,
    inputPath: job.spec.streams.stdin,
  };
  const path = paths[word];
  return path === null ? [] : [{ host: null, path }];
}

/** `host:path`, or `:path`. */
export function hostedPath(text: string): HostedPath {
  const colon = text.indexOf(':');
  if (colon < 0) return { host: null, path: text };
  return { host: colon === 0 ? null : text.slice(0, colon), path: text.slice(colon + 1) };
}

export interface MailAddress {
  readonly user: string;
  /** Null: none was given. */
  readonly host: string | null;
}

export function mailAddresses(job: Job, host: string): readonly MailAddress[] {
  const written = wordOf(job, 'mailList') ?? (isOurs(job) ? null : (job.spec.mail?.to ?? null));
  if (written === null) return [{ user: job.spec.user, host }];
  return written.split(',').map((address) => {
    const at = address.indexOf('@');
    return at < 0
      ? { user: address, host: null }
      : { user: address.slice(0, at), host: address.slice(at + 1) };
  });
}

/** `name=value` pairs; null: it has no value. */
export type Pair = readonly [name: string, value: string | null];

export function pairsOf(list: string | null): readonly Pair[] {
  return (list ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      return equals < 0 ? [part, null] : [part.slice(0, equals), part.slice(equals + 1)];
    });
}

/** What it is called with. Of a plain command the first word is the command, unless a shell is given all of them. */
export function argumentsOf(job: Job): readonly string[] {
  const { script, argv } = job.spec.program;
  if (script !== null) return argv;
  const called = wordOf(job, 'script');
  const line = writtenLine(argv) ?? '';
  if (called === null || argv[0] === called || !line.startsWith(called)) return argv.slice(1);
  return line
    .slice(called.length)
    .split(' ')
    .filter((word) => word !== '');
}

export function scriptOf(job: Job): string {
  return wordOf(job, 'script') ?? job.spec.program.argv[0] ?? '';
}

/** Null: it was not asked for a directory of its own. */
export function directoryOf(job: Job): string | null {
  return isOurs(job) && wordOf(job, 'ownDirectory') === null ? null : job.spec.workDir;
}

/** What `-t` said; null: no array. */
export function taskRangeOf(
  job: Job,
): { readonly first: number; readonly last: number; readonly step: number } | null {
  const { array } = job.spec;
  if (array === null) return null;
  const written = /^(\d+)-(\d+):(\d+)$/.exec(wordOf(job, 'taskRange') ?? '');
  if (written !== null) {
    return { first: Number(written[1]), last: Number(written[2]), step: Number(written[3]) };
  }
  const [run] = array.indices;
  const last = array.indices.at(-1)?.[1] ?? 1;
  return { first: run?.[0] ?? 1, last, step: array.indices.length === 1 ? (run?.[2] ?? 1) : 1 };
}

export function accountOf(job: Job): string {
  return wordOf(job, 'account') ?? (isOurs(job) ? null : job.spec.account) ?? 'sge';
}

export function isSet(job: Job, word: GridEngineWord): boolean {
  return wordOf(job, word) !== null && wordOf(job, word) !== 'n';
}

function isOurs({ spec }: Job): boolean {
  return spec.origin.dialect === GRID_ENGINE;
}
