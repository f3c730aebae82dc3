/** `--propagate`: which of the submitter's soft limits a job gets. */

const LETTERS: Readonly<Record<string, string>> = {
  AS: 'v',
  CORE: 'c',
  CPU: 't',
  DATA: 'd',
  FSIZE: 'f',
  MEMLOCK: 'l',
  NOFILE: 'n',
  NPROC: 'u',
  RSS: 'm',
  STACK: 's',
};

export type Propagated =
  | { readonly ok: true; readonly ulimits: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly unknownName: string };

/** `text` is null when no names were given: then all of them are propagated, as without the option. */
export function propagatedLimits(ulimits: Readonly<Record<string, string>>, text: string | null): Propagated {
  const names = (text ?? 'ALL').toUpperCase().split(',');
  if (names.includes('ALL')) return { ok: true, ulimits };
  if (names.length === 1 && names[0] === 'NONE') return { ok: true, ulimits: {} };
  const unknownAt = names.findIndex((name) => !Object.hasOwn(LETTERS, name));
  if (unknownAt !== -1) return { ok: false, unknownName: (text as string).split(',')[unknownAt] as string };
  const letters = new Set(names.map((name) => LETTERS[name]));
  return {
    ok: true,
    ulimits: Object.fromEntries(Object.entries(ulimits).filter(([letter]) => letters.has(letter))),
  };
}
