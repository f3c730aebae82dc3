/**
 * What people ask about the checkpoints of a job: what there is, whether it is whole, to have one back, to keep fewer. Uses
 * the shelf that is open already when the job is running.
 */

import { printable } from '../model/bytes.ts';
import type { CheckpointState, CheckpointsAnswer, CheckpointsAsk, CheckpointView } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import type { AttemptKeeping } from './keep-attempt.ts';
import type { KeepContext } from './keep-context.ts';
import type { KeepOrder } from './keeper.ts';
import { statIfThere } from './log-files.ts';
import { isInPlace, placeOf } from './open-shelves.ts';
import { scanDirectory } from './scan.ts';
import type { Shelf } from './shelf.ts';
import { newestFirst, type Unit } from './units.ts';

interface Outcome {
  readonly done: readonly string[];
  readonly trouble: string | null;
}

export interface Asked {
  readonly order: KeepOrder;
  readonly ask: CheckpointsAsk;
  /** Of this order; a new one when it is not looked after. */
  readonly attempt: AttemptKeeping;
  readonly context: KeepContext;
}

export async function answerAsk({ order, ask, attempt, context }: Asked): Promise<CheckpointsAnswer> {
  const nothing = { from: order.from, to: order.to, checkpoints: [], done: [], trouble: null };
  if (order.from === null && order.to === null) return nothing;
  const isRunning = attempt.isWatched();
  // To ask makes no directory where there was none.
  const hasPlace = (await statIfThere(placeOf(order))) !== null;
  const hasLocal = order.from !== null && (await statIfThere(order.from)) !== null;
  if (!hasPlace && !(hasLocal && ask.what === 'flush'))
    return { ...nothing, checkpoints: await localViews(order, null, attempt, isRunning) };
  const lease = await context.shelves.take(order);
  try {
    const { shelf } = lease;
    const { done, trouble } = await carryOut(order, ask, attempt, shelf);
    const local = await localViews(order, shelf, attempt, isRunning);
    const checkpoints = amongKept(local, shelf.entries());
    return { from: order.from, to: order.to, checkpoints, done, trouble };
  } finally {
    await lease.giveBack();
  }
}

async function carryOut(
  order: KeepOrder,
  ask: CheckpointsAsk,
  attempt: AttemptKeeping,
  shelf: Shelf,
): Promise<Outcome> {
  switch (ask.what) {
    case 'list':
      return { done: [], trouble: sentence(shelf.remarks) };
    case 'verify': {
      const { remarks } = await shelf.verify();
      return { done: [], trouble: sentence(remarks) };
    }
    case 'restore':
      return restore(order, ask, attempt, shelf);
    case 'prune':
      return { done: await shelf.prune(ask.keepCount, ask.keepForMs), trouble: null };
    case 'flush': {
      const { names, trouble } = await attempt.round();
      return { done: names, trouble };
    }
  }
}

async function restore(
  order: KeepOrder,
  ask: Extract<CheckpointsAsk, { what: 'restore' }>,
  attempt: AttemptKeeping,
  shelf: Shelf,
): Promise<Outcome> {
  const to = ask.to ?? order.from;
  if (to === null)
    throw new Fault('the job names no directory for its checkpoints: say where to put it', false);
  if (isInPlace(order) && to === order.from)
    throw new Fault(`the checkpoints are in ${printable(to)} already: name another directory`, false);
  if (attempt.isWatched() && to === order.from)
    throw new Fault(
      `the job is running and writes to ${printable(to)}: name another directory, or wait for its end`,
      false,
    );
  if (ask.name === null) {
    const { path, remarks } = await shelf.restoreNewest(to);
    if (path === null)
      throw new Fault(sentence(['there is no whole checkpoint', ...remarks]) as string, false);
    return { done: [path], trouble: sentence(remarks) };
  }
  const restored = await shelf.restore(ask.name, to);
  if (restored === null) throw new Fault(missingSentence(ask.name, shelf.entries()), false);
  return { done: [restored.path], trouble: sentence(restored.remarks) };
}

function missingSentence(name: string, entries: readonly CheckpointView[]): string {
  const whole = entries.filter(({ state }) => state === 'kept').map((entry) => printable(entry.name));
  const rest = whole.length > 5 ? `${whole.slice(0, 5).join(', ')}, …` : whole.join(', ');
  const hint = whole.length === 0 ? 'there is none' : `there are ${rest}`;
  return `there is no whole checkpoint ${printable(name)}: ${hint}`;
}

/** Each before what is older than it, where that is safe already. What is safe has an order of its own, which it keeps. */
function amongKept(
  local: readonly CheckpointView[],
  kept: readonly CheckpointView[],
): readonly CheckpointView[] {
  const all = [...kept];
  for (const view of local) {
    const at = all.findIndex(
      ({ state, writtenAt }) => state === 'damaged' || state === 'unproven' || writtenAt < view.writtenAt,
    );
    all.splice(at < 0 ? all.length : at, 0, view);
  }
  return all;
}

/** What its program has there that is not safe yet, without what is older than the job wants to have kept. */
async function localViews(
  order: KeepOrder,
  shelf: Shelf | null,
  attempt: AttemptKeeping,
  isRunning: boolean,
): Promise<readonly CheckpointView[]> {
  const { from } = order;
  if (from === null) return [];
  const growing = new Set(attempt.seen()?.growing.map(({ name }) => name));
  const isShown = (unit: Unit) => unit.kind !== 'pointer' && shelf?.isWanted(unit) !== false;
  return newestFirst((await scanDirectory(from)).filter(isShown)).map((unit) =>
    viewOf(unit, isRunning && growing.has(unit.name) ? 'growing' : 'waiting', order, isRunning),
  );
}

function viewOf(unit: Unit, state: CheckpointState, order: KeepOrder, isRunning: boolean): CheckpointView {
  return {
    name: unit.name,
    kind: unit.kind === 'pointer' ? 'file' : unit.kind,
    step: unit.step,
    bytes: unit.bytes,
    files: unit.files.length,
    writtenAt: unit.writtenAt,
    keptAt: null,
    state,
    isBest: unit.isBest,
    attempt: isRunning ? order.attempt : null,
    path: `${order.from}/${unit.name}`,
  };
}

function sentence(remarks: readonly string[]): string | null {
  return remarks.length === 0 ? null : remarks.join('; ');
}
