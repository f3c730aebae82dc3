/** `--dependency`: `afterok:20:21,afterany:23` for all of them, `?` for any, `after:20+5` for five minutes later. */

import type { Dependencies, DependencyTerm } from '../../../model/job-spec.ts';

type Kind = Exclude<DependencyTerm['kind'], 'singleton'>;

const KINDS: Readonly<Record<string, Kind>> = {
  after: 'after',
  afterany: 'afterany',
  afterok: 'afterok',
  afternotok: 'afternotok',
  aftercorr: 'aftercorr',
  // There are no burst buffers: when the job has ended, nothing is left to wait for.
  afterburstbuffer: 'afterany',
};

const MINUTE_MS = 60_000;

/** Undefined when it is no list of dependencies; null for none at all. */
export function parseDependencies(text: string): Dependencies | null | undefined {
  if (text === '') return null;
  const terms: DependencyTerm[] = [];
  for (const part of text.split(/[,?]/)) {
    const read = readTerm(part);
    if (read === null) return undefined;
    terms.push(...read);
  }
  return { need: text.includes('?') ? 'any' : 'all', terms };
}

function readTerm(part: string): readonly DependencyTerm[] | null {
  const [word = '', ...jobs] = part.split(':');
  if (/^singleton$/i.test(word)) return jobs.length === 0 ? [{ kind: 'singleton' }] : null;
  // A bare number waits for the end of that job.
  if (jobs.length === 0 && /^\d/.test(word)) return readJobs('afterany', [word]);
  const name = word.toLowerCase();
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  return kind === undefined || jobs.length === 0 ? null : readJobs(kind, jobs);
}

function readJobs(kind: Kind, jobs: readonly string[]): readonly DependencyTerm[] | null {
  const terms: DependencyTerm[] = [];
  for (const text of jobs) {
    const match = /^(\d{1,10})(?:_(\d{1,9}|\*))?(?:\+(\d{1,7}))?$/.exec(text);
    if (match === null || Number(match[1]) === 0) return null;
    const [, job, index, minutes] = match;
    terms.push({
      kind,
      job: Number(job),
      index: index === undefined || index === '*' ? null : Number(index),
      ...(minutes === undefined || kind !== 'after' ? {} : { delayMs: Number(minutes) * MINUTE_MS }),
    });
  }
  return terms;
}
