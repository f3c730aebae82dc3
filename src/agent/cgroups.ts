/**
 * Control groups, both versions: a group holds the processes of an attempt on one node, limits their memory
 * together, remembers the peak, and says whether the kernel had to kill. The shim stays outside, so that it
 * can tell the end. Whether groups can be had at all is found out by making one.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorWords, isErrno } from '../platform/files.ts';
import { ownCgroup } from '../platform/machine.ts';
import { withSpareFile } from '../platform/spare-file.ts';

export interface Cgroups {
  readonly version: 1 | 2;
  /** The directory under which attempts have theirs; it is there as long as one of them has. */
  readonly base: string;
}

/** The child in which a yard's own process sits when its group had to be freed for others. */
const KEEPER = 'trainyard-daemon';
const PROBE = 'probe';
const PROBE_BYTES = 64 * 1024 * 1024;

export interface CgroupFinding {
  readonly cgroups: Cgroups | null;
  /** Why there are none, when there are none. */
  readonly obstacle: string | null;
}

/** Tries version 2, then version 1, for real. */
export function findCgroups(yardId: string): CgroupFinding {
  const obstacles: string[] = [];
  for (const version of [2, 1] as const) {
    const own = ownCgroup('memory', version);
    if (own === null) continue;
    const finding = prepareCgroups(version, own.directory, yardId);
    if (finding.cgroups !== null) return finding;
    obstacles.push(`version ${version}: ${finding.obstacle}`);
  }
  const obstacle = obstacles.length === 0 ? 'there are none' : obstacles.join('; ');
  return { cgroups: null, obstacle };
}

export function prepareCgroups(version: 1 | 2, ownDirectory: string, yardId: string): CgroupFinding {
  try {
    const parent = version === 2 ? delegatedGroup(ownDirectory) : ownDirectory;
    if (typeof parent !== 'string') return { cgroups: null, obstacle: parent.obstacle };
    const cgroups = { version, base: join(parent, `trainyard-${yardId.replace(/[^A-Za-z0-9]/g, '_')}`) };
    return tryOut(cgroups);
  } catch (error) {
    return { cgroups: null, obstacle: errorWords(error) };
  }
}

function tryOut(cgroups: Cgroups): CgroupFinding {
  try {
    createCgroup(cgroups, PROBE, PROBE_BYTES);
    return { cgroups, obstacle: null };
  } finally {
    removeCgroup(join(cgroups.base, PROBE));
  }
}

/** Throws when the kernel will not have it. Making one that is there sets its limit again. */
export function createCgroup(cgroups: Cgroups, name: string, limitBytes: number): string {
  const directory = join(cgroups.base, name);
  makeDirectory(cgroups.base);
  if (cgroups.version === 2) writeFileSync(`${cgroups.base}/cgroup.subtree_control`, '+memory');
  makeDirectory(directory);
  if (cgroups.version === 2) {
    writeFileSync(`${directory}/memory.max`, `${limitBytes}`);
    writeIfThere(`${directory}/memory.swap.max`, '0');
  } else {
    writeFileSync(`${directory}/memory.limit_in_bytes`, `${limitBytes}`);
    // Memory and swap together, so that the limit cannot be escaped by swapping.
    writeIfThere(`${directory}/memory.memsw.limit_in_bytes`, `${limitBytes}`);
  }
  return directory;
}

export function procsFile(directory: string): string {
  return `${directory}/cgroup.procs`;
}

export interface CgroupReading {
  readonly peakBytes: number | null;
  readonly oomKills: number;
}

/** Null when the group is gone. */
export function readCgroup(directory: string): CgroupReading | null {
  if (!existsSync(directory)) return null;
  const peak = readNumber(`${directory}/memory.peak`) ?? readNumber(`${directory}/memory.max_usage_in_bytes`);
  const events = readText(`${directory}/memory.events`) ?? readText(`${directory}/memory.oom_control`) ?? '';
  return { peakBytes: peak, oomKills: Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) };
}

export function cgroupMembers(directory: string): readonly number[] {
  const text = readText(procsFile(directory));
  return text === null ? [] : text.split('\n').filter(Boolean).map(Number);
}

/** Kills all members at once where the kernel can. */
export function killCgroup(directory: string): boolean {
  return writeIfThere(`${directory}/cgroup.kill`, '1');
}

/** False while somebody is still in it. The last one takes the yard's own group along. */
export function removeCgroup(directory: string): boolean {
  if (!removeDirectory(directory)) return false;
  removeDirectory(dirname(directory));
  return true;
}

export function listCgroups(cgroups: Cgroups): readonly string[] {
  if (!existsSync(cgroups.base)) return [];
  return readdirSync(cgroups.base, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/**
 * Version 2 lets a group either hold processes or hand controllers to its children. A group of which we are
 * the only member is freed by stepping down into a child.
 */
function delegatedGroup(ownDirectory: string): string | { readonly obstacle: string } {
  const group = basename(ownDirectory) === KEEPER ? dirname(ownDirectory) : ownDirectory;
  const controllers = (readText(`${group}/cgroup.controllers`) ?? '').trim().split(' ');
  if (!controllers.includes('memory')) return { obstacle: 'the memory controller is not handed down to us' };
  const handedOn = (readText(`${group}/cgroup.subtree_control`) ?? '').trim().split(' ');
  if (handedOn.includes('memory')) return group;
  const others = cgroupMembers(group).filter((pid) => pid !== process.pid);
  if (others.length > 0) return { obstacle: 'other processes share our group' };
  makeDirectory(join(group, KEEPER));
  writeFileSync(procsFile(join(group, KEEPER)), `${process.pid}`);
  writeFileSync(`${group}/cgroup.subtree_control`, '+memory');
  return group;
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

function removeDirectory(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    return isErrno(error, 'ENOENT');
  }
}

function writeIfThere(path: string, text: string): boolean {
  if (!existsSync(path)) return false;
  try {
    writeFileSync(path, text);
    return true;
  } catch {
    return false;
  }
}

function readText(path: string): string | null {
  try {
    return withSpareFile(() => readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function readNumber(path: string): number | null {
  const text = readText(path);
  return text === null || !/^\d+\s*$/.test(text) ? null : Number(text);
}
