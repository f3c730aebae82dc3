import { afterEach, describe, expect, test } from 'vitest';
import { aJob, aPolicy, MINUTE, SECOND } from '../../test/builders.ts';
import { notingEngine, SURROUNDINGS } from '../../test/noting-engine.ts';
import type { Engine } from '../engines/engine.ts';
import type { RecordedEvent } from '../model/event.ts';
import { ANY_JOB } from '../model/query.ts';
import { Fault } from '../model/refusal.ts';
import { type ManualClock, manualClock } from '../platform/clock.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Batch, Store } from '../store/store.ts';
import { type OpenYard, openYard } from './loop.ts';

const CODE = (code: number) => ({ code, signal: null, outOfMemory: false });

interface Watched extends Store {
  readonly batches: Batch[];
  /** Flushes wait until this is called, once it has been asked for. */
  holdFlushes(): () => void;
  fail: Fault | null;
}

function watchedStore(inner: Store = createMemoryStore()): Watched {
  const batches: Batch[] = [];
  let flushed: Promise<void> = Promise.resolve();
  const store: Watched = {
    ...inner,
    batches,
    fail: null,
    append(batch) {
      if (store.fail !== null) throw store.fail;
      inner.append(batch);
      batches.push(batch);
    },
    flush: () => flushed,
    holdFlushes() {
      let release = () => {};
      flushed = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
  return store;
}

let open: OpenYard | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function aYard(parts: { store?: Store; engine?: Engine; clock?: ManualClock } = {}): Promise<OpenYard> {
  open = await openYard({
    store: parts.store ?? createMemoryStore(),
    engine: parts.engine ?? notingEngine().engine,
    policy: aPolicy(),
    clock: parts.clock ?? manualClock(1_000_000),
    log: () => {},
    surroundings: SURROUNDINGS,
    keepHistoryMs: MINUTE,
  });
  return open;
}

/** Resolves after the turn that is due, and its answers. */
const aTurn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

const submit = (yard: OpenYard, job = aJob()) => yard.command({ type: 'submit', spec: job.spec });

describe('one turn', () => {
  test('commands that arrive together share one commit, with the starts that follow from them', async () => {
    const store = watchedStore();
    const noted = notingEngine();
    const yard = await aYard({ store, engine: noted.engine });
    await aTurn();
    const before = store.batches.length;
    const results = await Promise.all([submit(yard), submit(yard), submit(yard)]);
    expect(results.map((result) => result.ok && result.job)).toEqual([1, 2, 3]);
    expect(store.batches.length - before).toBe(1);
    expect(noted.effects.map(({ type, attempt }) => `${type} ${attempt.id}`)).toEqual([
      'start 1.1',
      'start 2.1',
    ]);
  });

  test('a refusal concerns its own command alone', async () => {
    const yard = await aYard();
    await aTurn();
    const [good, bad] = await Promise.all([submit(yard), submit(yard, aJob().inQueue('nowhere'))]);
    expect(good.ok).toBe(true);
    expect(bad).toMatchObject({ ok: false, refusal: { code: 'noSuchQueue' } });
  });

  test('nobody is answered or told before it is safe, but jobs start at once', async () => {
    const store = watchedStore();
    const noted = notingEngine();
    const yard = await aYard({ store, engine: noted.engine });
    await aTurn();
    const release = store.holdFlushes();
    const told: RecordedEvent[] = [];
    yard.onCommit((events) => told.push(...events));
    let answered = false;
    const result = submit(yard).then(() => {
      answered = true;
    });
    await aTurn();
    expect([answered, told.length, noted.effects.length]).toEqual([false, 0, 1]);
    release();
    await result;
    expect(told.map(({ event }) => event.type).slice(-2)).toEqual(['jobSubmitted', 'attemptAssigned']);
  });

  test('what the engine keeps of an attempt goes only when its end is safe', async () => {
    const store = watchedStore();
    const noted = notingEngine();
    const yard = await aYard({ store, engine: noted.engine });
    await submit(yard);
    const release = store.holdFlushes();
    const { report } = noted.context();
    report({ type: 'attemptEnded', attempt: '1.1', exit: CODE(0), usage: null, fault: null });
    await aTurn();
    expect(noted.forgotten).toEqual([]);
    release();
    await expect.poll(() => noted.forgotten, { interval: 5 }).toEqual(['1.1']);
  });

  test('a job that must not run again starts only when its start is safe', async () => {
    const store = watchedStore();
    const noted = notingEngine();
    const yard = await aYard({ store, engine: noted.engine });
    await aTurn();
    const release = store.holdFlushes();
    const result = submit(yard, aJob().neverRequeued());
    await aTurn();
    expect(noted.effects).toEqual([]);
    release();
    await result;
    expect(noted.effects.map(({ type }) => type)).toEqual(['start']);
  });

  test('cancelled while its start waits to be safe, it never starts', async () => {
    const store = watchedStore();
    const noted = notingEngine();
    const yard = await aYard({ store, engine: noted.engine });
    await aTurn();
    const release = store.holdFlushes();
    const submitted = submit(yard, aJob().neverRequeued());
    await aTurn();
    const cancelled = yard.command({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    await aTurn();
    release();
    await Promise.all([submitted, cancelled]);
    expect(noted.effects.map(({ type }) => type)).toEqual(['stop']);
  });

  test('an end makes room, and the next job starts in the same commit', async () => {
    const store = watchedStore();
    const noted = notingEngine(1);
    const yard = await aYard({ store, engine: noted.engine });
    await aTurn();
    await Promise.all([submit(yard), submit(yard)]);
    const before = store.batches.length;
    noted.context().report({ type: 'attemptEnded', attempt: '1.1', exit: CODE(0), usage: null, fault: null });
    await aTurn();
    expect(store.batches.length - before).toBe(1);
    expect(noted.effects.at(-1)).toMatchObject({ type: 'start', attempt: { id: '2.1' } });
  });
});

describe('time', () => {
  test('a limit is kept by the clock that is given', async () => {
    const clock = manualClock(1_000_000);
    const noted = notingEngine();
    const yard = await aYard({ engine: noted.engine, clock });
    await aTurn();
    await submit(yard, aJob().limitedTo(SECOND));
    noted.context().report({ type: 'attemptRunning', attempt: '1.1', forMs: 0 });
    await yard.command({ type: 'tick' });
    clock.advance(2 * SECOND);
    await yard.command({ type: 'tick' });
    expect(noted.effects.map(({ type }) => type)).toEqual(['start', 'stop']);
  });
});

describe('when it cannot be written', () => {
  test('people are told, nothing has happened, and what the engine saw is not lost', async () => {
    const store = watchedStore();
    const noted = notingEngine();
    const yard = await aYard({ store, engine: noted.engine });
    await aTurn();
    await submit(yard);
    store.fail = new Fault('the disk holding / is full', true);
    const refused = submit(yard);
    noted.context().report({ type: 'attemptEnded', attempt: '1.1', exit: CODE(3), usage: null, fault: null });
    await expect(refused).rejects.toThrow('the disk holding / is full');
    expect(yard.query('yard', {}).counts.active).toBe(1);
    expect(yard.query('yard', {}).remarks).toEqual([
      'nothing can be written now: the disk holding / is full',
    ]);

    store.fail = null;
    const ended = new Promise<readonly RecordedEvent[]>((resolve) => yard.onCommit(resolve));
    expect((await ended).map(({ event }) => event.type)).toContain('jobEnded');
    expect(yard.query('yard', {}).remarks).toEqual([]);
    expect(yard.query('job', { ref: { job: 1, index: null } })?.view.job).toMatchObject({
      outcome: 'failed',
    });
    expect(yard.query('job', { ref: { job: 2, index: null } })).toBeNull();
  });

  test('a command that meets a defect of ours is given up alone', async () => {
    const noted = notingEngine();
    const yard = await aYard({ engine: noted.engine });
    await aTurn();
    const poison = yard.command({ type: 'nonsense' } as never);
    const others = [submit(yard), submit(yard)];
    await expect(poison).rejects.toThrow(/unknown command/);
    const results = await Promise.all(others);
    expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  });
});

describe('after a restart', () => {
  test('what is owed is carried out again, and what waited is planned', async () => {
    const store = createMemoryStore();
    const first = notingEngine(1);
    const before = await aYard({ store, engine: first.engine });
    await aTurn();
    await Promise.all([submit(before), submit(before)]);
    first.context().report({ type: 'attemptRunning', attempt: '1.1', forMs: 0 });
    await before.command({ type: 'tick' });
    await before.command({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    await before.close();

    const second = notingEngine(2);
    const after = await aYard({ store: { ...store, close: () => {} }, engine: second.engine });
    await aTurn();
    expect(second.effects.map(({ type, attempt }) => `${type} ${attempt.id}`)).toEqual([
      'watch 1.1',
      'stop 1.1',
      'start 2.1',
    ]);
    expect(after.lastSeq()).toBeGreaterThan(0);
  });
});

describe('what a yard says of itself', () => {
  test('counts what happened since it was opened', async () => {
    const noted = notingEngine(1);
    const yard = await aYard({ engine: noted.engine });
    await aTurn();
    await Promise.all([submit(yard), submit(yard), submit(yard)]);
    noted.context().report({
      type: 'attemptEnded',
      attempt: '1.1',
      exit: CODE(0),
      usage: null,
      fault: null,
    });
    await aTurn();
    await yard.command({ type: 'cancel', target: { job: 3, index: null }, by: 'ann' });
    const { jobs, plans } = yard.query('activity', {});
    expect(jobs).toEqual({ submitted: 3, started: 2, completed: 1, cancelled: 1, failed: 0 });
    expect(plans.count).toBeGreaterThan(0);
    expect(plans.maxMs).toBeGreaterThanOrEqual(plans.lastMs);
    expect(plans.waitingAtLast).toBe(0);
  });

  test('shows what the priority of each waiting job is made of, and what its user has used', async () => {
    const clock = manualClock(1_000_000);
    const yard = await aYard({ engine: notingEngine(1).engine, clock });
    await aTurn();
    await Promise.all([submit(yard), submit(yard)]);
    clock.advance(10 * SECOND);
    const waiting = yard.query('priorities', ANY_JOB);
    expect(waiting.map(({ view }) => view.job.id)).toEqual([2]);
    expect(waiting[0]?.priority.total).toBe(waiting[0]?.view.priority);
    const [share] = yard.query('shares', {});
    expect(share).toMatchObject({ user: 'ann', shares: 1, usedSeconds: 10, factor: 0.5 });
  });
});
