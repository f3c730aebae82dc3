/**
 * Steps of attempts, from the moment they may be claimed to the report that they have ended. Each is run by a process
 * that is no child of ours (libexec/run-here.pl), and known by its file alone: who claimed it, and how it ended.
 */

import { closeSync, openSync } from 'node:fs';
import type { Observation } from '../model/command.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Exit } from '../model/job.ts';
import { SIGKILL, SIGTERM } from '../model/signals.ts';
import type { Step, StepUsage } from '../model/step.ts';
import { errorWords, readFileIfThere, removeIfThere } from '../platform/files.ts';
import { bootId } from '../platform/processes.ts';
import { claimant, isByProcess, parseClaim, revokeFile } from './claim.ts';
import { type LiveAttempt, type LiveStep, stepTargetOf } from './live.ts';
import type { Signalling } from './signalling.ts';
import { parseStepRecord } from './step-record.ts';
import type { Strays } from './strays.ts';
import { stepPath, type YardFiles } from './yard-files.ts';

export interface Steps {
  /** Lets it be claimed, and looks after it. */
  watch(live: LiveAttempt, step: Step): void;
  stop(live: LiveAttempt, step: number): void;
  /** Its file has changed, or some time has passed. */
  look(live: LiveAttempt, step: number): void;
  /** Looks at all of them. */
  lookAtAll(live: LiveAttempt): void;
  /** Its end is on record. */
  forget(attempt: AttemptId, step: number): void;
  close(): void;
}

export interface StepsParts {
  readonly files: YardFiles;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
  readonly strays: Strays;
  readonly signalling: Signalling;
  readonly times: StepTimes;
}

export interface StepTimes {
  /** Whoever asked for a step claims it at once, or has gone. */
  readonly claimWithinMs: number;
  /** Between asking and killing. */
  readonly graceMs: number;
}

export const STEP_TIMES: StepTimes = { claimWithinMs: 30_000, graceMs: 5000 };

const KILLED: Exit = { code: null, signal: SIGKILL, outOfMemory: false };
const NEVER_BEGAN: Exit = { code: null, signal: SIGTERM, outOfMemory: false };

export function createSteps({ files, report, log, strays, signalling, times }: StepsParts): Steps {
  const graces = new Set<NodeJS.Timeout>();

  function watch(live: LiveAttempt, step: Step): void {
    if (live.phase === 'ending' || live.steps.has(step.n)) return;
    live.steps.set(step.n, {
      step,
      runner: null,
      knownSince: performance.now(),
      over: false,
      stopping: false,
    });
    try {
      // Opened to add to it: whoever was here before may have made it.
      closeSync(openSync(stepPath(files, live.attempt.id, step.n), 'a', 0o600));
    } catch (error) {
      log(`${nameOf(live, step.n)} cannot be claimed yet: ${errorWords(error)}`);
    }
    look(live, step.n);
  }

  function look(live: LiveAttempt, n: number): void {
    const step = live.steps.get(n);
    if (step === undefined || step.over) return;
    try {
      lookAt(live, step);
    } catch (error) {
      log(`${nameOf(live, n)} cannot be looked after: ${errorWords(error)}`);
    }
  }

  function lookAt(live: LiveAttempt, step: LiveStep): void {
    const text = textOf(live, step.step.n);
    const record = parseStepRecord(text);
    if (record !== null) return ended(live, step, record.exit, record.usage);
    const claim = parseClaim(text);
    if (claim === null) return lookAtUnclaimed(live, step);
    if (!isByProcess(claim)) return ended(live, step, NEVER_BEGAN, null);
    step.runner = claimant(claim);
    if (step.runner !== null) return;
    // Whatever it wrote was written before it died, so that looking again now settles it.
    const late = parseStepRecord(textOf(live, step.step.n));
    if (late !== null) return ended(live, step, late.exit, late.usage);
    step.over = true;
    if (claim.bootId !== bootId()) return reportEnd(live, step, KILLED, null);
    strays.clear(stepTargetOf(live, step.step.n), () => reportEnd(live, step, KILLED, null));
  }

  function lookAtUnclaimed(live: LiveAttempt, step: LiveStep): void {
    const isLate = performance.now() - step.knownSince > times.claimWithinMs;
    if (isLate && revoke(live, step.step.n)) ended(live, step, NEVER_BEGAN, null);
  }

  function textOf(live: LiveAttempt, n: number): string {
    return readFileIfThere(stepPath(files, live.attempt.id, n))?.toString('latin1') ?? '';
  }

  function revoke(live: LiveAttempt, n: number): boolean {
    const path = stepPath(files, live.attempt.id, n);
    return revokeFile(path, () => parseClaim(textOf(live, n)), null);
  }

  function ended(live: LiveAttempt, step: LiveStep, exit: Exit, usage: StepUsage | null): void {
    step.over = true;
    if (live.phase !== 'ending') strays.lookLater({ ...stepTargetOf(live, step.step.n), callers: [] });
    reportEnd(live, step, exit, usage);
  }

  function reportEnd(live: LiveAttempt, step: LiveStep, exit: Exit, usage: StepUsage | null): void {
    report({ type: 'stepEnded', attempt: live.attempt.id, step: step.step.n, exit, usage });
  }

  function stop(live: LiveAttempt, n: number): void {
    const step = live.steps.get(n);
    if (step === undefined || step.over || step.stopping) return;
    if (revoke(live, n)) return ended(live, step, NEVER_BEGAN, null);
    step.stopping = true;
    look(live, n);
    signalling.askToEnd(live, SIGTERM, { step: n });
    const grace = setTimeout(() => {
      graces.delete(grace);
      signalling.killStepUntilOver(live, step, () => look(live, n));
    }, times.graceMs);
    grace.unref();
    graces.add(grace);
  }

  return {
    watch,
    stop,
    look,
    lookAtAll(live) {
      for (const n of live.steps.keys()) look(live, n);
    },
    forget(attempt, step) {
      try {
        removeIfThere(stepPath(files, attempt, step));
      } catch (error) {
        log(`the file of step ${step} of attempt ${attempt} cannot be removed: ${errorWords(error)}`);
      }
    },
    close() {
      for (const grace of graces) clearTimeout(grace);
    },
  };
}

function nameOf(live: LiveAttempt, n: number): string {
  return `step ${n} of attempt ${live.attempt.id}`;
}
