/**
 * Making safe what attempts left, when nobody of them is there any more: the keeper copies it, then what was made for
 * them goes. What cannot be made safe stays where it is, and is tried again every now and then, also for attempts that
 * the yard has done with.
 */

import { existsSync } from 'node:fs';
import type { Observation } from '../model/command.ts';
import type { AttemptId, JobId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import type { Flushed, Keeper, KeepOrder } from '../storage/keeper.ts';
import type { KeepNote, KeepNotes, KeptEnding } from './keep-notes.ts';
import { scratchHoldsKept } from './keep-order.ts';
import { rankState } from './recover.ts';
import type { Scratch } from './scratch.ts';
import { rankPath, type YardFiles } from './yard-files.ts';

export interface Safekeeping {
  /** Gives what could not be made safe, and why; null: everything is, and nothing is left of the attempt here. */
  makeSafe(note: EndedNote): Promise<string | null>;
  /** The attempt never ran: nothing of it is worth keeping. */
  clear(note: KeepNote): Promise<void>;
  /** Tries again for attempts that nobody looks after. */
  retry(): Promise<void>;
  /** The same for attempts of one job; gives what could not be made safe. */
  retryOf(job: JobId): Promise<string | null>;
  /** The same ahead of the next attempt of a job. Rejects with a Fault when another one should not begin without that. */
  settleEarlier(job: JobId, next: KeepOrder['from']): Promise<void>;
  remarks(): readonly string[];
}

export interface EndedNote extends KeepNote {
  readonly ending: KeptEnding;
}

export interface SafekeepingParts {
  readonly files: YardFiles;
  readonly yardId: string;
  readonly notes: KeepNotes;
  readonly scratch: Scratch;
  readonly keeper: Keeper | null;
  readonly flushLimitMs: number;
  /** Whether somebody looks after the attempt, so that it is not to be touched here. */
  readonly isKnown: (attempt: AttemptId) => boolean;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
  readonly isClosed: () => boolean;
}

const MOST_REMARKS = 5;
const NOTHING_TO_COPY: Flushed = { trouble: null, checkpoint: null };

export function createSafekeeping(parts: SafekeepingParts): Safekeeping {
  const { notes, scratch, keeper, report, log } = parts;
  const underWay = new Map<AttemptId, Promise<string | null>>();
  let isRetrying = false;

  function makeSafe(note: EndedNote): Promise<string | null> {
    const { attempt } = note.order;
    const known = underWay.get(attempt);
    if (known !== undefined) return known;
    const work = flushThenClear(note).finally(() => underWay.delete(attempt));
    underWay.set(attempt, work);
    return work;
  }

  /** Whoever asks for it anew wants it tried anew, and does not want to hear of an earlier try. */
  async function tryAgain({ order }: KeepNote): Promise<string | null> {
    await underWay.get(order.attempt);
    const note = notes.of(order.attempt);
    return note === null ? null : makeSafe(withEnding(note));
  }

  async function flushThenClear(note: EndedNote): Promise<string | null> {
    const { trouble, checkpoint } = await flush(note);
    // Whoever comes after us does it again.
    if (parts.isClosed()) return trouble;
    const { attempt } = note.order;
    if (checkpoint !== null) report({ type: 'checkpointKept', attempt, checkpoint });
    report({ type: 'checkpointTrouble', attempt, trouble });
    if (trouble === null) await clear(note);
    else await leave(note, trouble);
    return trouble;
  }

  async function flush({ order, ending }: EndedNote): Promise<Flushed> {
    if (keeper === null) return NOTHING_TO_COPY;
    if (order.from === null && order.logs.length === 0) {
      keeper.letGo(order.attempt);
      return NOTHING_TO_COPY;
    }
    try {
      return await keeper.flush(order, { isOrderly: ending.isOrderly, limitMs: parts.flushLimitMs });
    } catch (error) {
      return { trouble: errorWords(error), checkpoint: null };
    }
  }

  async function leave(note: EndedNote, trouble: string): Promise<void> {
    const { attempt } = note.order;
    if (note.ending.trouble !== trouble) log(`what attempt ${attempt} left is not safe: ${trouble}`);
    try {
      await notes.write({ ...note, ending: { ...note.ending, trouble } });
      if (note.order.scratch !== null && !scratchHoldsKept(note.order))
        await scratch.remove(note.order.scratch.directory);
    } catch (error) {
      log(`after attempt ${attempt}: ${errorWords(error)}`);
    }
  }

  async function clear({ order }: KeepNote): Promise<void> {
    try {
      if (order.scratch !== null) await scratch.remove(order.scratch.directory);
      notes.drop(order.attempt);
    } catch (error) {
      // Its note stays, and with it the wish to remove it.
      log(`the scratch directory of attempt ${order.attempt} cannot be removed yet: ${errorWords(error)}`);
    }
  }

  /** The yard may have given up an attempt whose processes go on. */
  function mayRun({ order, ending }: KeepNote): boolean {
    if (ending !== undefined) return false;
    for (let rank = 0; existsSync(rankPath(parts.files, order.attempt, rank)); rank++)
      if (rankState(parts.files, parts.yardId, order.attempt, rank).kind === 'running') return true;
    return false;
  }

  function isLeft(note: KeepNote): boolean {
    return !parts.isKnown(note.order.attempt) && !mayRun(note);
  }

  return {
    makeSafe,
    clear,
    async retry() {
      if (isRetrying) return;
      isRetrying = true;
      for (const { order } of notes.all()) {
        const note = notes.of(order.attempt);
        if (note !== null && !parts.isClosed() && isLeft(note)) await makeSafe(withEnding(note));
      }
      isRetrying = false;
    },
    async retryOf(job) {
      const troubles: string[] = [];
      for (const note of notes.ofJob(job).filter(isLeft)) {
        const trouble = await tryAgain(note);
        if (trouble !== null) troubles.push(trouble);
      }
      return troubles[0] ?? null;
    },
    async settleEarlier(job, next) {
      for (const note of notes.ofJob(job).filter(isLeft)) {
        const trouble = await tryAgain(note);
        if (trouble === null) continue;
        if (scratchHoldsKept(note.order))
          throw new Fault(`what its run ${note.order.attempt} left must be safe first: ${trouble}`, true);
        // The next run writes to the same place, and all that is there is looked after with it.
        if (note.order.from === next) notes.drop(note.order.attempt);
      }
    },
    remarks() {
      const unsafe = notes.all().filter(({ ending }) => (ending?.trouble ?? null) !== null);
      const more = unsafe.length - MOST_REMARKS;
      return [
        ...unsafe
          .slice(0, MOST_REMARKS)
          .map(({ order, ending }) => `what attempt ${order.attempt} left is not safe: ${ending?.trouble}`),
        ...(more > 0 ? [`the same holds for ${more} more`] : []),
      ];
    },
  };
}

/** Of one that nobody saw end, nobody knows whether it finished what it wrote. */
function withEnding(note: KeepNote): EndedNote {
  return { ...note, ending: note.ending ?? { isOrderly: false, lost: null, trouble: null } };
}
