/** What earlier agents left behind in a yard's directory and nobody will ask for again. */

import { removeIfThere } from '../platform/files.ts';
import { type Cgroups, listCgroups, removeCgroup } from './cgroups.ts';
import { rankState } from './recover.ts';
import { listParts, removeFilesOf, stepPath, type YardFiles } from './yard-files.ts';

/**
 * The yard has an attempt's files removed when its end is on record; a crash between the two leaves them.
 * They cannot be told from those of an attempt whose end the yard has yet to learn, but old ones can.
 */
const ABANDONED_AFTER_MS = 7 * 86_400_000;

export function tidyUp(files: YardFiles, yardId: string, cgroups: Cgroups | null, wallMs: number): void {
  const kept = new Set<string>();
  for (const { attempt, n, at } of listParts(files.ranks)) {
    const abandoned =
      wallMs - at > ABANDONED_AFTER_MS && rankState(files, yardId, attempt, n).kind !== 'running';
    if (abandoned) removeFilesOf(files, attempt);
    else kept.add(attempt);
  }
  for (const { attempt, n, at } of listParts(files.steps)) {
    if (wallMs - at > ABANDONED_AFTER_MS && !kept.has(attempt)) removeIfThere(stepPath(files, attempt, n));
  }
  if (cgroups === null) return;
  for (const name of listCgroups(cgroups)) {
    const attempt = name.slice(0, name.lastIndexOf('.'));
    if (!kept.has(attempt)) removeCgroup(`${cgroups.base}/${name}`);
  }
}
