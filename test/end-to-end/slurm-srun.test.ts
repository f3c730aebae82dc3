/** `srun` and `salloc` on a real yard of three virtual nodes: what only running tasks can show. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard('[node]\nname = "n%n"\nnodes = 3\ncpus = 2\ngpus = "2x16G"\n[stop]\ngrace = "2s"\n');
});
afterAll(() => yard.close());

const written = (name: string) => readFileSync(join(yard.workDir, name), 'utf8');
const sortedLines = (text: string) => text.trimEnd().split('\n').sort();
/** A file that comes into being, waited for by a task. */
const untilSaid = (name: string, text: string) => `until grep -qs ${text} ${name}; do sleep 0.02; done`;
const untilThere = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;

describe('alone', () => {
  test('its tasks are spread over nodes, know who they are, and write to the caller', async () => {
    const out = await yard.good(
      `srun -N2 -n4 -l sh -c 'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURMD_NODENAME $SLURM_NTASKS'`,
    );
    expect(sortedLines(out)).toEqual(['0: 0 0 0 n1 4', '1: 1 1 0 n1 4', '2: 2 0 1 n2 4', '3: 3 1 1 n2 4']);
  });

  test('what ends badly is said, and is the exit code', async () => {
    expect(await yard.bash(`srun -n2 sh -c 'exit $((SLURM_PROCID * 7))'`)).toMatchObject({
      code: 7,
      stderr: 'srun: error: n1: task 1: Exited with exit code 7\n',
    });
    expect(await yard.bash('srun /no/such/cmd')).toMatchObject({
      code: 2,
      stderr:
        'slurmstepd-n1: error: execve(): /no/such/cmd: No such file or directory\nsrun: error: n1: task 0: Exited with exit code 2\n',
    });
    const killed = await yard.bash(`srun sh -c 'kill -9 $$'`);
    expect(killed.code).toBe(137);
    expect(killed.stderr).toMatch(
      /^srun: error: n1: task 0: Killed\nsrun: Force Terminated StepId=\d+\.0\n$/,
    );
  });

  test('input reaches every task, one, or none, and a file each', async () => {
    expect(sortedLines(await yard.good('echo hello | srun -n2 -l cat'))).toEqual(['0: hello', '1: hello']);
    expect(await yard.good('echo hello | srun -n2 -l -i 1 cat')).toBe('1: hello\n');
    expect(await yard.good('echo hello | srun -n2 -l -i none cat')).toBe('');
    await yard.good('echo zero > in-0; echo one > in-1');
    expect(sortedLines(await yard.good('srun -n2 -l -i in-%t cat'))).toEqual(['0: zero', '1: one']);
  });

  test('output goes to one file or to one of each task', async () => {
    await yard.good('echo before > both; srun -n2 -l -o both sh -c "echo out; echo err >&2"');
    expect(sortedLines(written('both'))).toEqual(['0: err', '0: out', '1: err', '1: out']);
    await yard.good(`srun -n2 -o each-%t -e err-%2t sh -c 'echo out; echo $SLURM_PROCID >&2'`);
    expect([written('each-0'), written('each-1'), written('err-00'), written('err-01')]).toEqual([
      'out\n',
      'out\n',
      '0\n',
      '1\n',
    ]);
  });

  test('one that fails ends the others, at once or after a time', async () => {
    const others = await yard.bash(`srun -n2 -K sh -c '[ $SLURM_PROCID = 1 ] && exit 4; sleep 60'`);
    expect(others.code).toBe(143);
    expect(others.stderr).toContain('srun: error: n1: task 1: Exited with exit code 4\n');
    const late = await yard.bash(`srun -n2 -W1 sh -c '[ $SLURM_PROCID = 1 ] || sleep 60'`);
    expect(late.code).toBe(137);
    expect(late.stderr).toContain('srun: First task exited 1s ago\n');
  });

  test('GPUs are shared out', async () => {
    expect(await yard.good('srun --gres=gpu:2 printenv CUDA_VISIBLE_DEVICES')).toBe('0,1\n');
    const each = await yard.good('srun -n2 --gpus-per-task=1 -l printenv CUDA_VISIBLE_DEVICES');
    expect(sortedLines(each)).toEqual(['0: 0', '1: 1']);
  });

  test('it waits for its place, and gives the place back', async () => {
    const job = await yard.submit(`-N3 --exclusive -o wall --wrap '${untilThere('go')}'`);
    const waiting = yard.bash('srun -J queued echo here 2> waiting.err');
    await yard.untilFile('waiting.err', 'queued and waiting for resources');
    await yard.good('touch go');
    expect(await waiting).toMatchObject({ code: 0, stdout: 'here\n' });
    expect(written('waiting.err')).toMatch(
      /^srun: job (\d+) queued and waiting for resources\nsrun: job \1 has been allocated resources\n$/,
    );
    await yard.ended(job);
    expect(await yard.good('squeue -h')).toBe('');
  });

  test('a signal while it waits takes the job back', async () => {
    const line = `srun -H true 2> held.err & p=$!; ${untilSaid('held.err', 'queued')}; kill -TERM $p; wait $p`;
    expect((await yard.bash(line)).code).toBe(1);
    expect(written('held.err')).toMatch(
      /srun: Job allocation (\d+) has been revoked\nsrun: Force Terminated JobId=\1\n$/,
    );
    expect(await yard.good('squeue -h')).toBe('');
  });
});

describe('in a batch script', () => {
  test('steps share the job, beside each other or in turn', async () => {
    const job = await yard.submit(
      `-N1 -n2 -o steps.out --wrap 'srun -n1 --exact sh -c "touch one; ${untilThere('two')}" & srun -n1 --exact sh -c "touch two; ${untilThere('one')}" & wait; srun -l hostname | wc -l'`,
    );
    expect(await yard.ended(job)).toBe('COMPLETED');
    expect(written('steps.out')).toBe('2\n');
    expect(sortedLines(await yard.good(`sacct -n -P -o JobID,State,ExitCode -j ${job}`))).toEqual([
      `${job}.0|COMPLETED|0:0`,
      `${job}.1|COMPLETED|0:0`,
      `${job}.2|COMPLETED|0:0`,
      `${job}.batch|COMPLETED|0:0`,
      `${job}|COMPLETED|0:0`,
    ]);
  });

  test('a step waits for the CPUs of another', async () => {
    const first = `srun -n2 sh -c "touch busy; ${untilThere('free')}" & ${untilThere('busy')}`;
    const second = `srun -n2 echo then 2> second.err & ${untilSaid('second.err', 'retrying')}; touch free; wait`;
    await yard.good(`sbatch --wait -Q -n2 -o turn.out --wrap '${first}; ${second}'`);
    expect(written('second.err')).toMatch(
      /^srun: Job (\d+) step creation temporarily disabled, retrying \(Requested nodes are busy\)\nsrun: Step created for job \1\n$/,
    );
    expect(written('turn.out')).toBe('then\nthen\n');
  });

  test('scancel ends one step and not its job', async () => {
    const job = await yard.submit(
      `-n1 -o cancelled.out --wrap 'srun sh -c "touch begun; sleep 60"; echo "status $?"'`,
    );
    await yard.good(untilThere('begun'));
    await yard.good(`scancel ${job}.0`);
    expect(await yard.ended(job)).toBe('COMPLETED');
    expect(written('cancelled.out')).toMatch(
      /\*\*\* STEP \d+\.0 ON n1 CANCELLED AT .*\n(?:.*\n)*status 143\n$/,
    );
  });
});

test('tasks go on while the daemon is killed, and the end is known to the next one', async () => {
  const running = yard.bash(
    `srun -J survivor sh -c 'touch alive; ${untilThere('enough')}; echo done; exit 3'`,
  );
  await yard.good(untilThere('alive'));
  process.kill(await yard.daemonPid(), 'SIGKILL');
  const [job] = (await yard.good('squeue -h -o %i -n survivor')).split('\n');
  await yard.good('touch enough');
  expect(await running).toMatchObject({ code: 3, stdout: 'done\n' });
  expect(await yard.ended(job as string)).toBe('FAILED');
  expect(await yard.good(`sacct -n -P -o JobID,ExitCode -j ${job}`)).toBe(`${job}|3:0\n${job}.0|3:0\n`);
});

test('who waits for a place goes on waiting when the daemon is killed', async () => {
  const wall = await yard.submit(`-N3 --exclusive -o wall2 --wrap '${untilThere('go2')}'`);
  const waiting = yard.bash('srun echo here 2> waiting2.err');
  await yard.untilFile('waiting2.err', 'queued and waiting for resources');
  process.kill(await yard.daemonPid(), 'SIGKILL');
  await yard.good('touch go2');
  expect(await waiting).toMatchObject({ code: 0, stdout: 'here\n' });
  expect(written('waiting2.err')).toMatch(
    /^(srun: job \d+ (?:queued and waiting for|has been allocated) resources\n){2}$/,
  );
  expect(await yard.ended(wall)).toBe('COMPLETED');
});

test('an srun that is killed takes its tasks and its job along', async () => {
  await yard.bash(
    `srun -J orphan sh -c 'echo $SLURM_JOB_ID $$ > orphan; exec sleep 600' & p=$!; until [ -s orphan ]; do sleep 0.02; done; kill -9 $p`,
  );
  const [job, pid] = written('orphan').trim().split(' ') as [string, string];
  expect(await yard.ended(job)).toBe('FAILED');
  // Nobody there, or dead and not yet buried.
  expect((await yard.bash(`tr -d '\\0' < /proc/${pid}/cmdline`)).stdout).toBe('');
});

describe('salloc', () => {
  test('runs a command in the place, with steps in it', async () => {
    const said = await yard.bash(
      `salloc -N2 -n2 sh -c 'echo in $SLURM_JOB_ID; srun -l hostname | wc -l; exit 5'`,
    );
    expect(said.code).toBe(5);
    const id = /^in (\d+)\n2\n$/.exec(said.stdout)?.[1];
    expect(said.stderr).toBe(
      `salloc: Granted job allocation ${id}\nsalloc: Relinquishing job allocation ${id}\n`,
    );
  });

  test('is told when the place is taken away', async () => {
    const said = yard.bash(`salloc -J taken sh -c 'touch taken; sleep 60'`);
    await yard.good(`${untilThere('taken')}; scancel -n taken`);
    expect((await said).stderr).toMatch(/salloc: Job allocation \d+ has been revoked\.\n$/);
  });

  test('leaves a place for others to run in', async () => {
    await yard.good('salloc -Q --no-shell -J kept -n2');
    const id = (await yard.good('squeue -h -o %i -n kept')).trim();
    expect(sortedLines(await yard.good(`srun --jobid=${id} -n2 -l printenv SLURM_JOB_ID`))).toEqual([
      `0: ${id}`,
      `1: ${id}`,
    ]);
    await yard.good(`scancel ${id}`);
    expect(await yard.ended(id)).toMatch(/^CANCELLED/);
  });
});

test('sbcast copies, and sattach shows the layout and follows files', async () => {
  const task = `echo begun; ${untilThere('leave')}; echo \\$SLURM_PROCID`;
  const script = `echo x > x; sbcast x $PWD/y && cat y; srun -n2 -o task-%t sh -c "${task}"`;
  const job = await yard.submit(`-n2 -o casting.out --wrap '${script}'`);
  await yard.untilFile('task-0', 'begun');
  expect(await yard.good(`sattach --layout ${job}.0`)).toMatch(/\tNode 0 \(n\d\), 2 task\(s\): 0 1 \n/);
  const attached = yard.good(`sattach -l ${job}.0 > seen`);
  await yard.untilFile('seen', '0: begun');
  await yard.good('touch leave');
  await attached;
  expect(sortedLines(written('seen'))).toEqual(['0: 0', '0: begun', '1: 1', '1: begun']);
  await yard.ended(job);
  expect(written('casting.out')).toBe('x\n');
});
