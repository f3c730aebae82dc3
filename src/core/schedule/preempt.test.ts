import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQos,
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
const classes = aPolicy({
  qos: [
    aQos('normal', { isDefault: true }),
    aQos('low', { preempt: 'cancel' }),
    aQos('high', { preempts: ['low'] }),
    aQos('highest', { preempts: ['high'], preempt: 'suspend' }),
  ],
});
const aCheckpoint = (writtenAt: number) => ({
  name: 'model.pt',
  step: null,
  bytes: 1,
  writtenAt,
  keptAt: writtenAt,
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
    expect(yard.schedule().preempts).toEqual([{ job: 1, forJob: 2, suspend: false }]);
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

  test('the one that loses the least work: an old one with a fresh checkpoint, not a young one without', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(2));
    yard.run(aJob());
    yard.pass(600 * MINUTE);
    yard.run(aJob());
    yard.pass(MINUTE);
    yard.tell({ type: 'checkpointKept', attempt: '1.1', checkpoint: aCheckpoint(yard.now) });
    yard.pass(MINUTE);
    yard.submit(high());
    expect(victims(yard)).toEqual([1]);
    yard.pass(5 * MINUTE);
    yard.tell({ type: 'checkpointKept', attempt: '2.1', checkpoint: aCheckpoint(yard.now) });
    expect(victims(yard)).toEqual([2]);
  });

  test('time that it was suspended for is no work that is lost', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(2));
    yard.run(aJob());
    yard.pass(MINUTE);
    yard.tell({ type: 'suspend', target: { job: 1, index: null }, by: 'ann' });
    yard.pass(60 * MINUTE);
    yard.run(aJob());
    yard.pass(2 * MINUTE);
    yard.submit(high());
    expect(victims(yard)).toEqual([1]);
    yard.tell({ type: 'resume', target: { job: 1, index: null }, by: 'ann' });
    yard.pass(MINUTE / 2);
    expect(victims(yard)).toEqual([1]);
  });

  test('of as many on each of two nodes, those that lose less', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(2), aNode('n2').withCpus(2));
    for (const node of ['n1', 'n1', 'n2', 'n2']) yard.run(aJob().wanting({ onlyNodes: [node] }));
    yard.pass(10 * MINUTE);
    for (const attempt of ['3.1', '4.1'])
      yard.tell({ type: 'checkpointKept', attempt, checkpoint: aCheckpoint(yard.now) });
    yard.submit(high().wanting({ cpus: 2 }));
    expect(victims(yard)).toEqual([3, 4]);
  });

  test('one that is enough rather than several that lose less', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(4));
    yard.run(aJob().wanting({ cpus: 2 }));
    yard.pass(MINUTE);
    yard.run(aJob());
    yard.run(aJob());
    yard.submit(high().wanting({ cpus: 2 }));
    expect(victims(yard)).toEqual([1]);
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

  test('of a QOS: those of the classes that it names, whatever the queue', () => {
    const yard = aYard(classes).withNodes(aNode('n1').withCpus(3));
    yard.run(aJob().withQos('low'));
    yard.run(aJob().withQos('normal'));
    yard.run(aJob().withQos('high'));
    yard.submit(aJob().withQos('normal'));
    expect(victims(yard)).toEqual([]);
    yard.submit(aJob().withQos('high'));
    expect(victims(yard)).toEqual([1]);
    yard.submit(aJob().withQos('highest'));
    expect(yard.schedule().preempts).toMatchObject([{ job: 3, forJob: 6 }]);
    yard.ends(3, 143);
    expect(yard.schedule().preempts).toMatchObject([{ job: 1, forJob: 3 }]);
    expect(yard.running()).toEqual([1, 2, 6]);
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'preempted' });
  });

  test('whoever may drive out another by QOS goes before it, whatever else counts', () => {
    const yard = aYard(classes).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob().withQos('normal'));
    yard.submit(aJob().withQos('low').withPriority(1_000_000));
    yard.pass(1000 * MINUTE);
    yard.submit(aJob().withQos('high'));
    yard.ends(1);
    yard.schedule();
    expect(yard.running()).toEqual([3]);
  });

  test('where queues preempt each other, a QOS cannot drive out those of a higher queue', () => {
    const both = { ...policy, qos: classes.qos };
    const yard = aYard(both).withNodes(aNode('n1').withCpus(1));
    yard.run(high().withQos('low'));
    yard.submit(aJob().withQos('high'));
    expect(victims(yard)).toEqual([]);
    yard.submit(high().withQos('high'));
    expect(victims(yard)).toEqual([1]);
  });

  test('a job without a QOS has the one for those who name none', () => {
    const plain = { ...classes, qos: classes.qos.map((qos) => ({ ...qos, isDefault: qos.name === 'low' })) };
    const yard = aYard(plain).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob());
    yard.submit(aJob().withQos('high'));
    expect(victims(yard)).toEqual([1]);
  });

  test('a running exclusive job makes room too', () => {
    const yard = aYard(policy);
    yard.run(aJob().wanting({ exclusive: true }));
    yard.submit(high());
    expect(victims(yard)).toEqual([1]);
  });
});
