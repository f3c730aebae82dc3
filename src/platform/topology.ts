/** How the CPUs of this machine are built in, as its kernel tells it. They do not change while it runs. */

import { readFileSync } from 'node:fs';
import type { Topology } from '../model/query.ts';
import type { ReadText } from './machine.ts';

const CPUS = '/sys/devices/system/cpu';

let known: Topology | null | undefined;

/** Null where the kernel does not say. */
export function topologyOfMachine(): Topology | null {
  if (known === undefined) known = readTopology(readText);
  return known;
}

export function readTopology(read: ReadText): Topology | null {
  const cpus = cpuNumbers(read(`${CPUS}/online`) ?? '');
  const sockets = new Set<string>();
  const cores = new Set<string>();
  for (const cpu of cpus) {
    const socket = read(`${CPUS}/cpu${cpu}/topology/physical_package_id`)?.trim();
    const core = read(`${CPUS}/cpu${cpu}/topology/core_id`)?.trim();
    if (socket === undefined || core === undefined) return null;
    sockets.add(socket);
    cores.add(`${socket} ${core}`);
  }
  return cpus.length === 0 ? null : { sockets: sockets.size, cores: cores.size, threads: cpus.length };
}

/** `0-3,8`. */
function cpuNumbers(list: string): readonly number[] {
  return [...list.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, first, last]) => {
    const from = Number(first);
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_, i) => from + i);
  });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
