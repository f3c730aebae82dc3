/**
 * The code of jobs that asked for a snapshot: taken when they are submitted, given to them when they run, and what they
 * made in it brought back when they have ended. Everything is below one directory:
 *
 *   objects/ab/cdef…   contents of files, shared by all jobs
 *   jobs/17            the code of job 17, while it is not over
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobHash, JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { CodeSnapshot } from '../../model/keeping.ts';
import { Fault } from '../../model/refusal.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import { removeTree } from '../../platform/remove-tree.ts';
import { carryBack } from './carry-back.ts';
import { checkOut } from './check-out.ts';
import { codeObjects } from './objects.ts';
import { type Taken, takeCode } from './take.ts';
import { type CodeTree, decodeTree } from './tree.ts';

export interface CodeStore {
  take(directory: string): Promise<Taken>;
  /** Where the job runs; its code is put there if it is not there yet. Rejects with a Fault. */
  workDir(job: Job): Promise<string>;
  /** The job has ended: brings back what it made, and removes the rest. Safe to repeat. */
  end(job: Job): Promise<void>;
  /** Whose code is in place, also from before this process. */
  jobs(): Promise<readonly JobId[]>;
  /** The same of one job, once `jobs` has been asked: without looking. */
  isInPlace(job: JobId): boolean;
  /** Removes contents that none of these need and nobody has used since. */
  sweep(needed: readonly CodeSnapshot[], usedBefore: number): Promise<void>;
}

export function createCodeStore(
  directory: string,
  blob: (hash: BlobHash) => Uint8Array | null,
  log: (line: string) => void,
): CodeStore {
  const objects = codeObjects(directory);
  const inPlace = new Set<JobId>();
  const placeOf = (job: JobId) => join(directory, 'jobs', `${job}`);

  function treeOf({ tree }: CodeSnapshot): CodeTree | null {
    const bytes = blob(tree);
    return bytes === null ? null : decodeTree(bytes);
  }

  async function workDir(job: Job): Promise<string> {
    const snapshot = job.spec.keeping?.snapshot ?? null;
    if (snapshot === null) return job.spec.workDir;
    const tree = treeOf(snapshot);
    if (tree === null) throw new Fault('the code it was submitted with is gone from the store', false);
    inPlace.add(job.id);
    await checkOut(tree, snapshot.root, placeOf(job.id), objects);
    return join(placeOf(job.id), snapshot.below);
  }

  async function end(job: Job): Promise<void> {
    const snapshot = job.spec.keeping?.snapshot ?? null;
    const place = placeOf(job.id);
    if (snapshot === null) return removeTree(place);
    const tree = treeOf(snapshot);
    if (tree === null) return log(`what job ${job.id} made stays in ${place}: its list of files is gone`);
    try {
      const brought = await carryBack(tree, snapshot.root, place, `.job-${job.id}`);
      if (brought.length > 0)
        log(
          `job ${job.id} made ${brought.length} files in its copy of the code; they are in ${snapshot.root}`,
        );
      await removeTree(place);
      inPlace.delete(job.id);
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return;
      log(`what job ${job.id} made stays in ${place}: it cannot be brought back (${errorWords(error)})`);
    }
  }

  const busy = new Map<JobId, Promise<unknown>>();

  /** A job that is queued again just after its end must not be given a directory that is being removed. */
  function inTurn<T>(job: JobId, work: () => Promise<T>): Promise<T> {
    const turn = (busy.get(job) ?? Promise.resolve()).then(work, work);
    busy.set(job, turn);
    const leave = () => {
      if (busy.get(job) === turn) busy.delete(job);
    };
    turn.then(leave, leave);
    return turn;
  }

  return {
    take: (from) => takeCode(from, objects),
    workDir: (job) => inTurn(job.id, () => workDir(job)),
    end: (job) => inTurn(job.id, () => end(job)),

    async jobs() {
      try {
        const names = await readdir(join(directory, 'jobs'));
        for (const name of names) if (/^\d+$/.test(name)) inPlace.add(Number(name));
        return [...inPlace];
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return [];
        throw error;
      }
    },

    isInPlace: (job) => inPlace.has(job),

    async sweep(needed, usedBefore) {
      const trees = needed.map(treeOf);
      // A list that cannot be read may need anything.
      if (trees.includes(null)) return;
      const hashes = trees.flatMap((tree) =>
        (tree?.entries ?? []).flatMap((entry) => (entry.kind === 'file' ? [entry.hash] : [])),
      );
      await objects.sweep(new Set(hashes), usedBefore);
    },
  };
}
