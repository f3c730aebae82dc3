/**
 * Processes as /proc shows them. A process number alone names nobody for long: an identity is the number,
 * the moment it started and the boot in which that was, and a process in state Z is dead.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { isOutOfFiles } from './files.ts';
import { killProcess } from './libc.ts';
import { withSpareFile } from './spare-file.ts';

/** Ticks of the start time; 100 a second on every machine that Linux shows to programs. */
const TICKS_PER_SECOND = 100;
const MS_PER_TICK = 10;

export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  readonly session: number;
  /** As in `ps`: R, S, D, Z, T … */
  readonly state: string;
  readonly startTicks: number;
  readonly rssPages: number;
  readonly virtualBytes: number;
  /** With what its children had used that it has waited for. */
  readonly userCpuMs: number;
  readonly systemCpuMs: number;
}

let knownBootId: string | null = null;

export function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return knownBootId;
}

/** Null when there is no such process. */
export function processInfo(pid: number): ProcessInfo | null {
  const stat = readOf(pid, 'stat');
  return stat === null ? null : parseStat(stat);
}

/** Null when there is no such process, or it is not ours to see; throws when nothing can be read at all. */
function readOf(pid: number, name: string): string | null {
  try {
    return withSpareFile(() => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return null;
  }
}

/** The name in parentheses may hold anything, parentheses and newlines too: fields count from the last one. */
export function parseStat(stat: string): ProcessInfo | null {
  const nameEnd = stat.lastIndexOf(')');
  if (nameEnd < 0) return null;
  const fields = stat.slice(nameEnd + 2).split(' ');
  if (fields.length < 22) return null;
  return {
    pid: Number.parseInt(stat, 10),
    state: fields[0] as string,
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    session: Number(fields[3]),
    startTicks: Number(fields[19]),
    rssPages: Number(fields[21]),
    virtualBytes: Number(fields[20]),
    userCpuMs: (Number(fields[11]) + Number(fields[13])) * MS_PER_TICK,
    systemCpuMs: (Number(fields[12]) + Number(fields[14])) * MS_PER_TICK,
  };
}

export function startTicks(pid: number): number | null {
  return processInfo(pid)?.startTicks ?? null;
}

export function identityOf(pid: number): ProcessIdentity | null {
  const ticks = startTicks(pid);
  return ticks === null ? null : { pid, startTicks: ticks, bootId: bootId() };
}

export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false;
  const info = processInfo(identity.pid);
  return info !== null && info.startTicks === identity.startTicks && info.state !== 'Z' && info.state !== 'X';
}

/** Every process that there is now, zombies included. */
export function listProcesses(): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const name of withSpareFile(() => readdirSync('/proc'))) {
    const first = name.charCodeAt(0);
    if (first < 0x30 || first > 0x39) continue;
    const info = processInfo(Number(name));
    if (info !== null) found.push(info);
  }
  return found;
}

/** The direct children of a process, by its own account; by a look at all processes where there is none. */
export function childrenOf(pid: number): readonly number[] {
  const text = readOf(pid, `task/${pid}/children`)?.trim();
  if (text !== undefined) return text === '' ? [] : text.split(' ').map(Number);
  return listProcesses()
    .filter((info) => info.ppid === pid)
    .map((info) => info.pid);
}

/** The arguments that a process was started with; none when it is not ours to see. */
export function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** The value of one variable in the environment a process was started with; null when it has none, or it is not ours to see. */
export function environmentValue(pid: number, name: string): string | null {
  const environment = readEnvironment(pid);
  return environment === null ? null : valueIn(environment, name);
}

export function readEnvironment(pid: number): string | null {
  return readOf(pid, 'environ');
}

/** Looks a name up in `NAME=value` pairs ended by NULs. */
export function valueIn(environment: string, name: string): string | null {
  const wanted = `${name}=`;
  let at = environment.startsWith(wanted) ? 0 : environment.indexOf(`\0${wanted}`) + 1;
  if (at === 0 && !environment.startsWith(wanted)) return null;
  at += wanted.length;
  const end = environment.indexOf('\0', at);
  return environment.slice(at, end < 0 ? undefined : end);
}

/** For how long a process that started at these ticks of this boot has been there. */
export function ageMs(startTicksOfProcess: number): number {
  const uptimeSeconds = Number.parseFloat(withSpareFile(() => readFileSync('/proc/uptime', 'latin1')));
  return Math.max(0, Math.round((uptimeSeconds - startTicksOfProcess / TICKS_PER_SECOND) * 1000));
}

/** Ticks at the moment when `performance.now()` was 0. */
const originTicks = uptime() * TICKS_PER_SECOND - performance.now() / MS_PER_TICK;

/** A process that starts after this call has at least so many start ticks. */
export function ticksNow(): number {
  // Time that the machine slept through is missing, which errs on the safe side.
  return Math.floor(originTicks + performance.now() / MS_PER_TICK) - 1;
}

/** Time since the machine started: it goes on over the death of a process, and no setting of clocks changes it. */
export function bootTimeMs(): number {
  return originTicks * MS_PER_TICK + performance.now();
}

/** What a process does about signals: bit n - 1 stands for signal n. */
export interface SignalManners {
  readonly caught: bigint;
  readonly ignored: bigint;
}

/** Null when there is no such process, or it is not ours to see. */
export function signalManners(pid: number): SignalManners | null {
  const status = readOf(pid, 'status');
  if (status === null) return null;
  const mask = (name: string) => {
    const found = new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status);
    return BigInt(`0x${found?.[1] ?? '0'}`);
  };
  return { caught: mask('SigCgt'), ignored: mask('SigIgn') };
}

export function catches(pid: number, signal: number): boolean {
  return isAmong(signalManners(pid)?.caught ?? 0n, signal);
}

export function ignores(pid: number, signal: number): boolean {
  return isAmong(signalManners(pid)?.ignored ?? 0n, signal);
}

function isAmong(mask: bigint, signal: number): boolean {
  return ((mask >> BigInt(signal - 1)) & 1n) === 1n;
}

/** Signals one process. False when it is not there any more, or not ours. */
export function sendSignal(pid: number, signal: number): boolean {
  return killProcess(pid, signal) === null;
}

/** Whether a process group still has a member; a zombie counts. */
export function groupExists(pgid: number): boolean {
  return killProcess(-pgid, 0) !== 'ESRCH';
}
