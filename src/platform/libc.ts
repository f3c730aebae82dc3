/**
 * The few calls to the C library that Node has no words for. Loaded on first use, so that programs which
 * never need them do not pay for it. Struct layouts are those of Linux on x64 and arm64, which agree.
 */

import koffi, { type LibraryHandle } from 'koffi';
import { unsupportedPlatform } from './install.ts';

const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

const WNOHANG = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const O_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** Room for 8,192 CPUs. */
const CPU_SET_BYTES = 1024;

let loaded: LibraryHandle | null = null;

export function libc(): LibraryHandle {
  if (loaded !== null) return loaded;
  const unsupported = unsupportedPlatform();
  if (unsupported !== null) throw new Error(unsupported);
  const tried: string[] = [];
  for (const name of LIBRARIES) {
    try {
      loaded = koffi.load(name);
      return loaded;
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`the C library cannot be loaded (${tried.join('; ')})`);
}

/** Makes a function of one that is looked up in the library the first time it is called. */
export function lazily<F>(prepare: () => F): () => F {
  let prepared: F | null = null;
  return () => {
    prepared ??= prepare();
    return prepared;
  };
}

const errorNames = lazily(
  () => new Map(Object.entries(koffi.os.errno).map(([name, number]) => [number, name])),
);

/** The name of an errno, as the kernel's manual has it. */
export function errorName(errno: number): string {
  return errorNames().get(errno) ?? `errno ${errno}`;
}

export interface Reaped {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: number | null;
  /**
   * The most that it or any child it waited for had in memory. A process that was started without a copy of
   * its parent's memory counts what its parent held at that moment, so this is never less than that.
   */
  readonly peakBytes: number;
  readonly cpuMs: number;
  /** Of that, what it used itself; the rest is what the kernel did for it. */
  readonly userCpuMs: number;
}

/** `gone`: it is no child of ours, or somebody has reaped it already. */
export type WaitResult = Reaped | 'running' | 'gone';

const wait4 = lazily(() => libc().func('int wait4(int pid, void *status, int options, void *usage)'));
const statusBytes = Buffer.alloc(4);
const usageBytes = Buffer.alloc(144);

/** Looks whether this one child has ended, and if so takes it off the process table. Never waits. */
export function reap(pid: number): WaitResult {
  const found = wait4()(pid, statusBytes, WNOHANG, usageBytes) as number;
  if (found === 0) return 'running';
  if (found < 0) return 'gone';
  const status = statusBytes.readInt32LE(0);
  const signal = status & 0x7f;
  return {
    code: signal === 0 ? (status >> 8) & 0xff : null,
    signal: signal === 0 ? null : signal,
    peakBytes: Number(usageBytes.readBigInt64LE(32)) * 1024,
    cpuMs: Math.round(timevalMs(0) + timevalMs(16)),
    userCpuMs: Math.round(timevalMs(0)),
  };
}

function timevalMs(offset: number): number {
  return (
    Number(usageBytes.readBigInt64LE(offset)) * 1000 + Number(usageBytes.readBigInt64LE(offset + 8)) / 1000
  );
}

const clockGettime = lazily(() => libc().func('int clock_gettime(int clock, void *time)'));
const CLOCK_THREAD_CPUTIME_ID = 3;
const timeBytes = Buffer.alloc(16);

/** What this thread has used of a CPU since it began. */
export function threadCpuMs(): number {
  clockGettime()(CLOCK_THREAD_CPUTIME_ID, timeBytes);
  return Number(timeBytes.readBigInt64LE(0)) * 1000 + Number(timeBytes.readBigInt64LE(8)) / 1_000_000;
}

const kill = lazily(() => libc().func('int kill(int pid, int signal)'));

/** As process.kill, without the cost of an error: the name of the errno, or null when it was sent. */
export function killProcess(pid: number, signal: number): string | null {
  return (kill()(pid, signal) as number) === 0 ? null : errorName(koffi.errno());
}

export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

const pipe2 = lazily(() => libc().func('int pipe2(void *ends, int flags)'));
const pipeEnds = Buffer.alloc(8);

/** A pipe of which no program that this process starts knows anything. */
export function makePipe(): Pipe {
  if ((pipe2()(pipeEnds, O_CLOEXEC) as number) !== 0) {
    const code = errorName(koffi.errno());
    throw Object.assign(new Error(code), { code });
  }
  return { readEnd: pipeEnds.readInt32LE(0), writeEnd: pipeEnds.readInt32LE(4) };
}

const close = lazily(() => libc().func('int close(int fd)'));

/** For what was opened here: Node would wonder about a file that it does not know. */
export function closeEnd(fd: number): void {
  close()(fd);
}

const flock = lazily(() => libc().func('int flock(int fd, int operation)'));

/** Takes the exclusive lock of an open file, or gives false when another process has it. */
export function lockExclusively(fd: number): boolean {
  if ((flock()(fd, LOCK_EX | LOCK_NB) as number) === 0) return true;
  const errno = koffi.errno();
  if (errno === koffi.os.errno.EWOULDBLOCK || errno === koffi.os.errno.EAGAIN) return false;
  throw new Error(`a file cannot be locked here (${errorName(errno)})`);
}

export interface Peer {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

const getsockopt = lazily(() =>
  libc().func('int getsockopt(int fd, int level, int name, void *value, void *length)'),
);

/** Who is at the other end of a unix socket, as the kernel knows it. */
export function peerOf(fd: number): Peer {
  const value = Buffer.alloc(12);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(value.length);
  if ((getsockopt()(fd, SOL_SOCKET, SO_PEERCRED, value, length) as number) !== 0) {
    throw new Error(`the kernel does not say who is calling (${errorName(koffi.errno())})`);
  }
  return { pid: value.readInt32LE(0), uid: value.readUInt32LE(4), gid: value.readUInt32LE(8) };
}

const getaffinity = lazily(() => libc().func('int sched_getaffinity(int pid, size_t size, void *mask)'));
const setaffinity = lazily(() => libc().func('int sched_setaffinity(int pid, size_t size, void *mask)'));

/** The CPUs that this thread, or another process, may use; null when the kernel does not say. */
export function affinityOf(pid = 0): readonly number[] | null {
  const mask = Buffer.alloc(CPU_SET_BYTES);
  if ((getaffinity()(pid, mask.length, mask) as number) < 0) return null;
  const ids: number[] = [];
  for (let byte = 0; byte < mask.length; byte++) {
    const bits = mask[byte] as number;
    for (let bit = 0; bits >> bit !== 0; bit++) if (((bits >> bit) & 1) === 1) ids.push(byte * 8 + bit);
  }
  return ids;
}

/** Binds this thread, or another process, to some CPUs. False when the kernel refuses. */
export function setAffinity(ids: readonly number[], pid = 0): boolean {
  const mask = Buffer.alloc(CPU_SET_BYTES);
  for (const id of ids) {
    const byte = id >> 3;
    if (byte >= mask.length) return false;
    mask[byte] = (mask[byte] as number) | (1 << (id & 7));
  }
  return (setaffinity()(pid, mask.length, mask) as number) === 0;
}

const getpagesize = lazily(() => libc().func('int getpagesize()'));

/** Memory in /proc is counted in pages; they are 4 KiB here and 64 KiB elsewhere. */
export const pageBytes = lazily(() => getpagesize()() as number);
