/** The session with a real Slurm, held again on a yard. What differs is in docs/compat/slurm.md. */

import { slurmYard } from '../../end-to-end/slurm-yard.ts';
import { replay } from '../replay.ts';
import { CAPTURED_IN, comparable } from './aside.ts';
import { ELSEWHERE, FILES, SCENES } from './scenario.ts';

replay({
  dialect: 'slurm',
  system: 'Slurm',
  yard: slurmYard,
  scenes: SCENES,
  files: FILES,
  elsewhere: ELSEWHERE,
  capturedIn: CAPTURED_IN,
  comparable,
  numberOf: (name) => `$(squeue -h -n ${name} -o %A)`,
});
