/** A real yard of its own, spoken to by shell lines in which qsub, qstat and the rest are its commands. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoted, type ShellYard, shellYard, until } from './shell-yard.ts';

export interface GridEngineYard extends ShellYard {
  /** Where a job runs and writes unless told otherwise; lines are given in the yard's working directory. */
  readonly home: string;
  /** Writes a file into the working directory, and gives its name. */
  write(name: string, ...lines: string[]): string;
  /** What a file in the working directory says. */
  read(name: string): string;
  /** Hands a job in and gives its number. */
  submit(line: string): Promise<string>;
  /** The same from and for the working directory, with all output in `JOB.out`: gives that once the job has gone well. */
  outputOf(line: string): Promise<string>;
  /** The same for the working directory, with all output in `NAME.out`, and waits until it runs. */
  running(line: string): Promise<string>;
  /** Resolves once `qstat` shows a job, by its number, in this state. */
  untilState(job: string, state: string): Promise<void>;
  /** Resolves with the last thing that `qacct` says of a job by these names, once it has ended. */
  accounts(job: string, ...fields: string[]): Promise<string[]>;
}

/** A node with room, two queues, and little patience with those that are to end. */
export const TWO_QUEUES =
  '[node]\nname = "box"\ncpus = 4\nmemory = "4G"\n[stop]\ngrace = "1s"\n[queues.cpu]\ndefault = true\n[queues.gpu]\n';

/** `setting` is said before every line. */
export async function gridEngineYard(config: string, setting = ''): Promise<GridEngineYard> {
  const homeIn = (workDir: string) => join(workDir, 'home');
  const yard = await shellYard(config, (workDir) => `export HOME=${quoted(homeIn(workDir))}\n${setting}`);
  const home = homeIn(yard.workDir);
  mkdirSync(home);

  const read = (name: string) => readFileSync(join(yard.workDir, name), 'utf8');
  const stateOf = async (job: string) => {
    const listed = (await yard.good('qstat')).split('\n').map((line) => line.trim().split(/ +/));
    return listed.find(([number]) => number === job)?.[4] ?? 'gone';
  };

  const submit = async (line: string) => (await yard.good(`qsub -terse ${line}`)).trim().replace(/\..*/, '');

  async function untilState(job: string, state: string): Promise<void> {
    let seen = '';
    await until(
      async () => {
        seen = await stateOf(job);
        return seen === state;
      },
      () => `job ${job} to be ${state}; it is ${seen}`,
    );
  }

  return {
    ...yard,
    home,
    write(name, ...lines) {
      writeFileSync(join(yard.workDir, name), `${lines.join('\n')}\n`);
      return name;
    },
    read,
    async outputOf(line) {
      const said = await yard.good(
        line.replace(/\bqsub\b/, "qsub -terse -sync y -cwd -j y -o '$JOB_ID.out'"),
      );
      return read(`${/^\d+$/m.exec(said)?.[0]}.out`);
    },
    submit,
    async running(line) {
      const job = await submit(`-cwd -j y -o '$JOB_NAME.out' ${line}`);
      await untilState(job, 'r');
      return job;
    },
    untilState,
    async accounts(job, ...fields) {
      let said = '';
      await until(
        async () => {
          // In this order: what is said of a job that runs again may be out of date when it is gone.
          if ((await stateOf(job)) !== 'gone') return false;
          const accounts = await yard.bash(`qacct -j ${job}`);
          said = accounts.stdout;
          return accounts.code === 0;
        },
        () => `job ${job} to end`,
      );
      const last = (field: string) => [...said.matchAll(new RegExp(`^${field} +(.*?) *$`, 'gm'))].at(-1);
      return fields.map((field) => last(field)?.[1] ?? '');
    },
  };
}
