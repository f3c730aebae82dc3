import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  MINUTE,
  SECOND,
  type TestYard,
} from '../../../test/builders.ts';

const policy = aPolicy({
  queues: [
    aQueue('high', { priority: 10 }),
    aQueue('low', { isDefault: true, preempt: 'requeue', priority: 1 }),
    aQueue('lowest', { preempt: 'cancel' }),
    aQueue('solid', {}),
  ],
});
const high = () => aJob().by('boss').inQueue('high');
const victims = (yard: TestYard) =>
  yard
    .plan()
    .preempts.map(({ job }) => job)
    .sort();

describe('preemption', () => {
  test('asks a lower job to leave, requeues it, and gives the place to the higher', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob());
    yard.submit(high());
    expect(yard.schedule().preempts).toEqual([{ job: 1, forJob: 2 }]);
    expect(yard.job(1).attempt?.stop).toMatchObject({ cause: 'preempted', by: 'job 2' });
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', note: 'preempted' });
    yard.schedule();
    expect(yard.running()).toEqual([2]);
  });

  test('ends it where the queue says cancel', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob().inQueue('lowest'));
    yard.submit(high());
    yard.schedule();
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'preempted' });
  });

  test('the one who left does not come back into the place it left', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob().withPriority(1_000_000));
    yard.pass(1000 * MINUTE);
    yard.submit(high());
    yard.schedule();
    yard.ends(1, 143);
    yard.schedule();
    expect(yard.running()).toEqual([2]);
  });

  test('as few as possible, from the lowest queue, the youngest first', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(4), aNode('n2').withCpus(4));
    yard.run(aJob().wanting({ cpus: 2, onlyNodes: ['n1'] }));
    yard.run(aJob().wanting({ cpus: 2, onlyNodes: ['n1'] }));
    yard.now += SECOND;
    yard.run(aJob().wanting({ cpus: 3, onlyNodes: ['n2'] }));
    yard.run(aJob().wanting({ cpus: 1, onlyNodes: ['n2'] }));
    yard.submit(high().wanting({ cpus: 3 }));
    expect(victims(yard)).toEqual([3]);
  });

  test('spares those that turn out not to be needed', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(4));
    yard.run(aJob().wanting({ cpus: 3 }));
    yard.now += SECOND;
    yard.run(aJob().wanting({ cpus: 1 }));
    yard.submit(high().wanting({ cpus: 3 }));
    expect(victims(yard)).toEqual([1]);
  });

  test('on several nodes', () => {
    const yard = aYard(policy).withNodes(
      aNode('a').withCpus(2),
      aNode('b').withCpus(2),
      aNode('c').withCpus(2),
    );
    for (const node of ['a', 'b', 'c']) yard.run(aJob().wanting({ cpus: 2, onlyNodes: [node] }));
    yard.submit(high().wanting({ nodes: 2, ranks: 4 }));
    expect(victims(yard)).toHaveLength(2);
  });

  test('nobody, when it would not help', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(4));
    yard.run(aJob().wanting({ cpus: 2 }));
    yard.run(aJob().inQueue('solid').wanting({ cpus: 2 }));
    yard.submit(high().wanting({ cpus: 3 }));
    expect(victims(yard)).toEqual([]);
  });

  test('nobody, when enough are leaving already', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(2));
    yard.run(aJob());
    yard.run(aJob());
    yard.submit(high());
    yard.schedule();
    expect(yard.plan().preempts).toEqual([]);
  });

  test('nobody of an equal or higher queue, or of one that does not allow it', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(2));
    yard.run(aJob().inQueue('solid'));
    yard.run(high());
    yard.submit(high());
    yard.submit(aJob());
    expect(victims(yard)).toEqual([]);
  });

  test('nobody, when the higher job is over a limit anyway', () => {
    const limited = { ...policy, perUser: { ...policy.perUser, maxRunning: 0 } };
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob());
    yard.submit(high());
    yard.policy = limited;
    expect(victims(yard)).toEqual([]);
  });

  test('a running exclusive job makes room too', () => {
    const yard = aYard(policy);
    yard.run(aJob().wanting({ exclusive: true }));
    yard.submit(high());
    expect(victims(yard)).toEqual([1]);
  });
});
