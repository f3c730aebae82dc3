/**
 * Which directories are on disks of this machine, and how fast those are likely to be. Looks at each directory for a
 * moment only: one whose server does not answer must not keep anybody.
 */

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { whyNotSafeToMakeIn } from './directory.ts';
import { kindOfMagic } from './file-systems.ts';
import { errorWords } from './files.ts';

/** Fastest first. */
const DISK_KINDS = ['memory', 'nvme', 'ssd', 'unknown', 'rotating', 'network'] as const;
export type DiskKind = (typeof DISK_KINDS)[number];

export interface LocalDisk {
  readonly directory: string;
  readonly kind: DiskKind;
}

export const DISK_WORDS: Readonly<Record<DiskKind, string>> = {
  memory: 'in memory',
  nvme: 'on NVMe',
  ssd: 'on a solid-state disk',
  unknown: 'on a local disk',
  rotating: 'on a disk that may be a rotating one',
  network: 'on a network file system',
};

/** Where sites have local disks, and what is there everywhere. */
export const USUAL_PLACES: readonly string[] = [
  '/local',
  '/local/scratch',
  '/scratch',
  '/mnt/scratch',
  '/var/tmp',
  '/tmp',
];

const PATIENCE_MS = 2000;

/**
 * Those of the directories that can be written to, fastest first, and of each disk one. Somebody who named them is
 * taken at their word; otherwise what is in memory or on a network does not count, nor what others can rename things in.
 */
export async function findLocalDisks(
  directories: readonly string[],
  areChosen: boolean,
  log: (line: string) => void,
): Promise<readonly LocalDisk[]> {
  const looks = await Promise.all(directories.map((directory) => within(lookAt(directory))));
  const disks: (LocalDisk & { readonly device: number })[] = [];
  for (const [at, look] of looks.entries()) {
    if ('why' in look) {
      if (areChosen) log(`${directories[at]} cannot be used for scratch: ${look.why}`);
    } else if (look.unsafe !== null && !areChosen) {
      log(`${directories[at]} is not used for scratch unless the config names it: ${look.unsafe}`);
    } else if (areChosen || (look.kind !== 'memory' && look.kind !== 'network')) {
      if (!disks.some(({ device }) => device === look.device)) disks.push(look);
    }
  }
  return disks.map(({ directory, kind }) => ({ directory, kind })).sort((a, b) => speedOf(a) - speedOf(b));
}

/** The less, the faster. */
export function speedOf({ kind }: LocalDisk): number {
  return DISK_KINDS.indexOf(kind);
}

/** What an ordinary user may still write there. */
export async function freeBytesIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** `unsafe`: why others can put something else where a directory was made in it. */
type Look =
  | (LocalDisk & { readonly device: number; readonly unsafe: string | null })
  | { readonly why: string };

async function lookAt(directory: string): Promise<Look> {
  try {
    const found = await stat(directory);
    if (!found.isDirectory()) return { why: 'it is not a directory' };
    await access(directory, constants.W_OK | constants.X_OK);
    const system = kindOfMagic((await statfs(directory)).type);
    const unsafe = whyNotSafeToMakeIn(found, process.geteuid?.() ?? 0);
    return { directory, device: found.dev, kind: kindOf(system, found.dev), unsafe };
  } catch (error) {
    return { why: errorWords(error) };
  }
}

async function within(look: Promise<Look>): Promise<Look> {
  let timer: NodeJS.Timeout | null = null;
  const enough = new Promise<Look>((resolve) => {
    timer = setTimeout(() => resolve({ why: 'it does not answer' }), PATIENCE_MS);
  });
  const first = await Promise.race([look, enough]);
  if (timer !== null) clearTimeout(timer);
  return first;
}

function kindOf(system: ReturnType<typeof kindOfMagic>, device: number): DiskKind {
  if (system.name === 'tmpfs') return 'memory';
  if (system.where !== 'local') return 'network';
  return kindOfDevice(device, '/sys', readText('/proc/self/mountinfo') ?? '');
}

/** By what the kernel says about the disk; file systems without a device of their own name it where they are mounted. */
export function kindOfDevice(device: number, sys: string, mountinfo: string): DiskKind {
  const number = `${majorOf(device)}:${minorOf(device)}`;
  const disk =
    diskAt(`${sys}/dev/block/${number}`) ?? diskAt(`${sys}/class/block/${mountedFrom(number, mountinfo)}`);
  return disk === null ? 'unknown' : kindOfDisk(disk);
}

/** The name in /dev of what is mounted with this device number. */
function mountedFrom(number: string, mountinfo: string): string {
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    if (before.split(' ')[2] === number) return basename(after.split(' ')[1] ?? '') || '-';
  }
  return '-';
}

/** A part of a disk is described by the disk. */
function diskAt(link: string): string | null {
  try {
    const path = realpathSync(link);
    return statSync(`${path}/partition`, { throwIfNoEntry: false }) === undefined ? path : dirname(path);
  } catch {
    return null;
  }
}

/** One that is put together from others is as fast as the slowest of them. */
function kindOfDisk(disk: string): DiskKind {
  const below = namesIn(`${disk}/slaves`).map((name) => diskAt(`${disk}/slaves/${name}`));
  const kinds = below.filter((path) => path !== null).map(kindOfDisk);
  if (kinds.length > 0)
    return kinds.sort((a, b) => DISK_KINDS.indexOf(b) - DISK_KINDS.indexOf(a))[0] as DiskKind;
  if (basename(disk).startsWith('nvme')) return 'nvme';
  const rotational = readText(`${disk}/queue/rotational`)?.trim();
  return rotational === '0' ? 'ssd' : rotational === '1' ? 'rotating' : 'unknown';
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** As the C library takes a device number apart. */
function majorOf(device: number): number {
  return (device >>> 8) & 0xfff;
}

function minorOf(device: number): number {
  return (device & 0xff) | ((device >>> 12) & 0xfff00);
}
