/** What a job must wait for, from `--afterok 17,18`, `--singleton`, or `--depend afterok:17?afterany:18`. */

import { parseJobRef } from '../../model/ids.ts';
import {
  type Dependencies,
  type DependencyTerm,
  JOB_TERM_KINDS,
  type JobTermKind,
} from '../../model/job-spec.ts';
import { allValues, type GivenOption, isGiven } from '../options.ts';
import { quoted } from '../text/words.ts';
import { usageError } from './failure.ts';

const FORM = 'write afterok:17,afterany:18 for all of them, or afterok:17?afterok:18 for any';

export function dependenciesFrom(given: readonly GivenOption[]): Dependencies | null {
  const terms: DependencyTerm[] = JOB_TERM_KINDS.flatMap((kind) =>
    allValues(given, kind).flatMap((value) => jobTerms(kind, value.split(/[,:]/), `--${kind}`)),
  );
  if (isGiven(given, 'singleton')) terms.push({ kind: 'singleton' });
  const raw = allValues(given, 'depend').map(readExpression);
  const needsAny = raw.some(({ need }) => need === 'any');
  terms.push(...raw.flatMap((each) => each.terms));
  if (terms.length === 0) return null;
  if (needsAny && (raw.length > 1 || raw[0]?.terms.length !== terms.length)) {
    throw usageError(
      '"any of" (?) cannot be combined with further dependencies',
      'say all of it in one --depend',
    );
  }
  return { need: needsAny ? 'any' : 'all', terms };
}

function readExpression(text: string): Dependencies {
  const any = text.includes('?');
  if (any && text.includes(',')) {
    throw usageError(`--depend ${quoted(text)} mixes "all of" (,) with "any of" (?)`, FORM);
  }
  const terms = text.split(any ? '?' : ',').flatMap((part) => readTerm(part, text));
  return { need: any ? 'any' : 'all', terms };
}

function readTerm(part: string, whole: string): readonly DependencyTerm[] {
  const [word = '', ...jobs] = part.split(':');
  if (word === 'singleton' && jobs.length === 0) return [{ kind: 'singleton' }];
  const kind = JOB_TERM_KINDS.find((each) => each === word);
  if (kind === undefined) {
    throw usageError(`--depend ${quoted(whole)}: ${quoted(part)} is no dependency`, FORM, [
      ...JOB_TERM_KINDS,
      'singleton',
    ]);
  }
  return jobTerms(kind, jobs, `--depend ${kind}`);
}

function jobTerms(kind: JobTermKind, jobs: readonly string[], written: string): readonly DependencyTerm[] {
  if (jobs.length === 0) throw usageError(`${written} needs a job`, FORM);
  return jobs.map((text) => {
    const ref = parseJobRef(text);
    if (ref === null) {
      throw usageError(`${written}: ${quoted(text)} is not a job`, 'a job is a number such as 17, or 17_3');
    }
    return { kind, job: ref.job, index: ref.index };
  });
}
