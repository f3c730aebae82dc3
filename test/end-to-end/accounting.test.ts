/** What the commands that look back say of jobs that really ran. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

const CONFIG = `
[node]
cpus = 1

[accounts.lab]
description = "the lab"
`;

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard(CONFIG);
});
afterAll(() => yard.close());

const fields = async (line: string) =>
  (await yard.good(line))
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|'));

/** Holds some memory and uses some CPU time, then says so and waits for a file. */
const PROGRAM = `'$x = "x" x 50_000_000; $i++ while $i < 3_000_000; open F, ">ready"; close F; select undef, undef, undef, 0.05 until -e "go"'`;

test('sstat looks at a job that runs, sacct and seff at what became of it', async () => {
  const job = await yard.submit(
    `-t 5 --mem=200M --wrap "perl -e ${PROGRAM.replaceAll('$', '\\$').replaceAll('"', '\\"')}; exit 5"`,
  );
  await yard.good('until [ -e ready ]; do sleep 0.05; done');
  const [live] = await fields(`sstat -n -P -j ${job}.batch -o JobID,NTasks,MaxRSS,Pids --noconvert`);
  expect(live?.slice(0, 2)).toEqual([`${job}.batch`, '1']);
  expect(Number(live?.[2])).toBeGreaterThan(50_000_000);
  const pids = live?.[3]?.split(',') ?? [];
  expect(
    await yard.good(`cat ${pids.map((pid) => `/proc/${pid}/cmdline`).join(' ')} | tr '\\0' ' '`),
  ).toContain('perl');
  expect(await yard.good(`sacct -n -X -P -o State -j ${job}`)).toBe('RUNNING\n');
  await yard.good('touch go');
  expect(await yard.ended(job)).toBe('FAILED');
  const [whole, batch] = await fields(
    `sacct -n -P --noconvert -j ${job} -o State,ExitCode,TotalCPU,UserCPU,SystemCPU,MaxRSS,Account,ReqMem,Timelimit`,
  );
  expect(whole).toEqual([
    'FAILED',
    '5:0',
    expect.any(String),
    expect.any(String),
    expect.any(String),
    '',
    'lab',
    '200M',
    '00:05:00',
  ]);
  expect(batch?.slice(0, 2)).toEqual(['FAILED', '5:0']);
  const [total = 0, user = 0, system = 0] = (batch ?? []).slice(2, 5).map(milliseconds);
  expect(total).toBeGreaterThan(0);
  expect(user + system).toBe(total);
  expect(Number(batch?.[5])).toBeGreaterThan(50_000_000);
  expect(await yard.good(`seff ${job}`)).toMatch(
    /State: FAILED \(exit code 5\)\nCores: 1\nCPU Utilized: .*\n.*\n.*\nMemory Utilized: (?:[5-9]|1\d)\d\.\d\d MB/,
  );
});

/** `00:01.234` or `00:00:01`. */
function milliseconds(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.includes('.')
    ? [0, ...text.split(':')].map(Number)
    : text.split(':').map(Number);
  return Math.round((hours * 3600 + minutes * 60 + seconds) * 1000);
}

test('a job that was requeued has a record for each run', async () => {
  const job = await yard.submit('--requeue --wrap "touch runs-\\$SLURM_RESTART_COUNT; sleep 60"');
  await yard.good('until [ -e runs-0 ] || [ -e runs- ]; do sleep 0.05; done');
  await yard.good(`scontrol requeue ${job} && until [ -e runs-1 ]; do sleep 0.05; done && scancel ${job}`);
  await yard.ended(job);
  expect(await fields(`sacct -D -X -n -P -o State,ExitCode -j ${job}`)).toEqual([
    ['REQUEUED', '0:0'],
    [expect.stringMatching(/^CANCELLED by \d+$/), '0:0'],
  ]);
  expect(await fields(`sacct -n -X -P -o JobID -j ${job}`)).toEqual([[job]]);
});

test('jobs that wait have priorities, users have shares and accounts, the yard has figures', async () => {
  const [first, second] = [await yard.submit('--wrap "sleep 60"'), await yard.submit('--nice=7 --wrap true')];
  expect(await fields(`sprio -h -o '%i|%N' -j ${second}`)).toEqual([[second, '7']]);
  expect(await yard.good('sshare -U --format Account%256 --noheader')).toBe(`${'lab'.padStart(256)} \n`);
  expect(await yard.good('sacctmgr -n -s list user "$(id -un)" format=account%256')).toBe(
    `${'lab'.padStart(256)} \n`,
  );
  expect((await yard.bash('sacctmgr -i add account more')).code).toBe(1);
  expect(await yard.good('sdiag')).toMatch(/Jobs submitted: \d+\nJobs started: {3}\d+\n/);
  await yard.good(`scancel ${first} ${second}`);
});

test('steps are counted apart from the script that started them', async () => {
  const busy = `perl -e '\\$i++ while \\$i < 2_000_000'`;
  const job = await yard.submit(
    `-n1 -t 5 --mem=200M --wrap "srun ${busy}; srun false; ${busy}; srun -J wait sleep 60"`,
  );
  await yard.good(`until sstat -n -P -o JobID -j ${job}.2 2>/dev/null | grep -q .; do sleep 0.05; done`);
  expect(await fields(`sstat -a -n -P -o JobID,NTasks -j ${job}`)).toEqual([
    [`${job}.batch`, '1'],
    [`${job}.2`, '1'],
  ]);
  await yard.good(`scancel ${job}`);
  await yard.ended(job);
  const rows = await fields(
    `sacct -n -P -j ${job} -o JobID,JobName,State,ExitCode,DerivedExitCode,TotalCPU,SubmitLine`,
  );
  expect(rows.map((row) => row.slice(0, 2))).toEqual([
    [job, 'wrap'],
    [`${job}.batch`, 'batch'],
    [`${job}.0`, 'perl'],
    [`${job}.1`, 'false'],
    [`${job}.2`, 'wait'],
  ]);
  expect(rows[0]?.[4]).toBe('1:0');
  expect([rows[2]?.slice(2, 4), rows[3]?.slice(2, 4)]).toEqual([
    ['COMPLETED', '0:0'],
    ['FAILED', '1:0'],
  ]);
  expect(rows[4]?.[2]).toMatch(/^CANCELLED/);
  expect(rows[3]?.[6]).toBe('srun false');
  const [whole = 0, batch = 0, ...steps] = rows.map((row) => milliseconds(row[5] ?? ''));
  expect(steps[0]).toBeGreaterThan(0);
  expect(Math.abs(whole - batch - steps.reduce((sum, ms) => sum + ms, 0))).toBeLessThan(10);
});
