/**
 * GPUs as `--gres`, `--gpus` and `--tres-per-task` write them: `gpu`, `gpu:2`, `gpu:v100:8`, `v100:8`, lists of these; and
 * parts of GPUs, `shard:2` and `mps:50`, of which here only counts that they may be shared.
 */

export interface GpuTerm {
  /** Null: any kind. */
  readonly kind: string | null;
  readonly count: number;
  /** Absent: it says nothing about sharing. */
  readonly sharing?: 'auto';
}

/** Why a text is none: Slurm tells a resource that nobody has from a list that makes no sense. */
export type GpuMistake = 'unknownResource' | 'noList';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
  p: 1024 ** 5,
};

/** `gpu:2,gpu:v100:1` or `shard:4`, each perhaps with `gres:` or `gres/` before it; `none` is nothing at all. */
export function parseGres(text: string): readonly GpuTerm[] | GpuMistake {
  if (/^none$/i.test(text)) return [];
  const terms: GpuTerm[] = [];
  for (const part of text.split(',')) {
    if (part === '') return 'noList';
    const match = /^(?:gres[:/])?(gpu|shard|mps)(?:[:=](.+))?$/.exec(part);
    if (match === null) return 'unknownResource';
    const term = match[2] === undefined ? { kind: null, count: 1 } : parseTerm(match[2]);
    if (term === null) return 'unknownResource';
    terms.push(match[1] === 'gpu' ? term : sharedTerm(term, match[1] === 'mps' ? 100 : null));
  }
  // Whole GPUs and parts of GPUs cannot be had together.
  return terms.some(({ sharing }) => sharing !== terms[0]?.sharing) ? 'unknownResource' : terms;
}

/** How many parts a GPU has, where that is known: for a hundred percent, a GPU; otherwise one, whatever is asked of it. */
function sharedTerm({ kind, count }: GpuTerm, partsOfOne: number | null): GpuTerm {
  const gpus = partsOfOne === null ? 1 : Math.max(1, Math.floor(count / partsOfOne));
  return { kind, count: count === 0 ? 0 : gpus, sharing: 'auto' };
}

/** `2`, `v100`, `v100:2`, `v100:2,k80:1`. */
export function parseGpus(text: string): readonly GpuTerm[] | GpuMistake {
  const terms: GpuTerm[] = [];
  for (const part of text.split(',')) {
    if (part === '') return 'noList';
    const term = parseTerm(part.replace(/^gpu:/, ''));
    if (term === null) return 'unknownResource';
    terms.push(term);
  }
  return terms;
}

function parseTerm(text: string): GpuTerm | null {
  const match = /^(?:([A-Za-z][^\s:=,]*)(?:[:=]|$))?(?:(\d{1,9})([kmgtp]?))?$/i.exec(text);
  if (match === null || text === '' || /[:=]$/.test(text)) return null;
  const count =
    match[2] === undefined ? 1 : Number(match[2]) * (UNITS[(match[3] ?? '').toLowerCase()] as number);
  return { kind: match[1] ?? null, count };
}

export interface GpuAmount {
  readonly count: number;
  readonly kind: string | null;
  /** Several kinds were asked for, of which a job here can only have one: this is any of them, as many. */
  readonly mixed: boolean;
  readonly sharing?: 'auto';
}

/** All terms together; one kind asked for twice counts as it was said last. Null when that is nothing. */
export function sumOf(terms: readonly GpuTerm[]): GpuAmount | null {
  const byKind = new Map(terms.map((term) => [term.kind, term.count]));
  const counts = [...byKind].filter(([, count]) => count > 0);
  const count = counts.reduce((total, [, each]) => total + each, 0);
  if (count === 0) return null;
  const mixed = counts.length > 1;
  const sharing = terms[0]?.sharing;
  const kind = mixed ? null : (counts[0]?.[0] ?? null);
  return { count, kind, mixed, ...(sharing === undefined ? {} : { sharing }) };
}
