/**
 * Which checkpoints may go. Pure: it is given what is kept and what was asked for. The newest one, those called best, what
 * a link among the checkpoints points to, and what only goes with them stay whatever was asked.
 */

import { firstName } from './shelf/links.ts';
import type { Kept } from './shelf/manifest.ts';

export interface RetentionRules {
  /** Of each family; null: all. */
  readonly keepCount: number | null;
  /** Since they were safe; null: for ever. */
  readonly keepForMs: number | null;
  readonly now: number;
}

export type Keepable = Pick<
  Kept,
  'name' | 'kind' | 'step' | 'family' | 'isBest' | 'writtenAt' | 'keptAt' | 'clockShiftMs' | 'files'
>;

/** In the order of `newestFirst`, without those that stay. */
export function toRetire<Entry extends Keepable>(
  entries: readonly Entry[],
  { keepCount, keepForMs, now }: RetentionRules,
): readonly Entry[] {
  const sorted = newestFirst(entries);
  const linked = linkedNames(entries);
  const seen = new Map<string, number>();
  return sorted.filter((entry, at) => {
    const family = familyOf(entry);
    const newerOnes = seen.get(family) ?? 0;
    seen.set(family, newerOnes + 1);
    if (at === 0 || entry.isBest || isCompanion(entry) || linked.has(entry.name)) return false;
    if (entry.kind === 'group' && entry.files.some(({ path }) => linked.has(path))) return false;
    const isTooMany = keepCount !== null && newerOnes >= keepCount;
    return isTooMany || (keepForMs !== null && now - entry.keptAt > keepForMs);
  });
}

/**
 * Without pointers; what only goes with checkpoints comes last. What was written later is newer, also when its step is
 * lower: training may have gone back, or begun anew in the same place. A time that had not come when it was safe is not
 * believed, and clocks that went back are reckoned with.
 */
export function newestFirst<Entry extends Keepable>(entries: readonly Entry[]): readonly Entry[] {
  return entries
    .filter(({ kind }) => kind !== 'pointer')
    .sort(
      (one, other) =>
        Number(isCompanion(one)) - Number(isCompanion(other)) ||
        writtenAt(other) - writtenAt(one) ||
        (other.step ?? -1) - (one.step ?? -1) ||
        (one.name < other.name ? 1 : -1),
    );
}

function writtenAt({ writtenAt, keptAt, clockShiftMs }: Keepable): number {
  return Math.min(writtenAt, keptAt) + clockShiftMs;
}

/** Settings, measurements and notes beside checkpoints: nothing to go on from, however late they were written. */
export function isCompanion({
  name,
  kind,
  step,
  isBest,
}: Pick<Kept, 'name' | 'kind' | 'step' | 'isBest'>): boolean {
  if (kind !== 'file' || isBest) return false;
  return NO_CHECKPOINT.test(name) || (step === null && SETTINGS.test(name));
}

const NO_CHECKPOINT = /\.tfevents\.|\.(?:log|out|err|txt|md|csv|tsv|html|py|sh|png|jpe?g|svg|pdf|lock)$/i;
const SETTINGS = /\.(?:json|jsonl|ya?ml|toml|ini|cfg)$/i;

/** One without others like it is alone in its family. */
function familyOf({ family, name }: Keepable): string {
  return family === null ? `/${name}` : family;
}

function linkedNames(entries: readonly Keepable[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { kind, files } of entries) {
    if (kind !== 'pointer') continue;
    for (const { link } of files) if (link !== undefined) names.add(firstName(link));
  }
  return names;
}
