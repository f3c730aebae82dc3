/**
 * What a command knows of whoever typed it: arguments, directory, environment and the small facts that a job
 * inherits. Bytes stay bytes: arguments and environments need not be UTF-8. The launcher leaves a witness, a
 * stopped copy of itself, because neither its shell nor Node hands environment and limits on unchanged.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { ulimitsFrom } from '../platform/ulimits.ts';

export interface Caller {
  /** The first is the name the command was called by. */
  readonly argv: readonly Uint8Array[];
  readonly workDir: Uint8Array;
  /** `NAME=value` NUL … */
  readonly environment: Uint8Array;
  readonly umask: number;
  readonly ulimits: Readonly<Record<string, string>>;
  /** Which of 0, 1 and 2 are terminals. */
  readonly terminals: string;
  readonly columns: number | null;
  readonly zone: string | null;
  /** Started under nohup; Node forgets that. */
  readonly ignoresHangup: boolean;
}

/** How the launcher calls Node: `node client.cjs WITNESS NAME ARGUMENT…` */
export function callerOfThisProcess(): Caller {
  const [witness, ...argv] = rawArguments();
  const witnessId = Number(Buffer.from(witness ?? []).toString());
  const caller: Caller = {
    argv,
    workDir: readlinkSync('/proc/self/cwd', { encoding: 'buffer' }),
    environment: ofTheCaller(witnessId, 'environ'),
    umask: umaskOfThisProcess(),
    ulimits: ulimitsFrom(ofTheCaller(witnessId, 'limits').toString()),
    terminals: [process.stdin, process.stdout, process.stderr].map((s, fd) => (s.isTTY ? fd : '')).join(''),
    columns: process.stdout.columns ?? process.stderr.columns ?? null,
    zone: zoneOf(process.env.TZ),
    ignoresHangup: ignoresHangup(ofTheCaller(witnessId, 'status').toString()),
  };
  dismiss(witnessId);
  return caller;
}

export function factsOf(caller: Caller): string[] {
  const facts = [`umask=${caller.umask.toString(8).padStart(4, '0')}`, `tty=${caller.terminals}`];
  if (caller.columns !== null) facts.push(`columns=${caller.columns}`);
  if (caller.zone !== null) facts.push(`zone=${caller.zone}`);
  for (const [letter, value] of Object.entries(caller.ulimits)) facts.push(`ulimit-${letter}=${value}`);
  return facts;
}

/** Variables as strings; of names given twice the first counts, as for getenv. */
export function variablesOf(environment: Uint8Array): Record<string, string> {
  const out: Record<string, string> = {};
  for (const entry of Buffer.from(environment).toString().split('\0')) {
    const equals = entry.indexOf('=');
    if (equals > 0 && !Object.hasOwn(out, entry.slice(0, equals))) {
      out[entry.slice(0, equals)] = entry.slice(equals + 1);
    }
  }
  return out;
}

/** process.argv has lost what was not UTF-8; the kernel still has it. */
function rawArguments(): Buffer[] {
  const count = process.argv.length - 2;
  if (count <= 0) return [];
  const bytes = readFileSync('/proc/self/cmdline');
  const out: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(0, from); end !== -1; end = bytes.indexOf(0, from)) {
    out.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return out.slice(-count);
}

function ofTheCaller(witnessId: number, what: 'environ' | 'limits' | 'status'): Buffer {
  try {
    const bytes = readFileSync(`/proc/${witnessId}/${what}`);
    if (bytes.length > 0) return bytes;
  } catch {
    // No witness, or it is gone: what this process has is the next best.
  }
  return readFileSync(`/proc/self/${what}`);
}

/** SigIgn is a mask in hexadecimal; SIGHUP is its lowest bit. */
function ignoresHangup(procStatus: string): boolean {
  const match = /^SigIgn:\s*([0-9a-f]+)/m.exec(procStatus);
  return match !== null && (Number.parseInt((match[1] as string).slice(-1), 16) & 1) === 1;
}

/** Ends the launcher's stopped copy of itself. */
export function dismiss(witnessId: number): void {
  if (!Number.isSafeInteger(witnessId) || witnessId <= 1) return;
  try {
    process.kill(witnessId, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function umaskOfThisProcess(): number {
  const match = /^Umask:\s*([0-7]+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return match === null ? 0o022 : Number.parseInt(match[1] as string, 8);
}

function zoneOf(fromEnvironment: string | undefined): string | null {
  if (fromEnvironment !== undefined) return fromEnvironment === '' ? 'UTC' : zoneName(fromEnvironment);
  try {
    const target = readlinkSync('/etc/localtime');
    if (target.includes('zoneinfo/')) return zoneName(target);
  } catch {
    // A plain copy of the zone's file has no name; /etc/timezone may say it.
  }
  try {
    return readFileSync('/etc/timezone', 'utf8').split('\n')[0] || null;
  } catch {
    return null;
  }
}

function zoneName(text: string): string {
  return text.replace(/^:/, '').replace(/^.*zoneinfo\/(?:posix\/|right\/)?/, '');
}
