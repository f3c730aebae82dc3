/** Which jobs `qstat -s` means. */

import { holdsOf } from '../holds/kinds.ts';
import type { JobFacts } from '../job-facts.ts';
import { termsOf } from '../requested.ts';
import { suspensionOf } from '../states.ts';

export type StateChoice = 'p' | 'r' | 's' | 'z' | 'hu' | 'ho' | 'hs' | 'hd' | 'hj' | 'ha';

const HOLDS: readonly StateChoice[] = ['hu', 'ho', 'hs', 'hd', 'hj', 'ha'];

const WORDS: Readonly<Record<string, readonly StateChoice[]>> = {
  p: ['p'],
  r: ['r'],
  s: ['s'],
  z: ['z'],
  a: ['p', 'r', 's'],
  h: HOLDS,
  ...Object.fromEntries(HOLDS.map((choice) => [choice, [choice]])),
};

/** `prs`, `hu`, `hjha`; null: one of them is none. */
export function readStateChoices(text: string): readonly StateChoice[] | null {
  const words = text.match(/h[uosdja]|[^+]/g) ?? [];
  const choices: StateChoice[] = [];
  for (const word of words) {
    if (!Object.hasOwn(WORDS, word)) return null;
    choices.push(...(WORDS[word] ?? []));
  }
  return choices;
}

export const USUAL_CHOICES: readonly StateChoice[] = ['p', 'r', 's'];

const IS_CHOSEN: Readonly<Record<StateChoice, (facts: JobFacts) => boolean>> = {
  p: ({ section }) => section === 'pending',
  r: (facts) => facts.section === 'running' && !isSuspended(facts),
  s: (facts) => facts.section === 'running' && isSuspended(facts),
  z: ({ section }) => section === 'finished',
  hu: ({ job }) => holdsOf(job).includes('u'),
  ho: ({ job }) => holdsOf(job).includes('o'),
  hs: ({ job }) => holdsOf(job).includes('s'),
  hd: (facts) => waitsForJobs(facts) && termsOf(facts.job, 'taskByTask').length > 0,
  hj: (facts) => waitsForJobs(facts) && termsOf(facts.job, 'whole').length > 0,
  ha: ({ job, section, view }) =>
    section === 'pending' &&
    (view.reason?.kind === 'begin' || (job.phase !== 'pending' && job.spec.beginAt !== null)),
};

export function isChosen(facts: JobFacts, choices: readonly StateChoice[]): boolean {
  return choices.some((choice) => IS_CHOSEN[choice](facts));
}

function isSuspended({ attempt }: JobFacts): boolean {
  if (attempt === null) return false;
  const { byJob, byQueue } = suspensionOf(attempt);
  return byJob || byQueue;
}

function waitsForJobs({ section, job }: JobFacts): boolean {
  return section === 'pending' && job.phase !== 'pending' && job.spec.dependencies !== null;
}
