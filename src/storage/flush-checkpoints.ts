/**
 * What is left of the checkpoints of a program whose processes are gone: everything that is whole onto the shelf, the
 * newest first, what may not be whole beside it. A full disk is waited for until the time is up; then it is said what is
 * not safe, and where it still is.
 */

import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
import type { KeepContext } from './keep-context.ts';
import { inOrder, leadsToAny } from './put-order.ts';
import type { Settling } from './settled.ts';
import type { Shelf } from './shelf.ts';
import type { Unit } from './units.ts';

export interface FlushOptions {
  readonly from: string;
  readonly attempt: AttemptId | null;
  readonly isOrderly: boolean;
  readonly settling: Settling;
  readonly shelf: () => Promise<Shelf>;
  readonly put: (shelf: Shelf, unit: Unit) => Promise<'kept' | 'changed'>;
  /** Told as long as it has to be tried again. */
  readonly trouble: (sentence: string | null) => void;
  readonly leftMs: () => number;
  readonly isOver: () => boolean;
  readonly context: KeepContext;
}

export interface FlushedCheckpoints {
  /** What was copied. */
  readonly names: readonly string[];
  readonly trouble: string | null;
}

/** Nobody is there to write any more, so this happens when times are inexact; not often. */
const MOST_CHANGES = 5;
const CHANGED_MS = 100;
const MOST_NAMED = 3;

interface Obstacle {
  readonly why: string;
  readonly isWorthWaiting: boolean;
  readonly units: readonly Unit[];
}

export async function flushCheckpoints(options: FlushOptions): Promise<FlushedCheckpoints> {
  const { context, leftMs, isOver } = options;
  const names: string[] = [];
  let delayMs = context.times.retryMs;
  let changes = 0;
  let reason: string | null = null;
  for (;;) {
    const found = await tryAll(options, names);
    // Why it took so long says more than that it did.
    const obstacle: Obstacle | null =
      found?.why === NO_TIME && reason !== null ? { ...found, why: reason } : found;
    if (obstacle === null) {
      options.trouble(null);
      return { names, trouble: null };
    }
    const trouble = unsafeSentence(obstacle, options.from);
    const waitMs = obstacle.why === CHANGED ? CHANGED_MS : delayMs;
    const isHopeless = !obstacle.isWorthWaiting || (obstacle.why === CHANGED && ++changes > MOST_CHANGES);
    if (isHopeless || isOver() || leftMs() < waitMs) return { names, trouble };
    reason = obstacle.why;
    options.trouble(trouble);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    delayMs = Math.min(delayMs * 2, context.times.longestRetryMs, Math.max(leftMs(), context.times.retryMs));
  }
}

const NO_TIME = 'there was no more time';
const CHANGED = 'it kept changing while it was copied';

/** Null when everything is safe. */
async function tryAll(options: FlushOptions, names: string[]): Promise<Obstacle | null> {
  const { from, isOver } = options;
  const refused: Refused[] = [];
  const changed: Unit[] = [];
  let left: readonly Unit[] = [];
  const obstacle = (why: string, isWorthWaiting: boolean): Obstacle => ({
    why,
    isWorthWaiting,
    units: inOrder([...refused.map(({ unit }) => unit), ...changed, ...left]),
  });
  try {
    const shelf = await options.shelf();
    const { ready, unproven } = await options.settling.lastLook({ isOrderly: options.isOrderly });
    const isOwed = (unit: Unit) => (unit.kind === 'pointer' ? !shelf.isKept(unit) : shelf.isWanted(unit));
    left = inOrder(ready).filter(isOwed);
    for (const unit of [...left]) {
      if (isOver()) return obstacle(NO_TIME, false);
      left = left.slice(1);
      const unsafe = [...unproven, ...changed, ...refused.map((one) => one.unit)];
      // Retention may have made it needless meanwhile; and nothing may point to what is not there.
      if (!isOwed(unit) || (await leadsToAny(from, unit, unsafe))) continue;
      const outcome = await tryOne(unit, () => options.put(shelf, unit));
      if (outcome === 'kept') names.push(unit.name);
      else if (outcome === 'changed') changed.push(unit);
      else refused.push(outcome);
      // What happens to two in a row would happen to every other one as well.
      if (refused.length > 1 && refused.slice(-2).every(({ fault }) => fault.retryable)) break;
    }
    refused.push(...(await putUnprovenOnes(options, shelf, unproven)));
  } catch (error) {
    if (error instanceof Fault) return obstacle(error.message, error.retryable);
    options.context.events.log(`keeper: ${storyOf(error)}`);
    return obstacle(errorWords(error), true);
  }
  const worst = refused.find(({ fault }) => fault.retryable) ?? refused[0];
  if (worst !== undefined) return obstacle(worst.fault.message, worst.fault.retryable);
  return changed.length > 0 ? obstacle(CHANGED, true) : null;
}

interface Refused {
  readonly unit: Unit;
  readonly fault: Fault;
}

async function tryOne<T>(unit: Unit, work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return { unit, fault: error };
    throw error;
  }
}

async function putUnprovenOnes(
  { from, attempt, isOver }: FlushOptions,
  shelf: Shelf,
  unproven: readonly Unit[],
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (const unit of unproven) {
    if (isOver() || unit.kind === 'pointer' || shelf.isKept(unit)) continue;
    const outcome =
      unit.trouble === null
        ? await tryOne(unit, () => shelf.putUnproven(unit, from, attempt))
        : { unit, fault: new Fault(unit.trouble, false) };
    if (outcome !== undefined) refused.push(outcome);
  }
  return refused;
}

/** What is not safe, why, and where it still is. */
function unsafeSentence({ why, units }: Obstacle, from: string): string {
  const names = units.slice(0, MOST_NAMED).map(({ name }) => printable(name));
  if (units.length > MOST_NAMED) names.push(`${units.length - MOST_NAMED} more`);
  const last = names.pop();
  if (last === undefined)
    return `not everything is known to be safe: ${why}; what there is is in ${printable(from)}`;
  const what = names.length === 0 ? `${last} is` : `${names.join(', ')} and ${last} are`;
  return `${what} not safe: ${why}; still in ${printable(from)}`;
}

function storyOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
