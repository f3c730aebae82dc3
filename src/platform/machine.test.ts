import { expect, test } from 'vitest';
import { cpuQuota, detectMachine, lookAtMachine, memoryLimit, ownCgroup } from './machine.ts';

const reader = (files: Record<string, string>) => (path: string) => files[path] ?? null;

const v2 = {
  '/proc/self/cgroup': '0::/user.slice/session-2.scope\n',
  '/proc/self/mountinfo': '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n',
};
const v1 = {
  '/proc/self/cgroup': '4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n0::/\n',
  '/proc/self/mountinfo':
    '33 29 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n' +
    '34 29 0:31 / /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n',
};

test('this machine has CPUs and memory', () => {
  const machine = detectMachine();
  expect(machine.cpus).toBeGreaterThan(0);
  expect(machine.cpuIds).toHaveLength(machine.cpus);
  expect(machine.memoryBytes).toBeGreaterThan(2 ** 26);
});

test('the tightest limit of the groups above us counts, version 2', () => {
  const read = reader({
    ...v2,
    '/sys/fs/cgroup/user.slice/session-2.scope/memory.max': 'max\n',
    '/sys/fs/cgroup/user.slice/memory.max': '1000000\n',
    '/sys/fs/cgroup/user.slice/cpu.max': '150000 100000\n',
    '/sys/fs/cgroup/user.slice/session-2.scope/cpu.max': 'max 100000\n',
  });
  expect(memoryLimit(read)).toBe(1_000_000);
  expect(cpuQuota(read)).toBe(1.5);
});

test('the same for version 1, where no limit is a huge number, seen from inside a container', () => {
  const files = {
    ...v1,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us': '50000\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us': '100000\n',
  };
  expect(memoryLimit(reader(files))).toBeNull();
  expect(cpuQuota(reader(files))).toBe(0.5);
  expect(ownCgroup('memory', 1, reader(files))?.directory).toBe('/sys/fs/cgroup/memory');
});

test('without any group there is no limit', () => {
  expect(memoryLimit(reader({}))).toBeNull();
  expect(cpuQuota(reader({}))).toBeNull();
  expect(ownCgroup('memory', 2, reader({}))).toBeNull();
});

test('how much swap there is, and how much of it is free', () => {
  const meminfo =
    'MemTotal: 24000 kB\nSwapCached: 1 kB\nSwapTotal:       2048 kB\nSwapFree:        1024 kB\n';
  const seen = lookAtMachine(reader({ '/proc/meminfo': meminfo }));
  expect(seen).toMatchObject({ swapBytes: 2_097_152, freeSwapBytes: 1_048_576 });
  expect(lookAtMachine(reader({}))).not.toHaveProperty('swapBytes');
});
