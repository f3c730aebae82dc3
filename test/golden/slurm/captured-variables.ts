/** For tests: the variables in what the real Slurm was seen to give its jobs. Nothing here runs in the product. */

import { readFileSync } from 'node:fs';

export type Captured = ReadonlyMap<string, string>;

/** What has no counterpart in a yard: a configuration file, and the ports of daemons on other machines. */
const WITHOUT_COUNTERPART = [
  'SLURM_CONF',
  'SLURM_WORKING_CLUSTER',
  'SLURM_SRUN_COMM_HOST',
  'SLURM_SRUN_COMM_PORT',
  'SLURM_STEP_LAUNCHER_PORT',
];

/** What whoever starts the process knows, and nobody else. */
const OF_THE_PROCESS = ['PWD', 'SLURM_TASK_PID'];

/** One set per task, by its rank; where lines carry no rank, that of rank 0. Of several runs the last. */
export function capturedVariables(name: string): readonly Captured[] {
  const path = new URL(`./captures/${name}`, import.meta.url);
  const sets: Map<string, string>[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const match = /^(?:(\d+): )?([A-Z_0-9]+)=(.*)$/.exec(line);
    if (match === null) continue;
    const [, rank = '0', variable, value] = match as unknown as [string, string?, string?, string?];
    sets[Number(rank)] ??= new Map();
    (sets[Number(rank)] as Map<string, string>).set(variable as string, value as string);
  }
  return sets.map((set) => withoutNames(set, [...WITHOUT_COUNTERPART, ...OF_THE_PROCESS]));
}

export function withoutNames(set: Captured, names: readonly string[]): Captured {
  return new Map([...set].filter(([name]) => !names.includes(name)));
}

export function sorted(set: Captured): Readonly<Record<string, string>> {
  return Object.fromEntries([...set].sort(([a], [b]) => (a < b ? -1 : 1)));
}
