/** For tests of `srun`: calls of it outside of any job, and in a batch script of four tasks on two nodes. */

import { type FakeYard, type Ran, runDialect } from '../src/dialects/fake-yard.ts';
import type { Invocation } from '../src/dialects/program.ts';
import { slurmProgram } from '../src/dialects/slurm/run.ts';
import { srun } from '../src/dialects/slurm/srun/srun.ts';
import { bytesFromText } from '../src/model/bytes.ts';
import type { NodeShare } from '../src/model/job.ts';
import type { RunHere } from '../src/model/run-here.ts';
import type { StepRequest } from '../src/model/step.ts';
import { placingYard, shares, withRunningJob } from './placing-yard.ts';

export function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  return runDialect(slurmProgram(srun), yard, ['srun', ...argv], changes);
}

export function environment(variables: Readonly<Record<string, string>>): Partial<Invocation> {
  const entries = Object.entries({ HOME: '/home/ada', PATH: '/usr/bin', ...variables });
  return { environment: bytesFromText(entries.map(([name, value]) => `${name}=${value}\0`).join('')) };
}

export const says = (...lines: readonly string[]) => lines.map((line) => `srun: ${line}\n`).join('');
export const error = (...lines: readonly string[]) => lines.map((line) => `srun: error: ${line}\n`).join('');
export const fails = (stderr: string, code = 1): Ran => ({ code, stdout: '', stderr });

/** What the script finds in its environment; its nodes have two CPUs each. */
export const IN_JOB = {
  SLURM_JOB_ID: '5',
  SLURM_JOB_NUM_NODES: '2',
  SLURM_NNODES: '2',
  SLURM_NTASKS: '4',
  SLURM_NPROCS: '4',
  SLURM_JOB_NAME: 'batch.sh',
};

export function batchYard(changes: Partial<NodeShare> = {}): FakeYard {
  const yard = placingYard();
  withRunningJob(yard, 5, shares(2, { ranks: 2, cpus: 2, ...changes }));
  return yard;
}

export interface Inside {
  readonly yard: FakeYard;
  readonly ran: Ran;
  /** The last that was asked for. */
  readonly request: StepRequest | null;
  /** The first that was handed over. */
  readonly handed: RunHere | null;
}

export function inside(
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  yard = batchYard(),
): Inside {
  const ran = run(yard, argv, environment({ ...IN_JOB, ...variables }));
  const command = yard.commands.findLast(({ type }) => type === 'startStep');
  const request = command?.type === 'startStep' ? command.request : null;
  return { yard, ran, request, handed: yard.runs[0] ?? null };
}
