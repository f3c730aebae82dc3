/**
 * Starting a process that is nobody's child in spirit: its own session, default signals, nothing inherited
 * but what it is to read, and /dev/null. It goes through posix_spawn, which takes the same short time however much memory this
 * process holds, and takes arguments and environment as bytes, since that is what they are.
 */

import { readdirSync } from 'node:fs';
import koffi from 'koffi';
import { affinityOf, errorName, lazily, libc, setAffinity } from './libc.ts';

const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const SETSID = 0x80;
const O_WRONLY = 1;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const FIRST_UNNEEDED_FD = 3;

export interface SpawnRequest {
  /** The program to execute; it is not searched for. */
  readonly path: string;
  /** Each argument ended by a NUL, the program's own name first. */
  readonly argv: Uint8Array;
  /** `NAME=value` pairs, each ended by a NUL. */
  readonly environment: Uint8Array;
  /** An open file, which stays open here. */
  readonly stdin: number;
  /** Bind it to these CPUs; null: wherever this process may run. */
  readonly cpuIds: readonly number[] | null;
}

export type SpawnResult =
  | { readonly ok: true; readonly pid: number }
  /** `tooLong`: more arguments and environment than the kernel takes. */
  | {
      readonly ok: false;
      readonly error: string;
      readonly tooLong: boolean;
      /** The machine has no more files, processes or memory to give just now; absent: it was refused for good. */
      readonly passes?: true;
    };

/** The system call waits for the new process to begin; more threads waiting would not make it quicker. */
const MOST_AT_ONCE = 8;
let underWay = 0;
const waiting: (() => void)[] = [];

export function spawnDetached(request: SpawnRequest, done: (result: SpawnResult) => void): void {
  if (underWay >= MOST_AT_ONCE) {
    waiting.push(() => spawnDetached(request, done));
    return;
  }
  underWay++;
  const finish = (result: SpawnResult) => {
    underWay--;
    waiting.shift()?.();
    done(result);
  };
  try {
    spawnNow(request, finish);
  } catch (error) {
    setImmediate(finish, { ok: false, error: String(error), tooLong: false });
  }
}

function spawnNow(request: SpawnRequest, done: (result: SpawnResult) => void): void {
  // What C is given pointers to must stay alive until the call is over: the callback refers to it.
  const call = {
    pid: new Int32Array(new ArrayBuffer(4)),
    argv: pointersTo(request.argv),
    environment: pointersTo(request.environment),
    fileActions: fileActionsFor(request.stdin),
    request,
  };
  const { posixSpawn, attributes, forgetFileActions } = prepared();
  if (request.cpuIds === null) {
    posixSpawn.async(
      call.pid,
      request.path,
      call.fileActions,
      attributes,
      call.argv,
      call.environment,
      (error: unknown, errno: number) => {
        forgetFileActions(call.fileActions);
        if (error) done({ ok: false, error: String(error), tooLong: false });
        else done(resultOf(errno, call.pid));
      },
    );
    return;
  }
  const errno = spawnBound(call, request.cpuIds);
  forgetFileActions(call.fileActions);
  setImmediate(() => done(resultOf(errno, call.pid)));
}

interface Call {
  readonly pid: Int32Array;
  readonly argv: BigUint64Array;
  readonly environment: BigUint64Array;
  readonly fileActions: Buffer;
  readonly request: SpawnRequest;
}

/** A process inherits the CPUs of the thread that starts it, so this one is started by the main thread. */
function spawnBound(call: Call, cpuIds: readonly number[]): number {
  const { posixSpawn, attributes } = prepared();
  const own = affinityOf();
  const bound = own !== null && setAffinity(cpuIds);
  try {
    return posixSpawn(
      call.pid,
      call.request.path,
      call.fileActions,
      attributes,
      call.argv,
      call.environment,
    ) as number;
  } finally {
    if (bound) setAffinity(own);
  }
}

const prepared = lazily(() => {
  const c = libc();
  const attributes = Buffer.alloc(1024);
  const everySignal = Buffer.alloc(128);
  const noSignal = Buffer.alloc(128);
  c.func('int sigfillset(void *set)')(everySignal);
  c.func('int posix_spawnattr_init(void *attributes)')(attributes);
  c.func('int posix_spawnattr_setsigdefault(void *attributes, void *set)')(attributes, everySignal);
  c.func('int posix_spawnattr_setsigmask(void *attributes, void *set)')(attributes, noSignal);
  c.func('int posix_spawnattr_setflags(void *attributes, short flags)')(
    attributes,
    SETSID | SETSIGDEF | SETSIGMASK,
  );
  return {
    attributes,
    posixSpawn: c.func(
      'int posix_spawn(void *pid, const char *path, void *actions, void *attributes, void *argv, void *envp)',
    ),
    beginFileActions: c.func('int posix_spawn_file_actions_init(void *actions)'),
    addDuplicate: c.func('int posix_spawn_file_actions_adddup2(void *actions, int fd, int as)'),
    addOpen: c.func(
      'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, uint mode)',
    ),
    closeTheRest: closingTheRest(),
    forgetFileActions: c.func('int posix_spawn_file_actions_destroy(void *actions)'),
  };
});

function fileActionsFor(stdin: number): Buffer {
  const { beginFileActions, addDuplicate, addOpen, closeTheRest } = prepared();
  const actions = Buffer.alloc(256);
  beginFileActions(actions);
  addDuplicate(actions, stdin, 0);
  addOpen(actions, 1, '/dev/null', O_WRONLY, 0);
  addOpen(actions, 2, '/dev/null', O_WRONLY, 0);
  closeTheRest(actions);
  return actions;
}

/**
 * Whoever started us may have left files open, a pipe for example, whose other end would wait for a job to
 * finish. C libraries that cannot close them for a new process get them marked once and for all; what is
 * opened later is marked from the beginning.
 */
function closingTheRest(): (fileActions: Buffer) => void {
  try {
    const closeFrom = libc().func('int posix_spawn_file_actions_addclosefrom_np(void *actions, int from)');
    return (fileActions) => closeFrom(fileActions, FIRST_UNNEEDED_FD);
  } catch {
    const setFlags = libc().func('int fcntl(int fd, int command, int flags)');
    for (const name of readdirSync('/proc/self/fd')) {
      if (Number(name) >= FIRST_UNNEEDED_FD) setFlags(Number(name), F_SETFD, FD_CLOEXEC);
    }
    return () => {};
  }
}

/** A table of pointers to the strings of a block, ended by a null pointer. */
function pointersTo(block: Uint8Array): BigUint64Array {
  const starts: number[] = [];
  let at = 0;
  while (at < block.length) {
    const end = block.indexOf(0, at);
    if (end < 0) throw new Error('the last string of a block must end in a NUL');
    starts.push(at);
    at = end + 1;
  }
  const table = new BigUint64Array(starts.length + 1);
  if (starts.length === 0) return table;
  const base = koffi.address(block);
  for (let i = 0; i < starts.length; i++) table[i] = base + BigInt(starts[i] as number);
  return table;
}

function resultOf(errno: number, pid: Int32Array): SpawnResult {
  if (errno === 0) return { ok: true, pid: pid[0] as number };
  const error = errorName(errno);
  return {
    ok: false,
    error,
    tooLong: errno === koffi.os.errno.E2BIG,
    ...(PASSING.has(error) ? { passes: true } : {}),
  };
}

const PASSING: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);
