/** One thing that was asked for with `-l`, as Grid Engine keeps it. */

import { complexNamed } from '../complexes.ts';
import type { AskedResource } from '../requested.ts';
import { parseMemoryBytes, parseNumber, parseTimeMs } from '../submit/values.ts';
import { element, type XmlNode } from './xml.ts';

/** Kinds of values by the numbers that Grid Engine has for them. */
const VALUE_TYPES: Readonly<Record<string, number>> = {
  INT: 1,
  STRING: 2,
  TIME: 3,
  MEMORY: 4,
  BOOL: 5,
  HOST: 7,
  DOUBLE: 8,
};

export function resourceNode({ name, value }: AskedResource): XmlNode {
  const type = complexNamed(name)?.type ?? 'STRING';
  return element('qstat_l_requests', [
    element('CE_name', name),
    element('CE_valtype', VALUE_TYPES[type] ?? 0),
    element('CE_stringval', value),
    element('CE_doubleval', numberOf(type, value).toFixed(6)),
    element('CE_relop', 0),
    element('CE_consumable', 0),
    element('CE_dominant', 0),
    element('CE_pj_doubleval', '0.000000'),
    element('CE_pj_dominant', 0),
    element('CE_requestable', 0),
    element('CE_tagged', 0),
  ]);
}

function numberOf(type: string, value: string): number {
  if (type === 'MEMORY') return finite(parseMemoryBytes(value));
  if (type === 'TIME') return finite(parseTimeMs(value)) / 1000;
  return parseNumber(value) ?? 0;
}

function finite(amount: number | 'unlimited' | null): number {
  return typeof amount === 'number' ? amount : 0;
}
