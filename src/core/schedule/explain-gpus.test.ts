import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, GIB, type TestYard } from '../../../test/builders.ts';
import { endsHavingUsed, strangersUse } from '../../../test/gpu-yard.ts';
import { PLAIN_GPU_POLICY } from '../../model/plain.ts';
import { explain } from './explain.ts';

const train = aJob().named('train').sharing('python train.py');
const idle = aJob().named('idle').sharing('python idle.py');
const busy = aJob().named('busy').sharing('python busy.py');

function knowing(gpus = 1): TestYard {
  const yard = aYard().withNodes(aNode('n1').withCpus(64).withGpus(gpus));
  endsHavingUsed(yard, yard.run(train), 16 * GIB, { loadMillis: 100 });
  endsHavingUsed(yard, yard.run(busy), GIB, { loadMillis: 950 });
  return yard;
}

const why = (yard: TestYard, id: number) => explain(yard.state, yard.policy, yard.now, yard.job(id));

describe('a job that waits', () => {
  test('for the first of its kind names it', () => {
    const yard = knowing(3);
    const fresh = aJob().named('new').sharing('python new.py');
    const first = yard.run(fresh);
    expect(why(yard, yard.submit(fresh)).reason).toMatchObject({
      kind: 'learning',
      job: first,
      device: 'a100',
      label: 'python new.py',
    });
  });

  test('for memory says how much of the device with the most room', () => {
    const yard = knowing();
    yard.run(train);
    const blocker = yard.run(train);
    const { reason } = why(yard, yard.submit(train));
    expect(reason).toMatchObject({ kind: 'resources', short: [{ resource: 'gpuMemory', total: 40 * GIB }] });
    expect(reason).toMatchObject({ waitsFor: expect.arrayContaining([blocker]) });
  });

  test('for load says how much is left where it has the memory', () => {
    const yard = knowing(2);
    yard.policy = aPolicy({ gpu: { ...PLAIN_GPU_POLICY, arrange: 'spread' } });
    // One device is idle and has no room, the other has room and is busy.
    endsHavingUsed(yard, yard.run(idle), 25 * GIB, { loadMillis: 0 });
    yard.run(idle);
    yard.run(busy);
    const { reason } = why(yard, yard.submit(train));
    expect(reason).toMatchObject({
      kind: 'resources',
      short: [{ resource: 'gpuLoad', wanted: 100, free: 50, total: 1000 }],
    });
  });

  test('for strangers says where they are', () => {
    const yard = knowing();
    strangersUse(yard, 'n1', { 0: 30 * GIB });
    expect(why(yard, yard.submit(train)).reason).toMatchObject({
      kind: 'resources',
      foreign: [{ node: 'n1', index: 0, bytes: 30 * GIB }],
    });
  });
});

test('a job that runs is told what it has, beside whom, and what its kind is known to use', () => {
  const yard = knowing();
  const [a, b] = [yard.run(train), yard.run(train)];
  expect(why(yard, a).gpus).toMatchObject({
    manner: 'auto',
    estimates: [{ device: 'a100', runs: 1, seenBytes: 16 * GIB }],
    holds: [{ node: 'n1', index: 0, millis: 500, isLearning: false, neighbours: [b] }],
  });
});
