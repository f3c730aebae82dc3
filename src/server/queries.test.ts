import { afterEach, describe, expect, test } from 'vitest';
import { aJob, aPolicy, aStep, MINUTE } from '../../test/builders.ts';
import { type Noted, notingEngine, SURROUNDINGS } from '../../test/noting-engine.ts';
import type { JobRef } from '../model/ids.ts';
import { ANY_JOB, type JobFilter } from '../model/query.ts';
import { type ManualClock, manualClock } from '../platform/clock.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { type OpenYard, openYard } from './loop.ts';

const CODE = (code: number) => ({ code, signal: null, outOfMemory: false });
const ref = (job: number, index: number | null = null): JobRef => ({ job, index });

let open: OpenYard | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

interface At {
  readonly store: Store;
  readonly noted: Noted;
  readonly clock: ManualClock;
  readonly yard: OpenYard;
}

async function aYard(store = createMemoryStore(), clock = manualClock(1_000_000)): Promise<At> {
  const noted = notingEngine(4);
  open = await openYard({
    store,
    engine: noted.engine,
    policy: aPolicy(),
    clock,
    log: () => {},
    surroundings: {
      ...SURROUNDINGS,
      userNamed: (name) => (name === 'ann' ? { name, uid: 7, gid: 8, group: 'lab' } : null),
    },
    keepHistoryMs: 60 * MINUTE,
  });
  return { store, noted, clock, yard: open };
}

async function submit({ yard }: At, job = aJob()): Promise<void> {
  const result = await yard.command({ type: 'submit', spec: job.spec });
  if (!result.ok) throw new Error(result.refusal.message);
}

async function runs({ yard, clock }: At, attempt: string): Promise<void> {
  clock.advance(1);
  await yard.command({ type: 'attemptRunning', attempt, forMs: 0 });
}

async function startStep({ yard }: At, target: JobRef) {
  return await yard.command({ type: 'startStep', target, by: 'ann', request: aStep() });
}

describe('accounting', () => {
  const ids = ({ yard }: At, filter: Partial<JobFilter>) =>
    yard.query('accounting', { ...ANY_JOB, ...filter }).map(({ view }) => view.job.id);

  test('has what ended and what did not, by number, with all runs and steps', async () => {
    const at = await aYard();
    await submit(at);
    await submit(at);
    await runs(at, '1.1');
    expect(await startStep(at, ref(1))).toMatchObject({ ok: true, step: 0 });
    await at.yard.command({ type: 'stepEnded', attempt: '1.1', step: 0, exit: CODE(3), usage: null });
    await at.yard.command({ type: 'requeue', target: ref(1), by: 'ann', hold: false });
    await at.yard.command({ type: 'attemptEnded', attempt: '1.1', exit: CODE(0), usage: null, fault: null });
    await runs(at, '1.2');
    await startStep(at, ref(1));
    await runs(at, '2.1');
    await at.yard.command({ type: 'attemptEnded', attempt: '2.1', exit: CODE(0), usage: null, fault: null });

    const records = at.yard.query('accounting', ANY_JOB);
    expect(records.map(({ view }) => [view.job.id, view.job.phase])).toEqual([
      [1, 'active'],
      [2, 'ended'],
    ]);
    expect(records[0]?.attempts.map(({ id, phase }) => [id, phase])).toEqual([
      ['1.1', 'ended'],
      ['1.2', 'running'],
    ]);
    expect(records[0]?.steps).toMatchObject([
      { attempt: '1.1', n: 0, exit: { code: 3 } },
      { attempt: '1.2', n: 0, endedAt: null },
    ]);
    expect(records[1]).toMatchObject({ attempts: [{ id: '2.1' }], steps: [] });
  });

  test('filters by time of submission, outcome and name', async () => {
    const at = await aYard();
    for (const name of ['a', 'b', 'c']) {
      await submit(at, aJob().named(name));
      at.clock.advance(MINUTE);
    }
    const second = at.yard.query('job', { ref: ref(2) })?.view.job.submittedAt as number;
    expect(ids(at, { submittedBefore: second })).toEqual([1]);
    expect(ids(at, { submittedAfter: second - 1, submittedBefore: second + 1 })).toEqual([2]);
    expect(ids(at, { names: ['a', 'c'] })).toEqual([1, 3]);
    expect(ids(at, { limit: 2 })).toEqual([2, 3]);
    await at.yard.command({ type: 'cancel', target: ref(1), by: 'ann' });
    expect(ids(at, { outcomes: ['cancelled'] })).toEqual([]);
    await at.yard.command({ type: 'attemptEnded', attempt: '1.1', exit: CODE(0), usage: null, fault: null });
    expect(ids(at, { outcomes: ['cancelled'] })).toEqual([1]);
  });

  test('finds jobs and elements of arrays; one that has not started is on the record of its array', async () => {
    const at = await aYard();
    await submit(at, aJob().asArray('0-9').wanting({ cpus: 2 }));
    await submit(at);
    expect(ids(at, {})).toEqual([1, 2, 3, 4]);
    expect(ids(at, { refs: [ref(1)] })).toEqual([1, 2, 3]);
    expect(ids(at, { refs: [ref(1, 0)] })).toEqual([2]);
    expect(ids(at, { refs: [ref(1, 7), ref(1, 8), ref(1, 0)] })).toEqual([1, 2]);
    expect(ids(at, { refs: [ref(1, 77), ref(99)] })).toEqual([]);
    expect(ids(at, { refs: [ref(1, 7), ref(1)] })).toEqual([1, 2, 3]);
  });
});

describe('the rest of the yard', () => {
  test('its policy, its name, and its users', async () => {
    const { yard } = await aYard();
    expect(yard.query('policy', {})).toEqual(aPolicy());
    expect(yard.query('yard', {})).toMatchObject({ name: 'yard', host: 'box' });
    expect(yard.query('users', { names: ['ann', 'nobody-here'] })).toEqual([
      { name: 'ann', uid: 7, gid: 8, group: 'lab' },
      null,
    ]);
  });
});

describe('steps in the life of a daemon', () => {
  const stepEffects = ({ effects }: Noted) =>
    effects.flatMap((effect) => ('step' in effect && typeof effect.step === 'object' ? [effect] : []));
  const told = (noted: Noted) => stepEffects(noted).map(({ type, step }) => `${type} ${step.n}`);

  test('each is watched once, and again by the next one', async () => {
    const first = await aYard();
    await submit(first, aJob().wanting({ cpus: 4 }));
    await runs(first, '1.1');
    await startStep(first, ref(1));
    await startStep(first, ref(1));
    await first.yard.command({ type: 'stopStep', target: ref(1), by: 'ann', step: 1 });
    expect(told(first.noted)).toEqual(['watchStep 0', 'watchStep 1', 'stopStep 1']);
    await first.yard.close();
    const next = await aYard(first.store, first.clock);
    expect(told(next.noted)).toEqual(['watchStep 0', 'watchStep 1', 'stopStep 1']);
    await next.yard.command({ type: 'stepEnded', attempt: '1.1', step: 1, exit: CODE(143), usage: null });
    expect(await startStep(next, ref(1))).toMatchObject({ step: 2 });
    expect(told(next.noted).slice(3)).toEqual(['watchStep 2']);
    expect(next.yard.query('job', { ref: ref(1) })?.steps).toHaveLength(3);
  });

  test('a job stays suspended when the daemon is another one', async () => {
    const first = await aYard();
    await submit(first, aJob().limitedTo(10 * MINUTE));
    await runs(first, '1.1');
    await first.yard.command({ type: 'suspend', target: ref(1), by: 'ann' });
    await first.yard.close();
    first.clock.advance(60 * MINUTE);
    const next = await aYard(first.store, first.clock);
    expect(next.noted.effects.map(({ type }) => type)).toEqual(['watch', 'suspend']);
    await next.yard.command({ type: 'resume', target: ref(1), by: 'ann' });
    expect(next.noted.effects.at(-1)).toMatchObject({ type: 'resume', n: 2 });
    expect(next.yard.query('job', { ref: ref(1) })?.view.job.attempt).toMatchObject({
      stop: null,
      suspendedMs: 60 * MINUTE,
    });
  });
});
