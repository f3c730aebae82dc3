/** What `srun` and `salloc` hold while their yard is killed and another one comes. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard('[node]\ncpus = 1\n[stop]\ngrace = "1s"\n');
});
afterAll(() => yard.close());

const killYard = async () => process.kill(await yard.daemonPid(), 'SIGKILL');
const isWaiting = `until [ "$(squeue -h -t PD | wc -l)" = 1 ]; do sleep 0.05; done`;
/** A job that has the only CPU until the file is there. */
const occupy = (file: string) => yard.submit(`--wrap 'until [ -e ${file} ]; do sleep 0.05; done'`);

test('an srun that waits for its place comes to the next yard, once', async () => {
  const holder = await occupy('go1');
  const waiting = yard.bash('srun echo at last');
  await yard.good(isWaiting);
  await killYard();
  writeFileSync(join(yard.workDir, 'go1'), '');
  const said = await waiting;
  expect(said).toMatchObject({ code: 0, stdout: 'at last\n' });
  expect(said.stderr).toMatch(
    /^srun: job \d+ queued and waiting for resources\nsrun: job \d+ has been allocated resources\n$/,
  );
  expect(await yard.ended(holder)).toBe('COMPLETED');
  expect(await yard.good(`sacct -X -n -P -o JobName | grep -c '^echo$'`)).toBe('1\n');
});

test('one that is killed together with the yard leaves nothing behind', async () => {
  await yard.bash(
    `srun sh -c 'touch began; sleep 300' >/dev/null 2>&1 & echo $! >pid; until [ -e began ]; do sleep 0.05; done`,
  );
  await yard.good('kill -9 $(cat pid)');
  await killYard();
  const [job] = (await yard.good(`sacct -X -n -P -o JobID --name sh`)).trim().split('\n').slice(-1);
  expect(await yard.ended(job as string)).toBe('FAILED');
  expect(await yard.good(`sacct -X -n -P -o ExitCode -j ${job}`)).toBe('0:9\n');
});

test('salloc, its command and its steps go on', async () => {
  const said = yard.bash(
    `salloc sh -c 'touch inside; until [ -e go2 ]; do sleep 0.05; done; srun echo step; exit 3'`,
  );
  await yard.good('until [ -e inside ]; do sleep 0.05; done');
  await killYard();
  writeFileSync(join(yard.workDir, 'go2'), '');
  expect(await said).toMatchObject({ code: 3, stdout: 'step\n' });
});
