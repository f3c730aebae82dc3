/** Names of jobs and accounts: what may not be in them, in the original's words. */

import { baseName } from '../../../model/paths.ts';
import { rejected } from './complaints.ts';

const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['\n', 'Return'],
  ['\r', 'Carriage return'],
  ['\t', 'Tab'],
  ['/', `Slash ('/')`],
  [':', `Colon (':')`],
  ['@', `At ('@')`],
  ['\\', `Backslash ('\\')`],
  ['*', `Asterisk ('*')`],
  ['?', `Questionmark ('?')`],
];

const KEYWORDS = ['NONE', 'ALL', 'TEMPLATE'];

/** Throws what is wrong with it. */
export function checkJobName(name: string): void {
  if (name === '') throw rejected('job rejected cause there is no job_name in the request');
  if (/^\d/.test(name)) {
    throw rejected(`denied: "${name}" is not a valid object name (cannot start with a digit)`);
  }
  checkObjectName(name);
}

export function checkObjectName(name: string): void {
  for (const [letter, called] of FORBIDDEN) {
    if (name.includes(letter)) throw rejected(`${called} not allowed in objectname`);
  }
  const keyword = KEYWORDS.find((word) => word === name.toUpperCase());
  if (keyword !== undefined) throw rejected(`Keyword ("${keyword}") not allowed as objectname`);
  if (/[^\x21-\x7e]/.test(name)) {
    throw rejected(`denied: "${name}" is not a valid object name (only ASCII letters, digits and signs)`);
  }
}

/** What a job is called when nobody says: the last part of the path of its script or command. */
export function nameFrom(command: string): string {
  return baseName(command);
}
