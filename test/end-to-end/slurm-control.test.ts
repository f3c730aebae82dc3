/** `scontrol`, `scancel` and mail with a real yard: what they do to jobs that really run. */

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

const PATIENCE_MS = 180_000;

let post: string;
let yard: SlurmYard;

beforeAll(async () => {
  post = mkdtempSync(join(tmpdir(), 'yard-post-'));
  const program = join(post, 'mail');
  // It stands in for mail(1): each call is a line of its words.
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s|' "$@" "$SLURM_JOB_MAIL_TYPE" >>${post}/letters\necho >>${post}/letters\n`,
  );
  chmodSync(program, 0o755);
  const config = ['[node]', 'nodes = 2', 'cpus = 4', 'memory = "4G"', '[stop]', 'grace = "2s"', '[mail]'];
  yard = await slurmYard(`${config.join('\n')}\nprogram = "${program}"\n`);
}, PATIENCE_MS);

afterAll(async () => {
  await yard.close();
  rmSync(post, { recursive: true, force: true });
}, PATIENCE_MS);

const letters = () => {
  try {
    return readFileSync(join(post, 'letters'), 'utf8');
  } catch {
    return '';
  }
};

async function untilLetter(text: string): Promise<string> {
  await expect.poll(letters, { timeout: 30_000, interval: 100 }).toContain(text);
  return letters();
}

/** Writes a script that the yard is given. */
function script(name: string, lines: string): string {
  writeFileSync(join(yard.workDir, name), `#!/bin/bash\n${lines}\n`);
  return name;
}

describe('requeue', { timeout: PATIENCE_MS }, () => {
  test('a job that asks for it itself, as Lightning and submitit do', async () => {
    script(
      'again.sh',
      'echo "run $SLURM_RESTART_COUNT"; [ -n "$SLURM_RESTART_COUNT" ] || { scontrol requeue $SLURM_JOB_ID; sleep 60; }',
    );
    const job = await yard.submit('-o again.out --open-mode=append again.sh');
    await yard.untilFile('again.out', 'run 1');
    expect(await yard.ended(job)).toBe('COMPLETED');
    expect(await yard.good(`scontrol show job ${job}`)).toContain('Restarts=1 ');
  });

  test('an element of an array', async () => {
    script('element.sh', 'echo "$SLURM_ARRAY_TASK_ID run $SLURM_RESTART_COUNT"; sleep 60');
    const job = await yard.submit('--array=1-2 -o element-%a.out --open-mode=append element.sh');
    await yard.untilFile('element-2.out', '2 run');
    await yard.good(`scontrol requeue ${job}_2`);
    await yard.untilFile('element-2.out', '2 run 1');
    await yard.good(`scancel ${job}_[1-2]`);
    for (const index of [1, 2]) expect(await yard.ended(`${job}_${index}`)).toMatch(/^CANCELLED/);
  });

  test('and kept back, until it is released', async () => {
    script('held.sh', 'echo "run $SLURM_RESTART_COUNT"; [ -n "$SLURM_RESTART_COUNT" ] || sleep 60');
    const job = await yard.submit('-o held.out --open-mode=append held.sh');
    await yard.untilFile('held.out', 'run');
    await yard.good(`scontrol requeuehold ${job}`);
    await expect
      .poll(async () => await yard.good(`squeue -h -j ${job} -o '%T %r'`), { timeout: 30_000 })
      .toBe('PENDING JobHeldUser\n');
    expect(await yard.bash(`scontrol requeue ${job}`)).toMatchObject({
      code: 1,
      stderr: `Job is pending execution for job ${job}\n`,
    });
    await yard.good(`scontrol release ${job}`);
    await yard.untilFile('held.out', 'run 1');
    expect(await yard.ended(job)).toBe('COMPLETED');
  });
});

describe('signals', { timeout: PATIENCE_MS }, () => {
  test('go to the script alone, or to all that it has started', async () => {
    const lines = [
      "trap 'echo batch USR1' USR1; trap 'echo batch USR2' USR2",
      `bash -c 'trap "echo child USR2" USR2; echo ready; while :; do sleep 0.1; done' &`,
      'while :; do sleep 0.1; done',
    ];
    const job = await yard.submit(`-o signals.out ${script('signals.sh', lines.join('\n'))}`);
    await yard.untilFile('signals.out', 'ready');
    await yard.good(`scancel -b -s USR1 ${job}`);
    await yard.untilFile('signals.out', 'batch USR1');
    await yard.good(`scancel --full --signal=SIGUSR2 ${job}`);
    await yard.untilFile('signals.out', 'child USR2');
    await yard.untilFile('signals.out', 'batch USR2');
    await yard.good(`scancel -s KILL ${job}`);
    expect(await yard.ended(job)).toMatch(/^CANCELLED/);
  });

  test('go to the steps of a job, or to one of them', async () => {
    const step =
      'trap "echo step USR1" USR1; trap "echo step USR2" USR2; echo ready; while :; do sleep 0.1; done';
    const lines = ["trap 'echo batch' USR1 USR2", `srun bash -c '${step}' &`, 'while :; do sleep 0.1; done'];
    const job = await yard.submit(`-o steps.out ${script('steps.sh', lines.join('\n'))}`);
    await yard.untilFile('steps.out', 'ready');
    await yard.good(`scancel --signal=SIGUSR2 ${job}`);
    await yard.untilFile('steps.out', 'step USR2');
    await yard.good(`scancel -s USR1 ${job}.0`);
    expect(await yard.untilFile('steps.out', 'step USR1')).not.toContain('batch');
    expect(await yard.good(`scontrol show step ${job}.0`)).toContain(`StepId=${job}.0 `);
    expect(await yard.bash(`scancel ${job}.7`)).toMatchObject({ code: 225 });
    await yard.good(`scancel ${job}.0`);
    await expect
      .poll(async () => (await yard.bash(`scontrol show step ${job}.0`)).code, { timeout: 30_000 })
      .toBe(1);
    await yard.good(`scancel ${job}`);
    expect(await yard.ended(job)).toMatch(/^CANCELLED/);
  });

  test('suspend and resume', async () => {
    script('tick.sh', 'while :; do date +%s%N >>tick.log; sleep 0.1; done');
    const job = await yard.submit('-o /dev/null tick.sh');
    await yard.untilFile('tick.log', '1');
    await yard.good(`scontrol suspend ${job}`);
    expect(await yard.good(`squeue -h -j ${job} -o %T`)).toBe('SUSPENDED\n');
    expect(await yard.good(`scontrol show job ${job}`)).toContain('JobState=SUSPENDED');
    await yard.good(`scontrol resume ${job}`);
    expect(await yard.bash(`scontrol resume ${job}`)).toMatchObject({
      code: 1,
      stderr: `Job is not suspended for job ${job}\n`,
    });
    await yard.good(`scancel ${job}`);
    expect(await yard.ended(job)).toMatch(/^CANCELLED/);
  });
});

describe('what can be changed and looked at', { timeout: PATIENCE_MS }, () => {
  test('update', async () => {
    const job = await yard.submit(`-H -t 5 ${script('nothing.sh', 'true')}`);
    await yard.good(
      `scontrol update JobId=${job} TimeLimit=+10 NumNodes=2 JobName="a b" MinMemoryNode=100 Nice=5`,
    );
    const shown = await yard.good(`scontrol show job ${job}`);
    for (const text of ['JobName=a b', 'TimeLimit=00:15:00', 'Nice=5', 'MinMemoryNode=100M', 'NumTasks=2 '])
      expect(shown).toContain(text);
    expect(await yard.bash(`scontrol update JobId=${job} NumNodes=99`)).toMatchObject({ code: 1 });
    await yard.good(`scontrol update JobId=${job} NumNodes=1 && scontrol release ${job}`);
    expect(await yard.ended(job)).toBe('COMPLETED');
    expect(await yard.bash(`scontrol update JobId=${job} TimeLimit=5`)).toMatchObject({
      code: 1,
      stderr: `Job has already finished for job ${job}\n`,
    });
  });

  test('the script as it was submitted, into a file with the caller’s umask', async () => {
    const job = await yard.submit(`-H ${script('kept.sh', 'echo kept')}`);
    const said = await yard.good(
      `umask 027; scontrol write batch_script ${job} && stat -c %a slurm-${job}.sh && cmp slurm-${job}.sh kept.sh`,
    );
    expect(said).toBe(`batch script for job ${job} written to slurm-${job}.sh\n640\n`);
    expect(await yard.good(`scontrol write batch_script ${job} - | cmp - kept.sh`)).toBe('');
    await yard.good(`scancel ${job}`);
  });

  test('nodes take no more jobs, and take them again', async () => {
    const nodes = (await yard.good('sinfo -h -N -o %N')).trim().split('\n');
    await yard.good(`scontrol update NodeName=${nodes[0]} State=DRAIN Reason="new disk"`);
    expect(await yard.good(`scontrol show node ${nodes[0]}`)).toMatch(/State=\w+\+DRAIN .*Reason=new disk/s);
    await yard.good(`scontrol update NodeName=${nodes[0]} State=RESUME`);
    expect(await yard.good(`scontrol show node ${nodes[0]}`)).not.toContain('DRAIN');
  });

  test('a partition starts no more jobs, and starts them again', async () => {
    await yard.good('scontrol update PartitionName=cpu State=DOWN');
    expect(await yard.good('sinfo -h -p cpu -o %a')).toMatch(/^(?:down\n)+$/);
    const job = await yard.submit(`-p cpu ${script('closed.sh', 'true')}`);
    await expect
      .poll(() => yard.good(`squeue -h -j ${job} -o "%t %r"`), { timeout: 30_000 })
      .toBe('PD PartitionDown\n');
    await yard.good('scontrol update PartitionName=cpu State=UP');
    expect(await yard.ended(job)).toBe('COMPLETED');
  });

  test('commands typed one after the other', async () => {
    const said = await yard.good("printf 'show hostnames n[1-2]\\nquit\\n' | scontrol");
    expect(said).toBe('scontrol: show hostnames n[1-2]\nn1\nn2\nscontrol: quit\n');
  });

  test('a question before each job', async () => {
    const job = await yard.submit(`-H -J asked ${script('asked.sh', 'true')}`);
    expect(await yard.good(`printf 'n\\n' | scancel -i ${job}`)).toMatch(
      /^Cancel job_id=\d+ name=asked .*\[y\/n\]\? $/,
    );
    expect(await yard.good(`squeue -h -j ${job} -o %T`)).toBe('PENDING\n');
    await yard.good(`printf 'y\\n' | scancel -i ${job}`);
    expect(await yard.ended(job)).toMatch(/^CANCELLED/);
  });
});

describe('mail', { timeout: PATIENCE_MS }, () => {
  test('is sent when a job begins and ends, with its words as they are', async () => {
    const name = "it's; $(touch pwned)";
    const job = await yard.submit(
      `--mail-type=ALL --mail-user=ada@example.org -J "it's; \\$(touch pwned)" --wrap true`,
    );
    await untilLetter(`-s|Slurm Job_id=${job} Name=${name} Began, Queued time 00:00:0`);
    const sent = await untilLetter(`-s|Slurm Job_id=${job} Name=${name} Ended, Run time 00:00:0`);
    expect(sent).toContain(', COMPLETED, ExitCode 0|ada@example.org|Ended|');
  });

  test('is sent once for an array that fails', async () => {
    const job = await yard.submit(
      `--mail-type=FAIL -a 1-3 -J arr --wrap 'exit $((SLURM_ARRAY_TASK_ID + 10))'`,
    );
    await untilLetter(
      `Slurm Array Summary Job_id=${job}_* (${job}) Name=arr Failed, FAILED, ExitCode [11-13]|`,
    );
    expect(letters().match(/Name=arr/g)).toHaveLength(1);
  });
});
