/**
 * The checkpoints of a running program, copied in the background: looks, puts what is finished on the shelf, the newest
 * first, and looks again. One copy at a time. Which unit is finished is for settled.ts to say, how it is copied for the
 * shelf; whatever goes wrong is told and tried again later, for as long as it is watched.
 */

import { printable } from '../model/bytes.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import type { KeepContext } from './keep-context.ts';
import { inOrder, leadsToAny } from './put-order.ts';
import type { Look, Settling } from './settled.ts';
import type { Shelf } from './shelf.ts';
import type { Unit } from './units.ts';
import { createWakeups } from './wakeups.ts';

export interface CheckpointsWatch {
  /** What was seen last; null: nothing yet. */
  seen(): Look | null;
  /** Looks now, and resolves when everything that is finished has been tried. */
  round(): Promise<void>;
  /** Resolves when nothing is being copied any more. */
  stop(): Promise<void>;
}

export interface WatchOptions {
  readonly directory: string;
  readonly settling: Settling;
  readonly shelf: () => Promise<Shelf>;
  /** Copies one, and tells of it. */
  readonly put: (shelf: Shelf, unit: Unit) => Promise<'kept' | 'changed'>;
  readonly trouble: (sentence: string | null) => void;
  readonly context: KeepContext;
}

/** Looking takes at most one part in so many of the time: in a quiet directory, and in a busy one. */
const QUIET_SHARE = 50;
const BUSY_SHARE = 4;

interface Later {
  readonly at: number;
  readonly delayMs: number;
  readonly sentence: string;
}

export function watchCheckpoints(options: WatchOptions): CheckpointsWatch {
  const { directory, settling, put, trouble, context } = options;
  const { times } = context;
  const wakeups = createWakeups(directory);
  /** Single ones that could not be copied, by name. */
  const failing = new Map<string, Later>();
  /** The shelf itself cannot be used. */
  let stalled: Later | null = null;
  let seen: Look | null = null;
  let growingMs = times.growingMs;
  let lookCostMs = 0;
  let wasChanged = false;
  let isStopped = false;
  let waiters: (() => void)[] = [];

  const loop = run();

  async function run(): Promise<void> {
    while (!isStopped) {
      const heard = waiters;
      waiters = [];
      const delayMs = await round(heard.length > 0);
      for (const done of heard) done();
      if (isStopped) return;
      // Whoever has asked meanwhile is not kept waiting, also when that call has woken us already.
      if (waiters.length > 0) wakeups.wake();
      if (await wakeups.next(delayMs)) growingMs = times.growingMs;
    }
  }

  /** Gives how long it can wait until the next one. */
  async function round(isAsked: boolean): Promise<number> {
    const now = performance.now();
    if (isAsked) failing.clear();
    else if (stalled !== null && now < stalled.at) return stalled.at - now;
    try {
      const shelf = await options.shelf();
      let isUnsettled = true;
      while (isUnsettled && !isStopped) isUnsettled = await lookAndPut(shelf);
      stalled = null;
    } catch (error) {
      stalled = later(stalled, error);
      trouble(stalled.sentence);
      return stalled.delayMs;
    }
    trouble(failing.values().next().value?.sentence ?? null);
    return pauseMs();
  }

  function pauseMs(): number {
    const quiet = Math.max(times.lookMs, lookCostMs * QUIET_SHARE);
    if (seen === null || (seen.growing.length === 0 && !wasChanged)) return quiet;
    const delayMs = Math.max(growingMs, lookCostMs * BUSY_SHARE);
    growingMs = Math.min(growingMs * 2, times.longestGrowingMs);
    return Math.min(delayMs, quiet);
  }

  /** True when something happened meanwhile, so that the newest may be another by now. */
  async function lookAndPut(shelf: Shelf): Promise<boolean> {
    wasChanged = false;
    const startedAt = performance.now();
    seen = await settling.look(context.now());
    const lookedAt = performance.now();
    lookCostMs = lookedAt - startedAt;
    const names = new Set(seen.ready.map(({ name }) => name));
    for (const name of failing.keys()) if (!names.has(name)) failing.delete(name);
    let refusal: Fault | null = null;
    for (const unit of inOrder(seen.ready)) {
      if (isStopped) return false;
      if (!(await isDue(shelf, unit, seen))) continue;
      const before = refusal;
      refusal = await tryPut(shelf, unit);
      // What happens to two in a row would happen to every other one as well.
      if (refusal !== null && before !== null) throw before;
      if (refusal === null && hasNewsSince(lookedAt)) {
        await wakeups.next(0);
        return true;
      }
    }
    if (refusal !== null) throw refusal;
    return false;
  }

  function hasNewsSince(lookedAt: number): boolean {
    return wakeups.hasNews() && performance.now() - lookedAt > lookCostMs * BUSY_SHARE;
  }

  async function isDue(shelf: Shelf, unit: Unit, { ready, growing }: Look): Promise<boolean> {
    const failed = failing.get(unit.name);
    if (failed !== undefined && performance.now() < failed.at) return false;
    if (unit.kind !== 'pointer') return shelf.isWanted(unit);
    if (shelf.isKept(unit)) return false;
    const isUnsafe = (other: Unit) => other.kind !== 'pointer' && !shelf.isKept(other);
    return !(await leadsToAny(directory, unit, [...ready, ...growing].filter(isUnsafe)));
  }

  /** Gives the fault when it may be one of the shelf rather than of this unit. */
  async function tryPut(shelf: Shelf, unit: Unit): Promise<Fault | null> {
    try {
      if ((await put(shelf, unit)) === 'changed') wasChanged = true;
      failing.delete(unit.name);
      return null;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      failing.set(unit.name, later(failing.get(unit.name) ?? null, error));
      return error.retryable ? error : null;
    }
  }

  function later(before: Later | null, error: unknown): Later {
    const delayMs = Math.min(before === null ? times.retryMs : before.delayMs * 2, times.longestRetryMs);
    return { at: performance.now() + delayMs, delayMs, sentence: sentenceOf(error) };
  }

  function sentenceOf(error: unknown): string {
    if (error instanceof Fault) return error.message;
    context.events.log(`keeper: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return `the checkpoints in ${printable(directory)} cannot be kept: ${errorWords(error)}`;
  }

  return {
    seen: () => seen,
    round: () =>
      new Promise((resolve) => {
        if (isStopped) return resolve();
        waiters.push(resolve);
        wakeups.wake();
      }),
    async stop() {
      isStopped = true;
      wakeups.close();
      await loop;
      for (const done of waiters) done();
    },
  };
}
