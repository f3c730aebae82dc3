/** A real yard of its own, spoken to by shell lines in which sbatch, squeue and the rest are its commands. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Said, type YardAtHand, yardAtHand } from './yard-at-hand.ts';

export interface SlurmYard extends YardAtHand {
  /** A line of bash. */
  bash(line: string): Promise<Said>;
  /** The same, for lines that must not fail: gives what it printed. */
  good(line: string): Promise<string>;
  /** Hands a script in and gives the number of its job. */
  submit(line: string): Promise<string>;
  /** Resolves once the file in the working directory says so, and gives its text. */
  untilFile(name: string, text: string): Promise<string>;
  /** Resolves with a job's last state, once it has ended. */
  ended(job: string): Promise<string>;
}

const PATIENCE_MS = 120_000;
const ENDED = /^(BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT)/;

export async function slurmYard(config: string): Promise<SlurmYard> {
  const yard = yardAtHand(config);
  // A real Slurm may be installed, and these tests are not about that one.
  const { stdout: path } = await yard.run('env', '--first');

  const bash = (line: string) => yard.shell(`${path}exec bash -c ${quoted(line)}`);

  const good = async (line: string) => {
    const said = await bash(line);
    expect(said.code, `${line}\n${said.stdout}${said.stderr}`).toBe(0);
    return said.stdout;
  };

  return {
    ...yard,
    bash,
    good,
    submit: async (line) => (await good(`sbatch --parsable ${line}`)).trim(),
    async untilFile(name, text) {
      const read = () => readOrNothing(join(yard.workDir, name));
      await until(
        () => read().includes(text),
        () => `${name} to say "${text}"; it says:\n${read()}`,
      );
      return read();
    },
    async ended(job) {
      let state = '';
      await until(
        async () => {
          state = (await good(`sacct -X -n -P -o State -j ${job}`)).trim();
          return ENDED.test(state);
        },
        () => `job ${job} to end; it is ${state}`,
      );
      return state;
    },
  };
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

async function until(isSo: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const patientUntil = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > patientUntil) throw new Error(`waited in vain for ${what()}`);
    await sleep(100);
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
