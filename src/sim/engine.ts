/**
 * An engine without processes: attempts take seeded times, end in seeded ways, and obey or ignore being asked
 * to stop. Like a real one it knows an attempt by its id, starts it once however often it is told to, outlives
 * the yard, and looks again now and then so that what was not heard is said once more. What it did is the
 * truth that the yard's records are held against.
 */

import type { Observation } from '../model/command.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId, JobId } from '../model/ids.ts';
import type { Attempt, Exit, Placement } from '../model/job.ts';
import { invariant } from '../model/refusal.ts';
import type { Step } from '../model/step.ts';
import { type Conduct, conductOf } from './conduct.ts';
import type { Machines } from './nodes.ts';
import { seededRandom } from './random.ts';
import type { World } from './world.ts';

/** What became of one attempt in truth. */
export interface Run {
  readonly attempt: AttemptId;
  readonly job: JobId;
  readonly placement: Placement;
  readonly conduct: Conduct;
  phase: 'starting' | 'running' | 'ended' | 'lost';
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
}

/** What became of one step in truth. */
export interface StepRun {
  readonly n: number;
  exit: Exit | null;
}

export interface SimulatedEngine {
  readonly runs: ReadonlyMap<AttemptId, Run>;
  perform(effect: Effect): void;
  /** The yard has the end of this attempt in its records. */
  forget(attempt: AttemptId): void;
  /** Says again all that might not have been heard. */
  rescan(): void;
  /** The machine stopped: what ran on it is gone, and nobody knows how it ended. */
  loseNode(node: string): void;
}

export interface EngineParts {
  readonly world: World;
  readonly machines: Machines;
  readonly seed: number;
  readonly send: (report: Observation) => void;
  /** Calm: from now on attempts end well and obey. */
  readonly isCalm: () => boolean;
}

export function simulatedEngine({ world, machines, seed, send, isCalm }: EngineParts): SimulatedEngine {
  const runs = new Map<AttemptId, Run>();
  const forgotten = new Set<AttemptId>();

  function start(job: JobId, { id, placement }: Attempt): void {
    const known = runs.get(id);
    if (known !== undefined) {
      invariant(
        JSON.stringify(known.placement) === JSON.stringify(placement),
        `attempt ${id} was started on ${JSON.stringify(known.placement)} and is now wanted on ${JSON.stringify(placement)}`,
      );
      return say(known);
    }
    for (const other of runs.values())
      invariant(
        other.job !== job || other.phase === 'ended' || other.phase === 'lost',
        `attempt ${id} starts while ${other.attempt} is ${other.phase}`,
      );
    const run = enter(id, job, placement);
    if (!isThere(placement)) return lose(run);
    world.after(run.conduct.startDelayMs, () => begin(run));
  }

  function enter(attempt: AttemptId, job: JobId, placement: Placement): Run {
    const run: Run = {
      attempt,
      job,
      placement,
      conduct: conductOf(seed, attempt, isCalm()),
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
    };
    runs.set(attempt, run);
    return run;
  }

  function isThere({ nodes }: Placement): boolean {
    return nodes.every(({ node }) => machines.isUp(node));
  }

  function begin(run: Run): void {
    if (run.phase !== 'starting') return;
    const { conduct } = run;
    if (conduct.fault !== null) return end(run, NEVER_RAN, conduct.fault);
    run.phase = 'running';
    run.startedAtMs = world.nowMs;
    say(run);
    run.leftMs = conduct.runMs;
    goOn(run);
    if (conduct.outgrowsAfterMs !== null) world.after(conduct.outgrowsAfterMs, () => outgrow(run));
  }

  function goOn(run: Run): void {
    const from = world.nowMs;
    run.goesOnAtMs = from;
    world.after(run.leftMs, () => {
      // Not if it was suspended since.
      if (run.goesOnAtMs === from) end(run, run.conduct.exit, null);
    });
  }

  function changeMind(run: Run, suspended: boolean, n: number): void {
    if (run.phase !== 'running' || n < run.suspensions) return;
    run.suspensions = n;
    if (suspended && run.goesOnAtMs !== null) {
      run.leftMs -= world.nowMs - run.goesOnAtMs;
      pause(run);
    } else if (!suspended && run.goesOnAtMs === null) goOn(run);
  }

  function pause(run: Run): void {
    if (run.goesOnAtMs !== null) run.ranMs += world.nowMs - run.goesOnAtMs;
    run.goesOnAtMs = null;
  }

  function watchStep(run: Run, { n }: Step): void {
    const known = run.steps.get(n);
    if (known !== undefined) return sayStep(run, known);
    const step: StepRun = { n, exit: null };
    run.steps.set(n, step);
    const random = seededRandom(seed ^ (1 + n) ^ run.conduct.runMs);
    world.after(random.waitMs(60_000), () => endStep(run, step, random.chance(0.8) ? OK : KILLED));
  }

  /** What ends with its attempt is not reported apart. */
  function endStep(run: Run, step: StepRun, exit: Exit): void {
    if (step.exit !== null || run.phase !== 'running') return;
    step.exit = exit;
    sayStep(run, step);
  }

  function sayStep({ attempt }: Run, { n, exit }: StepRun): void {
    if (exit !== null) send({ type: 'stepEnded', attempt, step: n, exit, usage: null });
  }

  function outgrow(run: Run): void {
    if (run.phase === 'running') send({ type: 'overMemory', attempt: run.attempt, usedBytes: 1 });
  }

  function end(run: Run, exit: Exit, fault: string | null): void {
    if (run.phase === 'ended' || run.phase === 'lost') return;
    pause(run);
    run.phase = 'ended';
    run.endedAtMs = world.nowMs;
    run.exit = exit;
    run.fault = fault;
    say(run);
  }

  function lose(run: Run): void {
    if (run.phase === 'ended' || run.phase === 'lost') return;
    pause(run);
    run.phase = 'lost';
    run.endedAtMs = world.nowMs;
    say(run);
  }

  function stop(job: JobId, { id, placement }: Attempt, step: 'term' | 'kill'): void {
    const run = runs.get(id) ?? enter(id, job, placement);
    if (run.phase === 'starting') return end(run, NEVER_RAN, null);
    if (run.phase !== 'running') return say(run);
    const { conduct } = run;
    run.isLeaving = true;
    if (step === 'kill') world.after(50, () => end(run, KILLED, null));
    else if (!conduct.ignoresTerm) world.after(conduct.stopDelayMs, () => end(run, conduct.exitOnTerm, null));
  }

  /** What there is to say about it now. */
  function say(run: Run): void {
    const { attempt } = run;
    if (run.phase === 'running')
      send({ type: 'attemptRunning', attempt, forMs: world.nowMs - (run.startedAtMs as number) });
    if (run.phase === 'ended')
      send({ type: 'attemptEnded', attempt, exit: run.exit as Exit, usage: null, fault: run.fault });
    if (run.phase === 'lost') send({ type: 'attemptLost', attempt, reason: 'its machine stopped' });
  }

  return {
    runs,
    perform(effect) {
      const { job, attempt } = effect;
      const run = runs.get(attempt.id);
      switch (effect.type) {
        case 'start':
          return start(job.id, attempt);
        case 'watch':
          invariant(run !== undefined, `attempt ${attempt.id} is to be watched and was never started`);
          return say(run);
        case 'stop':
          return stop(job.id, attempt, effect.step);
        case 'warn':
          if (run !== undefined) run.warned = true;
          return send({ type: 'warningSent', attempt: attempt.id });
        case 'signal':
          run?.signals.add(effect.n);
          return send({ type: 'signalSent', attempt: attempt.id, n: effect.n });
        case 'suspend':
        case 'resume':
          invariant(run !== undefined, `attempt ${attempt.id} is to ${effect.type} and was never started`);
          return changeMind(run, effect.type === 'suspend', effect.n);
        case 'watchStep':
          invariant(run !== undefined, `attempt ${attempt.id} has a step and was never started`);
          return watchStep(run, effect.step);
        case 'stopStep':
          return world.after(50, () => {
            const step = run?.steps.get(effect.step.n);
            if (run !== undefined && step !== undefined) endStep(run, step, KILLED);
          });
      }
    },
    forget: (attempt) => forgotten.add(attempt),
    rescan() {
      for (const run of runs.values()) {
        if (forgotten.has(run.attempt)) continue;
        for (const step of run.steps.values()) sayStep(run, step);
        say(run);
      }
    },
    loseNode(node) {
      for (const run of runs.values())
        if (run.placement.nodes.some((share) => share.node === node)) lose(run);
    },
  };
}

const NEVER_RAN: Exit = { code: null, signal: null, outOfMemory: false };
const OK: Exit = { code: 0, signal: null, outOfMemory: false };
const KILLED: Exit = { code: null, signal: 9, outOfMemory: false };
