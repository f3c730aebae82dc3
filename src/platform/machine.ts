/**
 * What this machine lets us have: not what is built in, but what remains after affinity masks and control
 * groups. A container or a batch job that got two of 64 CPUs is a machine with two CPUs.
 */

import { readFileSync } from 'node:fs';
import {
  availableParallelism,
  freemem,
  hostname,
  loadavg,
  machine,
  release,
  totalmem,
  type,
  uptime,
  version,
} from 'node:os';
import type { MachineView } from '../model/query.ts';
import { affinityOf } from './libc.ts';
import { topologyOfMachine } from './topology.ts';

export interface Machine {
  readonly hostname: string;
  readonly cpus: number;
  /** The kernel's numbers of the CPUs that may be used; as many as `cpus`. */
  readonly cpuIds: readonly number[];
  readonly memoryBytes: number;
}

export type ReadText = (path: string) => string | null;

export function detectMachine(): Machine {
  const allowed = affinityOf() ?? Array.from({ length: availableParallelism() }, (_, i) => i);
  const quota = cpuQuota();
  const cpus = Math.max(1, quota === null ? allowed.length : Math.min(allowed.length, Math.floor(quota)));
  return {
    hostname: hostname(),
    cpus,
    cpuIds: allowed.slice(0, cpus),
    memoryBytes: Math.min(totalmem(), memoryLimit() ?? Number.POSITIVE_INFINITY),
  };
}

/** How it is doing at this moment. */
export function lookAtMachine(read: ReadText = readText): MachineView {
  const [load, loadOver5Minutes, loadOver15Minutes] = loadavg() as [number, number, number];
  const topology = topologyOfMachine();
  return {
    architecture: machine(),
    system: `${type()} ${release()} ${version()}`,
    bootedAt: Math.round(Date.now() - uptime() * 1000),
    load,
    loadOver5Minutes,
    loadOver15Minutes,
    freeMemoryBytes: freemem(),
    ...swapOf(read),
    ...(topology === null ? {} : { topology }),
  };
}

function swapOf(read: ReadText): Pick<MachineView, 'swapBytes' | 'freeSwapBytes'> {
  const text = read('/proc/meminfo') ?? '';
  const [total, free] = ['SwapTotal', 'SwapFree'].map((name) => {
    const match = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text);
    return match === null ? null : Number(match[1]) * 1024;
  });
  if (total === undefined || total === null || free === undefined || free === null) return {};
  return { swapBytes: total, freeSwapBytes: free };
}

/** How many CPUs' worth of time the control groups above us allow; null: no limit. */
export function cpuQuota(read: ReadText = readText): number | null {
  const quotas: number[] = [];
  for (const directory of groupDirectories('cpu', read)) {
    const [max, period] = (read(`${directory}/cpu.max`) ?? '').trim().split(' ').map(Number);
    if (max !== undefined && period !== undefined && max > 0 && period > 0) quotas.push(max / period);
    const quotaV1 = Number(read(`${directory}/cpu.cfs_quota_us`) ?? Number.NaN);
    const periodV1 = Number(read(`${directory}/cpu.cfs_period_us`) ?? Number.NaN);
    if (quotaV1 > 0 && periodV1 > 0) quotas.push(quotaV1 / periodV1);
  }
  return quotas.length === 0 ? null : Math.min(...quotas);
}

/** The smallest memory limit of the control groups above us; null: no limit. */
export function memoryLimit(read: ReadText = readText): number | null {
  const limits: number[] = [];
  for (const directory of groupDirectories('memory', read)) {
    for (const file of ['memory.max', 'memory.limit_in_bytes']) {
      const limit = Number(read(`${directory}/${file}`)?.trim() ?? Number.NaN);
      // Version 1 says "no limit" with a number near 2^63.
      if (limit > 0 && limit < 2 ** 60) limits.push(limit);
    }
  }
  return limits.length === 0 ? null : Math.min(...limits);
}

export interface CgroupMount {
  readonly version: 1 | 2;
  readonly mountPoint: string;
  /** The directory of this process's own group. */
  readonly directory: string;
}

/** Where this process is in the hierarchy of a controller; null when there is none. */
export function ownCgroup(controller: string, version: 1 | 2, read: ReadText = readText): CgroupMount | null {
  const mount = mountOf(controller, version, read);
  const path = pathIn(controller, version, read);
  if (mount === null || path === null) return null;
  // Inside a container the mount may show only a part of the hierarchy, whose top is our own group.
  const inside =
    mount.root === '/' ? path : path.startsWith(mount.root) ? path.slice(mount.root.length) : '/';
  const directory = `${mount.mountPoint}${inside === '/' ? '' : inside}`;
  return { version, mountPoint: mount.mountPoint, directory };
}

/** Our own group's directory and all above it, in both versions. */
function groupDirectories(controller: string, read: ReadText): readonly string[] {
  const directories: string[] = [];
  for (const version of [1, 2] as const) {
    const own = ownCgroup(controller, version, read);
    if (own === null) continue;
    let directory = own.directory;
    while (directory.length >= own.mountPoint.length) {
      directories.push(directory);
      directory = directory.slice(0, directory.lastIndexOf('/'));
    }
  }
  return directories;
}

function mountOf(
  controller: string,
  version: 1 | 2,
  read: ReadText,
): { readonly mountPoint: string; readonly root: string } | null {
  for (const line of (read('/proc/self/mountinfo') ?? '').split('\n')) {
    const [left, right] = line.split(' - ');
    if (left === undefined || right === undefined) continue;
    const [kind, , options] = right.split(' ');
    const matches =
      version === 2
        ? kind === 'cgroup2'
        : kind === 'cgroup' && (options ?? '').split(',').includes(controller);
    if (!matches) continue;
    const fields = left.split(' ');
    return { mountPoint: unescapeMount(fields[4] as string), root: unescapeMount(fields[3] as string) };
  }
  return null;
}

function pathIn(controller: string, version: 1 | 2, read: ReadText): string | null {
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    const match = /^(\d+):([^:]*):(.*)$/.exec(line);
    if (match === null) continue;
    const isWanted =
      version === 2
        ? match[1] === '0' && match[2] === ''
        : (match[2] as string).split(',').includes(controller);
    if (isWanted) return match[3] as string;
  }
  return null;
}

/** mountinfo writes spaces and the like as octal numbers. */
function unescapeMount(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
