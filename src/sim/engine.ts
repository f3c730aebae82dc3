/**
 * An engine without processes: attempts take seeded times, end in seeded ways, and obey or ignore being asked
 * to stop. Like a real one it knows an attempt by its id, starts it once however often it is told to, outlives
 * the yard, and looks again now and then so that what was not heard is said once more. What it did is the
 * truth that the yard's records are held against.
 */

import type { Observation } from '../model/command.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Attempt, Exit, Job, Placement } from '../model/job.ts';
import { invariant } from '../model/refusal.ts';
import type { Step } from '../model/step.ts';
import type { Machines } from './nodes.ts';
import type { SimulationOptions } from './options.ts';
import { seededRandom } from './random.ts';
import { newRun, type Run, type StepRun } from './run.ts';
import { simulatedSaver } from './saver.ts';
import type { World } from './world.ts';

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
  readonly options: Pick<SimulationOptions, 'seed' | 'hastyMillis'>;
  readonly send: (report: Observation) => void;
  /** Calm: from now on attempts end well and obey. */
  readonly isCalm: () => boolean;
}

export function simulatedEngine({ world, machines, options, send, isCalm }: EngineParts): SimulatedEngine {
  const runs = new Map<AttemptId, Run>();
  const forgotten = new Set<AttemptId>();
  const saver = simulatedSaver({ world, send, flushed: say });

  function start(job: Job, { id, placement, n }: Attempt): void {
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
        other.job !== job.id || other.phase === 'ended' || other.phase === 'lost',
        `attempt ${id} starts while ${other.attempt} is ${other.phase}`,
      );
    const run = enter(job, id, n, placement);
    if (!isThere(placement)) return lose(run);
    world.after(run.conduct.startDelayMs, () => begin(run));
  }

  function enter(job: Job, attempt: AttemptId, n: number, placement: Placement): Run {
    const run = newRun(options, job, { id: attempt, n, placement }, isCalm());
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
    saver.begin(run);
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
    const random = seededRandom(options.seed ^ (1 + n) ^ run.conduct.runMs);
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

  /** Its processes are gone. */
  function end(run: Run, exit: Exit, fault: string | null): void {
    if (run.phase !== 'starting' && run.phase !== 'running') return;
    const { syncMs, step } = run.saving;
    const leavesSomething = syncMs !== null && run.phase === 'running';
    pause(run);
    run.phase = leavesSomething ? 'syncing' : 'ended';
    run.endedAtMs = world.nowMs;
    run.exit = exit;
    run.fault = fault;
    if (step !== null && run.startedAtMs !== null)
      run.progress = { step, steps: null, epoch: null, loss: null, at: world.wall() };
    if (leavesSomething) saver.flush(run, syncMs);
    say(run);
  }

  function lose(run: Run): void {
    if (run.phase === 'ended' || run.phase === 'lost') return;
    pause(run);
    run.phase = 'lost';
    run.endedAtMs ??= world.nowMs;
    say(run);
  }

  function stop(job: Job, { id, placement, n }: Attempt, step: 'term' | 'kill'): void {
    const run = runs.get(id) ?? enter(job, id, n, placement);
    if (run.phase === 'starting') return end(run, NEVER_RAN, null);
    if (run.phase !== 'running') return say(run);
    const { conduct } = run;
    run.isLeaving = true;
    if (step === 'kill') world.after(50, () => end(run, KILLED, null));
    else if (!conduct.ignoresTerm) world.after(conduct.stopDelayMs, () => end(run, conduct.exitOnTerm, null));
  }

  /** What there is to say about it now. */
  function say(run: Run): void {
    const { attempt, fault } = run;
    const exit = run.exit as Exit;
    const checkpoint = run.checkpoints.at(-1);
    if (checkpoint !== undefined) send({ type: 'checkpointKept', attempt, checkpoint });
    if (run.saving.trouble !== null) send({ type: 'checkpointTrouble', attempt, trouble: run.trouble });
    if (run.phase === 'running')
      send({ type: 'attemptRunning', attempt, forMs: world.nowMs - (run.startedAtMs as number) });
    if (run.phase === 'syncing') send({ type: 'attemptSyncing', attempt, exit, usage: null, fault });
    if (run.phase === 'ended') {
      const told = run.progress === null ? {} : { progress: run.progress };
      send({ type: 'attemptEnded', attempt, exit, usage: null, fault, ...told });
    }
    if (run.phase === 'lost') send({ type: 'attemptLost', attempt, reason: 'its machine stopped' });
  }

  return {
    runs,
    perform(effect) {
      const { job, attempt } = effect;
      const run = runs.get(attempt.id);
      const isGone = attempt.phase === 'syncing';
      invariant(!isGone || effect.type === 'watch', `attempt ${attempt.id} is gone and is to ${effect.type}`);
      switch (effect.type) {
        case 'start':
          return start(job, attempt);
        case 'watch':
          invariant(run !== undefined, `attempt ${attempt.id} is to be watched and was never started`);
          if (run.phase === 'syncing') saver.flush(run, run.saving.syncMs ?? 0);
          return say(run);
        case 'stop':
          return stop(job, attempt, effect.step);
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
