/**
 * The record of an open shelf, in memory and on disk at once. A change that could not be carried out to its end stays
 * announced, and is carried out before the next one.
 */

import { knownSources } from './changes.ts';
import type { Kept, Manifest, Settling } from './manifest.ts';
import { announce, type FoundManifest, writeManifest } from './manifest-file.ts';
import { carryOut, recover, removeLeaving } from './recover.ts';
import { draftPath } from './settle.ts';
import { type Ground, removeAll } from './trees.ts';

export interface Books {
  readonly ground: Ground;
  readonly manifest: () => Manifest;
  readonly find: (name: string) => Kept | null;
  /** Whether files of a program are known by this. */
  readonly isKnown: (source: string) => boolean;
  /** Carries out what is left of an earlier change. */
  readonly catchUp: () => Promise<void>;
  /** Nothing is to be moved. Safe when this resolves, and then what is listed no longer is removed. */
  readonly write: (next: Manifest) => Promise<void>;
  /** In memory only: it will be found out again after a crash. */
  readonly note: (next: Manifest) => void;
  /** Announced, moved, done; then what is listed no longer is removed. */
  readonly change: (next: Manifest, settling: Settling) => Promise<void>;
  /** Whether what is drafted there may still be needed. */
  readonly isPending: () => boolean;
}

export async function openBooks(ground: Ground, found: FoundManifest): Promise<Books> {
  let manifest = await recover(ground, found);
  let known = knownSources(manifest);
  let pending: Manifest | null = null;

  function note(next: Manifest): void {
    manifest = { ...next, settling: null };
    known = knownSources(manifest);
  }

  async function finish(next: Manifest): Promise<void> {
    pending = next;
    note(await carryOut(ground, next));
    pending = null;
    note(await removeLeaving(ground, manifest));
  }

  return {
    ground,
    manifest: () => manifest,
    find: (name) => manifest.kept.find((entry) => entry.name === name) ?? null,
    isKnown: (source) => known.has(source),
    catchUp: async () => {
      const left = pending?.settling ?? null;
      if (pending !== null) await finish(pending);
      if (left !== null) await removeAll(ground.bulk, draftPath(ground, left.id));
    },
    async write(next) {
      await writeManifest(ground, next);
      note(next);
      note(await removeLeaving(ground, manifest));
    },
    note,
    async change(next, settling) {
      const announced = { ...next, settling };
      await announce(ground, announced);
      await finish(announced);
    },
    isPending: () => pending !== null,
  };
}
