/** `qsub` with a real yard: what is run, with what around it, and where its output is. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from './grid-engine-yard.ts';

const PATIENCE_MS = 120_000;

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard('[node]\nname = "n%n"\nnodes = 2\ncpus = 4\nmemory = "4G"\n');
}, PATIENCE_MS);
afterAll(() => yard.close(), PATIENCE_MS);

const inWork = (name: string) => join(yard.workDir, name);

/** The variables that a program printed. */
function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

describe('what is run', () => {
  test('a script by its name, with its arguments, whoever may execute it', async () => {
    yard.write('args.sh', '#!/bin/sh', 'echo "$JOB_NAME has $#: $1, $2"');
    expect(await yard.outputOf('qsub args.sh a "b  c"')).toBe('args.sh has 2: a, b  c\n');
  });

  test('a script from standard input, with and without a dash', async () => {
    expect(await yard.outputOf('echo \'echo "$JOB_NAME $#"\' | qsub')).toBe('STDIN 0\n');
    expect(await yard.outputOf('echo \'echo "$JOB_NAME $# $2"\' | qsub -N piped - x y')).toBe('piped 2 y\n');
  });

  test('a script is run as it was when it was submitted', async () => {
    yard.write('early.sh', '#!/bin/sh', 'echo early');
    const job = await yard.submit('-h -cwd -j y -o early.out early.sh');
    yard.write('early.sh', '#!/bin/sh', 'echo late');
    await yard.good(`qrls ${job}`);
    expect(await yard.accounts(job, 'exit_status')).toEqual(['0']);
    expect(yard.read('early.out')).toBe('early\n');
  });

  test('a command, which a shell reads once more unless it is not wanted', async () => {
    expect(await yard.outputOf('qsub -b y -N words echo "a  b" "\\$JOB_NAME" "\\;" "*.none"')).toBe(
      'a b words ; *.none\n',
    );
    expect(await yard.outputOf('qsub -b y -shell n printf "%s|" "a  b" "\\$JOB_NAME" "*"')).toBe(
      'a  b|$JOB_NAME|*|',
    );
  });

  test('by the shell of the queue, or by that which -S names', async () => {
    yard.write('plain', 'echo "bash $BASH_VERSION" "$SHELL"');
    expect(await yard.outputOf('qsub plain')).toMatch(/ \/bin\/sh\n$/);
    expect(await yard.outputOf('qsub -S /bin/bash plain')).toMatch(/^bash \d\S* \/bin\/bash\n$/);
    yard.write('perl-job', '#!/usr/bin/env perl', 'print "by perl\\n";');
    expect(await yard.outputOf('qsub perl-job')).toBe('by perl\n');
  });
});

describe('where flags come from', () => {
  test('directives, by their usual beginning or another', async () => {
    const said = ['#$ -N dollars', '#% -N percents', 'echo "$JOB_NAME"'];
    yard.write('directives.sh', '#!/bin/sh', ...said);
    expect(await yard.outputOf('qsub directives.sh')).toBe('dollars\n');
    expect(await yard.outputOf("qsub -C '#%' directives.sh")).toBe('percents\n');
    expect(await yard.outputOf("qsub -C '' directives.sh")).toBe('directives.sh\n');
    expect(await yard.outputOf('qsub -N line directives.sh')).toBe('line\n');
  });

  test('request files: the cell’s, the user’s, the directory’s, the script, the command line', async () => {
    yard.write('whose.sh', '#!/bin/sh', 'echo "$SGE_ACCOUNT $WHOSE"');
    const cell = join(yard.directory, 'sge', 'default', 'common', 'sge_request');
    writeFileSync(cell, '# for all\n-A cell -v WHOSE=cell\n');
    mkdirSync(inWork('project'), { recursive: true });
    try {
      expect(await yard.outputOf('qsub whose.sh')).toBe('cell cell\n');
      writeFileSync(join(yard.home, '.sge_request'), '-A home\n');
      expect(await yard.outputOf('qsub whose.sh')).toBe('home cell\n');
      yard.write('.sge_request', '-A directory');
      expect(await yard.outputOf('qsub whose.sh')).toBe('directory cell\n');
      yard.write('whose-own.sh', '#!/bin/sh', '#$ -A script', 'echo "$SGE_ACCOUNT $WHOSE"');
      expect(await yard.outputOf('qsub whose-own.sh')).toBe('script cell\n');
      expect(await yard.outputOf('qsub -A line -v WHOSE=line whose-own.sh')).toBe('line line\n');
      expect(await yard.good('qsub -clear -terse -sync y -o cleared.out -j y -cwd whose.sh')).not.toBe('');
      expect(yard.read('cleared.out')).toBe('sge \n');
      yard.write('flags', '-A', 'file');
      expect(await yard.outputOf('qsub -@ flags whose.sh')).toBe('file cell\n');
    } finally {
      await yard.good(`rm -f .sge_request ~/.sge_request ${cell}`);
    }
  });
});

describe('output', () => {
  test('is in the home directory under the name of the job, or where it was submitted', async () => {
    yard.write('both.sh', '#!/bin/sh', 'echo out; echo err >&2; pwd');
    const job = await yard.submit('both.sh');
    expect(await yard.accounts(job, 'exit_status')).toEqual(['0']);
    expect(readFileSync(join(yard.home, `both.sh.o${job}`), 'utf8')).toBe(`out\n${yard.home}\n`);
    expect(readFileSync(join(yard.home, `both.sh.e${job}`), 'utf8')).toBe('err\n');
    const here = await yard.submit('-cwd -N named both.sh');
    expect(await yard.accounts(here, 'exit_status')).toEqual(['0']);
    expect([yard.read(`named.o${here}`), yard.read(`named.e${here}`)]).toEqual([
      `out\n${yard.workDir}\n`,
      'err\n',
    ]);
  });

  test('is where -o, -e and -j say, by numbers, in directories, with a host in front', async () => {
    mkdirSync(inWork('logs'));
    const line = "-cwd -t 2-4:2 -o 'logs/$JOB_NAME.$JOB_ID.$TASK_ID' -e :logs both.sh";
    const array = await yard.submit(line);
    await yard.untilState(array, 'gone');
    expect(readdirSync(inWork('logs')).sort()).toEqual([
      `both.sh.${array}.2`,
      `both.sh.${array}.4`,
      `both.sh.e${array}.2`,
      `both.sh.e${array}.4`,
    ]);
    const joined = await yard.submit(
      `-sync y -wd ${yard.workDir} -o nowhere:/nosuch,:$PWD/logs/ -j y both.sh`,
    );
    expect(yard.read(`logs/both.sh.o${joined}`)).toBe(`out\nerr\n${yard.workDir}\n`);
    expect(existsSync(inWork(`logs/both.sh.e${joined}`))).toBe(false);
  });

  test('is added to what is there, and a file can be read in', async () => {
    yard.write('input', 'line of input');
    await yard.submit('-sync y -cwd -o added.out -j y -i input -b y cat');
    await yard.submit('-sync y -cwd -o added.out -j y -i input -b y cat');
    expect(yard.read('added.out')).toBe('line of input\nline of input\n');
  });
});

describe('around the job', () => {
  test('is what Grid Engine puts there, and nothing of the caller', async () => {
    const line =
      "export MINE=mine GIVEN=given; qsub -v GIVEN,SAID=a,LATE='$JOB_NAME-$JOB_ID' -N around printenv.sh";
    yard.write('printenv.sh', '#!/bin/sh', 'env');
    const variables = variablesIn(await yard.outputOf(line));
    const job = variables.JOB_ID ?? '';
    expect(job).toMatch(/^\d+$/);
    expect(variables).toMatchObject({
      ARC: expect.stringMatching(/^lx-/),
      GIVEN: 'given',
      HOME: yard.home,
      HOSTNAME: expect.stringMatching(/^n[12]$/),
      JOB_NAME: 'around',
      LATE: `around-${job}`,
      NHOSTS: '1',
      NQUEUES: '1',
      NSLOTS: '1',
      PWD: yard.workDir,
      QUEUE: 'main',
      REQUEST: 'around',
      RESTARTED: '0',
      SAID: 'a',
      SGE_ACCOUNT: 'sge',
      SGE_CELL: 'default',
      SGE_CWD_PATH: yard.workDir,
      SGE_O_HOME: yard.home,
      SGE_O_WORKDIR: yard.workDir,
      SGE_ROOT: join(yard.directory, 'sge'),
      SGE_STDERR_PATH: inWork(`${job}.out`),
      SGE_STDIN_PATH: '/dev/null',
      SGE_STDOUT_PATH: inWork(`${job}.out`),
      SGE_TASK_FIRST: 'undefined',
      SGE_TASK_ID: 'undefined',
      SGE_TASK_LAST: 'undefined',
      SGE_TASK_STEPSIZE: 'undefined',
      TMP: variables.TMPDIR,
    });
    expect(variables).not.toHaveProperty('MINE');
    expect(variables).not.toHaveProperty('PE');
    expect(variables.TMPDIR).toMatch(new RegExp(`/${job}\\.1\\.main$`));
    expect(variables.PATH?.split(':')[0]).toBe(variables.TMPDIR);
    for (const name of ['SGE_ARCH', 'SGE_BINARY_PATH', 'SGE_CLUSTER_NAME', 'SGE_JOB_SPOOL_DIR', 'SGE_O_PATH'])
      expect(variables).toHaveProperty(name);
  });

  test('is everything of the caller with -V', async () => {
    const line = "export MINE='a  b' BOTH=caller; qsub -V -v BOTH=line -b y env";
    expect(variablesIn(await yard.outputOf(line))).toMatchObject({ MINE: 'a  b', BOTH: 'line', NSLOTS: '1' });
  });

  test('are the commands of the yard, whatever is installed, in scripts and in commands after a login', async () => {
    const line = 'qsub -terse -h -N inner -j y -o /dev/null -b y true';
    yard.write('submits.sh', '#!/bin/sh', line, 'type qstat');
    const inSgeRoot = `is ${join(yard.directory, 'sge')}/bin/`;
    for (const submitted of ['submits.sh', `-N submits -b y '${line}; type qstat'`, `-V submits.sh`]) {
      const [inner = '', place] = (await yard.outputOf(`qsub ${submitted}`)).split('\n');
      expect(place, submitted).toContain(inSgeRoot);
      await yard.untilState(inner, 'hqw');
      await yard.good(`qdel ${inner}`);
    }
  });

  test('is a directory of its own, which goes with it', async () => {
    yard.write('own.sh', '#!/bin/sh', 'touch "$TMPDIR/file" && ls "$TMPDIR" && echo "$TMPDIR"');
    const [file, directory = ''] = (await yard.outputOf('qsub own.sh')).split('\n');
    expect(file).toBe('file');
    expect(directory).toMatch(/^\//);
    await expect.poll(() => existsSync(directory)).toBe(false);
  });

  test('so it does when the job is deleted', async () => {
    yard.write('deleted.sh', '#!/bin/sh', 'echo "$TMPDIR" >deleted.dir; sleep 300');
    const job = await yard.submit('-cwd deleted.sh');
    const directory = (await yard.untilFile('deleted.dir', '\n')).trim();
    expect(existsSync(directory)).toBe(true);
    await yard.good(`qdel ${job}`);
    await yard.accounts(job);
    await expect.poll(() => existsSync(directory), { timeout: 20_000 }).toBe(false);
  });
});

describe('parallel jobs', () => {
  test('have between so many and so many slots, and a file that says where', async () => {
    yard.write('slots.sh', '#!/bin/sh', 'echo "$NSLOTS $NHOSTS $PE"; cat "$PE_HOSTFILE"');
    expect(await yard.outputOf('qsub -pe smp 2-4 slots.sh')).toMatch(
      /^4 1 smp\n(n\d) 4 main@\1 UNDEFINED\n$/,
    );
    expect(await yard.outputOf('qsub -pe mpi 6 slots.sh')).toMatch(
      /^6 2 mpi\nn1 \d main@n1 UNDEFINED\nn2 \d main@n2 UNDEFINED\n$/,
    );
    const full = await yard.submit('-q main@n1,main@n2 -pe mpi 6 -b y sleep 300');
    await yard.untilState(full, 'r');
    expect(await yard.outputOf('qsub -pe mpi 1-4 slots.sh')).toMatch(/^2 /);
    await yard.good(`qdel ${full}`);
    await yard.untilState(full, 'gone');
  });

  test('have empty files beside their output', async () => {
    const job = await yard.submit('-sync y -cwd -N beside -pe smp 1 -b y true');
    const names = readdirSync(yard.workDir).filter((name) => name.startsWith('beside.'));
    expect(names.sort()).toEqual(['e', 'o', 'pe', 'po'].map((kind) => `beside.${kind}${job}`));
  });
});

describe('arrays', () => {
  test('have tasks with numbers of their own', async () => {
    yard.write(
      'task.sh',
      '#!/bin/sh',
      'echo "$SGE_TASK_ID of $SGE_TASK_FIRST-$SGE_TASK_LAST:$SGE_TASK_STEPSIZE"',
    );
    expect(await yard.good('qsub -t 3-8:2 -cwd -N tasks -sync y task.sh')).toMatch(
      /^Your job-array (\d+)\.3-8:2 \("tasks"\) has been submitted\n(Job \1\.[357] exited with exit code 0\.\n){3}$/,
    );
    const outputs = readdirSync(yard.workDir).filter((name) => name.startsWith('tasks.o'));
    expect(outputs.sort().map(yard.read)).toEqual(['3 of 3-8:2\n', '5 of 3-8:2\n', '7 of 3-8:2\n']);
  });

  test('run no more than -tc of their tasks at once', async () => {
    yard.write(
      'few.sh',
      '#!/bin/sh',
      'touch few.$SGE_TASK_ID; until [ -e few.go.$SGE_TASK_ID ]; do sleep 0.05; done',
    );
    const job = await yard.submit('-cwd -t 1-4 -tc 2 few.sh');
    await yard.good('until [ -e few.1 ] && [ -e few.2 ]; do sleep 0.05; done');
    expect((await yard.good(`qstat -g d -s r | grep -c '^ *${job} '`)).trim()).toBe('2');
    await yard.good('touch few.go.1; until [ -e few.3 ]; do sleep 0.05; done');
    expect(existsSync(inWork('few.4'))).toBe(false);
    await yard.good('touch few.go.2 few.go.3 few.go.4');
    await yard.untilState(job, 'gone');
  });
});

describe('one after the other', () => {
  test('by number and by name, however the first ended', async () => {
    const first = await yard.submit('-h -cwd -N first -b y "echo first >>order; exit 1"');
    const second = await yard.submit('-cwd -hold_jid first -N second -b y "echo second >>order"');
    const third = await yard.submit(`-cwd -hold_jid "sec*,${first}" -N third -b y "echo third >>order"`);
    await yard.untilState(third, 'hqw');
    await yard.good(`qrls ${first}`);
    expect(await yard.accounts(third, 'exit_status')).toEqual(['0']);
    expect(await yard.accounts(second, 'exit_status')).toEqual(['0']);
    expect(yard.read('order')).toBe('first\nsecond\nthird\n');
  });

  test('task by task', async () => {
    yard.write('pair.sh', '#!/bin/sh', 'until [ -e pair.$SGE_TASK_ID ]; do sleep 0.05; done; exit 3');
    const first = await yard.submit('-cwd -t 1-2 pair.sh');
    const second = await yard.submit(
      `-cwd -t 1-2 -hold_jid_ad ${first} -N paired -b y "touch paired.\\$SGE_TASK_ID"`,
    );
    await yard.good('touch pair.2; until [ -e paired.2 ]; do sleep 0.05; done');
    expect(existsSync(inWork('paired.1'))).toBe(false);
    await yard.good('touch pair.1');
    await yard.untilState(second, 'gone');
    expect(existsSync(inWork('paired.1'))).toBe(true);
  });
});
