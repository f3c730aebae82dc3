/**
 * The shims that this agent started. Executing a shell costs more than all else about a short job, so a shim
 * whose job was short waits a moment for another attempt of the same program, which comes to it through the
 * pipe from which its shell reads its commands. We hold the only other end: when we die or let go of it, the
 * shim exits when its job is over. What an attempt consists of is not known here.
 */

import { writeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../model/job-spec.ts';
import { errorWords, isOutOfFiles } from '../platform/files.ts';
import { isAloneInGroup } from '../platform/group-of-one.ts';
import { closeEnd, makePipe, type Pipe } from '../platform/libc.ts';
import { startTicks } from '../platform/processes.ts';
import { type SpawnRequest, type SpawnResult, spawnDetached } from '../platform/spawn.ts';
import type { OwnShim } from './live.ts';

export interface Shims {
  /** Starts one. With `forOneProgram` it may be handed on to attempts of that program. */
  start(
    request: Omit<SpawnRequest, 'path' | 'stdin'>,
    forOneProgram: Program | null,
    done: (result: ShimStart) => void,
  ): void;
  /** One that waits for an attempt of this program, if there is one. To be given an assignment or let go. */
  waitingFor(program: Program): OwnShim | null;
  /** Gives it an attempt. False when it cannot be had that way. */
  assign(shim: OwnShim, command: Uint8Array): boolean;
  /** Its attempt is over, by its own account. False when it must not be handed on; then it is let go. */
  keep(shim: OwnShim): boolean;
  /** It gets no other attempt. */
  letGo(shim: OwnShim): void;
  close(): void;
}

export type ShimStart =
  | { readonly ok: true; readonly shim: OwnShim }
  | (SpawnResult & { readonly ok: false });

/** The shim's own name is its first argument. */
const FIRST_COMMAND = '. "$1"\n';
/** What a pipe takes at once, whole and without waiting, whatever its reader does. */
const MOST_BYTES = 4096;
/** After this long without a new attempt it is let go, whether it waits or its job takes so long. */
const KEEP_MS = 1000;
const LOOK_EVERY_MS = 250;
/** Of many different programs, the shims of those that came last. */
const MOST_WAITING = 64;

export function createShims(reapLater: (shim: OwnShim) => void): Shims {
  const holding = new Set<OwnShim>();
  const waiting: OwnShim[] = [];
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  function start(
    request: Omit<SpawnRequest, 'path' | 'stdin'>,
    forOneProgram: Program | null,
    done: (result: ShimStart) => void,
  ): void {
    let pipe: Pipe;
    try {
      pipe = makePipe();
    } catch (error) {
      const passes = isOutOfFiles(error) ? ({ passes: true } as const) : {};
      setImmediate(() => done({ ok: false, error: errorWords(error), tooLong: false, ...passes }));
      return;
    }
    writeSync(pipe.writeEnd, FIRST_COMMAND);
    spawnDetached({ ...request, path: '/bin/sh', stdin: pipe.readEnd }, (result) => {
      closeEnd(pipe.readEnd);
      if (!result.ok) {
        closeEnd(pipe.writeEnd);
        done(result);
        return;
      }
      const shim = ownShim(result.pid, forOneProgram, pipe.writeEnd);
      if (forOneProgram === null || closed) letGo(shim);
      else hold(shim);
      done({ ok: true, shim });
    });
  }

  function hold(shim: OwnShim): void {
    holding.add(shim);
    if (timer !== null) return;
    timer = setInterval(letOldOnesGo, LOOK_EVERY_MS);
    timer.unref();
  }

  function letOldOnesGo(): void {
    const before = performance.now() - KEEP_MS;
    for (const shim of holding) if (shim.usedAt < before) letGo(shim);
    if (holding.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  function letGo(shim: OwnShim): void {
    if (shim.pipe === null) return;
    closeEnd(shim.pipe);
    shim.pipe = null;
    holding.delete(shim);
    const at = waiting.indexOf(shim);
    if (at < 0) return;
    waiting.splice(at, 1);
    reapLater(shim);
  }

  return {
    start,
    waitingFor(program) {
      return waiting.findLast((shim) => isDeepStrictEqual(shim.program, program)) ?? null;
    },
    assign(shim, command) {
      if (shim.pipe === null || command.length > MOST_BYTES) return false;
      try {
        writeSync(shim.pipe, command);
      } catch {
        letGo(shim);
        return false;
      }
      waiting.splice(waiting.indexOf(shim), 1);
      shim.usedAt = performance.now();
      shim.attempts++;
      return true;
    },
    keep(shim) {
      if (shim.pipe === null) return false;
      shim.startTicks ??= startTicks(shim.pid);
      if (shim.startTicks === null || !isAloneInGroup(shim.pid)) {
        letGo(shim);
        return false;
      }
      shim.usedAt = performance.now();
      waiting.push(shim);
      if (waiting.length > MOST_WAITING) letGo(waiting[0] as OwnShim);
      return true;
    },
    letGo,
    close() {
      closed = true;
      if (timer !== null) clearInterval(timer);
      for (const shim of holding) letGo(shim);
    },
  };
}

function ownShim(pid: number, program: Program | null, pipe: number): OwnShim {
  return {
    kind: 'child',
    pid,
    reaped: null,
    program,
    pipe,
    attempts: 1,
    usedAt: performance.now(),
    startTicks: null,
    cpuMs: 0,
    userCpuMs: 0,
    variables: new Map(),
  };
}
