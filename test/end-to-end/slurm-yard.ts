/** A real yard of its own, spoken to by shell lines in which sbatch, squeue and the rest are its commands. */

import { type ShellYard, shellYard, until } from './shell-yard.ts';

export interface SlurmYard extends ShellYard {
  /** Hands a script in and gives the number of its job. */
  submit(line: string): Promise<string>;
  /** Resolves with a job's last state, once it has ended. */
  ended(job: string): Promise<string>;
}

const ENDED = /^(BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT)/;

export async function slurmYard(config: string): Promise<SlurmYard> {
  const yard = await shellYard(config);
  return {
    ...yard,
    submit: async (line) => (await yard.good(`sbatch --parsable ${line}`)).trim(),
    async ended(job) {
      let state = '';
      await until(
        async () => {
          state = (await yard.good(`sacct -X -n -P -o State -j ${job}`)).trim();
          return ENDED.test(state);
        },
        () => `job ${job} to end; it is ${state}`,
      );
      return state;
    },
  };
}
