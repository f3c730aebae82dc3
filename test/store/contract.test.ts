/** What every store must do, asked of the database and of its twin in memory. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NOTHING_KEPT } from '../../src/model/keeping.ts';
import { ANY_JOB, type JobOrder, type JobPageAsk, type JobPlace } from '../../src/model/query.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store, StoredPage } from '../../src/store/store.ts';
import { aBatch, aJob, anAttempt, aSpec, aStep, ENVIRONMENT_HASH, ended } from './builders.ts';

const makers: Record<string, (directory: string) => Store | Promise<Store>> = {
  'in memory': () => createMemoryStore(),
  'in SQLite': (directory) => openSqliteStore({ directory, safeMode: false }),
  'in SQLite for a network file system': (directory) => openSqliteStore({ directory, safeMode: true }),
};

describe.each(Object.entries(makers))('a store %s', (_name, make) => {
  let directory: string;
  let store: Store;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'yard-store-'));
    store = await make(directory);
  });
  afterEach(() => {
    store.close();
    rmSync(directory, { recursive: true });
  });

  const ids = (filter: Partial<typeof ANY_JOB>) => store.jobs({ ...ANY_JOB, ...filter }).map((job) => job.id);

  /** Every page of a list, and how many there were. */
  const listed = (order: JobOrder, more: Partial<JobPageAsk> = {}) => {
    const found: number[] = [];
    let pages = 0;
    let after: JobPlace | null = null;
    do {
      const page: StoredPage = store.page({ filter: ANY_JOB, ...more, order, after });
      found.push(...page.jobs.map((job) => job.id));
      pages += 1;
      after = page.next;
    } while (after !== null);
    return { found, pages };
  };

  test('lists very many jobs page by page, each once, in the order that was asked for', () => {
    const array = aJob(1, { array: { unstarted: [], live: 0, ended: {}, dropped: [] } });
    const jobs = Array.from({ length: 1500 }, (_, at) => {
      const id = at + 2;
      const element = id % 2 === 0 ? { array: 1, index: 5000 - id } : null;
      // Many end at the same time, and some not at all.
      return id % 5 === 0 ? aJob(id, { element }) : ended(aJob(id, { element }), 7000 + (id % 3));
    });
    store.append(aBatch({ jobs: [array, ...jobs], nextJobId: 1502 }));
    const all = [array, ...jobs];
    const idsOf = (some: typeof all) => some.map(({ id }) => id);
    expect(listed({ by: 'newest' }).found).toEqual(idsOf(all).reverse());
    expect(listed({ by: 'newest' }).pages).toBeGreaterThan(10);
    expect(listed({ by: 'oldest' }).found).toEqual(idsOf(all.filter(({ element }) => element === null)));
    const elements = all.filter(({ element }) => element !== null);
    expect(listed({ by: 'index', array: 1 }).found).toEqual(idsOf(elements).reverse());
    const byEnd = all
      .filter(({ endedAt }) => endedAt !== null)
      .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0) || a.id - b.id);
    expect(listed({ by: 'end' }).found).toEqual(idsOf(byEnd));
    const from = { by: 'end' } as const;
    expect(store.page({ filter: ANY_JOB, order: from, after: { key: 7002, id: 2000 } }).jobs).toEqual([]);
  });

  test('lists what a filter lets pass, and jobs that ran more than once', () => {
    const jobs = Array.from({ length: 700 }, (_, at) =>
      aJob(at + 1, {
        spec: aSpec({ name: at % 100 === 0 ? 'rare' : 'often', user: at % 2 === 0 ? 'alice' : 'bob' }),
        attempt: anAttempt(at + 1, at % 350 === 7 ? 2 : 1),
      }),
    );
    store.append(aBatch({ jobs, nextJobId: 701 }));
    const filter = { ...ANY_JOB, names: ['rare'] };
    expect(listed({ by: 'newest' }, { filter }).found).toEqual([601, 501, 401, 301, 201, 101, 1]);
    expect(listed({ by: 'oldest' }, { filter: { ...filter, users: ['bob'] } }).found).toEqual([]);
    const others = { ...ANY_JOB, users: ['bob', 'carol'], phases: ['pending' as const] };
    expect(listed({ by: 'oldest' }, { filter: others }).found).toHaveLength(350);
    expect(listed({ by: 'newest' }, { reruns: true }).found).toEqual([358, 8]);
  });

  test('lists each job once while jobs come, end and go', () => {
    const some = (from: number, count: number) => Array.from({ length: count }, (_, at) => aJob(from + at));
    store.append(aBatch({ jobs: some(1, 300), nextJobId: 301 }));
    const first = store.page({ filter: ANY_JOB, order: { by: 'oldest' }, after: null });
    store.append(aBatch({ jobs: [...some(301, 5), ended(aJob(3), 1), ended(aJob(250), 1)], nextJobId: 306 }));
    store.purge(2, 1000);
    const found = first.jobs.map((job) => job.id);
    for (let after = first.next; after !== null; ) {
      const page = store.page({ filter: ANY_JOB, order: { by: 'oldest' }, after });
      found.push(...page.jobs.map((job) => job.id));
      after = page.next;
    }
    expect(new Set(found).size).toBe(found.length);
    const throughout = some(1, 300).map(({ id }) => id);
    expect(throughout.filter((id) => id !== 3 && id !== 250 && !found.includes(id))).toEqual([]);
  });

  test('is empty at first', () => {
    expect(store.load()).toEqual({
      nextJobId: 1,
      restoredFrom: null,
      lastSeq: 0,
      lastEventAt: 0,
      jobs: [],
      steps: [],
      nodes: [],
      usage: [],
      queues: [],
      footprints: [],
    });
    expect(store.job(1)).toBeNull();
    expect(store.element(1, 0)).toBeNull();
    expect(store.blob('f'.repeat(64))).toBeNull();
    expect(store.remarks).toHaveLength(1);
  });

  test('gives back every field of a job, ordinary or not', () => {
    const plain = aJob(1);
    const odd = aJob(2, {
      spec: aSpec({ name: 'a\0b\udc80\n', user: '\u0001x', queue: '\udcff', comment: '𝄞' }),
      phase: 'held',
      hold: { by: 'user', reason: null },
      eligibleAt: null,
      array: { unstarted: [[0, 9, 3]], live: 2, ended: { failed: 1 }, dropped: [[1, 1, 1]] },
      restarts: 3,
      attempt: anAttempt(2, 4, { fault: 'no such directory' }),
      note: 'held after 3 restarts',
      endedBy: 'bob',
    });
    const checkpoint = { name: 'a\udc80\n.pt', step: 7, bytes: 2 ** 40, writtenAt: 5, keptAt: 6 };
    const progress = { step: 8, steps: null, epoch: 1.5, loss: 0.1, at: 7 };
    const keeping = { ...NOTHING_KEPT, checkpoints: '$SCRATCH/%j', scratch: { maxBytes: 1 } };
    const saving = aJob(3, {
      spec: aSpec({ keeping, chain: true }),
      restartsAtProgress: 2,
      stagnant: 1,
      checkpoint,
      furthestStep: 8,
      attempt: anAttempt(3, 1, { phase: 'syncing', checkpoint, trouble: 'full', progress }),
    });
    store.append(aBatch({ jobs: [plain, odd, saving], nextJobId: 4 }));
    expect(store.job(1)).toStrictEqual(plain);
    expect(store.job(2)).toStrictEqual(odd);
    expect(store.job(3)).toStrictEqual(saving);
    expect(store.load().jobs).toStrictEqual([plain, odd, saving]);
  });

  test('loads what has not ended, and the array of an element that has not', () => {
    const spec = aSpec({ array: { indices: [[0, 4, 1]], throttle: null } });
    const array = ended(aJob(1, { spec }), 50);
    const element = aJob(2, { spec, element: { array: 1, index: 0 } });
    store.append(aBatch({ jobs: [array, element, ended(aJob(3), 60), aJob(4)], nextJobId: 5 }));
    const { jobs } = store.load();
    expect(jobs.map((job) => job.id)).toEqual([1, 2, 4]);
    expect(jobs[1]?.spec).toBe(jobs[0]?.spec);
  });

  test('keeps the spec of an element apart once it differs from its array', () => {
    const spec = aSpec({ array: { indices: [[0, 4, 1]], throttle: null } });
    const element = aJob(2, { spec, element: { array: 1, index: 0 } });
    store.append(aBatch({ jobs: [aJob(1, { spec }), element], nextJobId: 3 }));
    const changed = { ...spec, name: 'renamed' };
    store.append(aBatch({ jobs: [aJob(1, { spec: changed })], nextJobId: 3 }));
    expect(store.job(1)?.spec).toEqual(changed);
    expect(store.job(2)?.spec).toEqual(spec);
    expect(ids({ names: ['renamed'] })).toEqual([1]);
    expect(ids({ names: ['train'] })).toEqual([2]);
  });

  test('finds elements by index', () => {
    const at = (id: number, index: number) => aJob(id, { element: { array: 1, index } });
    store.append(aBatch({ jobs: [aJob(1), at(2, 7), at(3, 0), at(4, 3)], nextJobId: 5 }));
    expect(store.element(1, 7)?.id).toBe(2);
    expect(store.element(1, 1)).toBeNull();
    expect(store.elements(1, 2).map((job) => job.element?.index)).toEqual([0, 3]);
  });

  test('keeps every attempt, and shows a job with its current one as last written', () => {
    const first = anAttempt(1, 1, { phase: 'lost' });
    const second = anAttempt(1, 2);
    store.append(
      aBatch({ jobs: [aJob(1, { attempt: first })], attempts: [{ job: 1, attempt: first }], nextJobId: 2 }),
    );
    // Not listed among the attempts, and yet it must not be lost.
    store.append(aBatch({ jobs: [aJob(1, { attempt: second })], nextJobId: 2 }));
    const stopping = { ...second, phase: 'stopping' as const };
    store.append(aBatch({ attempts: [{ job: 1, attempt: stopping }], nextJobId: 2 }));
    expect(store.attempts(1)).toEqual([first, stopping]);
    expect(store.job(1)?.attempt).toEqual(stopping);
    expect(store.attempts(9)).toEqual([]);
  });

  test('keeps every step as last written, and loads those that have not ended', () => {
    const over = { endedAt: 2200, exit: { code: 0, signal: null, outOfMemory: false } };
    const [first, second] = [aStep('1.2', 0), aStep('1.2', 1)];
    const steps = [aStep('1.2', 10), aStep('1.10', 0), second, first, aStep('1.1', 0, over)];
    store.append(aBatch({ jobs: [aJob(1)], steps: steps.map((step) => ({ job: 1, step })), nextJobId: 3 }));
    const ended = { ...first, ...over };
    const other = aStep('2.1', 0);
    store.append(
      aBatch({
        jobs: [aJob(2)],
        steps: [
          { job: 1, step: ended },
          { job: 2, step: other },
        ],
        nextJobId: 3,
      }),
    );
    expect(store.steps(1)).toEqual([
      aStep('1.1', 0, over),
      ended,
      second,
      aStep('1.2', 10),
      aStep('1.10', 0),
    ]);
    expect(store.steps(2)).toEqual([other]);
    expect(store.steps(3)).toEqual([]);
    expect(store.load().steps).toEqual([
      { job: 1, step: second },
      { job: 1, step: aStep('1.2', 10) },
      { job: 1, step: aStep('1.10', 0) },
      { job: 2, step: other },
    ]);
  });

  test('keeps nodes, usage, queues, blobs and counters', () => {
    const node = {
      name: 'box\udc80',
      cpus: 2,
      cpuIds: [0, 1],
      memoryBytes: 1,
      devices: [],
      features: ['fast'],
      state: 'up' as const,
      reason: null,
    };
    const bytes = Uint8Array.from([0, 255, 10]);
    const hash = 'a'.repeat(64);
    store.append(
      aBatch({
        nodes: [node, { ...node, name: 'other' }],
        usage: [{ user: 'a\0', amount: 1.5, at: 7 }],
        queues: [
          { name: 'gpu\udc80', state: { disabled: true, suspended: false } },
          { name: 'main', state: { disabled: false, suspended: false } },
        ],
        blobs: [
          { hash, bytes },
          { hash, bytes },
        ],
        events: [
          { seq: 4, event: { at: 90, type: 'nodeSeen', node } },
          { seq: 5, event: { at: 80, type: 'clockJumped', byMs: -10 } },
        ],
        nextJobId: 17,
      }),
    );
    store.append(
      aBatch({
        nodes: [{ ...node, state: 'lost' }],
        goneNodes: ['other'],
        usage: [{ user: 'a\0', amount: 2, at: 8 }],
        queues: [{ name: 'gpu\udc80', state: { disabled: true, suspended: true } }],
        nextJobId: 17,
      }),
    );
    const loaded = store.load();
    expect(loaded).toMatchObject({ nextJobId: 17, lastSeq: 5, lastEventAt: 80 });
    expect(loaded.nodes).toEqual([{ ...node, state: 'lost' }]);
    expect(loaded.usage).toEqual([{ user: 'a\0', amount: 2, at: 8 }]);
    expect(loaded.queues).toEqual([
      { name: 'gpu\udc80', state: { disabled: true, suspended: true } },
      { name: 'main', state: { disabled: false, suspended: false } },
    ]);
    expect([...(store.blob(hash) as Uint8Array)]).toEqual([0, 255, 10]);
  });

  test('filters jobs by every field, newest first', () => {
    const array = { array: 1, index: 3 };
    store.append(
      aBatch({
        jobs: [
          aJob(1, { submittedAt: 10, phase: 'held' }),
          aJob(2, { submittedAt: 20, spec: aSpec({ user: 'bob', queue: 'gpu' }), element: array }),
          ended(aJob(3, { submittedAt: 30, spec: aSpec({ name: 'x\udc80' }) }), 100),
          ended(aJob(4, { submittedAt: 40, spec: aSpec({ user: 'bob\0' }) }), 200, { outcome: 'failed' }),
        ],
        nextJobId: 5,
      }),
    );
    expect(ids({})).toEqual([4, 3, 2, 1]);
    expect(ids({ limit: 2 })).toEqual([4, 3]);
    expect(ids({ limit: 0 })).toEqual([]);
    expect(ids({ limit: Number.POSITIVE_INFINITY })).toEqual([4, 3, 2, 1]);
    expect(ids({ phases: ['held', 'ended'] })).toEqual([4, 3, 1]);
    expect(ids({ phases: ['pending'] })).toEqual([2]);
    expect(ids({ phases: [] })).toEqual([]);
    expect(ids({ outcomes: ['failed'] })).toEqual([4]);
    expect(ids({ users: ['bob'] })).toEqual([2]);
    expect(ids({ users: ['bob\0', 'bob'] })).toEqual([4, 2]);
    expect(ids({ queues: ['gpu'] })).toEqual([2]);
    expect(ids({ names: ['x\udc80'] })).toEqual([3]);
    expect(ids({ names: ['x\ufffd', 'x'] })).toEqual([]);
    expect(ids({ endedAfter: 100 })).toEqual([4, 2, 1]);
    expect(ids({ submittedAfter: 20 })).toEqual([4, 3]);
    expect(ids({ refs: [{ job: 1, index: null }] })).toEqual([2, 1]);
    expect(
      ids({
        refs: [
          { job: 1, index: 3 },
          { job: 4, index: null },
          { job: 99, index: null },
        ],
      }),
    ).toEqual([4, 2]);
    expect(ids({ refs: [{ job: 1, index: 4 }] })).toEqual([]);
    expect(ids({ users: ['alice'], phases: ['ended'] })).toEqual([3]);
  });

  test('filters events', () => {
    const event = (seq: number, job: number) =>
      ({ seq, event: { at: seq * 10, type: 'jobPending', job } }) as const;
    store.append(
      aBatch({ events: [event(1, 1), event(2, 2), event(3, 1), event(4, 1), event(5, 2)], nextJobId: 3 }),
    );
    const seqs = (changes: object) =>
      store.events({ job: null, afterSeq: 0, limit: 100, newest: false, ...changes }).map(({ seq }) => seq);
    expect(seqs({})).toEqual([1, 2, 3, 4, 5]);
    expect(seqs({ job: 1 })).toEqual([1, 3, 4]);
    expect(seqs({ job: 1, limit: 2 })).toEqual([1, 3]);
    expect(seqs({ job: 1, limit: 2, newest: true })).toEqual([3, 4]);
    expect(seqs({ afterSeq: 3 })).toEqual([4, 5]);
    expect(seqs({ afterSeq: 3, limit: 0, newest: true })).toEqual([]);
    expect(seqs({ afterSeq: 3, newest: true, limit: 1 })).toEqual([5]);
    expect(seqs({ job: 7 })).toEqual([]);
  });

  test('gives back an event with its spec, as it was, after the job was changed', () => {
    const job = aJob(1);
    const submitted = {
      seq: 1,
      event: { at: 1, type: 'jobSubmitted', job: 1, spec: job.spec, phase: 'pending' },
    } as const;
    store.append(aBatch({ events: [submitted], jobs: [job], nextJobId: 2 }));
    store.append(aBatch({ jobs: [{ ...job, spec: aSpec({ name: 'other' }) }], nextJobId: 2 }));
    expect(store.events({ job: 1, afterSeq: 0, limit: 9, newest: false })).toEqual([submitted]);
    expect(store.job(1)?.spec.name).toBe('other');
  });

  describe('purge', () => {
    const script = 's'.repeat(64);
    const hashes = [ENVIRONMENT_HASH, script, '0'.repeat(64)];
    const blobs = hashes.map((hash) => ({ hash, bytes: new Uint8Array(3) }));
    const keptBlobs = () => hashes.filter((hash) => store.blob(hash) !== null);
    const tick = (seq: number, at: number) => ({ seq, event: { at, type: 'clockJumped', byMs: 1 } }) as const;

    test('forgets jobs that ended before, with all that belongs to them', () => {
      const withScript = aSpec({ program: { ...aSpec().program, script } });
      const old = ended(aJob(1, { spec: withScript, attempt: anAttempt(1, 1) }), 100);
      const young = ended(aJob(2), 200);
      const submitted = {
        seq: 2,
        event: { at: 10, type: 'jobSubmitted', job: 1, spec: withScript, phase: 'pending' },
      } as const;
      store.append(
        aBatch({
          events: [tick(1, 5), submitted, tick(3, 150)],
          jobs: [old, young],
          steps: [{ job: 1, step: aStep('1.1', 0) }],
          nextJobId: 3,
        }),
      );
      store.append(aBatch({ blobs: blobs.slice(0, 2), events: [tick(4, 100)], nextJobId: 3 }));
      expect(store.purge(100, 10)).toEqual([]);
      expect(store.purge(101, 10)).toEqual([1]);
      expect(store.job(1)).toBeNull();
      expect(store.attempts(1)).toEqual([]);
      expect(store.steps(1)).toEqual([]);
      expect(store.events({ job: null, afterSeq: 0, limit: 9, newest: false }).map(({ seq }) => seq)).toEqual(
        [3],
      );
      expect(store.job(2)).toEqual(young);
      expect(keptBlobs()).toEqual([ENVIRONMENT_HASH]);
      expect(store.load()).toMatchObject({ lastSeq: 4, nextJobId: 3 });
    });

    test('keeps the list of files of a job that is remembered', () => {
      const tree = '0'.repeat(64);
      const keeping = { ...NOTHING_KEPT, snapshot: { tree, root: '/project', below: '' } };
      const job = ended(aJob(1, { spec: aSpec({ keeping }) }), 600);
      store.append(aBatch({ events: [tick(1, 100)], blobs, jobs: [job], nextJobId: 2 }));
      store.purge(500, 10);
      expect(keptBlobs()).toEqual([ENVIRONMENT_HASH, tree]);
      store.purge(601, 10);
      expect(keptBlobs()).toEqual([]);
    });

    test('keeps a blob that came in lately, for the job that is about to name it', () => {
      store.append(aBatch({ events: [tick(1, 500)], blobs, nextJobId: 1 }));
      store.purge(500, 10);
      expect(keptBlobs()).toEqual(hashes);
      store.purge(501, 10);
      expect(keptBlobs()).toEqual([]);
    });

    test('takes an array only together with its elements, the record last', () => {
      const spec = aSpec({ array: { indices: [[0, 3, 1]], throttle: null } });
      const element = (id: number, index: number) => aJob(id, { spec, element: { array: 1, index } });
      const elements = [2, 3, 4, 5].map((id, index) => element(id, index));
      const jobs = [ended(aJob(1, { spec }), 90), ...elements.slice(0, 3).map((job) => ended(job, 80))];
      store.append(aBatch({ jobs: [...jobs, elements[3] as (typeof jobs)[0]], nextJobId: 6 }));
      expect(store.purge(1000, 100)).toEqual([]);
      store.append(aBatch({ jobs: [ended(elements[3] as (typeof jobs)[0], 1000)], nextJobId: 6 }));
      expect(store.purge(1000, 100)).toEqual([]);
      expect(store.purge(1001, 3)).toEqual([2, 3, 4]);
      expect(store.job(5)?.spec).toEqual(spec);
      expect(store.element(1, 0)).toBeNull();
      expect(store.purge(1001, 3)).toEqual([5, 1]);
      expect(ids({})).toEqual([]);
    });

    test('does not lose the spec of a job that comes back after it was forgotten', () => {
      const job = ended(aJob(1), 10);
      store.append(aBatch({ jobs: [job], nextJobId: 2 }));
      store.purge(100, 10);
      store.append(aBatch({ jobs: [job], nextJobId: 2 }));
      expect(store.job(1)).toEqual(job);
    });
  });
});

test('the store in memory fails on demand with nothing changed', () => {
  let failing = true;
  const store = createMemoryStore({ failAppend: () => failing });
  expect(() => store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 }))).toThrow('the store was told to fail');
  expect(store.load()).toMatchObject({ jobs: [], nextJobId: 1 });
  failing = false;
  store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 }));
  expect(store.load().nextJobId).toBe(2);
});
