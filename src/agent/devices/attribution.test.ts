import { describe, expect, test } from 'vitest';
import { type DeviceName, type Holder, type Holders, ownerOf, type ProcessFacts } from './attribution.ts';

const kin = (pid: number) => ({ pid, startTicks: pid * 10 });
const process = (changes: Partial<ProcessFacts> & { readonly under?: readonly number[] } = {}) => {
  const { under = [], ...rest } = changes;
  return {
    ...kin(100),
    ancestry: [kin(100), ...under.map(kin)],
    session: 100,
    markedFor: null,
    cgroups: '0::/user.slice\n',
    command: 'python train.py',
    user: 'ada',
    ...rest,
  };
};
const holder = (attempt: string, ...indices: readonly number[]): Holder => ({
  attempt,
  caller: null,
  sessions: () => [],
  sinceTicks: 0,
  cgroups: [],
  holds: ({ node, index }) => node === 'box' && indices.includes(index),
});
const among = (...all: readonly Holder[]): Holders => ({
  all,
  isRunning: (attempt) => attempt === '5.1' || all.some((each) => each.attempt === attempt),
});
const device = (index: number): DeviceName => ({ node: 'box', index });
const ofAttempt = (attempt: string) => ({ kind: 'attempt', attempt });

test('a process with a marker is of that attempt', () => {
  const holders = among(holder('1.1', 0), holder('2.1', 0));
  expect(ownerOf(process({ markedFor: '2.1' }), device(0), holders)).toEqual(ofAttempt('2.1'));
});

test('without one, the session of a shim tells, unless it was there before the attempt', () => {
  const shims = { ...holder('1.1', 0), sessions: () => [40], sinceTicks: 900 };
  expect(ownerOf(process({ session: 40 }), device(0), among(shims))).toEqual(ofAttempt('1.1'));
  const older = { ...shims, sinceTicks: 1001 };
  expect(ownerOf(process({ session: 40 }), device(0), among(older))).toEqual({ kind: 'foreign' });
});

test('or its control group', () => {
  const grouped = { ...holder('1.1', 0), cgroups: ['/sys/fs/cgroup/user/trainyard-y/1.1.0'] };
  const inside = process({ cgroups: '0::/user/trainyard-y/1.1.0\n' });
  const beside = process({ cgroups: '0::/user/trainyard-y/11.1.0\n' });
  expect(ownerOf(inside, device(0), among(grouped))).toEqual(ofAttempt('1.1'));
  expect(ownerOf(beside, device(0), among(grouped))).toEqual({ kind: 'foreign' });
});

describe('what is held from outside', () => {
  const lease = { ...holder('2.1', 1), caller: kin(50) };

  test('is for its holder and all that comes from it', () => {
    expect(ownerOf(process({ ...kin(50), ancestry: [kin(50)] }), device(1), among(lease))).toEqual(
      ofAttempt('2.1'),
    );
    expect(ownerOf(process({ under: [60, 50, 2] }), device(1), among(lease))).toEqual(ofAttempt('2.1'));
  });

  test('is not for another process with the same number', () => {
    const later = process({ ancestry: [kin(100), { pid: 50, startTicks: 7 }] });
    expect(ownerOf(later, device(1), among(lease))).toEqual({ kind: 'foreign' });
  });

  test('counts ahead of the job around it, on its own device alone', () => {
    const job = holder('1.1', 0);
    const inside = process({ markedFor: '1.1', under: [50] });
    expect(ownerOf(inside, device(1), among(job, lease))).toEqual(ofAttempt('2.1'));
    expect(ownerOf(inside, device(0), among(job, lease))).toEqual(ofAttempt('1.1'));
  });

  test('is for the nearest where several hold it', () => {
    const outer = { ...holder('3.1', 1), caller: kin(20) };
    expect(ownerOf(process({ under: [50, 20] }), device(1), among(outer, lease))).toEqual(ofAttempt('2.1'));
    expect(ownerOf(process({ under: [20] }), device(1), among(outer, lease))).toEqual(ofAttempt('3.1'));
  });
});

test('whoever is of nobody is a stranger', () => {
  expect(ownerOf(process(), device(0), among(holder('1.1', 0)))).toEqual({ kind: 'foreign' });
});

test('so is one of a job on a device that the job was not given', () => {
  const holders = among(holder('1.1', 0));
  expect(ownerOf(process({ markedFor: '1.1' }), device(1), holders)).toEqual({ kind: 'foreign' });
  // It runs, and has no devices at all.
  expect(ownerOf(process({ markedFor: '5.1' }), device(0), holders)).toEqual({ kind: 'foreign' });
});

test('one of an attempt that is coming or going is no stranger', () => {
  expect(ownerOf(process({ markedFor: '8.1' }), device(0), among())).toEqual({ kind: 'yard' });
});
