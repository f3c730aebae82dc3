/** Two jobs never keep their checkpoints in the same place at the same time. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, type JobBuilder, MINUTE, type TestYard } from '../../test/builders.ts';
import { groupKey } from './backlog.ts';
import { explain } from './schedule/explain.ts';

const inPlace = (directory: string) => aJob().keeping({ checkpoints: '/fast/%j', persist: directory });

function explained(yard: TestYard, id: number) {
  return explain(yard.state, yard.policy, yard.now, yard.job(id));
}

describe('a place that another job has', () => {
  test('is waited for until all that the other left is safe', () => {
    const yard = aYard();
    yard.run(inPlace('/ck/net'));
    const second = yard.submit(inPlace('/ck//net/').by('bob'));
    const third = yard.submit(inPlace('/ck/other'));
    yard.schedule();
    expect(yard.running()).toEqual([1, third]);
    expect(explained(yard, second)).toMatchObject({
      reason: { kind: 'place', directory: '/ck/net', job: 1 },
      expectedStartAt: null,
    });
    yard.syncs(1);
    yard.schedule();
    expect(yard.job(second).phase).toBe('pending');
    expect(explained(yard, second).reason).toMatchObject({ kind: 'place', job: 1 });
    yard.ends(1);
    yard.schedule();
    expect(yard.job(second).phase).toBe('active');
  });

  test('is not given to two jobs of one plan', () => {
    const yard = aYard();
    yard.submit(inPlace('/ck/%x').named('net'));
    yard.submit(inPlace('/ck/%x').named('net').by('bob'));
    yard.submit(inPlace('/ck/%x').named('web'));
    yard.schedule();
    expect(yard.running()).toEqual([1, 3]);
  });

  test('holds up none of those that are alike and have others', () => {
    const yard = aYard();
    yard.run(aJob().by('bob').keeping({ checkpoints: '/ck/2' }));
    const mine = inPlace('/ck/%j');
    expect(yard.submit(mine)).toBe(2);
    yard.submit(mine);
    yard.submit(mine);
    expect(yard.state.backlog.groups.size).toBe(1);
    yard.schedule();
    expect(yard.running()).toEqual([1, 3, 4]);
  });

  test('a plan that is taken up too late is not', () => {
    const yard = aYard();
    yard.submit(inPlace('/ck'));
    yard.submit(inPlace('/ck').by('bob'));
    const [{ placement, queue } = yard.plan().starts[0] as never] = yard.plan().starts;
    const start = (job: number) => ({ type: 'place', job, index: null, placement, queue }) as const;
    expect(yard.tell(start(2)).changed).toBe(true);
    expect(yard.tell(start(1)).changed).toBe(false);
  });

  test('is kept by nobody who waits, so that others may have the room', () => {
    const yard = aYard(aPolicy()).withNodes(aNode('n1').withCpus(2));
    yard.run(inPlace('/ck'));
    yard.submit(inPlace('/ck').withPriority(1000));
    const plan = yard.schedule();
    expect(plan.reservations).toEqual([]);
    yard.run(aJob());
    expect(yard.running()).toEqual([1, 3]);
  });

  test('goes with its job to the next run', () => {
    const yard = aYard();
    yard.run(inPlace('/ck').limitedTo(MINUTE).chained());
    yard.pass(MINUTE);
    yard.submit(inPlace('/ck').limitedTo(MINUTE).chained());
    yard.ends(1, 143);
    yard.schedule();
    // It has waited longer, and has what is there.
    expect(yard.running()).toEqual([1]);
  });
});

describe('places that are nobody else’s', () => {
  test.each([
    ['in its scratch directory', aJob().keeping({ checkpoints: '$SCRATCH/ck' })],
    ['that it has none of', aJob().keeping({ scratch: { maxBytes: null } })],
    ['with its own number in it', inPlace('/ck/%j')],
  ] as const)('%s', (_, job) => {
    const yard = aYard();
    yard.submit(job);
    yard.submit(job);
    yard.schedule();
    expect(yard.running()).toEqual([1, 2]);
  });
});

describe('an array', () => {
  const started = (job: JobBuilder, before: (yard: TestYard) => void = () => {}) => {
    const yard = aYard();
    before(yard);
    const array = yard.submit(job.asArray('0-3'));
    yard.schedule();
    return { yard, array, indices: [...(yard.state.elements.get(array)?.keys() ?? [])] };
  };

  test('of which each element has its own place runs all at once', () => {
    for (const pattern of ['/ck/%a', '/ck/%A/%2a', '/ck/%j'])
      expect(started(inPlace(pattern)).indices).toEqual([0, 1, 2, 3]);
  });

  test('of which all have the same runs one by one', () => {
    for (const pattern of ['/ck', '/ck/%x', '/ck/%A']) {
      const { yard, array, indices } = started(inPlace(pattern));
      expect(indices).toEqual([0]);
      expect(explained(yard, array).reason).toMatchObject({ kind: 'place', job: array + 1 });
      yard.ends({ job: array, index: 0 });
      yard.schedule();
      expect(yard.job({ job: array, index: 1 }).phase).toBe('active');
    }
  });

  test('goes past those of its elements whose place is taken', () => {
    const { indices } = started(inPlace('/ck/%a'), (yard) => void yard.run(inPlace('/ck/0').by('bob')));
    expect(indices).toEqual([1, 2, 3]);
  });

  test('beside which a job has the place that one element would get', () => {
    const { indices } = started(inPlace('/ck/%j'), (yard) => void yard.run(inPlace('/ck/5').by('bob')));
    // Elements would be 3, 4, 5 and 6: the third has to wait, and with it those that come after it.
    expect(indices).toEqual([0, 1]);
  });
});

describe('alike', () => {
  const key = (job: JobBuilder) => groupKey(job.spec);

  test('are those with one place, and those that each have their own', () => {
    expect(key(inPlace('/a'))).not.toBe(key(inPlace('/b')));
    expect(key(inPlace('/a'))).not.toBe(key(aJob()));
    expect(key(inPlace('/a').named('x'))).toBe(key(inPlace('/a').named('y')));
    expect(key(inPlace('/%x').named('x'))).not.toBe(key(inPlace('/%x').named('y')));
    expect(key(inPlace('/%j'))).toBe(key(inPlace('/b/%a')));
    expect(key(inPlace('/%%j'))).not.toBe(key(inPlace('/%%a')));
  });
});
