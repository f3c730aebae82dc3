/** How the record of a shelf changes, as functions from one to the next. Pure; nothing is moved or written here. */

import type { AttemptId } from '../../model/ids.ts';
import { type RetentionRules, toRetire } from '../retention.ts';
import { readName } from '../unit-names.ts';
import type { Unit } from '../units.ts';
import type { Drafted } from './draft.ts';
import { type Apart, type Kept, MAX_SOURCES, type Manifest, type Retired } from './manifest.ts';
import { pointedTo } from './pointers.ts';

export interface NewEntry {
  readonly id: string;
  readonly unit: Unit;
  readonly drafted: Pick<Drafted, 'files' | 'directories'>;
  readonly attempt: AttemptId | null;
  readonly source: string;
  readonly now: number;
  readonly previous: Kept | null;
}

export function newEntry(manifest: Manifest, made: NewEntry): Kept {
  const { id, unit, drafted, attempt, source, now, previous } = made;
  return {
    id,
    name: unit.name,
    kind: unit.kind,
    step: unit.step,
    family: unit.family,
    isBest: unit.isBest,
    bytes: unit.bytes,
    writtenAt: unit.writtenAt,
    keptAt: now,
    clockShiftMs: clockShift(manifest, now),
    attempt,
    files: drafted.files,
    directories: drafted.directories,
    sources: [source],
    previous: previous === null ? null : { ...previous, previous: null },
  };
}

/** How much must be added so that what is safe now is later than all that was safe before, whatever clocks say. */
export function clockShift({ kept }: Pick<Manifest, 'kept'>, now: number): number {
  return kept.reduce((shift, entry) => {
    return Math.max(shift, entry.clockShiftMs, entry.keptAt + entry.clockShiftMs - now);
  }, 0);
}

/** In place of the version before. What was set apart under its name as perhaps not whole is of no more use. */
export function withEntry(manifest: Manifest, entry: Kept): Manifest {
  const others = withoutFormerBest(manifest.kept, entry).filter(({ name }) => name !== entry.name);
  return {
    ...manifest,
    kept: [...others, entry],
    apart: manifest.apart.filter(({ name, state }) => name !== entry.name || state !== 'unproven'),
    leaving: manifest.leaving.filter(({ name }) => name !== entry.name),
  };
}

/** What a link led to is the best one only as long as it does; from now on the link on the shelf tells. */
function withoutFormerBest(kept: readonly Kept[], pointer: Kept): readonly Kept[] {
  if (pointer.kind !== 'pointer') return kept;
  const before = kept.find(({ name }) => name === pointer.name)?.files[0]?.link;
  if (before === undefined || before === pointer.files[0]?.link) return kept;
  const { name } = pointedTo(kept, before) ?? {};
  return kept.map((entry) =>
    entry.name === name ? { ...entry, isBest: readName(entry.name).isBest } : entry,
  );
}

/** What is known of the same version has changed. */
export function withUpdated(manifest: Manifest, entry: Kept): Manifest {
  return { ...manifest, kept: manifest.kept.map((one) => (one.name === entry.name ? entry : one)) };
}

export function withoutEntry(manifest: Manifest, name: string): Manifest {
  return { ...manifest, kept: manifest.kept.filter((entry) => entry.name !== name) };
}

/** The same checkpoint is also to be known by other files of its program. */
export function withSource(entry: Kept, source: string): Kept {
  if (entry.sources.includes(source)) return entry;
  return { ...entry, sources: [...entry.sources, source].slice(-MAX_SOURCES) };
}

export interface Retirement {
  readonly manifest: Manifest;
  readonly names: readonly string[];
}

export function retire(manifest: Manifest, rules: RetentionRules): Retirement {
  const going = toRetire(manifest.kept, rules);
  if (going.length === 0) return { manifest, names: [] };
  const names = going.map(({ name }) => name);
  const retired: Retired[] = going.map(({ name, sources }) => ({ name, at: rules.now, sources }));
  return {
    manifest: {
      ...manifest,
      kept: manifest.kept.filter(({ name }) => !names.includes(name)),
      leaving: [...manifest.leaving, ...going],
      retired: [...manifest.retired.filter(({ name }) => !names.includes(name)), ...retired],
    },
    names,
  };
}

/** Whether retention would leave it there, were it safe now. */
export function wouldStay(manifest: Manifest, unit: Unit, rules: RetentionRules): boolean {
  const drafted = { files: [], directories: [] };
  const made = { id: '', unit, drafted, attempt: null, source: '', now: rules.now, previous: null };
  const { names } = retire(withEntry(manifest, newEntry(manifest, made)), rules);
  return !names.includes(unit.name);
}

export function withApart(manifest: Manifest, apart: Apart): Manifest {
  const others = manifest.apart.filter(({ path }) => path !== apart.path);
  return { ...manifest, apart: [...others, apart] };
}

export function apartOf(
  entry: Pick<Kept, 'name' | 'kind' | 'step' | 'isBest' | 'bytes' | 'writtenAt'> & {
    readonly files: readonly unknown[];
  },
  made: Pick<Apart, 'state' | 'path' | 'at' | 'sources' | 'attempt'>,
): Apart {
  const { name, kind, step, isBest, bytes, files, writtenAt } = entry;
  return { ...made, name, kind, step, isBest, bytes, fileCount: files.length, writtenAt };
}

/** Every way in which files of a program can be known here. */
export function knownSources({ kept, apart, retired }: Manifest): ReadonlySet<string> {
  return new Set([...kept, ...apart, ...retired].flatMap(({ sources }) => sources));
}
