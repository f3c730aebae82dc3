/** Yards whose jobs are seen to use GPUs: what the agent would report of them, in words that read like a sentence. */

import { deviceOf } from '../src/core/devices.ts';
import { footprintOf } from '../src/core/footprints/book.ts';
import { estimateOf } from '../src/core/footprints/estimate.ts';
import type { DeviceUse } from '../src/model/device-use.ts';
import type { Footprint } from '../src/model/footprint.ts';
import type { JobId, JobRef, NodeName } from '../src/model/ids.ts';
import type { DeviceShare, Exit } from '../src/model/job.ts';
import { MINUTE, type TestYard } from './builders.ts';

export interface Seen {
  /** Of each of its devices; null: nobody could tell. */
  readonly loadMillis?: number | null;
  readonly samples?: number;
  readonly ranMs?: number;
  readonly code?: number;
  readonly exit?: Partial<Exit>;
}

/** The agent looks at it while it runs. */
export function isSeenToUse(yard: TestYard, ref: JobId | JobRef, bytes: number, seen: Seen = {}): void {
  const attempt = attemptOf(yard, ref);
  const { ranMs = MINUTE } = seen;
  yard.tell({ type: 'deviceUseSeen', attempt: attempt.id, uses: usesOf(yard, ref, bytes, seen), ranMs });
}

/** It runs for so long, a minute unless it is said otherwise, and ends, well unless it is said otherwise. */
export function endsHavingUsed(yard: TestYard, ref: JobId | JobRef, bytes: number, seen: Seen = {}): void {
  if (attemptOf(yard, ref).startedAt === null) yard.runs(ref);
  yard.now += seen.ranMs ?? MINUTE;
  const exit: Exit = { code: seen.code ?? 0, signal: null, outOfMemory: false, ...seen.exit };
  const usage = { peakMemoryBytes: null, cpuMs: null, devices: usesOf(yard, ref, bytes, seen) };
  yard.tell({ type: 'attemptEnded', attempt: attemptOf(yard, ref).id, exit, usage, fault: null });
}

/** It wanted more of its GPUs than there was. */
export function runsOut(yard: TestYard, ref: JobId | JobRef, bytes: number, seen: Seen = {}): void {
  endsHavingUsed(yard, ref, bytes, { code: 1, ...seen, exit: { deviceOutOfMemory: true } });
}

/** Strangers use so much of the devices of a node, by their numbers. */
export function strangersUse(
  yard: TestYard,
  node: NodeName,
  bytesOf: Readonly<Record<number, number>>,
): void {
  const foreign = Object.entries(bytesOf).map(([index, bytes]) => ({ index: Number(index), bytes }));
  yard.tell({ type: 'foreignUseSeen', node, foreign });
}

/** What is kept for it, on all its nodes. */
export function devicesOf(yard: TestYard, ref: JobId | JobRef): readonly DeviceShare[] {
  return attemptOf(yard, ref).placement.nodes.flatMap(({ devices }) => devices);
}

/** What is known of its kind on this model of device; null: nothing. */
export function knownOf(yard: TestYard, ref: JobId | JobRef, model = 'a100'): Footprint | null {
  return footprintOf(yard.state, yard.job(ref).spec, model);
}

export function estimatedBytes(yard: TestYard, ref: JobId | JobRef, model = 'a100'): number {
  const footprint = knownOf(yard, ref, model);
  if (footprint === null) throw new Error('nothing is known of it');
  return estimateOf(footprint, yard.now).memoryBytes;
}

function usesOf(
  yard: TestYard,
  ref: JobId | JobRef,
  bytes: number,
  { loadMillis = 300, samples = 10 }: Seen,
): DeviceUse[] {
  const same = (value: number) => ({ peak: value, p95: value, mean: value });
  return attemptOf(yard, ref).placement.nodes.flatMap(({ node, devices }) =>
    devices.map(({ index }) => ({
      node,
      index,
      kind: deviceOf(yard.state.nodes.get(node), index)?.kind ?? 'gone',
      memoryBytes: same(bytes),
      loadMillis: loadMillis === null ? null : same(loadMillis),
      samples,
    })),
  );
}

function attemptOf(yard: TestYard, ref: JobId | JobRef) {
  const { attempt } = yard.job(ref);
  if (attempt === null) throw new Error(`job ${JSON.stringify(ref)} has no attempt`);
  return attempt;
}
