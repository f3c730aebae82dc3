/**
 * What an attempt keeps, from before its start to its end: its scratch directory, the checkpoint that it goes on from,
 * what is copied while it runs, and what is made safe before its end is told. How things are copied is the keeper's
 * business; attempts that keep nothing never come here.
 */

import type { Observation } from '../model/command.ts';
import type { Job } from '../model/job.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import type { KeepOrder, Prepared } from '../storage/keeper.ts';
import type { KeepNote } from './keep-notes.ts';
import { keepsSomething, orderOf, wantsCode, wantsKeeper, wantsScratch } from './keep-order.ts';
import type { LiveAttempt } from './live.ts';
import type { EndedNote, Safekeeping, SafekeepingParts } from './safekeeping.ts';

export interface Keeping {
  /** Makes ready what it finds at its start. Rejects with a Fault when it cannot start. */
  makeReady(live: LiveAttempt, isFresh: boolean): Promise<void>;
  /** It runs. */
  watch(live: LiveAttempt): void;
  /** Whether something has to be done before its end is told. */
  isOwed(live: LiveAttempt): boolean;
  /** Why nobody knows how it ended, if an earlier agent has noted that. */
  lostBy(live: LiveAttempt): string | null;
  /** Its processes are gone: makes safe what they left. */
  end(live: LiveAttempt, seen: Ended): Promise<void>;
}

export type Ended = Extract<Observation, { readonly type: 'attemptEnded' | 'attemptLost' }>;

export interface KeepingParts extends SafekeepingParts {
  readonly safekeeping: Safekeeping;
  /** Puts the code of a job in place, and tells where it runs; null: all run where they were submitted. */
  readonly code: ((job: Job) => Promise<string>) | null;
  /** Exit codes by which a program says that all is well, and that it wants another run. */
  readonly againExitCodes: readonly number[];
  /** Says something in the job's own output. */
}

export function createKeeping(parts: KeepingParts): Keeping {
  const { notes, scratch, keeper, safekeeping, report, log } = parts;

  async function makeReady(live: LiveAttempt, isFresh: boolean): Promise<void> {
    const { job, attempt } = live;
    const isCalledOff = () => live.phase === 'ending' || parts.isClosed();
    if (parts.code !== null && wantsCode(job)) live.codeDir = await parts.code(job);
    if (!keepsSomething(job)) return;
    await safekeeping.settleEarlier(job.id, orderOf(job, attempt, parts.yardId, null).from);
    if (isCalledOff()) return;
    const note = notes.of(attempt.id) ?? (await newNote(live));
    live.kept = note;
    if (isCalledOff()) return;
    if (note.order.scratch !== null) scratch.make(note.order.scratch.directory);
    if (!isFresh || keeper === null || !wantsKeeper(job)) return;
    const prepared = await keeper.prepare(note.order);
    if (isCalledOff()) return;
    tell(live, prepared);
    live.kept = { ...note, resumeFrom: prepared.resumeFrom };
    await written(live.kept);
  }

  /** There before anything is made that it speaks of. */
  async function newNote({ job, attempt }: LiveAttempt): Promise<KeepNote> {
    const take = (directory: string | null): KeepNote => ({
      order: orderOf(job, attempt, parts.yardId, directory),
    });
    if (!wantsScratch(job)) return written(take(null));
    let writing: Promise<KeepNote> | null = null;
    await scratch.choose(attempt.id, job.spec.keeping?.scratch?.maxBytes ?? null, growing, (directory) => {
      writing = written(take(directory));
      // Waited for below; until then it must not count as nobody's.
      writing.catch(() => {});
    });
    return (writing as Promise<KeepNote> | null) ?? written(take(null));
  }

  async function written(note: KeepNote): Promise<KeepNote> {
    try {
      await notes.write(note);
      return note;
    } catch (error) {
      throw new Fault(`cannot note what it keeps: ${errorWords(error)}`, true, { cause: error });
    }
  }

  /** Those who may yet fill their scratch directories. */
  function growing(): readonly KeepOrder[] {
    return notes.all().flatMap(({ order, ending }) => (ending === undefined ? [order] : []));
  }

  function tell(live: LiveAttempt, { remarks }: Prepared): void {
    for (const words of remarks) log(`attempt ${live.attempt.id}: ${words}`);
    live.foreword = remarks;
  }

  /** What is known of it; where nobody has noted it, as far as its job says. */
  function noteOf({ kept, job, attempt }: LiveAttempt): KeepNote {
    return kept ?? notes.of(attempt.id) ?? { order: orderOf(job, attempt, parts.yardId, null) };
  }

  async function end(live: LiveAttempt, seen: Ended): Promise<void> {
    const isReady = live.readying === null || (await calledOff(live, seen));
    const note = noteOf(live);
    if (isReady && neverRan(live)) {
      keeper?.letGo(live.attempt.id);
      return safekeeping.clear(note);
    }
    const ending = note.ending ?? {
      isOrderly: seen.type === 'attemptEnded' && endedOrderly(live, parts.againExitCodes),
      lost: seen.type === 'attemptLost' ? seen.reason : null,
      trouble: null,
    };
    const ended: EndedNote = { ...note, ending };
    await notes
      .write(ended)
      .catch((error: unknown) => log(`attempt ${live.attempt.id}: ${errorWords(error)}`));
    if (parts.isClosed()) return;
    if (keeper !== null && wantsKeeper(live.job)) report(syncing(seen));
    await safekeeping.makeSafe(ended);
  }

  /**
   * It was stopped while it was being made ready, so its place is free at once; but whoever copies into its scratch
   * directory must have done with that before it goes. False when that lasts too long.
   */
  async function calledOff(live: LiveAttempt, seen: Ended): Promise<boolean> {
    report(syncing(seen));
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), parts.flushLimitMs);
      timer.unref();
    });
    const isReady = await Promise.race([live.readying?.then(() => true), enough]);
    clearTimeout(timer);
    return isReady !== false;
  }

  return {
    makeReady,
    watch(live) {
      if (!keepsSomething(live.job)) return;
      const note = noteOf(live);
      live.kept = note;
      if (notes.of(live.attempt.id) === null) written(note).catch((error: Error) => log(error.message));
      const isLimited = (note.order.scratch?.maxBytes ?? null) !== null;
      if (wantsKeeper(live.job) || isLimited) keeper?.watch(note.order);
    },
    isOwed: (live) =>
      keepsSomething(live.job) &&
      (live.kept !== null || live.readying !== null || notes.of(live.attempt.id) !== null || !neverRan(live)),
    lostBy: ({ attempt }) => notes.of(attempt.id)?.ending?.lost ?? null,
    end,
  };
}

/** Nothing of it ever began, and nothing ever will. */
function neverRan({ ranks }: LiveAttempt): boolean {
  return ranks.every(({ end }) => end?.kind === 'revoked' || end?.kind === 'fault');
}

/** Every program said by how it ended that it had finished what it was doing. */
function endedOrderly(live: LiveAttempt, againExitCodes: readonly number[]): boolean {
  if (live.killing || live.attempt.stop?.step === 'kill' || live.wasForced || live.overMemory) return false;
  const fine = [0, ...againExitCodes, ...(live.job.spec.aftermath?.againExitCodes ?? [])];
  return live.ranks.every(({ end }) => {
    if (end?.kind === 'returned') return end.how === 'succeeded';
    return end?.kind === 'recorded' && end.record.status !== null && fine.includes(end.record.status);
  });
}

/** Of one that is lost, nobody knows how it ended; that its place is free is known all the same. */
function syncing(seen: Ended): Observation {
  const { attempt } = seen;
  if (seen.type === 'attemptLost') {
    const exit = { code: null, signal: null, outOfMemory: false };
    return { type: 'attemptSyncing', attempt, exit, usage: null, fault: null };
  }
  const { exit, usage, fault } = seen;
  return { type: 'attemptSyncing', attempt, exit, usage, fault };
}
