/** `--export` of a step: which variables of the caller its tasks do not get, and which they get besides. */

import { variableNames } from '../../environment.ts';

export interface ExportChange {
  readonly unset: readonly string[];
  readonly set: ReadonlyMap<string, string>;
}

const NO_CHANGE: ExportChange = { unset: [], set: new Map() };

/** What tells a task whose it is stays, whatever is exported. */
const ALWAYS_KEPT = /^(?:SLURM|TRAINYARD_)/;

/** `text` is null when nobody said anything, which means all of them. */
export function exportChange(environment: Uint8Array, text: string | null): ExportChange {
  if (text === null || /^all$/i.test(text)) return NO_CHANGE;
  const { all, names, values } = /^none$/i.test(text) ? NOTHING : readExport(text);
  const has = variableNames(environment);
  if (all) {
    // The caller's own value wins over one that is given here.
    return { unset: [], set: new Map([...values].filter(([name]) => !has.has(name))) };
  }
  const unset = [...has].filter((name) => !ALWAYS_KEPT.test(name) && !names.has(name));
  return { unset, set: values };
}

interface Exported {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
}

const NOTHING: Exported = { all: false, names: new Set(), values: new Map() };

function readExport(text: string): Exported {
  const names = new Set<string>();
  const values = new Map<string, string>();
  let all = false;
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    if (/^all$/i.test(part)) all = true;
    else if (equals > 0) values.set(part.slice(0, equals), part.slice(equals + 1));
    else if (part !== '') names.add(part);
  }
  return { all, names, values };
}
