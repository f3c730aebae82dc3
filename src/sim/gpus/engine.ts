/**
 * An engine whose attempts are on simulated devices: they do their work as fast as their neighbours let them, take memory
 * where there is some and die where there is none, and are looked at now and then. It reports what an agent would, late.
 */

import type { Observation } from '../../model/command.ts';
import type { Effect } from '../../model/effect.ts';
import type { AttemptId, JobId, NodeName } from '../../model/ids.ts';
import type { Attempt, Exit, Job } from '../../model/job.ts';
import { invariant } from '../../model/refusal.ts';
import type { World } from '../world.ts';
import type { Behaviour } from './behaviour.ts';
import { allocate, type Board, type Boards, boardsIn, speedOn } from './boards.ts';
import { type GpuRun, newGpuRun, usesSeen } from './run.ts';

export interface GpuEngine {
  /** Those that have not been forgotten. */
  readonly runs: ReadonlyMap<AttemptId, GpuRun>;
  perform(effect: Effect): void;
  /** The yard has its end in its records. */
  forget(attempt: AttemptId): void;
  /** Says again all that the yard may not have heard. */
  rescan(): void;
  /** Whoever held the place is gone without a word. */
  killClient(job: JobId): void;
  loseNode(node: NodeName): void;
  /** What all runs together had of memory, for how long. */
  usedByteMs(): number;
}

export interface GpuEngineParts {
  readonly world: World;
  readonly boards: Boards;
  readonly behaviourOf: (job: Job) => Behaviour;
  /** How much of each of its devices the yard keeps for it now, in the order of its placement. */
  readonly keptMillis: (attempt: AttemptId) => readonly number[];
  readonly send: (report: Observation) => void;
  readonly timing: EngineTiming;
}

export interface EngineTiming {
  readonly startDelayMs: () => number;
  /** Between what happens on a device and that the yard hears of it. */
  readonly reportDelayMs: () => number;
  readonly sampleEveryMs: number;
  readonly learnAfterMs: number;
}

export function gpuEngine({
  world,
  boards,
  behaviourOf,
  keptMillis,
  send,
  timing,
}: GpuEngineParts): GpuEngine {
  const runs = new Map<AttemptId, GpuRun>();
  let byteMs = 0;
  const isLive = (run: GpuRun) => run.phase !== 'ended';

  function start(job: Job, attempt: Attempt): void {
    const known = runs.get(attempt.id);
    if (known !== undefined) return say(known);
    const run = newGpuRun(job, attempt, behaviourOf(job), boardsIn(boards, attempt.placement));
    runs.set(attempt.id, run);
    world.after(timing.startDelayMs(), () => begin(run));
  }

  function begin(run: GpuRun): void {
    if (run.phase !== 'starting') return;
    run.phase = 'running';
    run.startedAtMs = world.nowMs;
    run.atMs = world.nowMs;
    const { loadMillis } = run.behaviour;
    for (const { tenants } of run.boards) tenants.set(run.attempt, { bytes: 0, loadMillis });
    say(run);
    world.after(timing.learnAfterMs + timing.reportDelayMs(), () => look(run));
    // Whoever has no device goes on by itself.
    if (run.boards.length === 0) goOn(run);
    else respeed(run.boards);
  }

  /** Who is there has changed: all on these devices go on at another speed. */
  function respeed(changed: readonly Board[]): void {
    const touched = new Set<GpuRun>();
    for (const { tenants } of changed)
      for (const attempt of tenants.keys()) touched.add(runs.get(attempt) as GpuRun);
    for (const run of touched) {
      const speed = Math.min(1, ...run.boards.map(speedOn));
      if (speed === run.speed && run.version > 0) continue;
      settle(run);
      run.speed = speed;
      goOn(run);
    }
  }

  function settle(run: GpuRun): void {
    run.doneMs += (world.nowMs - run.atMs) * run.speed;
    byteMs += (world.nowMs - run.atMs) * run.bytes * run.boards.length;
    run.atMs = world.nowMs;
  }

  function goOn(run: GpuRun): void {
    const { memory, workMs } = run.behaviour;
    const until = Math.min(workMs, memory[run.nextStep]?.atWorkMs ?? workMs);
    const version = ++run.version;
    world.after(Math.ceil(Math.max(0, until - run.doneMs) / run.speed), () => {
      if (run.version !== version || run.phase !== 'running') return;
      settle(run);
      // What is lost in rounding must not keep it from ever getting there.
      run.doneMs = Math.max(run.doneMs, until);
      proceed(run);
    });
  }

  function proceed(run: GpuRun): void {
    const { memory, workMs, exitCode } = run.behaviour;
    const step = memory[run.nextStep];
    if (step === undefined || step.atWorkMs > run.doneMs)
      return run.doneMs >= workMs
        ? end(run, { code: exitCode, signal: null, outOfMemory: false })
        : goOn(run);
    run.nextStep += 1;
    if (!run.boards.every((board) => allocate(board, run.attempt, step.bytes))) return end(run, RAN_OUT);
    run.bytes = step.bytes;
    run.peakBytes = Math.max(run.peakBytes, step.bytes);
    if (isOver(run)) world.after(timing.reportDelayMs(), () => look(run));
    goOn(run);
  }

  function isOver({ attempt, boards: its, peakBytes }: GpuRun): boolean {
    const kept = keptMillis(attempt);
    return its.some(({ sizeBytes }, at) => peakBytes * 1000 > (kept[at] ?? 1000) * sizeBytes);
  }

  /** Says what it uses, where that is more than is kept for it or has been seen for long enough. */
  function look(run: GpuRun): void {
    if (run.phase !== 'running' || run.boards.length === 0) return;
    const ranMs = world.nowMs - run.startedAtMs;
    if (!isOver(run) && ranMs < timing.learnAfterMs) return;
    const uses = usesSeen(run, world.nowMs, timing.sampleEveryMs);
    if (uses.length > 0) send({ type: 'deviceUseSeen', attempt: run.attempt, uses, ranMs });
  }

  function end(run: GpuRun, exit: Exit): void {
    if (!isLive(run)) return;
    if (run.phase === 'running') settle(run);
    else run.startedAtMs = world.nowMs;
    run.phase = 'ended';
    run.endedAtMs = world.nowMs;
    run.exit = exit;
    for (const { tenants } of run.boards) tenants.delete(run.attempt);
    respeed(run.boards);
    world.after(Math.ceil(timing.reportDelayMs() / 10), () => say(run));
  }

  function say(run: GpuRun): void {
    const { attempt, phase, exit } = run;
    if (phase === 'running')
      return send({ type: 'attemptRunning', attempt, forMs: world.nowMs - run.startedAtMs });
    if (exit === null) return;
    const devices = usesSeen(run, world.nowMs, timing.sampleEveryMs);
    const usage = { peakMemoryBytes: null, cpuMs: null, devices };
    send({ type: 'attemptEnded', attempt, exit, usage, fault: null });
  }

  return {
    runs,
    perform(effect) {
      const { job, attempt } = effect;
      const run = runs.get(attempt.id);
      switch (effect.type) {
        case 'start':
          return start(job, attempt);
        case 'watch':
          invariant(run !== undefined, `attempt ${attempt.id} is to be watched and was never started`);
          return say(run);
        case 'stop':
          if (run === undefined) start(job, attempt);
          return world.after(effect.step === 'kill' ? 50 : 2000, () => {
            const stopped = runs.get(attempt.id);
            if (stopped !== undefined) end(stopped, KILLED);
          });
        default:
          throw new Error(`nobody asks for ${effect.type} here`);
      }
    },
    forget: (attempt) => runs.delete(attempt),
    rescan() {
      for (const run of runs.values()) {
        say(run);
        look(run);
      }
    },
    killClient(id) {
      for (const run of runs.values()) if (run.job.id === id) end(run, KILLED);
    },
    usedByteMs: () => byteMs,
    loseNode(name) {
      for (const run of runs.values()) if (run.boards.some(({ node }) => node === name)) end(run, KILLED);
    },
  };
}

const RAN_OUT: Exit = { code: 1, signal: null, outOfMemory: false, deviceOutOfMemory: true };
const KILLED: Exit = { code: null, signal: 9, outOfMemory: false };
