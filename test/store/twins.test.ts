/** The same random history in both stores: every question must get the same answer. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import type { Job, JobPhase, Outcome } from '../../src/model/job.ts';
import type { JobFilter } from '../../src/model/query.ts';
import { seededRandom } from '../../src/sim/random.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Batch, Store } from '../../src/store/store.ts';
import { aBatch, aJob, anAttempt, aSpec, aStep } from './builders.ts';

const USERS = ['alice', 'bob', 'x\udc80', 'x', '\u0001"x"'];
const PHASES: JobPhase[] = ['held', 'waiting', 'pending', 'active', 'ended'];
const OUTCOMES: Outcome[] = ['completed', 'failed', 'cancelled', 'nodeLost'];

test.each([1, 2, 3, 4, 5, 6, 7, 8])('seed %i', async (seed) => {
  const directory = mkdtempSync(join(tmpdir(), 'yard-twins-'));
  let database = await openSqliteStore({ directory, safeMode: seed % 2 === 0 });
  const memory = createMemoryStore();
  const random = dice(seed);
  const history = randomHistory(random);
  try {
    for (let turn = 0; turn < 40; turn++) {
      const batch = history.next();
      database.append(batch);
      memory.append(batch);
      const before = random(8) === 0 ? history.now() - random(300) : 0;
      const atMost = 1 + random(12);
      expect(database.purge(before, atMost)).toEqual(memory.purge(before, atMost));
      if (random(10) === 0) {
        database.close();
        database = await openSqliteStore({ directory, safeMode: seed % 2 === 0 });
      }
      expectSame(database, memory, random);
    }
  } finally {
    database.close();
    rmSync(directory, { recursive: true });
  }
});

function expectSame(database: Store, memory: Store, random: Dice): void {
  const ask = (question: (store: Store) => unknown) => expect(question(database)).toEqual(question(memory));
  const id = 1 + random(60);
  const index = 940 + random(60);
  const filter = randomFilter(random);
  const events = {
    job: random(2) === 0 ? null : id,
    afterSeq: random(200),
    limit: random(50),
    newest: random(2) === 0,
  };
  const hash = `${random(20)}`.padStart(64, '0');
  ask((store) => store.load());
  ask((store) => store.job(id));
  ask((store) => store.attempts(id));
  ask((store) => store.steps(id));
  ask((store) => store.element(id, index));
  ask((store) => store.elements(id, 3));
  ask((store) => store.jobs(filter));
  ask((store) => store.events(events));
  ask((store) => (store.blob(hash) === null ? null : [...(store.blob(hash) as Uint8Array)]));
}

function randomFilter(random: Dice): JobFilter {
  const maybe = <T>(value: T): T | null => (random(3) === 0 ? value : null);
  return {
    refs: maybe([
      { job: 1 + random(60), index: maybe(random(4)) },
      { job: 1 + random(60), index: null },
    ]),
    phases: maybe([pick(random, PHASES), pick(random, PHASES)]),
    outcomes: maybe([pick(random, OUTCOMES)]),
    users: maybe([pick(random, USERS), pick(random, USERS)].slice(random(2))),
    queues: maybe([pick(random, ['main', 'gpu'])]),
    names: maybe([pick(random, ['train', 'eval'])]),
    endedAfter: maybe(random(2000)),
    submittedAfter: maybe(random(2000)),
    submittedBefore: maybe(random(4000)),
    limit: random(2) === 0 ? 1000 : random(10),
  };
}

/** Makes no sense as a day in a yard; it is there to touch everything a batch can hold. */
function randomHistory(random: Dice): { next(): Batch; now(): number } {
  const jobs = new Map<number, Job>();
  let nextId = 1;
  let seq = 0;
  let now = 1000;

  function newJob(): Job {
    const parent = random(3) === 0 ? jobs.get(1 + random(nextId)) : undefined;
    const id = nextId++;
    const element =
      parent === undefined || parent.element !== null ? null : { array: parent.id, index: 1000 - id };
    const hash = `${random(20)}`.padStart(64, '0');
    const program = { ...aSpec().program, environment: hash, script: random(2) === 0 ? null : hash };
    const spec =
      element !== null && parent !== undefined
        ? parent.spec
        : aSpec({
            user: pick(random, USERS),
            queue: pick(random, ['main', 'gpu']),
            name: pick(random, ['train', 'eval']),
            program,
          });
    return aJob(id, { spec, element, submittedAt: now });
  }

  function changed(job: Job): Job {
    const phase = pick(random, PHASES);
    const over = phase === 'ended';
    return {
      ...job,
      phase,
      outcome: over ? pick(random, OUTCOMES) : null,
      endedAt: over ? now : null,
      spec: random(8) === 0 ? { ...job.spec, name: pick(random, ['train', 'eval']) } : job.spec,
      attempt: random(3) === 0 ? anAttempt(job.id, 1 + random(3), { startedAt: now }) : job.attempt,
      restarts: random(3),
    };
  }

  return {
    now: () => now,
    next() {
      now += random(50);
      const touched = new Map<number, Job>();
      const events: Event[] = [{ at: now, type: 'clockJumped', byMs: random(9) }];
      for (let i = random(4); i > 0; i--) {
        const job = newJob();
        touched.set(job.id, job);
        events.push({ at: now, type: 'jobSubmitted', job: job.id, spec: job.spec, phase: 'pending' });
      }
      for (let i = random(6); i > 0; i--) {
        const job = jobs.get(1 + random(nextId));
        if (job === undefined) continue;
        touched.set(job.id, changed(job));
        events.push({ at: now, type: 'jobPending', job: job.id });
      }
      for (const job of touched.values()) jobs.set(job.id, job);
      const listed = [...touched.values()].filter((job) => job.attempt !== null && random(2) === 0);
      const hash = `${random(20)}`.padStart(64, '0');
      return aBatch({
        events: events.map((event) => ({ seq: ++seq, event })),
        jobs: [...touched.values()],
        attempts: listed.map((job) => ({ job: job.id, attempt: job.attempt as NonNullable<Job['attempt']> })),
        steps: listed.map((job) => ({
          job: job.id,
          step: aStep(job.attempt?.id ?? '', random(3), { endedAt: random(2) === 0 ? null : now }),
        })),
        usage: [{ user: pick(random, USERS), amount: random(100) / 7, at: now }],
        queues: [
          {
            name: pick(random, ['main', 'gpu']),
            state: { disabled: random(2) === 0, suspended: random(2) === 0 },
          },
        ],
        blobs: random(2) === 0 ? [] : [{ hash, bytes: Uint8Array.from([Number(hash)]) }],
        nextJobId: nextId,
      });
    },
  };
}

/** A whole number below n, the same sequence for the same seed. */
type Dice = (n: number) => number;

function dice(seed: number): Dice {
  const random = seededRandom(seed);
  return (n) => random.below(Math.max(1, n));
}

function pick<T>(random: Dice, choices: readonly T[]): T {
  return choices[random(choices.length)] as T;
}
