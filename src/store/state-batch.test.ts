import { describe, expect, test } from 'vitest';
import { aJob, aPolicy, aYard, type TestYard } from '../../test/builders.ts';
import type { Command } from '../model/command.ts';
import { createMemoryStore } from './memory.ts';
import { batchOf, clearTouched, forgetEnded, recall, stateOf } from './state-batch.ts';
import type { Store } from './store.ts';

/** Commits what was touched, as the loop does after every turn. */
function commit(yard: TestYard, store: Store): void {
  const { lastSeq } = store.load();
  store.append(batchOf(yard.state, yard.events.slice(lastSeq), lastSeq + 1, []));
  clearTouched(yard.state);
}

const releasing = (job: number): Command => ({ type: 'release', target: { job, index: null }, by: 'ann' });

describe('what one turn changed', () => {
  test('each job once, as it is after the events, and the events numbered on', () => {
    const yard = aYard();
    yard.run(aJob());
    const batch = batchOf(yard.state, yard.events, 7, []);
    expect(batch.jobs).toEqual([yard.job(1)]);
    expect(batch.events.map(({ seq }) => seq)).toEqual(yard.events.map((_, at) => 7 + at));
    expect(batch.nodes.map(({ name }) => name)).toEqual(['n1']);
    expect(batch.nextJobId).toBe(2);
  });

  test('an attempt that ended and the one that followed it in the same turn', () => {
    const yard = aYard(aPolicy({ requeueExitCodes: [75] }));
    yard.run(aJob());
    clearTouched(yard.state);
    yard.ends(1, 75);
    yard.schedule();
    const { attempts, usage } = batchOf(yard.state, [], 1, []);
    expect(attempts.map(({ attempt }) => [attempt.id, attempt.phase])).toEqual([
      ['1.1', 'ended'],
      ['1.2', 'assigned'],
    ]);
    expect(usage).toMatchObject([{ user: 'ann' }]);
  });

  test('nothing, once it is durable', () => {
    const yard = aYard();
    yard.run(aJob());
    clearTouched(yard.state);
    expect(batchOf(yard.state, [], 1, [])).toEqual({
      events: [],
      jobs: [],
      attempts: [],
      steps: [],
      nodes: [],
      goneNodes: [],
      usage: [],
      queues: [],
      footprints: [],
      goneFootprints: [],
      blobs: [],
      nextJobId: 2,
    });
  });

  test('a step that began, and one that ended', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.step(1);
    clearTouched(yard.state);
    yard.stepEnds(1, 0, 3);
    yard.step(1);
    const { jobs, steps } = batchOf(yard.state, [], 1, []);
    expect(jobs.map(({ id }) => id)).toEqual([1]);
    expect(steps).toMatchObject([
      { job: 1, step: { n: 0, exit: { code: 3 } } },
      { job: 1, step: { n: 1, endedAt: null } },
    ]);
  });

  test('nodes that came and nodes that went', () => {
    const yard = aYard();
    clearTouched(yard.state);
    yard.tell({ type: 'nodesSeen', nodes: [] });
    expect(batchOf(yard.state, [], 1, [])).toMatchObject({ nodes: [], goneNodes: ['n1'] });
  });
});

describe('the state as the store has it', () => {
  test('is the state that was committed, without what has ended', () => {
    const yard = aYard();
    const store = createMemoryStore();
    yard.run(aJob());
    yard.submit(aJob().asArray('0-3%2'));
    yard.schedule();
    yard.submit(aJob().held());
    yard.ends(1);
    yard.tell({ type: 'setQueue', queue: 'main', by: 'ann', suspended: true });
    commit(yard, store);
    const again = stateOf(store.load(), store);
    expect([...again.jobs.keys()].sort()).toEqual([2, 3, 4, 5]);
    for (const [id, job] of again.jobs) expect(job).toEqual(yard.job(id));
    expect(again.nodes).toEqual(yard.state.nodes);
    expect(again.usage).toEqual(yard.state.usage);
    expect(again.queues).toEqual(new Map([['main', { disabled: false, suspended: true }]]));
    expect(again.ledgers).toEqual(yard.state.ledgers);
    expect(again.nextJobId).toBe(yard.state.nextJobId);
    expect(batchOf(again, [], 1, [])).toMatchObject({ jobs: [], attempts: [], nodes: [] });
  });

  test('has the ended jobs that others still depend on, elements too', () => {
    const yard = aYard();
    const store = createMemoryStore();
    yard.submit(aJob().asArray('0-1'));
    yard.submit(aJob().asArray('0-1').after('aftercorr', 1).held());
    yard.schedule();
    yard.ends({ job: 1, index: 0 });
    yard.ends({ job: 1, index: 1 }, 1);
    commit(yard, store);
    const again = stateOf(store.load(), store);
    expect([...again.jobs.keys()].sort()).toEqual([1, 2, 3, 4]);
    expect(again.elements.get(1)?.size).toBe(2);
  });
});

describe('memory', () => {
  function aYardThatForgot(): { yard: TestYard; store: Store } {
    const yard = aYard();
    const store = createMemoryStore();
    yard.submit(aJob().asArray('0-1'));
    yard.schedule();
    yard.ends({ job: 1, index: 0 });
    yard.ends({ job: 1, index: 1 });
    commit(yard, store);
    expect(forgetEnded(yard.state, [1, 2, 3])).toEqual([1, 2, 3]);
    return { yard, store };
  }

  test('keeps nobody who has ended, unless somebody waits for it', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().held().after('afterok', 1));
    yard.ends(1);
    expect(forgetEnded(yard.state, [1])).toEqual([]);
    yard.tell(releasing(2));
    expect(forgetEnded(yard.state, [2])).toEqual([1]);
    expect([...yard.state.jobs.keys()]).toEqual([2]);
  });

  test.each<[string, Command, number[]]>([
    ['a job somebody depends on', { type: 'submit', spec: aJob().after('afterok', 1).spec }, [1]],
    ['one element', { type: 'submit', spec: aJob().after('afterok', 1, 1).spec }, [1, 3]],
    [
      'every counterpart',
      { type: 'submit', spec: aJob().asArray('0-1').after('aftercorr', 1).spec },
      [1, 2, 3],
    ],
    [
      'the whole array',
      { type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false },
      [1, 2, 3],
    ],
    ['an element by its index', { type: 'cancel', target: { job: 1, index: 0 }, by: 'ann' }, [1, 2]],
    ['an element by its number', { type: 'cancel', target: { job: 3, index: null }, by: 'ann' }, [3, 1]],
    ['nobody', { type: 'tick' }, []],
  ])('brings back %s', (_what, command, expected) => {
    const { yard, store } = aYardThatForgot();
    expect(recall(yard.state, store, command)).toEqual(expected);
    expect(recall(yard.state, store, command)).toEqual([]);
  });

  test('a recalled element runs again and counts in its array', () => {
    const { yard, store } = aYardThatForgot();
    const command: Command = { type: 'requeue', target: { job: 1, index: 1 }, by: 'ann', hold: false };
    recall(yard.state, store, command);
    yard.tell(command);
    expect(yard.job(1)).toMatchObject({ phase: 'active', array: { live: 1, ended: { completed: 1 } } });
  });
});
