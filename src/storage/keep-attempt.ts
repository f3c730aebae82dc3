/**
 * Everything that is kept of one attempt: its checkpoints, its logs, and whether its scratch directory has become too
 * large. Before it starts, while it runs, and when it has ended; each may be asked for without the others, since the
 * keeper may have been another one then.
 */

import { printable } from '../model/bytes.ts';
import { type AttemptId, attemptNumber } from '../model/ids.ts';
import type { CheckpointNote, CheckpointView } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import { type FlushedCheckpoints, flushCheckpoints } from './flush-checkpoints.ts';
import type { KeepContext } from './keep-context.ts';
import type { Flushed, KeepEnding, KeepOrder, Prepared } from './keeper.ts';
import type { ShelfLease } from './open-shelves.ts';
import { prepareCheckpoints } from './prepare-checkpoints.ts';
import { isCompanion } from './retention.ts';
import { type ScratchWatch, watchScratch } from './scratch-quota.ts';
import { createSettling, type Look, type Settling } from './settled.ts';
import type { Shelf } from './shelf.ts';
import { createKeptTeller, createTroubleTeller } from './tellers.ts';
import { diskOf } from './turns.ts';
import type { Unit } from './units.ts';
import { type CheckpointsWatch, watchCheckpoints } from './watch-checkpoints.ts';
import { type LogsWatch, watchLogs } from './watch-logs.ts';

export interface AttemptKeeping {
  readonly order: KeepOrder;
  prepare(): Promise<Prepared>;
  watch(): void;
  isWatched(): boolean;
  flush(ending: KeepEnding): Promise<Flushed>;
  /** Copies now what is finished; gives the names of what was. */
  round(): Promise<FlushedCheckpoints>;
  /** What its program has there, as far as somebody has looked; null: nobody has. */
  seen(): Look | null;
  letGo(): Promise<void>;
}

const NOTHING_PREPARED: Prepared = { resumeFrom: null, checkpoint: null, remarks: [] };
/** What was left by an earlier run is given so long before the next one starts without it. */
const LEFTOVERS_MS = 60_000;
/** So seldom it is looked whether a directory is still where it was; each copy looks as well. */
const VERIFY_MS = 1000;

export function keepAttempt(order: KeepOrder, context: KeepContext): AttemptKeeping {
  const { attempt, from } = order;
  const { events } = context;
  const keptTeller = createKeptTeller(attempt, events, context.times.toldMs);
  const troubleTeller = createTroubleTeller(attempt, events);
  let settling: Settling | null = null;
  let lease: Promise<ShelfLease> | null = null;
  let checkpoints: CheckpointsWatch | null = null;
  let logs: LogsWatch | null = null;
  let scratch: ScratchWatch | null = null;
  /** Of what is copied while somebody waits to hear of it. */
  let putNames: string[] | null = null;
  /** Nobody may take the shelf away from under it. */
  let busy: Promise<unknown> = Promise.resolve();
  let isOver = false;
  let verifiedAt = performance.now();

  /** Opened anew when somebody has moved or removed the one that was open. */
  async function shelf(): Promise<Shelf> {
    if (lease !== null && performance.now() - verifiedAt > VERIFY_MS) {
      verifiedAt = performance.now();
      if (!(await isStillThere(lease))) await release();
    }
    lease ??= context.shelves.take(order);
    try {
      return (await lease).shelf;
    } catch (error) {
      lease = null;
      throw error;
    }
  }

  /** The processes that are gone now were the ones that it knew about. */
  function settlingIn(directory: string): Settling {
    settling ??= createSettling(directory);
    return settling;
  }

  async function put(onto: Shelf, unit: Unit, writer: AttemptId | null): Promise<'kept' | 'changed'> {
    const disk = await diskOf(onto.directory);
    const note = await context.inTurn(disk, () => onto.put(unit, from as string, writer));
    if (note === 'changed') return note;
    putNames?.push(unit.name);
    if (writer !== null) troubleTeller.works();
    if (writer !== null && isWorthTelling(onto, unit)) keptTeller.kept(note);
    return 'kept';
  }

  /** Measurements that are written all the time do not mean that training comes forward, unless there is nothing else. */
  function isWorthTelling(onto: Shelf, unit: Unit): boolean {
    if (unit.kind === 'pointer') return false;
    return (
      !isCompanion(unit) || onto.entries().every((entry) => entry.state !== 'kept' || isCompanion(entry))
    );
  }

  function flushAll(
    directory: string,
    isOrderly: boolean,
    writer: AttemptId | null,
    deadline: number,
    waitsForRoom: boolean,
  ): Promise<FlushedCheckpoints> {
    return flushCheckpoints({
      from: directory,
      attempt: writer,
      isOrderly,
      settling: settlingIn(directory),
      shelf,
      put: (onto, unit) => put(onto, unit, writer),
      trouble: (sentence) => troubleTeller.set('checkpoints', sentence),
      leftMs: () => (waitsForRoom ? deadline - performance.now() : 0),
      isOver: () => isOver || performance.now() > deadline,
      context,
    });
  }

  async function stopWatching(): Promise<void> {
    scratch?.stop();
    await checkpoints?.stop();
    checkpoints = null;
  }

  async function release(): Promise<void> {
    const held = lease;
    lease = null;
    await held?.then(
      ({ giveBack }) => giveBack(),
      () => {},
    );
  }

  async function flushUntil(ending: KeepEnding, deadline: number): Promise<Flushed> {
    await stopWatching();
    const flushed = from === null ? null : await flushAll(from, ending.isOrderly, attempt, deadline, true);
    keptTeller.finish();
    logs ??= watchLogs({ order, isRunning: false, trouble: () => {}, context });
    const logsTrouble = await logs.finish();
    const checkpoint = await newestKept().catch(() => null);
    return { trouble: flushed?.trouble ?? logsTrouble, checkpoint };
  }

  async function newestKept(): Promise<CheckpointNote | null> {
    if (from === null) return null;
    const held = await shelf();
    if (order.keepForMs !== null) await held.prune(order.keepCount, order.keepForMs);
    const newest = held.entries().find(({ state }) => state === 'kept');
    return newest === undefined ? null : noteOf(newest);
  }

  async function prepare(): Promise<Prepared> {
    if (from === null) return NOTHING_PREPARED;
    settling =
      attemptNumber(attempt) > 1 ? createSettling(from) : foundBefore(createSettling(from), context.now);
    try {
      return await prepareCheckpoints({
        order,
        from,
        shelf: await shelf(),
        settling: settlingIn(from),
        // Nobody knows any more who wrote it, but it was not this attempt.
        flush: () => flushAll(from, false, null, performance.now() + LEFTOVERS_MS, false),
      });
    } catch (error) {
      await release();
      if (error instanceof Fault) throw error;
      events.log(`keeper: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      throw new Fault(
        `the checkpoints in ${printable(from)} cannot be made ready: ${errorWords(error)}`,
        true,
      );
    } finally {
      // What it knows is of processes that are gone.
      settling = null;
    }
  }

  return {
    order,
    prepare() {
      const work = prepare();
      busy = work.catch(() => {});
      return work;
    },
    watch() {
      if (isOver || logs !== null) return;
      logs = watchLogs({
        order,
        isRunning: true,
        trouble: (sentence) => troubleTeller.set('logs', sentence),
        context,
      });
      if (from !== null)
        checkpoints = watchCheckpoints({
          directory: from,
          settling: settlingIn(from),
          shelf,
          put: (onto, unit) => put(onto, unit, attempt),
          trouble: (sentence) => troubleTeller.set('checkpoints', sentence),
          context,
        });
      if (order.scratch !== null && order.scratch.maxBytes !== null)
        scratch = watchScratch({
          directory: order.scratch.directory,
          maxBytes: order.scratch.maxBytes,
          over: (usedBytes) => events.overScratch(attempt, usedBytes),
          log: events.log,
          soonestMs: context.times.scratchMs,
        });
    },
    isWatched: () => checkpoints !== null,
    async flush(ending) {
      const deadline = performance.now() + ending.limitMs;
      const work = flushUntil(ending, deadline).finally(release);
      busy = work.catch(() => {});
      const late = untilLate(deadline + context.times.lateMs, from);
      const flushed = await Promise.race([work, late.promise]);
      late.cancel();
      isOver = true;
      void logs?.stop();
      return flushed;
    },
    async round() {
      if (from === null) return { names: [], trouble: null };
      if (checkpoints !== null) {
        const names: string[] = [];
        putNames = names;
        await checkpoints.round();
        putNames = null;
        return { names, trouble: null };
      }
      return flushAll(from, false, null, performance.now() + LEFTOVERS_MS, false);
    },
    seen: () => checkpoints?.seen() ?? null,
    async letGo() {
      isOver = true;
      keptTeller.stop();
      await busy;
      await stopWatching();
      await logs?.stop();
      await release();
    },
  };
}

async function isStillThere(lease: Promise<ShelfLease>): Promise<boolean> {
  const held = await lease.catch(() => null);
  return held === null || held.shelf.isStillThere();
}

/** What was there before any run of the job began is no victim of one: there it counts that nobody writes to it. */
function foundBefore(settling: Settling, now: () => number): Settling {
  return {
    ...settling,
    async lastLook() {
      await settling.look(now());
      return { ready: (await settling.look(now())).ready, unproven: [] };
    },
  };
}

/** A storage server that hangs does not hang those who wait for it. */
function untilLate(deadline: number, from: string | null) {
  let timer: NodeJS.Timeout | null = null;
  const promise = new Promise<Flushed>((resolve) => {
    const where = from === null ? '' : `; what was not copied is still in ${printable(from)}`;
    const trouble = `not everything is known to be safe: the storage did not answer in time${where}`;
    timer = setTimeout(
      () => resolve({ trouble, checkpoint: null }),
      Math.max(0, deadline - performance.now()),
    );
  });
  return {
    promise,
    cancel: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

export function noteOf({ name, step, bytes, writtenAt, keptAt }: CheckpointView): CheckpointNote {
  return { name, step, bytes, writtenAt, keptAt: keptAt ?? writtenAt };
}
