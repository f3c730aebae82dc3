/**
 * The agent: runs attempts on this machine and reports what becomes of them. It may be killed between any
 * two of its steps, and whatever it is asked to do may have been done before; so each step begins by finding
 * out how things are. It decides nothing about jobs.
 */

import type { Observation } from '../model/command.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId, BlobHash } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { SignalScope } from '../model/job-spec.ts';
import type { Node } from '../model/node.ts';
import type { LiveUsage } from '../model/query.ts';
import type { RunHere } from '../model/run-here.ts';
import type { RunPlan } from '../model/run-plan.ts';
import { ticksNow } from '../platform/processes.ts';
import type { Cgroups } from './cgroups.ts';
import { createEnvironments } from './environments.ts';
import { createFurnisher } from './furnishings.ts';
import { allHooks } from './hooks/all.ts';
import { createLeftovers } from './leftovers.ts';
import { type Intent, isForCaller, type LiveAttempt, newLiveAttempt } from './live.ts';
import { measureAttempt } from './measure.ts';
import { createMemoryWatch } from './memory-watch.ts';
import type { AgentParts } from './parts.ts';
import { watchParts } from './parts-watch.ts';
import { planRun } from './plan-run.ts';
import { createRankFiles } from './rank-files.ts';
import { createRunner } from './runner.ts';
import { createScripts } from './scripts.ts';
import { createShims } from './shims.ts';
import { createSignalling } from './signalling.ts';
import { createSpeaking, type VoiceOptions } from './speaking.ts';
import { createSteps, STEP_TIMES, type StepTimes } from './steps.ts';
import { createStrays, STRAY_TIMES, type StrayTimes } from './strays.ts';
import type { YardFiles } from './yard-files.ts';

export interface Agent {
  perform(effect: Effect): void;
  /** Its end is on record: its files may go. */
  forget(attempt: AttemptId): void;
  forgetStep(attempt: AttemptId, step: number): void;
  /** Null when it does not run. */
  measure(attempt: AttemptId): LiveUsage | null;
  /** What a caller needs to run this itself. Throws a Fault when it may not any more. */
  planRun(run: RunHere): RunPlan;
  /** Stops looking. What runs goes on running. */
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly files: YardFiles;
  readonly yardId: string;
  readonly yardDirectory: string;
  /** Directories for the end of a job's PATH. */
  readonly commands: readonly string[];
  readonly voices: VoiceOptions;
  readonly nodes: readonly Node[];
  /** Null: memory limits are kept by measuring. */
  readonly cgroups: Cgroups | null;
  readonly blob: (hash: BlobHash) => Uint8Array | null;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
  readonly times: Partial<AgentTimes>;
}

export interface AgentTimes {
  /** How often everything is looked at, in case a watch missed it. */
  readonly checkEveryMs: number;
  readonly measureEveryMs: number;
  /** How often those are looked for who run things themselves: nobody tells when they die. */
  readonly lookForCallersEveryMs: number;
  /** How long files stay that tell a late shim that its rank is taken. */
  readonly keepForgottenMs: number;
  /** After a job that took longer than this, its shim is not handed on. */
  readonly shortJobMs: number;
  readonly strays: StrayTimes;
  readonly steps: StepTimes;
}

const TIMES: AgentTimes = {
  checkEveryMs: 5000,
  measureEveryMs: 1000,
  lookForCallersEveryMs: 1000,
  keepForgottenMs: 60_000,
  shortJobMs: 200,
  strays: STRAY_TIMES,
  steps: STEP_TIMES,
};

/** By then whoever opened the yard has asked for everything that was running. */
const SWEEP_AFTER_MS = 60_000;

export function createAgent(options: AgentOptions): Agent {
  const { files, yardId, log } = options;
  const times = { ...TIMES, ...options.times };
  const attempts = new Map<AttemptId, LiveAttempt>();
  const inFlight = new Set<Promise<void>>();
  const openedAt = performance.now();
  let swept = false;
  let closed = false;

  const report = (observation: Observation) => {
    if (!closed) options.report(observation);
  };
  const strays = createStrays(yardId, log, times.strays);
  const memory = createMemoryWatch(
    yardId,
    (live, usedBytes) => report({ type: 'overMemory', attempt: live.attempt.id, usedBytes }),
    times.measureEveryMs,
  );
  const signalling = createSignalling(yardId);
  const speaking = createSpeaking(files, options.voices);
  const furnisher = createFurnisher(files, log);
  const steps = createSteps({ files, report, log, strays, signalling, times: times.steps });
  const scripts = createScripts(files, options.blob);
  const rankFiles = createRankFiles(files);
  const leftovers = createLeftovers(files, rankFiles, times.keepForgottenMs, log);
  const shims = createShims(leftovers.reapLater);
  const parts: AgentParts = {
    files,
    yardId,
    yardDirectory: options.yardDirectory,
    commands: options.commands,
    speaking,
    nodes: new Map(options.nodes.map((node) => [node.name, node])),
    hooks: allHooks(strays, options.cgroups, leftovers.addCgroup, furnisher, speaking),
    environment: createEnvironments(options.blob),
    scripts,
    rankFiles,
    shims,
    shortJobMs: times.shortJobMs,
    report,
    log,
  };
  const runner = createRunner({
    ...parts,
    strays,
    memory,
    signalling,
    steps,
    over,
    spawning,
    reapLater: leftovers.reapLater,
    isClosed: () => closed,
  });
  const watch = watchParts(
    files.ranks,
    (attempt, rank) => {
      const live = attempts.get(attempt);
      if (live !== undefined) runner.rankChanged(live, rank);
    },
    log,
  );
  const stepsWatch = watchParts(
    files.steps,
    (attempt, step) => {
      const live = attempts.get(attempt);
      if (live !== undefined) steps.look(live, step);
    },
    log,
  );
  const checkTimer = setInterval(checkAll, times.checkEveryMs);
  checkTimer.unref();
  const callersTimer = setInterval(lookForCallers, times.lookForCallersEveryMs);
  callersTimer.unref();

  function over(live: LiveAttempt): void {
    attempts.delete(live.attempt.id);
    if (live.job.spec.program.script !== null) scripts.release(live.job.spec.program.script);
    leftovers.add(live);
  }

  function spawning(): () => void {
    let finished = () => {};
    const promise = new Promise<void>((resolve) => {
      finished = resolve;
    });
    inFlight.add(promise);
    return () => {
      inFlight.delete(promise);
      finished();
    };
  }

  function checkAll(): void {
    for (const live of [...attempts.values()]) runner.check(live);
    leftovers.tidy();
    if (swept || performance.now() - openedAt < SWEEP_AFTER_MS) return;
    swept = true;
    scripts.sweep();
    void furnisher.sweep((attempt) => attempts.has(attempt));
  }

  function lookForCallers(): void {
    for (const live of [...attempts.values()]) {
      if (isForCaller(live)) runner.check(live);
      if (live.steps.size > 0) steps.lookAtAll(live);
    }
  }

  function track(job: Job, attempt: Attempt, intent: Intent): LiveAttempt {
    const live = newLiveAttempt(job, attempt, intent, ticksNow());
    attempts.set(attempt.id, live);
    if (job.spec.program.script !== null) scripts.hold(job.spec.program.script);
    runner.begin(live);
    return live;
  }

  function start(job: Job, attempt: Attempt): void {
    const known = attempts.get(attempt.id);
    if (known === undefined) track(job, attempt, 'start');
    else if (known.phase === 'running') {
      const forMs = Math.round(performance.now() - known.runningSince);
      report({ type: 'attemptRunning', attempt: attempt.id, forMs });
    }
  }

  function watched(job: Job, attempt: Attempt): LiveAttempt {
    return attempts.get(attempt.id) ?? track(job, attempt, 'watch');
  }

  function stop({ job, attempt, step, signal }: Effect & { readonly type: 'stop' }): void {
    const live = attempts.get(attempt.id) ?? track(job, attempt, 'stop');
    if (live.phase !== 'ending') speaking.lastWords(live, job, attempt);
    runner.stop(live, step, signal);
  }

  /** What is to be done when it runs, or at once if it does. */
  function onceRunning(live: LiveAttempt, act: () => void): void {
    if (live.phase === 'running') act();
    else if (live.phase === 'starting') live.whenRunning.push(() => onceRunning(live, act));
  }

  function signal(live: LiveAttempt, number: number, scope: SignalScope, sent: () => void): void {
    onceRunning(live, () => {
      expectSignal(live, scope);
      signalling.send(live, number, scope, sent);
    });
  }

  function warn(live: LiveAttempt, number: number, scope: SignalScope): void {
    onceRunning(live, () => {
      // Where there are no steps, what the ranks themselves run is warned.
      expectSignal(live, scope === 'steps' ? 'all' : scope);
      signalling.warn(live, number, scope, () => report({ type: 'warningSent', attempt: live.attempt.id }));
    });
  }

  function expectSignal(live: LiveAttempt, scope: SignalScope): void {
    if (scope !== 'main' && scope !== 'all') return;
    for (const rank of live.ranks) if (rank.end === null) rank.signalled = true;
  }

  function stopStep(live: LiveAttempt, { job, attempt, step }: Effect & { readonly type: 'stopStep' }): void {
    steps.watch(live, step);
    if (live.phase !== 'ending' && live.steps.get(step.n)?.over === false)
      speaking.lastWordsToStep(live, job, attempt, step.n);
    steps.stop(live, step.n);
  }

  function perform(effect: Effect): void {
    const { job, attempt } = effect;
    switch (effect.type) {
      case 'start':
        start(job, attempt);
        return;
      case 'watch':
        watched(job, attempt);
        return;
      case 'stop':
        stop(effect);
        return;
      case 'warn':
        warn(watched(job, attempt), effect.signal, effect.scope);
        return;
      case 'signal':
        signal(watched(job, attempt), effect.signal, effect.scope, () =>
          report({ type: 'signalSent', attempt: attempt.id, n: effect.n }),
        );
        return;
      case 'suspend': {
        const live = watched(job, attempt);
        onceRunning(live, () => signalling.freeze(live));
        return;
      }
      case 'resume': {
        const live = watched(job, attempt);
        onceRunning(live, () => signalling.thaw(live));
        return;
      }
      case 'watchStep':
        steps.watch(watched(job, attempt), effect.step);
        return;
      case 'stopStep':
        stopStep(watched(job, attempt), effect);
    }
  }

  return {
    perform,
    forget: leftovers.forget,
    forgetStep(attempt, step) {
      attempts.get(attempt)?.steps.delete(step);
      steps.forget(attempt, step);
    },
    measure(attempt) {
      const live = attempts.get(attempt);
      return live?.phase === 'running' ? measureAttempt(live, yardId) : null;
    },
    planRun: (run) => planRun(parts, attempts.get(run.attempt) ?? null, run),
    async close() {
      closed = true;
      clearInterval(checkTimer);
      clearInterval(callersTimer);
      for (const part of [watch, stepsWatch, strays, memory, signalling, steps, shims, leftovers])
        part.close();
      await Promise.all(inFlight);
      furnisher.leave(options.voices.surroundings.temporaryDir);
    },
  };
}
