/** What a yard hands over is run by the real client, as its own children. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { parseStepRecord } from '../../src/agent/step-record.ts';
import { affinityOf } from '../../src/platform/libc.ts';
import { identityOf, isAlive } from '../../src/platform/processes.ts';
import { removeTemporaryDirectories } from './fake-yard.ts';
import { closePlanYards, type PlanWish, runPlan, startPlan } from './plan-runner.ts';

afterEach(closePlanYards);
afterAll(removeTemporaryDirectories);

const text = ({ stdout }: { stdout: Buffer }) => stdout.toString();
const lines = (run: { stdout: Buffer }) => text(run).split('\n').filter(Boolean).sort();
const statusesOf = (run: { stepRecord: () => string }) =>
  parseStepRecord(run.stepRecord())?.usage.rankStatuses;

/** Started, and its ranks have said that they are ready. */
async function ready(wish: PlanWish) {
  const run = await startPlan(wish);
  let seen = '';
  await new Promise<void>((resolve) => {
    run.child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk;
      if (seen.split('ready').length > (wish.ranks ?? 1)) resolve();
    });
  });
  return { ...run, seen: () => seen };
}

/** Says that it is ready, and ends with a code when one of the signals comes. */
function trapping(code: number, ...signals: readonly string[]): readonly string[] {
  const traps = signals
    .map((name) => `$SIG{${name}} = sub { syswrite STDOUT, "got\\n"; exit ${code} };`)
    .join(' ');
  return ['perl', '-e', `${traps} syswrite STDOUT, "ready\\n"; sleep 1 while 1`];
}

test('a rank runs, its output is the caller’s, and its end is on record', async () => {
  const run = await runPlan({ each: 'echo out; echo err >&2; exit 0' });
  expect(run).toMatchObject({ code: 0, stderr: 'err\n' });
  expect(text(run)).toBe('out\n');
  expect(run.stepRecord()).toMatch(/^\d+ [0-9a-f-]+ \d+ \d+ 0\nrank 0 0 \d+ \d+ \d{6,}\nexit 0 0\nend\n$/);
  expect(run.jobRecord()).toMatch(/^\d+ .*\n0m0s 0m0s\n0m[\d.]+s 0m[\d.]+s\nstatus 0\nend\n$/);
});

test('what it used is told', async () => {
  const busy =
    'head -c 30000000 /dev/zero | tail -c 20000000 >/dev/null; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done';
  const run = await runPlan({ each: busy });
  const usage = parseStepRecord(run.stepRecord())?.usage;
  expect(usage?.userCpuMs).toBeGreaterThan(5);
  expect(usage?.peakMemoryBytes).toBeGreaterThan(20_000_000);
});

describe('the environment of a rank', () => {
  test('is the caller’s to the byte, with what is set and without what is not wanted', async () => {
    const variables = `'BASH_FUNC_module%%=() { :; }' BAD="$(printf '\\377\\376')" LC_ALL=xx SHLVL=7 GONE=1 KEPT=old \
      TRAINYARD_ATTEMPT=5.1`;
    const run = await runPlan({
      script: `exec env -i PATH="$PATH" TRAINYARD_DIR="$TRAINYARD_DIR" ${variables} "$0"`,
      rank: () => ({
        argv: ['cat', '/proc/self/environ'],
        variables: { KEPT: 'new', 'ODD NAME': 'a\nb', RAW: '\udcff' },
        unset: ['GONE', 'RAW'],
      }),
      plan: { variables: [new Map([['TRAINYARD_STEP', '0']])] },
    });
    const found = run.stdout.toString('latin1').split('\0').filter(Boolean);
    const path = found.find((entry) => entry.startsWith('PATH='));
    expect(found).toEqual([
      path,
      'BASH_FUNC_module%%=() { :; }',
      'BAD=\xff\xfe',
      'LC_ALL=xx',
      'SHLVL=7',
      'KEPT=new',
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    expect(found.slice(6).sort()).toEqual(['ODD NAME=a\nb', 'RAW=\xff', 'TRAINYARD_STEP=0']);
  });

  test('tells it its own process, and has the commands at the end of PATH', async () => {
    const run = await runPlan({
      each: 'test "$PID" = $$ && echo me; echo "$PATH"',
      environment: { PATH: `/usr/bin:/bin:${process.env.PATH}` },
      manner: { pidVariable: 'PID' },
      plan: { commands: '/bin:/yard/commands/slurm' },
    });
    expect(text(run)).toMatch(/^me\n\/usr\/bin:\/bin:.*:\/yard\/commands\/slurm\n$/);
  });

  test('has the caller’s umask, directory, limits, and no open file of ours', async () => {
    const run = await runPlan({
      script: 'umask 027; ulimit -S -n 321; exec "$0"',
      each: 'umask; pwd; ulimit -n; ls /proc/$$/fd | wc -l; exec grep -E "^Sig(Blk|Ign)" /proc/self/status',
    });
    expect(text(run)).toMatch(/^0027\n\/.*\/work\n321\n[34]\nSigBlk:\s0+\nSigIgn:\s0+\n$/);
  });
});

test('each leads a session of its own, and dies with the client', async () => {
  const run = await ready({
    each: 'echo "ready $$ $(cut -d" " -f6 /proc/$$/stat)"; exec sleep 100',
    ranks: 2,
  });
  const pids = [...run.seen().matchAll(/ready (\d+) (\d+)/g)].map(([, pid, session]) => {
    expect(session).toBe(pid);
    return identityOf(Number(pid))!;
  });
  expect(pids).toHaveLength(2);
  run.child.kill('SIGKILL');
  await run.over;
  await expect.poll(() => pids.some(isAlive), { interval: 10 }).toBe(false);
  expect(parseStepRecord(run.stepRecord())).toBeNull();
});

test('a rank joins its control group, or does not run', async () => {
  const run = await runPlan({});
  const group = join(run.directory, 'work', 'cgroup.procs');
  writeFileSync(group, '');
  const joined = await runPlan({ each: `cat ${group}`, plan: { cgroupFiles: new Map([[0, [group]]]) } });
  expect(text(joined)).toBe('0');
  const cgroupFiles = new Map([[0, ['/no/such/cgroup.procs']]]);
  const refused = await runPlan({ each: 'echo ran', plan: { cgroupFiles } });
  expect(text(refused)).toBe('');
  expect(refused.stderr).toMatch(
    /^slurmstepd-box: error: cannot join \/no\/such\/cgroup\.procs: No such file/,
  );
  expect(refused.code).toBe(1);
});

test.runIf((affinityOf()?.length ?? 0) > 1)('a rank is bound to its CPUs', async () => {
  const [first, second] = affinityOf() as [number, number];
  const run = await runPlan({
    ranks: 2,
    each: 'grep Cpus_allowed_list /proc/self/status',
    rank: (number) => ({ cpuIds: [number === 0 ? first : second] }),
  });
  expect(lines(run)).toEqual([`Cpus_allowed_list:\t${first}`, `Cpus_allowed_list:\t${second}`]);
});

describe('how it ends', () => {
  const exits = (...statuses: readonly string[]) => ({
    ranks: statuses.length,
    rank: (number: number) => ({
      argv: ['sh', '-c', statuses[number] as string],
      node: `n${(number >> 1) + 1}`,
      nodeNumber: number >> 1,
    }),
  });

  test.each<[string, PlanWish, number, readonly string[]]>([
    ['a code', exits('exit 7'), 7, ['error: n1: task 0: Exited with exit code 7']],
    [
      'the highest code, those that are alike together',
      exits('exit 7', 'exit 7', 'exit 3', 'exit 0'),
      7,
      ['error: n1: tasks 0-1: Exited with exit code 7', 'error: n2: task 2: Exited with exit code 3'],
    ],
    ['a kill', exits('kill -9 $$'), 137, ['error: n1: task 0: Killed', 'Force Terminated StepId=17.0']],
    ['a crash', exits('kill -11 $$'), 139, ['error: n1: task 0: Segmentation fault']],
    [
      'a signal counts 128 more',
      exits('exit 5', 'kill -15 $$'),
      143,
      [
        'error: n1: task 0: Exited with exit code 5',
        'error: n1: task 1: Terminated',
        'Force Terminated StepId=17.0',
      ],
    ],
    [
      'nothing that is no error, when quiet',
      { ...exits('kill -9 $$'), manner: { quiet: true } },
      137,
      ['error: n1: task 0: Killed'],
    ],
  ])('%s', async (_, wish, code, words) => {
    const run = await runPlan(wish);
    expect(run.stderr).toBe(words.map((line) => `srun: ${line}\n`).join(''));
    expect(run.code).toBe(code);
  });

  test('the record has each rank and the worst end', async () => {
    const run = await runPlan(exits('exit 3', 'kill -9 $$', 'exit 0'));
    expect(statusesOf(run)).toEqual([3, 137, 0]);
    expect(parseStepRecord(run.stepRecord())?.exit).toEqual({ code: null, signal: 9, outOfMemory: false });
    expect(run.jobRecord()).toContain('status 137\nend\n');
  });

  test.each([
    ['/no/such/cmd', 'No such file or directory', 2],
    ['nosuchcommand', 'No such file or directory', 2],
    ['/etc/passwd', 'Permission denied', 13],
    ['/tmp', 'Permission denied', 13],
  ])('what cannot be executed: %s', async (command, reason, code) => {
    const run = await runPlan({ rank: () => ({ argv: [command, 'x'] }) });
    expect(run.stderr).toBe(
      `slurmstepd-box: error: execve(): ${command}: ${reason}\nsrun: error: box: task 0: Exited with exit code ${code}\n`,
    );
    expect(run.code).toBe(code);
  });

  test('a script without a first line for the kernel is not executed; a path is from the directory', async () => {
    const run = await startPlan({ rank: () => ({ argv: ['./plain'] }) });
    const ended = await run.over;
    expect(ended.stderr).toMatch(/execve\(\): \/.*\/work\/\.\/plain: No such file or directory\n/);
    const plain = join(run.directory, 'work', 'plain');
    writeFileSync(plain, 'echo hi\n', { mode: 0o755 });
    const again = await runPlan({ rank: () => ({ argv: [plain] }) });
    expect(again.stderr).toContain(`execve(): ${plain}: Exec format error\n`);
    expect(again.code).toBe(8);
  });

  test('the program is looked for in the PATH of the rank', async () => {
    const run = await startPlan({});
    await run.over;
    const tool = join(run.directory, 'work', 'tool');
    writeFileSync(tool, '#!/bin/sh\necho "$0"\n', { mode: 0o755 });
    const found = await runPlan({
      rank: () => ({ argv: ['tool'], variables: { PATH: `/nowhere:${join(run.directory, 'work')}:/bin` } }),
    });
    expect(text(found)).toBe(`${tool}\n`);
  });

  test('a directory that is not there is made up for', async () => {
    const run = await runPlan({ each: 'pwd', rank: () => ({ workDir: '/no/such' }) });
    expect(text(run)).toBe('/tmp\n');
    expect(run.stderr).toBe(
      "slurmstepd-box: error: couldn't chdir to `/no/such': No such file or directory: going to /tmp instead\n",
    );
  });

  const waitsForOther = ['sh', '-c', 'while [ ! -e up ]; do sleep 0.01; done; exit 5'];
  const stubborn = (trap: string) => [
    'perl',
    '-e',
    `$SIG{TERM} = ${trap}; open F, ">", "up"; sleep 1 while 1`,
  ];

  test('one that ends badly takes the others along, where that is wanted', async () => {
    const run = await runPlan({
      ranks: 2,
      rank: (number) => ({ argv: number === 0 ? waitsForOther : stubborn('sub { exit 9 }') }),
      manner: { killOnBadExit: true, graceMs: 20_000 },
    });
    expect(run.stderr).toMatch(
      /^srun: error: box: task 0: Exited with exit code 5\nsrun: launch\/slurm: _step_signal: Terminating StepId=17\.0\nslurmstepd-box: error: \*\*\* STEP 17\.0 ON box CANCELLED AT \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d \*\*\*\nsrun: error: box: task 1: Exited with exit code 9\n$/,
    );
    expect(run.code).toBe(9);
  });

  test('and kills them when they do not go', async () => {
    const run = await runPlan({
      ranks: 2,
      rank: (number) => ({ argv: number === 0 ? waitsForOther : stubborn('"IGNORE"') }),
      manner: { killOnBadExit: true, graceMs: 50 },
    });
    expect(run.stderr).toContain('srun: error: box: task 1: Killed\nsrun: Force Terminated StepId=17.0\n');
    expect(run.code).toBe(137);
  });

  test('ranks have so long, and are then asked to go, and made to', async () => {
    const run = await runPlan({
      ranks: 2,
      each: '[ $ID = 0 ] && trap "" TERM; sleep 60 & wait; sleep 60',
      manner: { limitMs: 500, graceMs: 300 },
    });
    expect(run.code).toBe(143);
    expect(run.stderr).toMatch(
      /^slurmstepd-box: error: \*\*\* STEP 17\.0 ON box CANCELLED AT \S+ DUE TO TIME LIMIT \*\*\*\n/,
    );
    expect(statusesOf(run)).toEqual([137, 143]);
  });

  test('after the first has ended the others have so long', async () => {
    const run = await runPlan({ ...exits('exit 0', 'sleep 100', 'exit 4'), manner: { waitMs: 1000 } });
    expect(run.stderr.split('\n')).toEqual([
      'srun: error: n2: task 2: Exited with exit code 4',
      'srun: First task exited 1s ago',
      'srun: StepId=17.0 task 1: running',
      'srun: StepId=17.0 task 2: exited abnormally',
      'srun: StepId=17.0 task 0: exited',
      'srun: launch/slurm: _step_signal: Terminating StepId=17.0',
      expect.stringMatching(/^slurmstepd-n1: error: \*\*\* STEP 17\.0 ON n1 CANCELLED AT /),
      'srun: Job step aborted: Waiting up to 4 seconds for job step to finish.',
      'srun: error: n1: task 1: Killed',
      '',
    ]);
    expect(run.code).toBe(137);
  });
});

describe('streams', () => {
  test('lines are labelled, whole, and the last one is ended', async () => {
    const run = await runPlan({
      ranks: 11,
      manner: { label: true },
      each: 'printf "a "; printf "b\\nend"; echo oops >&2',
    });
    const expected = Array.from({ length: 11 }, (_, id) => `${id}`.padStart(2));
    expect(lines(run)).toEqual(expected.flatMap((id) => [`${id}: a b`, `${id}: end`]).sort());
    expect(run.stderr.split('\n').filter(Boolean).sort()).toEqual(expected.map((id) => `${id}: oops`).sort());
  });

  test('much labelled output reaches a slow reader whole', async () => {
    const run = await startPlan({ ranks: 2, manner: { label: true }, each: 'seq 200000' });
    run.child.stdout?.pause();
    await new Promise((resolve) => setTimeout(resolve, 50));
    run.child.stdout?.resume();
    const { stdout } = await run.over;
    const numbers = (id: number) =>
      stdout
        .toString()
        .split('\n')
        .filter((line) => line.startsWith(`${id}: `))
        .map((line) => Number(line.slice(3)));
    for (const id of [0, 1]) expect(numbers(id)).toEqual(Array.from({ length: 200_000 }, (_, n) => n + 1));
  });

  test('without labels nothing stands between a rank and the caller’s stream', async () => {
    const run = await runPlan({ ranks: 1, each: 'readlink /proc/$$/fd/1; readlink /proc/$PPID/fd/1' });
    const [own, parents] = text(run).split('\n');
    expect(own).toBe(parents);
  });

  test('files are shared by those who name them, emptied once or added to', async () => {
    const run = await startPlan({});
    await run.over;
    const at = (name: string) => join(run.directory, 'work', name);
    writeFileSync(at('one'), 'old\n');
    writeFileSync(at('more'), 'old\n');
    const again = await runPlan({
      ranks: 2,
      each: 'echo out; echo err >&2',
      rank: () => ({
        stdout: { kind: 'file', path: at('one'), append: false },
        stderr: { kind: 'file', path: at('more'), append: true },
      }),
    });
    expect(text(again)).toBe('');
    expect(readFileSync(at('one'), 'utf8')).toBe('out\nout\n');
    expect(readFileSync(at('more'), 'utf8')).toBe('old\nerr\nerr\n');
    const labelled = await runPlan({
      ranks: 2,
      each: 'echo out; echo err >&2',
      manner: { label: true },
      rank: (number) => ({
        stdout: number === 0 ? { kind: 'none' } : { kind: 'file', path: at('one'), append: false },
        stderr: null,
      }),
    });
    expect(labelled.stderr + text(labelled)).toBe('');
    expect(readFileSync(at('one'), 'utf8').split('\n').sort()).toEqual(['', '1: err', '1: out']);
  });

  test.each([
    ['stdout', { stdout: { kind: 'file', path: '/no/such/x', append: false } }],
    ['stderr', { stderr: { kind: 'file', path: '/no/such/x', append: true } }],
  ] as const)('a file that cannot be opened: %s', async (stream, rank) => {
    const run = await runPlan({ each: 'touch ran', rank: () => rank });
    expect(run).toMatchObject({
      code: 1,
      stderr: `srun: error: Could not open ${stream} file: No such file or directory\n`,
    });
    expect(existsSync(join(run.directory, 'work', 'ran'))).toBe(false);
    expect(parseStepRecord(run.stepRecord())?.exit.code).toBe(1);
    expect(run.jobRecord()).toContain('status 1\nend\n');
  });

  test('who reads the input: all, one, nobody, or a file', async () => {
    const stdin = 'a\nb\n';
    const wish = { ranks: 3, each: 'sed "s/^/$ID /"', stdin };
    expect(lines(await runPlan(wish))).toEqual(['0 a', '0 b', '1 a', '1 b', '2 a', '2 b']);
    expect(lines(await runPlan({ ...wish, run: { input: { kind: 'rank', rank: 2 } } }))).toEqual([
      '2 a',
      '2 b',
    ]);
    expect(lines(await runPlan({ ...wish, run: { input: { kind: 'none' } } }))).toEqual([]);
    expect(lines(await runPlan({ ...wish, ranks: 1 }))).toEqual(['0 a', '0 b']);
    const run = await runPlan({});
    writeFileSync(join(run.directory, 'work', 'in'), 'x\n');
    const path = join(run.directory, 'work', 'in');
    expect(lines(await runPlan({ ...wish, run: { input: { kind: 'file', path } } }))).toEqual([
      '0 x',
      '1 x',
      '2 x',
    ]);
    expect(await runPlan({ ...wish, run: { input: { kind: 'file', path: '/no/such' } } })).toMatchObject({
      code: 1,
      stderr: 'srun: error: Could not open stdin file: No such file or directory\n',
    });
  });

  test('each may read a file of its own', async () => {
    const run = await startPlan({ each: 'true' });
    await run.over;
    const paths = ['zero', 'one'].map((name) => join(run.directory, name));
    for (const path of paths) writeFileSync(path, path.slice(-3));
    const each = await runPlan({
      ranks: 2,
      each: 'cat',
      run: { input: { kind: 'files', paths } },
      manner: { label: true },
    });
    expect(lines(each)).toEqual(['0: ero', '1: one']);
    const input = { kind: 'files', paths: [paths[0] as string, '/no/such'] } as const;
    expect(await runPlan({ ranks: 2, run: { input } })).toMatchObject({
      code: 1,
      stderr: 'srun: error: Could not open stdin file: No such file or directory\n',
    });
  });

  test('much input reaches all, also when one of them does not care', async () => {
    const stdin = Buffer.alloc(3_000_000, 'abcdefg\n');
    const run = await runPlan({ ranks: 3, each: 'if [ $ID = 1 ]; then exec true; else wc -c; fi', stdin });
    expect(lines(run)).toEqual(['3000000', '3000000']);
  });

  test('input that never ends does not hold up the end', async () => {
    const script = 'mkfifo f && exec 3<>f && "$0" <f; echo over';
    expect(text(await runPlan({ ranks: 2, script, each: 'true' }))).toBe('over\n');
  });

  test.each([false, true])(
    'what a rank leaves behind holds up nothing, labelled or not: %s',
    async (label) => {
      const each = 'sleep 100 2>/dev/null & echo left $!';
      const run = await runPlan({ each, script: '"$0" >out; cat out', manner: { label } });
      const pid = Number(/left (\d+)/.exec(text(run))?.[1]);
      expect(isAlive(identityOf(pid)!)).toBe(true);
      process.kill(pid, 'SIGKILL');
    },
  );

  test('when nobody reads the output any more, ranks notice', async () => {
    for (const label of [false, true]) {
      const run = await runPlan({
        script: '{ "$0"; echo "status $?" >&2; } | head -n 1 >/dev/null',
        each: 'while :; do echo y; done',
        manner: { label },
      });
      expect(run.stderr).toBe('srun: error: box: task 0: Broken pipe\nstatus 141\n');
    }
  });

  test('streams that the caller has closed', async () => {
    const run = await runPlan({
      script: 'exec "$0" <&- >&- 2>&-',
      each: 'cat; echo lost; echo lost >&2; exit 3',
    });
    expect(run).toMatchObject({ code: 3, stderr: '' });
  });

  test('a full disk is the rank’s to notice, and said where we write for it', async () => {
    const stdout = { kind: 'file', path: '/dev/full', append: true } as const;
    const own = await runPlan({ each: 'echo x 2>/dev/null || exit 6', rank: () => ({ stdout }) });
    expect(own.code).toBe(6);
    const run = await runPlan({ each: 'echo x', rank: () => ({ stdout }), manner: { label: true } });
    expect(run).toMatchObject({ code: 0, stderr: 'srun: error: cannot write: No space left on device\n' });
  });

  test('a thousand ranks, with more pipes than files may be open', async () => {
    const run = await runPlan({
      ranks: 1000,
      script: 'ulimit -S -n 256; exec "$0"',
      each: 'echo $(ulimit -n)',
      manner: { label: true },
    });
    expect(lines(run)).toHaveLength(1000);
    expect(new Set(lines(run).map((line) => line.split(': ')[1]))).toEqual(new Set(['256']));
    expect(statusesOf(run)).toHaveLength(1000);
  }, 60_000);
});

describe('signals', () => {
  const trap = { argv: trapping(5, 'TERM', 'INT', 'USR1', 'USR2', 'CONT', 'HUP') };

  test.each(['SIGUSR1', 'SIGUSR2', 'SIGCONT'] as const)('%s goes to all ranks', async (signal) => {
    const run = await ready({ ranks: 2, rank: () => trap });
    run.child.kill(signal);
    const { code, stdout, stderr } = await run.over;
    expect([code, stdout.toString().match(/got/g)?.length]).toEqual([5, 2]);
    expect(stderr).toBe(
      `${signal === 'SIGCONT' ? 'srun: got SIGCONT\n' : ''}srun: error: box: tasks 0-1: Exited with exit code 5\n`,
    );
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('%s ends the step at once', async (signal) => {
    const run = await ready({ ranks: 2, rank: () => trap });
    run.child.kill(signal);
    const { code, stderr } = await run.over;
    expect(code).toBe(137);
    expect(stderr).toMatch(
      /^srun: forcing job termination\nsrun: Job step aborted: Waiting up to 4 seconds for job step to finish\.\nslurmstepd-box: error: \*\*\* STEP 17\.0 .*\nsrun: error: box: tasks 0-1: Killed\n$/,
    );
  });

  test('one Ctrl-C asks, two in a row end it', async () => {
    const run = await ready({ ranks: 2, each: 'echo ready; exec sleep 100' });
    let said = '';
    run.child.stderr?.on('data', (chunk: Buffer) => {
      if (!said.includes('running') && `${said}${chunk}`.includes('running')) run.child.kill('SIGINT');
      said += chunk;
    });
    run.child.kill('SIGINT');
    const { code, stderr } = await run.over;
    expect(stderr).toMatch(
      /^srun: interrupt \(one more within 1 sec to abort\)\nsrun: StepId=17\.0 tasks 0-1: running\nsrun: sending Ctrl-C to StepId=17\.0\nsrun: forcing job termination\nsrun: Job step aborted: Waiting up to 4 seconds for job step to finish\.\nslurmstepd-box: .*\n$/,
    );
    expect(code).toBe(130);
  });

  test('or one, where it is to go straight to the ranks', async () => {
    const run = await ready({ each: 'echo ready; exec sleep 100', manner: { quitOnInterrupt: true } });
    run.child.kill('SIGINT');
    expect(await run.over).toMatchObject({
      code: 130,
      stderr: 'srun: sending Ctrl-C to StepId=17.0\nsrun: error: box: task 0: Interrupt\n',
    });
  });

  test('under nohup a hangup is nobody’s', async () => {
    const run = await ready({ script: 'exec nohup "$0"', rank: () => trap });
    run.child.kill('SIGHUP');
    run.child.kill('SIGUSR1');
    expect((await run.over).code).toBe(5);
  });
});

describe('the yard', () => {
  test('may have given it to somebody else, or to nobody', async () => {
    for (const claimed of ['1 boot 1 1 0\n', 'revoked\n']) {
      const run = await runPlan({ each: 'touch ran', claimed });
      expect(run.code).toBe(1);
      expect(run.stderr).toBe('srun: error: StepId=17.0 was cancelled before it began\n');
      expect(existsSync(join(run.directory, 'work', 'ran'))).toBe(false);
      expect(parseStepRecord(run.stepRecord())).toBeNull();
    }
    const shell = await runPlan({ run: { step: null }, manner: { name: 'salloc' }, claimed: 'revoked\n' });
    expect(shell.stderr).toBe('salloc: Job allocation 17 has been revoked.\n');
  });

  test('a step that is taken back gives the job back too', async () => {
    const run = await runPlan({ plan: { stepRecord: '/no/such/file' } });
    expect(run.code).toBe(1);
    expect(run.jobRecord()).toContain('status 1\nend\n');
  });

  test('says why it stops what runs, and that is passed on once', async () => {
    const run = await ready({ rank: () => ({ argv: trapping(3, 'USR1') }) });
    const say = 'say slurmstepd-box: error: *** STEP 17.0 CANCELLED ***\n';
    writeFileSync(join(run.directory, 'step'), say + say, { flag: 'a' });
    let said = '';
    await new Promise<void>((resolve) => {
      run.child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk;
        if (said.includes('CANCELLED')) resolve();
      });
    });
    run.child.kill('SIGUSR1');
    expect((await run.over).stderr).toBe(
      'srun: Job step aborted: Waiting up to 4 seconds for job step to finish.\nslurmstepd-box: error: *** STEP 17.0 CANCELLED ***\nsrun: error: box: task 0: Exited with exit code 3\n',
    );
  });
});

describe('the command of an allocation', () => {
  const shell: PlanWish = {
    run: { step: null },
    manner: { name: 'salloc', farewell: 'salloc: Relinquishing job allocation 17' },
  };

  test('is no task, and its farewell comes last', async () => {
    const run = await runPlan({ ...shell, each: 'echo in >&2; exit 4' });
    expect(run).toMatchObject({ code: 4, stderr: 'in\nsalloc: Relinquishing job allocation 17\n' });
    expect(run.jobRecord()).toContain('status 4\nend\n');
    const killed = await runPlan({ ...shell, each: 'kill -9 $$' });
    expect(killed).toMatchObject({ code: 0, stderr: 'salloc: Relinquishing job allocation 17\n' });
    expect(killed.jobRecord()).toContain('status 137\nend\n');
  });

  test('has to be there', async () => {
    expect(await runPlan({ ...shell, rank: () => ({ argv: ['nosuch'] }) })).toMatchObject({
      code: 1,
      stderr:
        'salloc: error: _fork_command: Unable to find command "nosuch"\nsalloc: Relinquishing job allocation 17\n',
    });
  });

  test('gets the signals, and the place is not given back twice', async () => {
    const run = await ready({
      ...shell,
      rank: () => ({ argv: trapping(6, 'TERM') }),
    });
    writeFileSync(join(run.directory, 'job'), 'say salloc: Job allocation 17 has been revoked.\n', {
      flag: 'a',
    });
    run.child.kill('SIGTERM');
    expect(await run.over).toMatchObject({
      code: 6,
      stderr: 'salloc: Job allocation 17 has been revoked.\n',
    });
  });
});

describe('on a machine that we know nothing of', () => {
  test('ranks run, read, write and end all the same', async () => {
    const run = await runPlan({
      onUnknownMachine: true,
      ranks: 3,
      manner: { label: true, pidVariable: 'PID' },
      stdin: 'x\n',
      each: 'cat; test $PID = $$ && exit $ID',
    });
    expect(lines(run)).toEqual(['0: x', '1: x', '2: x']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('srun: error: box: task 2: Exited with exit code 2\n');
    expect(run.stepRecord()).toContain('rank 1 1 - - -\n');
  });

  test('and signals reach them', async () => {
    const run = await ready({ onUnknownMachine: true, each: 'echo ready; exec sleep 100' });
    run.child.kill('SIGUSR1');
    expect((await run.over).code).toBe(138);
  });
});

describe.runIf(existsSync('/usr/bin/script'))('on a terminal', () => {
  /** Under `script` the client and what comes after it run on a terminal. */
  const onTerminal = (each: string, after: string, input = '') =>
    runPlan({
      script: `printf '%b' '${input}' | PROGRAM=$0 script -qec 'eval "$BOTH"' /dev/null`,
      environment: { BOTH: `"$PROGRAM"; ${after}` },
      each,
      run: { step: null },
      manner: { name: 'salloc', terminal: true },
    });

  test('what has it is in the foreground, and leaves it as it was', async () => {
    const run = await onTerminal(
      'cut -d" " -f5,8 /proc/$$/stat; tty; stty -echo; kill -9 $$',
      'stty -a | grep -o " -*echo "; cut -d" " -f5,8 /proc/self/stat',
    );
    const [inside = '', tty, echo, outside = ''] = text(run).split('\r\n');
    const [group, foreground] = inside.split(' ');
    expect(group).toBe(foreground);
    expect(tty).toMatch(/^\/dev\/pts\//);
    expect(echo?.trim()).toBe('echo');
    const [ownGroup, foregroundAfter] = outside.split(' ');
    expect(ownGroup).toBe(foregroundAfter);
    expect(ownGroup).not.toBe(group);
  });

  test('it reads what is typed', async () => {
    const run = await onTerminal('read line; echo "got $line"', 'true', 'word\\n');
    expect(text(run)).toContain('got word\r\n');
  });
});
