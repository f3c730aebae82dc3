/** What `-l` asks for in a script for Grid Engine: names that are not there, and amounts that are not what was meant. */

import { nearest } from '../../../model/nearest.ts';
import { COMPLEXES, complexNamed } from '../../gridengine/complexes.ts';
import { parseMemoryBytes, parseTimeMs, splitList } from '../../gridengine/submit/values.ts';
import { listed, quoted } from '../../text/words.ts';
import { type Finding, findingOf } from '../finding.ts';
import type { Rule } from '../subject.ts';

const finding = findingOf('value');

const LEAST_BYTES = 1024 ** 2;
const LEAST_MS = 60_000;

export const gridEngineValues: Rule = ({ dialect, directives }) => {
  if (dialect !== 'gridengine') return [];
  return directives.asked.flatMap(({ line, name, value }) =>
    name === '-l' ? splitList(value ?? '').flatMap((part) => requestFindings(line, part)) : [],
  );
};

function requestFindings(line: number, part: string): readonly Finding[] {
  const equals = part.indexOf('=');
  const name = equals === -1 ? part : part.slice(0, equals);
  const value = equals === -1 ? null : part.slice(equals + 1);
  const complex = complexNamed(name);
  if (complex === null) return unknownName(line, name);
  if (value === null || value.includes('$')) return [];
  if (complex.type === 'TIME') return timeFindings(line, name, value);
  return complex.type === 'MEMORY' ? memoryFindings(line, name, value) : [];
}

/** Sites add names of their own: only what is nearly one of the known is said to be wrong. */
function unknownName(line: number, name: string): readonly Finding[] {
  const meant = nearest(
    name,
    COMPLEXES.map((each) => each.name),
  ).filter((each) => each.length > 3 && Math.abs(each.length - name.length) <= 2);
  if (meant.length === 0) return [];
  const advice = `did you mean ${listed(meant, 3, 'or')}?`;
  return [finding('warning', line, `-l: there is nothing called ${quoted(name)} to ask for`, advice)];
}

function timeFindings(line: number, name: string, value: string): readonly Finding[] {
  const ms = parseTimeMs(value);
  if (ms === null) {
    const sentence = `-l ${name}=${value} is no time`;
    return [finding('error', line, sentence, 'write seconds, or hours:minutes:seconds')];
  }
  if (ms === 'unlimited' || ms >= LEAST_MS || ms === 0 || value.includes(':')) return [];
  return [finding('hint', line, `-l ${name}=${value} is ${value} seconds`, `for hours write ${value}:0:0`)];
}

function memoryFindings(line: number, name: string, value: string): readonly Finding[] {
  const bytes = parseMemoryBytes(value);
  if (bytes === null) {
    return [
      finding('error', line, `-l ${name}=${value} is no amount of memory`, 'write a number and K, M or G'),
    ];
  }
  if (bytes === 'unlimited' || bytes >= LEAST_BYTES || bytes === 0) return [];
  return [
    finding(
      'warning',
      line,
      `-l ${name}=${value} is ${bytes} bytes`,
      `for gigabytes write ${value.replace(/\D+$/, '')}G`,
    ),
  ];
}
