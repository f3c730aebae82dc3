/** Places that are kept on shared devices: nobody who would be in the way by memory or by load goes before. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard, GIB, type JobBuilder, MINUTE, type TestYard } from '../../../test/builders.ts';
import { devicesOf, endsHavingUsed } from '../../../test/gpu-yard.ts';

const kind = (name: string): JobBuilder => aJob().named(name).sharing(`python ${name}.py`);
const [small, light, busy, half] = ['small', 'light', 'busy', 'half'].map(kind) as [
  JobBuilder,
  JobBuilder,
  JobBuilder,
  JobBuilder,
];
const whole = aJob().wanting({ gpus: 1 });

/** All of these kinds are known; the device is empty. */
function knowing(gpus = 1): TestYard {
  const yard = aYard().withNodes(aNode('n1').withCpus(64).withGpus(gpus));
  endsHavingUsed(yard, yard.run(small), 4 * GIB, { loadMillis: 0 });
  endsHavingUsed(yard, yard.run(light), GIB, { loadMillis: 300 });
  endsHavingUsed(yard, yard.run(busy), GIB, { loadMillis: 900 });
  endsHavingUsed(yard, yard.run(half), 20 * GIB, { loadMillis: 300 });
  return yard;
}

describe('whoever wants a whole device', () => {
  test('is not passed by leases without an end, though they would fit', () => {
    const yard = knowing();
    const lease = yard.run(small);
    const large = yard.submit(whole);
    for (let n = 0; n < 5; n++) yard.submit(small);
    yard.schedule();
    expect(yard.running()).toEqual([lease]);
    endsHavingUsed(yard, lease, 4 * GIB);
    yard.schedule();
    expect(yard.running()).toEqual([large]);
  });

  test('is passed by those who are gone by the time it is promised', () => {
    const yard = knowing();
    yard.run(small.limitedTo(10 * MINUTE));
    yard.submit(whole);
    const [short, long] = [
      yard.submit(small.limitedTo(9 * MINUTE)),
      yard.submit(small.limitedTo(11 * MINUTE)),
    ];
    yard.schedule();
    expect([short, long].map((id) => yard.job(id).phase)).toEqual(['active', 'pending']);
  });

  test('has one device kept, and others go on with the rest', () => {
    const yard = knowing(2);
    yard.run(half);
    yard.run(half);
    const large = yard.submit(whole);
    const more = [yard.submit(small), yard.submit(small)];
    const { reservations } = yard.schedule();
    expect(reservations).toMatchObject([{ job: large, placement: { nodes: [{ devices: [{ index: 0 }] }] } }]);
    for (const id of more) expect(devicesOf(yard, id)).toMatchObject([{ index: 1 }]);
  });

  test('waits no longer because it is the first of its kind', () => {
    const yard = knowing();
    const lease = yard.run(small);
    const first = yard.submit(kind('new'));
    yard.submit(small);
    yard.schedule();
    expect(yard.running()).toEqual([lease]);
    endsHavingUsed(yard, lease, 4 * GIB);
    yard.schedule();
    expect(devicesOf(yard, first)).toMatchObject([{ learningOn: 'a100' }]);
  });
});

describe('whoever waits for load', () => {
  test('is not passed by those who would still be busy when its turn comes', () => {
    const yard = knowing();
    yard.run(light.limitedTo(10 * MINUTE));
    yard.submit(busy);
    const [endless, short] = [yard.submit(light), yard.submit(light.limitedTo(9 * MINUTE))];
    yard.schedule();
    expect([endless, short].map((id) => yard.job(id).phase)).toEqual(['pending', 'active']);
  });

  test('is passed by those beside whom it can be', () => {
    const yard = knowing();
    yard.run(light.limitedTo(10 * MINUTE));
    yard.submit(busy);
    const idle = yard.submit(small);
    yard.schedule();
    expect(yard.job(idle).phase).toBe('active');
  });
});
