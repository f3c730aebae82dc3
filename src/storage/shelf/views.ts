/** What is on a shelf as people see it. */

import type { CheckpointView } from '../../model/keeping.ts';
import { newestFirst } from '../retention.ts';
import type { Apart, Kept, Manifest } from './manifest.ts';
import { pointedTo } from './pointers.ts';

/** Newest first, then what is set apart. Pointers are no checkpoints. */
export function viewsOf(directory: string, { kept, apart }: Manifest): readonly CheckpointView[] {
  const aside = apart.toSorted((one, other) => other.at - one.at);
  const best = bestByLink(kept);
  return [
    ...newestFirst(kept).map((entry) => viewOf(directory, entry, entry.isBest || best.has(entry.name))),
    ...aside.filter(({ kind }) => kind !== 'pointer').map((one) => apartView(directory, one)),
  ];
}

function bestByLink(kept: readonly Kept[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { kind, isBest, files } of kept) {
    const [file] = files;
    if (kind !== 'pointer' || !isBest || file?.link === undefined) continue;
    const entry = pointedTo(kept, file.link);
    if (entry !== null) names.add(entry.name);
  }
  return names;
}

function viewOf(directory: string, entry: Kept, isBest: boolean): CheckpointView {
  const { name, kind, step, bytes, files, writtenAt, keptAt, attempt } = entry;
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
