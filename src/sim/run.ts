/** One attempt of a simulated engine: what became of it in truth. */

import type { AttemptId, JobId } from '../model/ids.ts';
import type { Attempt, Exit, Job, Placement } from '../model/job.ts';
import type { CheckpointNote, Progress } from '../model/keeping.ts';
import { lastingPlace } from '../model/keeping-paths.ts';
import { type Conduct, conductOf, hastyConduct, isHastyJob } from './conduct.ts';
import type { SimulationOptions } from './options.ts';
import { type Saving, savingOf } from './saving.ts';

export interface Run {
  readonly attempt: AttemptId;
  readonly job: JobId;
  readonly placement: Placement;
  readonly conduct: Conduct;
  readonly saving: Saving;
  /** Where its checkpoints last. */
  readonly place: string | null;
  phase: 'starting' | 'running' | 'syncing' | 'ended' | 'lost';
  startedAtMs: number | null;
  endedAtMs: number | null;
  exit: Exit | null;
  fault: string | null;
  warned: boolean;
  readonly signals: Set<number>;
  /** When it goes on running by itself, and for how long it then will; null while it is suspended. */
  goesOnAtMs: number | null;
  leftMs: number;
  /** For how long it has really run. */
  ranMs: number;
  /** It was told to end. */
  isLeaving: boolean;
  /** The last change of mind that was carried out. */
  suspensions: number;
  readonly steps: Map<number, StepRun>;
  /** Those that are safe, the newest last. */
  readonly checkpoints: CheckpointNote[];
  trouble: string | null;
  progress: Progress | null;
  /** How often making safe what it left was begun. */
  flushes: number;
}

/** What became of one step in truth. */
export interface StepRun {
  readonly n: number;
  exit: Exit | null;
}

/** Calm: it ends well and obeys. */
export function newRun(
  { seed, hastyMillis }: Pick<SimulationOptions, 'seed' | 'hastyMillis'>,
  job: Job,
  { id, n, placement }: Pick<Attempt, 'id' | 'n' | 'placement'>,
  isCalm: boolean,
): Run {
  return {
    attempt: id,
    job: job.id,
    placement,
    conduct:
      isCalm || !isHastyJob(seed, job.id, hastyMillis) ? conductOf(seed, id, isCalm) : hastyConduct(seed, id),
    saving: savingOf(seed, job, id, n),
    place: lastingPlace(job, { id, n }),
    phase: 'starting',
    startedAtMs: null,
    endedAtMs: null,
    exit: null,
    fault: null,
    warned: false,
    signals: new Set(),
    goesOnAtMs: null,
    leftMs: 0,
    ranMs: 0,
    isLeaving: false,
    suspensions: 0,
    steps: new Map(),
    checkpoints: [],
    trouble: null,
    progress: null,
    flushes: 0,
  };
}
