/**
 * The files that running attempts need inside a yard's directory: where they are and how they go away. A
 * small job costs one of them, so nothing is kept here that the yard's store has already.
 *
 *   ranks-ID/17.2.0    rank 0 of attempt 17.2: whose it is, a shim's, a caller's, or of somebody who revoked it,
 *                      and in the end how it ended; all in one directory, so that one watch sees them. ID is the
 *                      store's: files of another store never count. A store older than ids has `ranks/`
 *   steps-ID/17.2.0    step 0 of attempt 17.2, in the same manner, for the process that runs the step
 *   spares/3           an empty file to be used for the next rank
 *   scripts/HASH       a script as submitted, once for all jobs that share it
 *   groups/17.2        the control groups of an attempt that has some
 *   furnishings/17.2   the directories that were made for an attempt elsewhere, if any
 *   keeping/17.2.json  what attempt 17.2 keeps and where, until all of it is safe
 *   device-use/17.2    what attempt 17.2 has used of its GPUs so far
 *   boot               the boot in which an agent last opened this directory
 *   shim-HASH.sh       the shim of this version; a shell reads its script as it goes, so a shim that runs
 *                      must not change under it when Trainyard is upgraded
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptId } from '../model/ids.ts';
import { ensureDirectory, readFileIfThere, removeIfThere, writeFileAtomic } from '../platform/files.ts';
import { bootId } from '../platform/processes.ts';

export interface YardFiles {
  readonly ranks: string;
  readonly steps: string;
  readonly spares: string;
  readonly scripts: string;
  readonly groups: string;
  readonly furnishings: string;
  readonly keeping: string;
  readonly deviceUse: string;
  readonly shim: string;
  /** When this agent found the machine restarted since the last one: the wall clock at that moment. */
  readonly restartSeenAt: number | null;
}

/** `claims` is what the names of the directories with claims end in. */
export function openYardFiles(
  directory: string,
  claims: string,
  shimSource: string,
  wallMs: number,
): YardFiles {
  const shim = readFileSync(shimSource);
  const hash = createHash('sha256').update(shim).digest('hex').slice(0, 8);
  const bootFile = join(directory, 'boot');
  const files = {
    ranks: join(directory, `ranks${claims}`),
    steps: join(directory, `steps${claims}`),
    spares: join(directory, 'spares'),
    scripts: join(directory, 'scripts'),
    groups: join(directory, 'groups'),
    furnishings: join(directory, 'furnishings'),
    keeping: join(directory, 'keeping'),
    deviceUse: join(directory, 'device-use'),
    shim: join(directory, `shim-${hash}.sh`),
  };
  const { shim: shimPath, ...directories } = files;
  for (const path of Object.values(directories)) ensureDirectory(path);
  if (readFileIfThere(shimPath)?.equals(shim) !== true) writeFileAtomic(shimPath, shim, 0o700);
  const lastBoot = readFileIfThere(bootFile)?.toString('latin1') ?? null;
  if (lastBoot !== bootId()) writeFileAtomic(bootFile, bootId());
  const restarted = lastBoot !== null && lastBoot !== bootId();
  return { ...files, restartSeenAt: restarted ? wallMs : null };
}

export function rankPath(files: YardFiles, attempt: AttemptId, rank: number): string {
  return `${files.ranks}/${attempt}.${rank}`;
}

export function stepPath(files: YardFiles, attempt: AttemptId, step: number): string {
  return `${files.steps}/${attempt}.${step}`;
}

/** Reads `17.2.0`, the name of a rank's or a step's file. */
export function parsePartName(name: string): { readonly attempt: AttemptId; readonly n: number } | null {
  const match = /^(\d+\.\d+)\.(\d+)$/.exec(name);
  return match === null ? null : { attempt: match[1] as string, n: Number(match[2]) };
}

/** Notes which control groups an attempt is about to be put in. */
export function noteGroups(files: YardFiles, attempt: AttemptId, directories: readonly string[]): void {
  replaceFile(`${files.groups}/${attempt}`, directories.join('\n'));
}

export function notedGroups(files: YardFiles, attempt: AttemptId): readonly string[] {
  const text = readFileIfThere(`${files.groups}/${attempt}`)?.toString('utf8') ?? '';
  return text === '' ? [] : text.split('\n');
}

/** Notes which directories are about to be made for an attempt. */
export function noteFurnishings(files: YardFiles, attempt: AttemptId, directories: readonly string[]): void {
  replaceFile(`${files.furnishings}/${attempt}`, JSON.stringify(directories));
}

export function dropFurnishingsNote(files: YardFiles, attempt: AttemptId): void {
  removeIfThere(`${files.furnishings}/${attempt}`);
}

/** What was noted for every attempt, whoever knows of it. A note that was not finished says that nothing was made. */
export function furnishingsNotes(files: YardFiles): readonly (readonly [AttemptId, readonly string[]])[] {
  return readdirSync(files.furnishings).flatMap((name) => {
    if (!/^\d+\.\d+$/.test(name)) {
      removeIfThere(`${files.furnishings}/${name}`);
      return [];
    }
    return [
      [name, parseNote(readFileIfThere(`${files.furnishings}/${name}`)?.toString('utf8') ?? '')] as const,
    ];
  });
}

function parseNote(text: string): readonly string[] {
  try {
    const directories: unknown = JSON.parse(text);
    return Array.isArray(directories) ? directories.filter((path) => typeof path === 'string') : [];
  } catch {
    return [];
  }
}

/** Removes all that is left of an attempt. Safe to repeat. Ranks are numbered without gaps. */
export function removeFilesOf(files: YardFiles, attempt: AttemptId): void {
  for (let rank = 0; removeIfThere(rankPath(files, attempt, rank)); ) rank++;
  dropGroupsNote(files, attempt);
}

export function dropGroupsNote(files: YardFiles, attempt: AttemptId): void {
  const path = `${files.groups}/${attempt}`;
  if (existsSync(path)) removeIfThere(path);
}

export interface PartFile {
  readonly attempt: AttemptId;
  readonly n: number;
}

/** The file of every rank, or of every step, whoever knows of it. */
export function listParts(directory: string): readonly PartFile[] {
  return readdirSync(directory).flatMap((name) => parsePartName(name) ?? []);
}

/** Others see the old content or the new, nothing between. A power failure may lose either. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, path);
}
