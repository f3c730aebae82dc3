/** Points in time as whoever calls wants them told: in their own zone, and as SLURM_TIME_FORMAT says. */

import { variableOf } from '../../environment.ts';
import { type Asking, clock, printErr } from '../../program.ts';
import { momentWriter } from '../moment-writer.ts';
import type { Call } from './call.ts';

export function* toldMoments({ invocation }: Call): Asking<(at: number) => string> {
  const form = variableOf(invocation.environment, 'SLURM_TIME_FORMAT');
  const { write, complaint } = momentWriter(form, invocation.timeZone, yield* clock());
  if (complaint !== null) yield* printErr(`scontrol: error: ${complaint}\n`);
  return write;
}
