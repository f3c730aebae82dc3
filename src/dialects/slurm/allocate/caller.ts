/** What `srun` and `salloc` have in common as callers who use a place themselves. */

import type { AllocationCustoms, WaitingMessages } from '../../allocation.ts';
import { isGiven, lastGiven } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { badNumber } from '../submit/complaints.ts';
import { exitOnBusy, exitOnError } from '../submit/exit-codes.ts';
import type { Asked } from '../submit/given.ts';

export function customsOf(
  asked: Asked,
  invocation: Invocation,
  messages: WaitingMessages,
): AllocationCustoms {
  return {
    user: invocation.user,
    messages,
    quiet: isGiven(asked.given, 'quiet'),
    patienceMs: patienceMs(asked),
    exitImpatient: exitOnBusy(invocation),
    exitError: exitOnError(invocation),
    failure: (lines, exitCode) => new SlurmFailure(lines, exitCode),
  };
}

/** `--immediate` is not to wait at all, `--immediate=5` for five seconds. */
function patienceMs({ command, given }: Asked): number | null {
  const option = lastGiven(given, ['immediate']);
  if (option === null) return null;
  const { value } = option;
  if (value === null) return 0;
  if (!/^\d{1,9}$/.test(value)) throw badNumber(command, 'immediate', value);
  return Number(value) * 1000;
}
