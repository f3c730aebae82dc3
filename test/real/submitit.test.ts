/** submitit, which many training codes and Hydra's launcher hand their jobs to. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from '../end-to-end/slurm-yard.ts';
import { program, pythonTools, whyMissing } from './tools.ts';

const missing = whyMissing('tools');

describe.skipIf(missing !== null)(`submitit${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: SlurmYard;
  beforeAll(async () => {
    yard = await slurmYard('[node]\ncpus = 4\nmemory = "4G"\n');
  });
  afterAll(() => yard.close());

  const run = async (scenario: string) => {
    const printed = await yard.good(
      `${pythonTools()}python ${program('submitit_jobs.py')} "$PWD/${scenario}" ${scenario}`,
    );
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  };

  test('functions give their results, also on several ranks, and their exceptions', async () => {
    expect(await run('results')).toEqual({
      sum: 5,
      raised: true,
      ranks: [
        { rank: 0, ranks: 2, local: 0, nodes: 1, hosts: 1 },
        { rank: 1, ranks: 2, local: 1, nodes: 1, hosts: 1 },
      ],
      state: 'COMPLETED',
      badState: 'FAILED',
      numeric: true,
    });
  });

  test('arrays, by map_array and by batch, with a limit on how many run at once', async () => {
    expect(await run('arrays')).toEqual({
      sums: [11, 22, 33, 44],
      more: [0, 2, 4],
      elements: ['0', '1', '2', '3'],
      states: ['COMPLETED'],
    });
  });

  test('a running job is cancelled', async () => {
    expect(await run('cancelled')).toEqual({ running: 'RUNNING', state: 'CANCELLED', done: true });
  });

  test('an interrupted job saves itself, is queued again and goes on', async () => {
    expect(await run('interrupted')).toEqual({
      reached: 8,
      numbers: [1, 2, 3, 4, 5, 6, 7, 8],
      restarts: [0, 1],
      state: 'COMPLETED',
    });
  });

  test('a job whose time runs out is warned, saves itself, is queued again and goes on', async () => {
    expect(await run('timed-out')).toEqual({
      reached: 20,
      numbers: Array.from({ length: 20 }, (_, i) => i + 1),
      restarts: [0, 1],
      state: 'COMPLETED',
    });
  });
});
