import { afterEach, beforeEach, expect, test } from 'vitest';
import { type NotingYard, openNotingYard } from '../../test/noting-yard.ts';
import type { Job } from '../model/job.ts';
import { NOTHING_KEPT } from '../model/keeping.ts';
import { PLAIN_SPEC } from '../model/plain.ts';
import type { CodeStore } from '../storage/code/code-store.ts';
import { openCodeDesk } from './code-desk.ts';

let noting: NotingYard;
beforeEach(async () => {
  noting = await openNotingYard();
});
afterEach(() => noting.close());

const snapshot = { tree: 't'.repeat(64), root: '/project', below: '' };
const withCode = { ...PLAIN_SPEC, keeping: { ...NOTHING_KEPT, snapshot } };

/** Notes what it is asked for; `inPlace`: whose code an earlier daemon left. */
function notingStore(inPlace: number[] = []) {
  const asked: string[] = [];
  const store: CodeStore = {
    take: async () => ({ ok: true, tree: { entries: [], ignored: [] }, root: '/project', below: 'sub' }),
    workDir: async () => '',
    end: async (job: Job) => {
      asked.push(`end ${job.id}`);
    },
    jobs: async () => inPlace,
    isInPlace: (id) => inPlace.includes(id),
    sweep: async (needed) => {
      asked.push(`sweep, ${needed.length} needed`);
    },
  };
  return { store, asked };
}

test('what a job made is brought back when it has ended, and only of jobs with code of their own', async () => {
  const place: number[] = [];
  const { store, asked } = notingStore(place);
  const desk = openCodeDesk({ yard: noting.yard, code: store, log: () => {} });
  await noting.submit(PLAIN_SPEC);
  await noting.submit(withCode);
  // When its first run begins.
  place.push(2);
  for (const attempt of ['1.1', '2.1']) {
    await noting.starts(attempt);
    await noting.ends(attempt, 0);
  }
  await desk.close();
  expect(asked).toEqual(['sweep, 0 needed', 'end 2']);
});

test('what an earlier daemon left undone is done; what a live job needs stays', async () => {
  await noting.submit(withCode);
  await noting.submit(withCode);
  await noting.starts('1.1');
  await noting.ends('1.1', 0);
  const { store, asked } = notingStore([1, 2, 99]);
  const desk = openCodeDesk({ yard: noting.yard, code: store, log: () => {} });
  await desk.close();
  expect(asked).toEqual(['end 1', 'sweep, 1 needed']);
});

test('a snapshot is named by the list of its files', async () => {
  const { store } = notingStore();
  const desk = openCodeDesk({ yard: noting.yard, code: store, log: () => {} });
  const taken = await desk.take('/project/sub');
  expect(taken).toMatchObject({ ok: true, snapshot: { root: '/project', below: 'sub' } });
  if (taken.ok) expect(taken.snapshot.tree).toMatch(/^[0-9a-f]{64}$/);
  await desk.close();
});
