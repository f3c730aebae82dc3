/**
 * What earlier agents left behind in a yard's directory. The store decides: what belongs to an attempt whose end
 * it does not know is kept until it does, however old it is. Everything else may go unless it still runs.
 */

import { readdirSync } from 'node:fs';
import type { AttemptId } from '../model/ids.ts';
import { removeIfThere } from '../platform/files.ts';
import { type Cgroups, listCgroups, removeCgroup } from './cgroups.ts';
import { rankState } from './recover.ts';
import { dropGroupsNote, listParts, stepPath, type YardFiles } from './yard-files.ts';

/** Whether the store has yet to learn how this attempt ends. */
export type IsOwed = (attempt: AttemptId) => boolean;

/**
 * Removes what can go at once. Gives the attempts whose rank files may go too, but not before a shim that an
 * earlier agent started last has had time to find its rank taken.
 */
export function tidyUp(
  files: YardFiles,
  yardId: string,
  cgroups: Cgroups | null,
  isOwed: IsOwed,
): readonly AttemptId[] {
  const kept = new Set<AttemptId>();
  const over = new Set<AttemptId>();
  for (const { attempt, n } of listParts(files.ranks)) {
    if (isOwed(attempt) || rankState(files, yardId, attempt, n).kind === 'running') kept.add(attempt);
    else over.add(attempt);
  }
  const mayGo = (attempt: AttemptId) => !kept.has(attempt) && !isOwed(attempt);
  for (const { attempt, n } of listParts(files.steps))
    if (mayGo(attempt)) removeIfThere(stepPath(files, attempt, n));
  for (const attempt of readdirSync(files.groups)) if (mayGo(attempt)) dropGroupsNote(files, attempt);
  for (const name of cgroups === null ? [] : listCgroups(cgroups))
    if (mayGo(name.slice(0, name.lastIndexOf('.')))) removeCgroup(`${cgroups?.base}/${name}`);
  return [...over].filter(mayGo);
}
