/**
 * Resources that somebody asks hosts or queues to have (`-l` of `qstat`, `qselect` and `qhost`), and whether these
 * have them. What is used up counts in full, as if nobody used it.
 */

import { type Complex, type ComplexType, complexNamed } from './complexes.ts';
import type { AttributeValue } from './host-values.ts';
import { matchesExpression } from './patterns.ts';
import { parseBoolean, parseMemoryBytes, parseNumber, parseTimeMs, splitList } from './submit/values.ts';

export interface ResourceWish {
  readonly complex: Complex;
  readonly wanted: string | number;
}

export type ReadWishes =
  | { readonly ok: true; readonly wishes: readonly ResourceWish[] }
  | { readonly ok: false; readonly complaint: string };

/** `arch=lx-amd64,mem_total=4G`. */
export function readWishes(text: string): ReadWishes {
  const wishes: ResourceWish[] = [];
  for (const part of splitList(text)) {
    const at = part.indexOf('=');
    const name = (at < 0 ? part : part.slice(0, at)).trim();
    // An attribute alone is asked to be true.
    const value = at < 0 ? 'TRUE' : part.slice(at + 1).trim();
    const complex = complexNamed(name);
    if (complex === null) return { ok: false, complaint: `unknown resource "${name}"` };
    const wanted = wantedOf(complex.type, value, at < 0);
    if (wanted === null) {
      return { ok: false, complaint: `attribute "${complex.name}" is not a ${KINDS[complex.type]} value` };
    }
    wishes.push({ complex, wanted });
  }
  return { ok: true, wishes };
}

/** What a value is said not to be. */
export const KINDS: Readonly<Record<ComplexType, string>> = {
  STRING: 'string',
  HOST: 'host',
  INT: 'integer',
  DOUBLE: 'double',
  MEMORY: 'memory',
  TIME: 'time',
  BOOL: 'boolean',
};

function wantedOf(type: ComplexType, value: string, isBare: boolean): string | number | null {
  if (type === 'STRING' || type === 'HOST') return value;
  if (type === 'BOOL') {
    const truth = parseBoolean(value);
    return truth === null ? null : Number(truth);
  }
  if (isBare) return 1;
  if (type === 'MEMORY') return endless(parseMemoryBytes(value));
  if (type === 'TIME') {
    const ms = endless(parseTimeMs(value));
    return ms === null ? null : ms / 1000;
  }
  return parseNumber(value);
}

function endless(amount: number | 'unlimited' | null): number | null {
  return amount === 'unlimited' ? Number.POSITIVE_INFINITY : amount;
}

export function meetsWishes(values: readonly AttributeValue[], wishes: readonly ResourceWish[]): boolean {
  return wishes.every(({ complex, wanted }) => {
    const found = values.find(({ name }) => name === complex.name);
    return found !== undefined && isMet(complex, wanted, found.total ?? found.value);
  });
}

function isMet({ type, relation }: Complex, wanted: string | number, value: string | number): boolean {
  if (typeof wanted === 'string' || typeof value === 'string') {
    const [pattern, text] = [`${wanted}`, `${value}`];
    return type === 'HOST'
      ? matchesExpression(pattern.toLowerCase(), text.toLowerCase())
      : matchesExpression(pattern, text);
  }
  if (relation === '==') return wanted === value;
  return relation === '<=' ? wanted <= value : wanted >= value;
}
