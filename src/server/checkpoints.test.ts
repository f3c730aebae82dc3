import { expect, test } from 'vitest';
import { aJob, anAttempt } from '../dialects/fake-yard.ts';
import type { Job } from '../model/job.ts';
import { type CheckpointsAnswer, type CheckpointsAsk, NOTHING_KEPT } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import { askAboutCheckpoints } from './checkpoints.ts';

const ANSWER: CheckpointsAnswer = { from: '/a', to: '/b', checkpoints: [], done: [], trouble: null };
const engine = { checkpoints: async () => ANSWER };
const LIST: CheckpointsAsk = { what: 'list' };
const RESTORE: CheckpointsAsk = { what: 'restore', name: null, to: null };

function aKeeper(changes: Partial<Job> = {}, checkpoints = '/a'): Job {
  return aJob(
    { id: 17, ...changes },
    { user: 'ada', keeping: { ...NOTHING_KEPT, checkpoints, persist: '/b' } },
  );
}

async function refusalOf(job: Job | null, ask: CheckpointsAsk = LIST, by = 'ada') {
  const result = await askAboutCheckpoints(engine, { id: 17, job, ask, by });
  return result.ok ? null : result.refusal;
}

test('whoever runs the job answers, for a job that has ended too', async () => {
  const job = aKeeper({ phase: 'ended', attempt: anAttempt({ id: '17.1', phase: 'ended' }) });
  expect(await askAboutCheckpoints(engine, { id: 17, job, ask: RESTORE, by: 'ada' })).toEqual({
    ok: true,
    ...ANSWER,
  });
});

test('a job that is not there, keeps none or is many is refused', async () => {
  expect(await refusalOf(null)).toMatchObject({ code: 'noSuchJob', message: 'there is no job 17' });
  expect(await refusalOf(aJob({ id: 17 }, {}))).toMatchObject({
    message: 'job 17 keeps no checkpoints',
    hint: expect.stringContaining('#YARD checkpoints=DIR'),
  });
  const array = { unstarted: [], live: 1, ended: {}, active: 0 } as unknown as Job['array'];
  expect(await refusalOf(aKeeper({ array }))).toMatchObject({
    code: 'badRequest',
    hint: expect.stringContaining('17_1'),
  });
});

test('others may look, and change nothing', async () => {
  const job = aKeeper();
  expect(await refusalOf(job, LIST, 'eve')).toBeNull();
  expect(await refusalOf(job, { what: 'verify' }, 'eve')).toBeNull();
  for (const ask of [RESTORE, { what: 'prune', keepCount: 1, keepForMs: null }, { what: 'flush' }] as const) {
    expect(await refusalOf(job, ask, 'eve')).toMatchObject({ code: 'notAllowed' });
    expect(await refusalOf(job, ask, 'root')).toBeNull();
  }
});

test('nothing is put where a program writes, or where nobody would find it', async () => {
  const running = aKeeper({ phase: 'active', attempt: anAttempt({ id: '17.1', phase: 'running' }) });
  expect((await refusalOf(running, RESTORE))?.message).toContain('is running');
  expect(await refusalOf(running, { ...RESTORE, to: '/elsewhere' })).toBeNull();
  const inScratch = aKeeper({}, '$SCRATCH/checkpoints');
  expect((await refusalOf(inScratch, RESTORE))?.message).toContain('no scratch directory');
  expect(await refusalOf(inScratch, { ...RESTORE, to: '/elsewhere' })).toBeNull();
});

test('what storage does is no defect of ours', async () => {
  const broken = {
    checkpoints: async () => {
      throw new Fault('the storage does not answer', true);
    },
  };
  const asked = { id: 17, job: aKeeper(), ask: LIST, by: 'ada' };
  expect(await askAboutCheckpoints(broken, asked)).toMatchObject({
    ok: false,
    refusal: { code: 'unavailable', message: 'the storage does not answer' },
  });
});
