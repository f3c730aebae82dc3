/**
 * What one attempt has used of one device, rolled up as samples come in: a fixed amount of memory however long
 * it runs, and the same short time for each sample. A rollup is plain data, so that it can lie in a file as JSON
 * and be gone on with by another daemon. Samples are told apart by nothing but their time.
 */

import type { DeviceCurve, DeviceUse, Rollup } from '../model/device-use.ts';

export interface UseSample {
  readonly atMs: number;
  readonly memoryBytes: number;
  /** Null: nobody can tell. */
  readonly loadMillis: number | null;
}

/** Changed by addSample and by nobody else. */
export interface UseRollup {
  readonly node: string;
  readonly index: number;
  readonly kind: string;
  readonly memoryBytes: Tally;
  readonly loadMillis: Tally;
  /** When the first point of the curve begins; null: there is no sample yet. */
  startMs: number | null;
  everyMs: number;
  /** Null: nobody looked during this time. */
  points: (Point | null)[];
}

/** Values from 0 to `full`; how often each step was reached is known, and the largest value exactly. */
interface Tally {
  readonly full: number;
  readonly steps: number;
  /** By the step, only those that were reached. */
  readonly counts: Record<string, number>;
  count: number;
  sum: number;
  peak: number;
}

interface Point {
  memoryBytes: number;
  loadSum: number;
  loadCount: number;
}

/** 80 MiB on a device of 80 GiB: by so much at most a p95 is larger than it was. */
const MEMORY_STEPS = 1024;
/** Whole percents, which is what drivers tell. */
const LOAD_STEPS = 100;
const MOST_POINTS = 120;
const FIRST_EVERY_MS = 1000;
const MOST_EVERY_MS = 2 ** 50;

export interface RollupOf {
  readonly node: string;
  readonly index: number;
  readonly kind: string;
  readonly totalBytes: number;
}

export function startRollup({ node, index, kind, totalBytes }: RollupOf): UseRollup {
  return {
    node,
    index,
    kind,
    memoryBytes: emptyTally(totalBytes, MEMORY_STEPS),
    loadMillis: emptyTally(1000, LOAD_STEPS),
    startMs: null,
    everyMs: FIRST_EVERY_MS,
    points: [],
  };
}

export function addSample(rollup: UseRollup, { atMs, memoryBytes, loadMillis }: UseSample): void {
  tally(rollup.memoryBytes, memoryBytes);
  if (loadMillis !== null) tally(rollup.loadMillis, loadMillis);
  const point = pointAt(rollup, atMs);
  point.memoryBytes = Math.max(point.memoryBytes, memoryBytes);
  if (loadMillis !== null) {
    point.loadSum += loadMillis;
    point.loadCount++;
  }
}

/** Null when there was no sample: nothing is known, which is not the same as nothing used. */
export function useOf(rollup: UseRollup): DeviceUse | null {
  if (rollup.memoryBytes.count === 0) return null;
  return {
    node: rollup.node,
    index: rollup.index,
    kind: rollup.kind,
    memoryBytes: rolledUp(rollup.memoryBytes),
    loadMillis: rollup.loadMillis.count === 0 ? null : rolledUp(rollup.loadMillis),
    samples: rollup.memoryBytes.count,
    curve: curveOf(rollup),
  };
}

/** Takes what JSON.parse made of a rollup; null when it is no such thing. */
export function rollupFrom(value: unknown): UseRollup | null {
  if (typeof value !== 'object' || value === null) return null;
  const found = value as Partial<UseRollup>;
  const isWhole =
    typeof found.node === 'string' &&
    Number.isInteger(found.index) &&
    typeof found.kind === 'string' &&
    isTally(found.memoryBytes, MEMORY_STEPS) &&
    isTally(found.loadMillis, LOAD_STEPS) &&
    (found.startMs === null || isNumber(found.startMs)) &&
    isNumber(found.everyMs) &&
    found.everyMs >= FIRST_EVERY_MS &&
    Array.isArray(found.points) &&
    found.points.length <= MOST_POINTS &&
    found.points.every((point) => point === null || isPoint(point));
  return isWhole ? (structuredClone(found) as UseRollup) : null;
}

function emptyTally(full: number, steps: number): Tally {
  return { full, steps, counts: {}, count: 0, sum: 0, peak: 0 };
}

function tally(into: Tally, value: number): void {
  // The last step also takes what is beyond it: several processes can claim more than there is.
  const step = value <= 0 ? 0 : Math.min(into.steps, Math.ceil((value * into.steps) / into.full));
  into.counts[step] = (into.counts[step] ?? 0) + 1;
  into.count++;
  into.sum += value;
  into.peak = Math.max(into.peak, value);
}

function rolledUp(from: Tally): Rollup {
  return { peak: from.peak, p95: p95Of(from), mean: Math.round(from.sum / from.count) };
}

/** The least step that 95 of 100 samples do not exceed, at its upper end: it errs on the large side. */
function p95Of({ full, steps, counts, count, peak }: Tally): number {
  const reached = Object.keys(counts).map(Number);
  reached.sort((a, b) => a - b);
  let left = Math.ceil((count * 95) / 100);
  for (const step of reached) {
    left -= counts[step] ?? 0;
    if (left <= 0 && step < steps) return Math.min(peak, Math.ceil((step * full) / steps));
    if (left <= 0) break;
  }
  return peak;
}

function pointAt(rollup: UseRollup, atMs: number): Point {
  const { points } = rollup;
  rollup.startMs ??= atMs;
  const passedMs = Math.min(atMs - rollup.startMs, MOST_EVERY_MS);
  while (passedMs >= rollup.everyMs * MOST_POINTS) halve(rollup);
  // A sample from before the last one belongs to now all the same.
  const position = Math.max(points.length - 1, Math.floor(passedMs / rollup.everyMs));
  while (points.length <= position) points.push(null);
  const point = points[position] ?? { memoryBytes: 0, loadSum: 0, loadCount: 0 };
  points[position] = point;
  return point;
}

function halve(rollup: UseRollup): void {
  const { points } = rollup;
  const half = Math.ceil(points.length / 2);
  for (let i = 0; i < half; i++) points[i] = merged(points[2 * i] ?? null, points[2 * i + 1] ?? null);
  points.length = half;
  rollup.everyMs *= 2;
}

function merged(one: Point | null, other: Point | null): Point | null {
  if (one === null || other === null) return one ?? other;
  return {
    memoryBytes: Math.max(one.memoryBytes, other.memoryBytes),
    loadSum: one.loadSum + other.loadSum,
    loadCount: one.loadCount + other.loadCount,
  };
}

/** Where nobody looked, it is drawn as it was before. */
function curveOf({ everyMs, points, loadMillis }: UseRollup): DeviceCurve {
  let memory = 0;
  let load = 0;
  const memoryCurve: number[] = [];
  const loadCurve: number[] = [];
  for (const point of points) {
    memory = point?.memoryBytes ?? memory;
    if (point !== null && point.loadCount > 0) load = Math.round(point.loadSum / point.loadCount);
    memoryCurve.push(memory);
    loadCurve.push(load);
  }
  return { everyMs, memoryBytes: memoryCurve, loadMillis: loadMillis.count === 0 ? [] : loadCurve };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isTally(value: Tally | undefined, steps: number): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    value.steps === steps &&
    [value.full, value.count, value.sum, value.peak].every(isNumber) &&
    typeof value.counts === 'object' &&
    value.counts !== null &&
    Object.entries(value.counts).every(([step, count]) => /^\d{1,4}$/.test(step) && isNumber(count))
  );
}

function isPoint(point: unknown): boolean {
  const { memoryBytes, loadSum, loadCount } = point as Partial<Point>;
  return [memoryBytes, loadSum, loadCount].every(isNumber);
}
