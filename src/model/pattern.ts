/**
 * Output file patterns and what they stand for. Pure, since those who show where the output is must come to
 * the same path as the one who opens it.
 */

import type { Attempt, Job } from './job.ts';
import { absolutePath } from './paths.ts';

export interface PatternNode {
  readonly name: string;
  /** Its place among the nodes of the attempt, from 0. */
  readonly number: number;
}

const LETTERS = /%(\d{0,2})([%jAabxuNntrJ])/g;

/** The letters that a pattern has something filled in for. */
export function patternLetters(pattern: string): string {
  return Array.from(pattern.matchAll(LETTERS), ([, , letter]) => letter).join('');
}

/** The first percent sign, with what follows it, that nothing is filled in for; null: there is none. */
export function unknownLetter(pattern: string): string | null {
  return /%[^/]?/.exec(pattern.replaceAll(LETTERS, '/'))?.[0] ?? null;
}

/**
 * %j job, %A array (the job itself when it is no element), %a index, %b its last digit, %x name, %u user, %N
 * node, %n node number, %t rank, %r restarts, %J job.attempt, %% a percent sign; %4t pads with zeros. What cannot
 * be known yet, or means nothing, stays as it is written. A relative path starts at the working directory.
 */
export function fillPattern(
  pattern: string,
  job: Job,
  attempt: Pick<Attempt, 'id' | 'n'> | null,
  node: PatternNode | null,
  rank: number,
): string {
  const filled = (part: string) =>
    part.replace(LETTERS, (written, width: string, letter: string) => {
      const value = meaningOf(letter, job, attempt, node, rank);
      return value === null ? written : value.padStart(Number(width), '0');
    });
  const parts = pattern.split('/').map((part) => (part.includes('%') ? oneName(filled(part)) : part));
  return absolutePath(job.spec.workDir, parts.join('/'));
}

/** What is filled in never leads elsewhere than one directory further: a job may be called `..`. */
function oneName(filled: string): string {
  return leadsNowhere(filled) ? '_'.repeat(Math.max(1, filled.length)) : filled;
}

/** Whether a part of a path names nothing of its own. */
export function leadsNowhere(part: string): boolean {
  return part === '' || part === '.' || part === '..';
}

/** The parts of a pattern in which the name of the job stands, with a name in its place. */
export function partsWithName(pattern: string, name: string): readonly string[] {
  return pattern
    .split('/')
    .filter((part) => patternLetters(part).includes('x'))
    .map((part) => part.replace(LETTERS, (written, _, letter) => (letter === 'x' ? name : written)));
}

function meaningOf(
  letter: string,
  job: Job,
  attempt: Pick<Attempt, 'id' | 'n'> | null,
  node: PatternNode | null,
  rank: number,
): string | null {
  switch (letter) {
    case '%':
      return '%';
    case 'j':
      return `${job.id}`;
    case 'A':
      return `${job.element?.array ?? job.id}`;
    case 'a':
      return job.element === null ? null : `${job.element.index}`;
    case 'b':
      return job.element === null ? null : `${job.element.index % 10}`;
    case 'x':
      return fileNamePart(job.spec.name);
    case 'u':
      return fileNamePart(job.spec.user);
    case 'N':
      return node === null ? null : fileNamePart(node.name);
    case 'n':
      return node === null ? null : `${node.number}`;
    case 't':
      return `${rank}`;
    case 'r':
      return `${attempt === null ? job.restarts : attempt.n - 1}`;
    default:
      return attempt?.id ?? null;
  }
}

/** A name must not lead into another directory. */
function fileNamePart(name: string): string {
  return name.replaceAll('/', '_');
}
