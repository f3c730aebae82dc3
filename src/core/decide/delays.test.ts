/** A while after another job has begun. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard, type JobBuilder, MINUTE, type TestYard } from '../../../test/builders.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { batchOf, stateOf } from '../../store/state-batch.ts';
import { nextAt } from '../agenda.ts';
import { reasonOf } from '../schedule/explain.ts';

function later(job: number, delayMs: number, index: number | null = null): JobBuilder {
  const plain = aJob();
  const terms = [{ kind: 'after', job, index, delayMs }] as const;
  return { ...plain, spec: { ...plain.spec, dependencies: { need: 'all', terms } } };
}

const phase = (yard: TestYard, id: number) => yard.job(id).phase;

describe('a delay after another job has begun', () => {
  test('is waited for from then on', () => {
    const yard = aYard();
    yard.submit(aJob().held());
    yard.submit(later(1, 10 * MINUTE));
    yard.pass(60 * MINUTE);
    expect(phase(yard, 2)).toBe('waiting');
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    yard.schedule();
    yard.runs(1);
    yard.pass(10 * MINUTE - 1);
    expect(phase(yard, 2)).toBe('waiting');
    expect(reasonOf(yard.state, yard.policy, yard.job(2), yard.now)).toMatchObject({ kind: 'dependency' });
    yard.pass(1);
    expect(phase(yard, 2)).toBe('pending');
  });

  test('which may lie in the past already', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.pass(10 * MINUTE);
    yard.submit(later(1, 5 * MINUTE));
    yard.submit(later(1, 15 * MINUTE));
    expect([phase(yard, 2), phase(yard, 3)]).toEqual(['pending', 'waiting']);
    yard.pass(5 * MINUTE);
    expect(phase(yard, 3)).toBe('pending');
  });

  test('or after its end, when it never began', () => {
    const yard = aYard();
    yard.submit(aJob().held());
    yard.submit(later(1, MINUTE));
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(phase(yard, 2)).toBe('waiting');
    yard.pass(MINUTE);
    expect(phase(yard, 2)).toBe('pending');
  });

  test('of an array counts from the last of its elements, or from the one that was named', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.submit(aJob().asArray('0-1'));
    yard.submit(later(1, 10 * MINUTE));
    yard.submit(later(1, 10 * MINUTE, 0));
    yard.schedule();
    yard.runs({ job: 1, index: 0 });
    yard.pass(4 * MINUTE);
    yard.ends({ job: 1, index: 0 });
    yard.schedule();
    yard.runs({ job: 1, index: 1 });
    yard.pass(6 * MINUTE);
    expect([phase(yard, 2), phase(yard, 3)]).toEqual(['waiting', 'pending']);
    yard.pass(4 * MINUTE);
    expect(phase(yard, 2)).toBe('pending');
  });

  test('is waited for by an array that goes element by element after another', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().asArray('0-1'));
    const pairs = { kind: 'aftercorrany', job: 2, index: null } as const;
    const { dependencies } = later(1, 10 * MINUTE).spec;
    const terms = [...(dependencies?.terms ?? []), pairs];
    yard.submit(
      aJob()
        .asArray('0-1')
        .saying({ dependencies: { need: 'all', terms } }),
    );
    yard.schedule();
    for (const index of [0, 1]) yard.ends({ job: 2, index });
    expect(yard.job(3).array?.live).toBe(0);
    yard.pass(10 * MINUTE);
    expect(yard.job(3).array?.live).toBe(2);
  });

  test('is not forgotten when something else about the job changes, nor when the yard starts again', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(later(1, 10 * MINUTE));
    const dueAt = yard.now + 10 * MINUTE;
    yard.tell({ type: 'update', target: { job: 2, index: null }, by: 'ann', changes: { comment: 'x' } });
    expect(nextAt(yard.state.agenda)).toBe(dueAt);
    const store = createMemoryStore();
    store.append(batchOf(yard.state, yard.events, 1, []));
    expect(nextAt(stateOf(store.load(), store).agenda)).not.toBeNull();
  });
});
