import { expect, test } from 'vitest';
import { grantedLimits } from './granted-limits.ts';

test('a job has the limits of its submitter, as far as the yard may have them itself', () => {
  const hard = { n: '4096', s: 'unlimited', c: '0', v: '1000' };
  expect(grantedLimits({ n: '1024', s: 'unlimited', c: '0', t: 'unlimited' }, hard)).toEqual({
    ulimits: { n: '1024', s: 'unlimited', c: '0', t: 'unlimited' },
    lowered: [],
  });
  expect(grantedLimits({ n: '1048576', s: '8192', c: 'unlimited', v: '999' }, hard)).toEqual({
    ulimits: { n: '4096', s: '8192', c: '0', v: '999' },
    lowered: [
      { letter: 'n', wanted: '1048576', given: '4096' },
      { letter: 'c', wanted: 'unlimited', given: '0' },
    ],
  });
  // Greater than any number that is exact.
  expect(grantedLimits({ v: '18014398509481984' }, { v: '18014398509481983' }).lowered).toHaveLength(1);
});
