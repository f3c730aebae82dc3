/**
 * Answers for programs, as Slurm 22.05 writes them: JSON in the manner of its library (two blanks, slashes
 * escaped, no newline at the end) and YAML with every tag spelled out. Order is the order of the members.
 */

import { isPrintable, jsonText } from '../../../model/bytes.ts';
import { SLURM_VERSION } from '../command.ts';

export type Value =
  | null
  | boolean
  | number
  | string
  | Real
  | readonly Value[]
  | { readonly [name: string]: Value };

/** A number that is no count: written with a point. */
export class Real {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export type Structure = 'json' | 'yaml';

/** An answer piece by piece, since there may be very many records. */
export function* answerPieces(
  name: string,
  records: Iterable<Value>,
  structure: Structure,
): Generator<string> {
  const list = openAnswer(name, structure);
  yield list.head;
  for (const record of records) yield list.next(record);
  yield list.end();
}

/** A list at the end of an answer, to be written record by record. */
export interface OpenList {
  readonly head: string;
  readonly next: (record: Value) => string;
  readonly end: () => string;
}

export function openAnswer(name: string, structure: Structure): OpenList {
  return openList(answerAround(name), structure);
}

/** The last member of what stands around it is the list, and empty. */
export function openList(around: Value, structure: Structure): OpenList {
  const whole = structured(around, structure);
  const at = whole.lastIndexOf(structure === 'json' ? '\n  ]' : ' []');
  let count = 0;
  return {
    head: whole.slice(0, at),
    next(record) {
      const isFirst = count === 0;
      count += 1;
      return structure === 'json'
        ? `${isFirst ? '' : ','}\n    ${json(record, '    ')}`
        : `${isFirst ? '\n' : ''}-${yaml(record, '', 'item')}`;
    },
    end: () => (structure === 'json' || count === 0 ? whole.slice(at) : '...\n'),
  };
}

/** What stands around every answer. */
function answerAround(name: string): Value {
  const [major = 0, minor = 0, micro = 0] = SLURM_VERSION.split('.').map(Number);
  return {
    meta: {
      plugin: { type: 'openapi/v0.0.38', name: 'Slurm OpenAPI v0.0.38' },
      Slurm: { version: { major, micro, minor }, release: SLURM_VERSION },
    },
    errors: [],
    [name]: [],
  };
}

export function structured(value: Value, structure: Structure): string {
  if (structure === 'json') return json(value, '');
  return `%YAML 1.1\n---${yaml(value, '', 'top')}...\n`;
}

function json(value: Value, indent: string): string {
  if (value instanceof Real) return realText(value.value, 1);
  if (value === null || typeof value !== 'object') return jsonScalar(value);
  const inner = `${indent}  `;
  const [open, close] = isList(value) ? '[]' : '{}';
  const members = isList(value)
    ? value.map((item) => `${inner}${json(item, inner)}`)
    : Object.entries(value).map(([name, item]) => `${inner}${quoted(name)}: ${json(item, inner)}`);
  const lines = members.length === 0 ? '' : `${members.join(',\n')}\n`;
  return `${open}\n${lines}${indent}${close}`;
}

function jsonScalar(value: null | boolean | number | string): string {
  return typeof value === 'string' ? quoted(value) : `${value}`;
}

/** Most texts need nothing escaped, and finding that out is quicker than escaping. */
const NEEDS_NO_ESCAPE = /^[\w .:,=+()[\]%@*-]*$/;

function quoted(text: string): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`;
  return jsonText(text).replaceAll('/', '\\/');
}

function realText(value: number, leastDigits: number): string {
  if (leastDigits > 1) return value.toFixed(leastDigits);
  return Number.isInteger(value) ? value.toFixed(1) : `${value}`;
}

/** Each value begins on the line of its name, or of the dash before it. */
function yaml(value: Value, indent: string, at: 'top' | 'member' | 'item'): string {
  if (value instanceof Real) return ` !!float ${realText(value.value, 6)}\n`;
  if (value === null || value === '') return ' !!null null\n';
  if (typeof value === 'boolean') return ` !!bool ${value}\n`;
  if (typeof value === 'number') return ` !!int ${value}\n`;
  if (typeof value === 'string') return ` !!str ${yamlText(value)}\n`;
  if (isList(value)) {
    if (value.length === 0) return ' !!seq []\n';
    // A list is no deeper than the name that it belongs to; a list in a list is.
    const outer = at === 'item' ? `${indent}  ` : indent;
    return ` !!seq\n${value.map((item) => `${outer}-${yaml(item, outer, 'item')}`).join('')}`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return ' !!map {}\n';
  const inner = at === 'top' ? indent : `${indent}  `;
  const lines = entries.map(
    ([name, item]) => `${inner}!!str ${yamlText(name)}:${yaml(item, inner, 'member')}`,
  );
  return ` !!map\n${lines.join('')}`;
}

function isList(value: object): value is readonly Value[] {
  return Array.isArray(value);
}

function yamlText(text: string): string {
  if (!isPrintable(text)) return jsonText(text);
  return NOT_PLAIN.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

const NOT_PLAIN = /^[\s,[\]{}#&*!|>'"%@`]|^[-?:](?:\s|$)|^(?:---|\.\.\.)|: |:$| #|\s$/;
