import { expect, test } from 'vitest';
import { readTopology, topologyOfMachine } from './topology.ts';

const CPUS = '/sys/devices/system/cpu';

function machine(online: string, places: readonly (readonly [socket: number, core: number])[]) {
  const files = new Map([[`${CPUS}/online`, `${online}\n`]]);
  for (const [cpu, [socket, core]] of places.entries()) {
    files.set(`${CPUS}/cpu${cpu}/topology/physical_package_id`, `${socket}\n`);
    files.set(`${CPUS}/cpu${cpu}/topology/core_id`, `${core}\n`);
  }
  return (path: string) => files.get(path) ?? null;
}

test('two sockets of two cores with two threads each; each socket counts its own cores', () => {
  const cores = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ] as const;
  const read = machine('0-7', [...cores, ...cores]);
  expect(readTopology(read)).toEqual({ sockets: 2, cores: 4, threads: 8 });
});

test('a CPU that is off does not count', () => {
  const cores = [
    [0, 0],
    [0, 1],
    [0, 2],
  ] as const;
  expect(readTopology(machine('0,2', cores))).toEqual({ sockets: 1, cores: 2, threads: 2 });
});

test('a kernel that does not say', () => {
  expect(readTopology(machine('0-1', [[0, 0]]))).toBeNull();
  expect(readTopology(() => null)).toBeNull();
});

test('this machine has as many threads as cores, or more', () => {
  const { cores, threads } = topologyOfMachine() ?? { cores: 0, threads: 0 };
  expect(threads).toBeGreaterThanOrEqual(cores);
});
