/** A checkpoint that nobody has recorded, copied from one directory into another: whole under its names, or not at all. */

import { randomBytes } from 'node:crypto';
import type { Unit } from '../units.ts';
import { makeDraft } from './draft.ts';
import { draftPath } from './settle.ts';
import { type Ground, removeAll, removeEmpty, syncDirectory } from './trees.ts';

/** Into the ground's directory, whose calls reach `from` as well. What has one of its names there stays. */
export async function copyFound(ground: Ground, unit: Unit, from: string): Promise<'copied' | 'changed'> {
  const { calls, bulk, directory, hidden } = ground;
  const draft = draftPath(ground, `found-${randomBytes(6).toString('hex')}`);
  const nothing = { present: null, sibling: null, onPreviousTaken: () => {} };
  try {
    if ((await makeDraft({ ground, draft, unit, from, ...nothing })) === null) return 'changed';
    const tops = unit.kind === 'directory' ? [unit.name] : unit.files.map(({ path }) => path);
    for (const top of tops)
      if ((await calls.look(`${directory}/${top}`)) === null)
        await calls.rename(`${draft}/new/${top}`, `${directory}/${top}`);
    await syncDirectory(calls, directory);
    return 'copied';
  } finally {
    await removeAll(bulk, draft);
    await removeEmpty(calls, `${hidden}/drafts`);
    await removeEmpty(calls, hidden);
  }
}
