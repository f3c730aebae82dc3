/** What `scancel` asks of the yard for one job or step: that it ends, or that it gets a signal. */

import type { JobRef } from '../../../model/ids.ts';
import type { SignalScope } from '../../../model/job-spec.ts';
import { SIGKILL } from '../../../model/signals.ts';
import { type Asking, type CommandResult, command } from '../../program.ts';
import type { ScancelCall } from './options.ts';

export interface Target {
  readonly ref: JobRef;
  /** Null: the job, not one of its steps. */
  readonly step: number | 'batch' | null;
}

/** What is said of it beforehand, where somebody wants to know. */
export function announcement({ signal, batch }: ScancelCall, { step }: Target, name: string): string {
  const what = typeof step === 'number' ? 'step' : batch && signal !== null ? 'batch job' : 'job';
  return signal === null ? `Terminating ${what} ${name}` : `Signal ${signal} to ${what} ${name}`;
}

export function* carryOut(call: ScancelCall, target: Target): Asking<CommandResult> {
  const { signal, invocation } = call;
  const by = invocation.user;
  const { ref, step } = target;
  if (typeof step === 'number') {
    if (signal === null) return yield* command({ type: 'stopStep', target: ref, by, step });
    return yield* command({ type: 'signal', target: ref, by, signal, scope: { step } });
  }
  if (signal === null) return yield* command({ type: 'cancel', target: ref, by });
  const scope = scopeOf(call, target);
  if (signal !== SIGKILL || scope === 'main')
    return yield* command({ type: 'signal', target: ref, by, signal, scope });
  // Slurm asks the job to end as it does without a signal, and kills it no sooner.
  return yield* command({ type: 'cancel', target: ref, by });
}

function scopeOf({ batch, full }: ScancelCall, { step }: Target): SignalScope {
  if (full) return 'all';
  return batch || step === 'batch' ? 'main' : 'steps';
}
