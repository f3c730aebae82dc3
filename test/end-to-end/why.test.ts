/** `trainyard why`, on a real yard, for each thing that can keep a job waiting. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { yardAtHand } from './yard-at-hand.ts';

const yard = yardAtHand(`
[node]
cpus = 4
memory = "4G"
gpus = "2x16G"

[queues.main]
default = true

[queues.small]
max_running_per_user = 1
`);

async function submit(...words: string[]): Promise<string> {
  const said = await yard.run('submit', '--quiet', ...words);
  expect(said.stderr).toBe('');
  return said.stdout.trim();
}

const why = async (job: string) => (await yard.run('why', job)).stdout;

let holder = '';
beforeAll(async () => {
  holder = await submit('--gpus', '2', '--time', '10m', '--', 'sleep', '600');
});
afterAll(() => yard.close());

describe('why a job waits', () => {
  test('no free GPU: what is wanted, what is free, who has it, and when', async () => {
    const text = await why(await submit('--gpus', '1', '--', 'true'));
    expect(text).toContain('waits for a free GPU: it wants 1 on one node, 0 of 2 are free');
    expect(text).toContain(`Job ${holder} holds`);
    expect(text).toMatch(/Expected start: about .*\(in (10m|9m 59s)\)/);
  });

  test('a dependency, and how the other job is doing', async () => {
    const text = await why(await submit('--afterok', holder, '--', 'true'));
    expect(text).toContain(`waits for job ${holder} to end successfully (afterok); job ${holder} is running`);
  });

  test('held, and how to let it go', async () => {
    const job = await submit('--hold', '--', 'true');
    expect(await why(job)).toContain(`job ${job} is held. To let it start: trainyard release ${job}`);
  });

  test('the limit of a queue', async () => {
    await submit('--queue', 'small', '--', 'sleep', '600');
    const text = await why(await submit('--queue', 'small', '--', 'true'));
    expect(text).toContain('you already run 1 job in queue small, which allows 1 per user');
  });

  test('a begin time', async () => {
    expect(await why(await submit('--begin', '+3h', '--', 'true'))).toMatch(
      /not to begin before .*\(in (3h|2h 59m)\)/,
    );
  });

  test('never possible is refused at once, with the reason', async () => {
    const said = await yard.run('submit', '--memory', '64G', '--', 'true');
    expect(said.code).toBe(1);
    expect(said.stderr).toContain('it wants 64G of memory on one node and the largest has 4G');
  });

  test('never possible, since the yard became smaller while it waited', async () => {
    const job = await submit('--hold', '--cpus', '4', '--', 'true');
    await yard.run('release', job);
    await yard.run('down');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(
      `${yard.directory}/trainyard.toml`,
      '[node]\ncpus = 3\nmemory = "4G"\ngpus = "2x16G"\n[queues.main]\ndefault = true\n[queues.small]\n',
    );
    expect(await why(job)).toContain('it wants 4 CPUs on one node and the largest has 3');
  });
});
