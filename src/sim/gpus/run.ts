/** One attempt on simulated devices: how far it has come, what it has, and what was seen of it. */

import type { DeviceUse, Rollup } from '../../model/device-use.ts';
import type { AttemptId } from '../../model/ids.ts';
import type { Attempt, Exit, Job } from '../../model/job.ts';
import type { Behaviour } from './behaviour.ts';
import type { Board } from './boards.ts';

export interface GpuRun {
  readonly attempt: AttemptId;
  readonly job: Job;
  readonly behaviour: Behaviour;
  readonly boards: readonly Board[];
  phase: 'starting' | 'running' | 'ended';
  startedAtMs: number;
  endedAtMs: number;
  /** Work done by then, and how fast it goes on from there. */
  doneMs: number;
  atMs: number;
  speed: number;
  /** Which step of its memory comes next. */
  nextStep: number;
  bytes: number;
  peakBytes: number;
  exit: Exit | null;
  /** What is arranged for an older one is void. */
  version: number;
}

export function newGpuRun(job: Job, { id }: Attempt, behaviour: Behaviour, boards: readonly Board[]): GpuRun {
  return {
    attempt: id,
    job,
    behaviour,
    boards,
    phase: 'starting',
    startedAtMs: 0,
    endedAtMs: 0,
    doneMs: 0,
    atMs: 0,
    speed: 1,
    nextStep: 0,
    bytes: 0,
    peakBytes: 0,
    exit: null,
    version: 0,
  };
}

/** What somebody who looks every so often has seen of it. */
export function usesSeen(run: GpuRun, nowMs: number, sampleEveryMs: number): DeviceUse[] {
  const ranMs = (run.phase === 'ended' ? run.endedAtMs : nowMs) - run.startedAtMs;
  const samples = Math.floor(ranMs / sampleEveryMs);
  if (samples === 0) return [];
  const meanSpeed = ranMs === 0 ? 1 : Math.min(1, run.doneMs / ranMs);
  const load = Math.round(run.behaviour.loadMillis * meanSpeed);
  return run.boards.map(({ node, index, kind }) => ({
    node,
    index,
    kind,
    memoryBytes: rollup(run.peakBytes),
    loadMillis: rollup(load),
    samples,
  }));
}

function rollup(value: number): Rollup {
  return { peak: value, p95: value, mean: value };
}
