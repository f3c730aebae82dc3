/**
 * The agent: runs attempts on this machine and reports what becomes of them. It may be killed between any
 * two of its steps, and whatever it is asked to do may have been done before; so each step begins by finding
 * out how things are. It decides nothing about jobs.
 */

import type { Observation } from '../model/command.ts';
import type { DevicesNow } from '../model/device-use.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Attempt, GivenBack, Job } from '../model/job.ts';
import type { CheckpointsAnswer, CheckpointsAsk } from '../model/keeping.ts';
import type { LiveUsage } from '../model/query.ts';
import type { RunHere } from '../model/run-here.ts';
import type { RunPlan } from '../model/run-plan.ts';
import { ticksNow } from '../platform/processes.ts';
import { AGENT_TIMES, type AgentOptions } from './agent-options.ts';
import { createDeviceWatch } from './device-watch.ts';
import { createEnvironments } from './environments.ts';
import { createFurnisher } from './furnishings.ts';
import { allHooks } from './hooks/all.ts';
import { createLeftovers } from './leftovers.ts';
import { holdsDevice, type Intent, isForCaller, type LiveAttempt, newLiveAttempt } from './live.ts';
import { measureAttempt } from './measure.ts';
import { createMemoryWatch } from './memory-watch.ts';
import type { AgentParts } from './parts.ts';
import { watchParts } from './parts-watch.ts';
import { performing } from './perform.ts';
import { planRun } from './plan-run.ts';
import { createAttemptDirs } from './progress.ts';
import { createRankFiles } from './rank-files.ts';
import { createRunner } from './runner.ts';
import { createScripts } from './scripts.ts';
import { createShims } from './shims.ts';
import { createSignalling } from './signalling.ts';
import { createSpeaking } from './speaking.ts';
import { createSteps } from './steps.ts';
import { createStoreroom } from './storeroom.ts';
import { createStrays } from './strays.ts';

export interface Agent {
  perform(effect: Effect): void;
  /** Its end is on record: its files may go. */
  forget(attempt: AttemptId): void;
  forgetStep(attempt: AttemptId, step: number): void;
  /** Null when it does not run. */
  measure(attempt: AttemptId): LiveUsage | null;
  /** What is seen of devices at this moment. */
  devices(): DevicesNow;
  /** A place that its caller holds from outside is given back. False: it is not held, or given back already. */
  giveBack(attempt: AttemptId, how: GivenBack): boolean;
  /** What a caller needs to run this itself. Throws a Fault when it may not any more. */
  planRun(run: RunHere): RunPlan;
  /** Asks something about what a job has kept; its last attempt, or none. Rejects with a Fault. */
  checkpoints(job: Job, attempt: Attempt | null, ask: CheckpointsAsk): Promise<CheckpointsAnswer>;
  /** Sentences about what is in force here, and what is not well. */
  remarks(): readonly string[];
  /** Stops looking. What runs goes on running. */
  close(): Promise<void>;
}

export function createAgent(options: AgentOptions): Agent {
  const { files, yardId, log } = options;
  const times = { ...AGENT_TIMES, ...options.times };
  const attempts = new Map<AttemptId, LiveAttempt>();
  const inFlight = new Set<Promise<void>>();
  /** Of attempts that are over, those whose own directory is there. */
  const ownDirsLeft = new Set<AttemptId>();
  let closed = false;

  /** Somebody here looks after it, or the store has yet to learn how it ends. */
  const isKnown = (attempt: AttemptId) => attempts.has(attempt) || options.isOwed(attempt);
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
  const furnisher = createFurnisher(files, options.voices.temporary, log);
  const ownDirs = createAttemptDirs(options.voices.temporary, log);
  const storeroom = createStoreroom(options.keeping, {
    files,
    yardId,
    isKnown,
    report,
    log,
    isClosed: () => closed,
  });
  const nodes = new Map(options.nodes.map((node) => [node.name, node]));
  const devices = createDeviceWatch(options.devices, {
    files,
    yardId,
    nodes,
    times: times.devices,
    isRunning: (attempt) => attempts.get(attempt)?.phase === 'running',
    isAwaited: ({ node, index }) =>
      [...attempts.values()].some((live) => live.phase === 'starting' && holdsDevice(live, node, index)),
    report,
    log,
  });
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
    python: options.python,
    againExitCode: options.keeping.againExitCodes[0] ?? null,
    speaking,
    nodes,
    hooks: allHooks(strays, options.cgroups, leftovers.addCgroup, furnisher, speaking),
    environment: createEnvironments(options.blob),
    scripts,
    rankFiles,
    shims,
    ownDirs,
    keeping: storeroom.keeping,
    devices,
    shortJobMs: times.shortJobMs,
    now: options.voices.now,
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
  const sweepTimer = setTimeout(sweep, times.sweepAfterMs);
  sweepTimer.unref();
  const retryTimer = setInterval(retry, times.retryEveryMs);
  retryTimer.unref();

  function over(live: LiveAttempt): void {
    attempts.delete(live.attempt.id);
    if (live.hasOwnDir) ownDirsLeft.add(live.attempt.id);
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
  }

  /** Removes what was made for attempts that are over, and that whoever was here before us left. */
  function sweep(): void {
    if (options.mayRemoveScripts) scripts.sweep();
    void furnisher.sweep(isKnown);
    ownDirs.sweep(isKnown);
    devices.sweep(isKnown);
    retry();
  }

  function retry(): void {
    storeroom
      .retry()
      .catch((error: unknown) => log(`cannot try again to make things safe: ${String(error)}`));
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

  return {
    perform: performing({ attempts, track, runner, speaking, signalling, steps, report }),
    forget(attempt) {
      leftovers.forget(attempt);
      devices.forget(attempt);
      if (ownDirsLeft.delete(attempt)) ownDirs.remove(attempt);
    },
    forgetStep(attempt, step) {
      attempts.get(attempt)?.steps.delete(step);
      steps.forget(attempt, step);
    },
    measure(attempt) {
      const live = attempts.get(attempt);
      return live?.phase === 'running' ? measureAttempt(live, parts) : null;
    },
    checkpoints: (job, attempt, ask) =>
      storeroom.ask(attempt === null ? null : (attempts.get(attempt.id) ?? null), job, attempt, ask),
    remarks: () => [...devices.remarks(), ...storeroom.remarks()],
    devices: devices.now,
    giveBack(attempt, how) {
      const live = attempts.get(attempt);
      return live !== undefined && runner.giveBack(live, how);
    },
    planRun: (run) => planRun(parts, attempts.get(run.attempt) ?? null, run),
    async close() {
      closed = true;
      clearInterval(checkTimer);
      clearInterval(callersTimer);
      clearTimeout(sweepTimer);
      clearInterval(retryTimer);
      for (const part of [watch, stepsWatch, strays, memory, signalling, steps, shims, leftovers])
        part.close();
      await Promise.all([...inFlight, storeroom.close(), ownDirs.close(), devices.close()]);
      if (attempts.size === 0 && storeroom.isEmpty()) await furnisher.leave();
    },
  };
}
