/** What is on a shelf as people see it. */

import type { CheckpointView } from '../../model/keeping.ts';
import { newestFirst } from '../retention.ts';
import type { Apart, Kept, Manifest } from './manifest.ts';

/** Newest first, then what is set apart. Pointers are no checkpoints. */
export function viewsOf(directory: string, { kept, apart }: Manifest): readonly CheckpointView[] {
  const aside = apart.toSorted((one, other) => other.at - one.at);
  return [
    ...newestFirst(kept).map((entry) => viewOf(directory, entry)),
    ...aside.filter(({ kind }) => kind !== 'pointer').map((one) => apartView(directory, one)),
  ];
}

export function viewOf(directory: string, entry: Kept): CheckpointView {
  const { name, kind, step, bytes, files, writtenAt, keptAt, isBest, attempt } = entry;
  return {
    name,
    kind: kind === 'pointer' ? 'file' : kind,
    step,
    bytes,
    files: files.length,
    writtenAt,
    keptAt,
    state: 'kept',
    isBest,
    attempt,
    path: `${directory}/${name}`,
  };
}

function apartView(directory: string, apart: Apart): CheckpointView {
  const { name, kind, step, bytes, fileCount, writtenAt, state, isBest, attempt, path } = apart;
  return {
    name,
    kind: kind === 'pointer' ? 'file' : kind,
    step,
    bytes,
    files: fileCount,
    writtenAt,
    keptAt: null,
    state,
    isBest,
    attempt,
    path: `${directory}/${path}`,
  };
}
