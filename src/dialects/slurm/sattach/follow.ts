/** Passing on what the tasks of a step write into files, from the beginning and until the step has ended. */

import type { JobRef } from '../../../model/ids.ts';
import type { HereOutput } from '../../../model/run-here.ts';
import type { Step } from '../../../model/step.ts';
import { type Asking, awaitChange, printErr, printOut, query, readFrom } from '../../program.ts';
import type { TaskOutputs } from '../srun/streams.ts';
import { type LineLabel, labelled } from './labels.ts';

export interface FollowedFile {
  readonly path: string;
  readonly stream: 'stdout' | 'stderr';
  /** The task it is from; null when several write into it. */
  readonly rank: number | null;
}

export interface Wanted {
  readonly stdout: number | null;
  readonly stderr: number | null;
}

/** Each file once. What goes to the caller or nowhere is not among them. */
export function filesOf(outputs: readonly TaskOutputs[], wanted: Wanted): readonly FollowedFile[] {
  const files = new Map<string, FollowedFile>();
  const add = (output: HereOutput | null, stream: FollowedFile['stream'], rank: number) => {
    if (output?.kind !== 'file') return;
    const isShared = files.has(output.path);
    if (!isShared && wanted[stream] !== null && wanted[stream] !== rank) return;
    files.set(output.path, { path: output.path, stream, rank: isShared ? null : rank });
  };
  for (const [rank, { stdout, stderr }] of outputs.entries()) {
    add(stdout, 'stdout', rank);
    add(stderr, 'stderr', rank);
  }
  return [...files.values()];
}

const CHUNK_BYTES = 64 * 1024;
const LOOK_AGAIN_MS = 500;

/** Gives the step as it was at its end. */
export function* follow(
  ref: JobRef,
  step: Step,
  files: readonly FollowedFile[],
  hasLabels: boolean,
): Asking<Step> {
  const offsets = new Map(files.map(({ path }) => [path, 0]));
  const labels = new Map(files.map(({ path, rank }) => [path, labelFor(rank, hasLabels)]));
  for (;;) {
    const now = yield* currentStep(ref, step);
    let isNews = false;
    for (const { path, stream } of files) {
      const offset = offsets.get(path) as number;
      const bytes = yield* readFrom(path, offset, CHUNK_BYTES, 0);
      if (bytes === null || bytes.length === 0) continue;
      isNews = true;
      offsets.set(path, offset + bytes.length);
      const shown = labels.get(path)?.(bytes) ?? bytes;
      yield* stream === 'stdout' ? printOut(shown) : printErr(shown);
    }
    if (isNews) continue;
    if (now.endedAt !== null) return now;
    yield* awaitChange([ref.job], LOOK_AGAIN_MS);
  }
}

function labelFor(rank: number | null, hasLabels: boolean): LineLabel | null {
  return hasLabels && rank !== null ? labelled(`${rank}: `) : null;
}

function* currentStep(ref: JobRef, step: Step): Asking<Step> {
  const detail = yield* query('job', { ref });
  return detail?.steps.find(({ n, attempt }) => n === step.n && attempt === step.attempt) ?? step;
}
