/** Getting a step in a job: asked for, waited for while other steps are in the way, and found with its place. */

import type { Job } from '../../../model/job.ts';
import type { Step, StepRequest } from '../../../model/step.ts';
import {
  type Asking,
  awaitChangeOrSignal,
  command,
  giveTicket,
  printErr,
  query,
  whenCallerGoes,
} from '../../program.ts';
import { SlurmFailure, slurmSentence } from '../failure.ts';
import { type StepContext, stepRefused, whyNever } from './step-wish.ts';

export interface StepCustoms {
  readonly user: string;
  readonly quiet: boolean;
  /** Does not wait for others. */
  readonly isImmediate: boolean;
  readonly exitBusy: number;
  /** The caller has said already that it waits, at an earlier yard. */
  readonly isTold: boolean;
}

/** What a caller brings to the next yard: nothing was made for it yet, and whether it has said that it waits. */
export const BEGINS_ANEW = 'anew';
export const BEGINS_ANEW_TOLD = 'anew told';

const BUSY = 'Requested nodes are busy';
const OVER = 'Job/step already completing or completed';

export function* createStep(context: StepContext, request: StepRequest, customs: StepCustoms): Asking<Step> {
  const { job } = context;
  const target = { job: job.id, index: null };
  let hasWaited = customs.isTold;
  for (;;) {
    const result = yield* command({ type: 'startStep', target, by: customs.user, request });
    if (result.ok) {
      const n = result.step as number;
      yield* whenCallerGoes({ type: 'stopStep', target, by: customs.user, step: n });
      if (hasWaited) yield* say(`Step created for job ${job.id}`, customs);
      return yield* findStep(job, n);
    }
    const { refusal } = result;
    if (refusal.code === 'neverPossible') throw whyNever(context, request);
    if (refusal.code === 'wrongState') throw stepRefused(job, OVER);
    if (refusal.code !== 'busy') throw stepRefused(job, slurmSentence(refusal));
    if (customs.isImmediate) throw new SlurmFailure(stepRefused(job, BUSY).lines, customs.exitBusy);
    if (!hasWaited) {
      yield* say(`Job ${job.id} step creation temporarily disabled, retrying (${BUSY})`, customs);
      yield* giveTicket(BEGINS_ANEW_TOLD);
      hasWaited = true;
    }
    const signal = yield* awaitChangeOrSignal([job.id], null);
    if (signal !== null) {
      const cancelled = `srun: Cancelled pending job step with signal ${signal}`;
      throw new SlurmFailure([cancelled, ...stepRefused(job, OVER).lines], 1);
    }
  }
}

export function* findStep(job: Job, n: number): Asking<Step> {
  const detail = yield* query('job', { ref: { job: job.id, index: null } });
  const step = detail?.steps.find((each) => each.attempt === job.attempt?.id && each.n === n);
  if (step === undefined) throw stepRefused(job, OVER);
  return step;
}

function* say(sentence: string, { quiet }: StepCustoms): Asking<void> {
  if (!quiet) yield* printErr(`srun: ${sentence}\n`);
}
