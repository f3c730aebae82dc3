/** What is set aside before a yard's answer is compared with a capture: numbers of jobs, times, hosts and paths. */

import { dirname } from 'node:path';
import type { Surroundings } from '../session.ts';

export const CAPTURED_IN: Surroundings = { workDir: '/home/user/work', host: 'vm', user: 'root', uid: 0 };

/** The same for both sides, so that what is left can be compared to the letter. */
export function comparable(text: string, { workDir, host, user, uid }: Surroundings): string {
  let out = text.replaceAll(dirname(workDir), '<home>');
  // The node is called vm on both sides; the machine may have another name.
  out = out.replace(new RegExp(`(?<![\\w.-])(?:vm|localhost|${host})(?![\\w-])`, 'g'), '<host>');
  out = out.replace(new RegExp(`(?<![\\w/.-])${user}(?![\\w/.-])( {2,})?`, 'g'), (_all, blanks?: string) =>
    blanks === undefined ? '<user>' : '<user>'.padEnd(user.length + blanks.length),
  );
  out = out.replace(new RegExp(`^([ug]id: +|\\s*<JB_[ug]id>)${uid}\\b`, 'gm'), '$1<id>');
  for (const [pattern, replacement] of ASIDE) out = out.replace(pattern, replacement as string);
  return out;
}

type Replacement = string | ((...parts: string[]) => string);
type Aside = readonly (readonly [RegExp, Replacement])[];

/** Numbers of jobs, where they are printed; widths stay. */
const NUMBERS: Aside = [
  // A column of its own: `      2 0.25014 …`.
  [/^ *\d+(?= [01]\.\d{5} )/gm, '      #'],
  [/^\d+(?=$|\.\d+-\d+:\d+$)/gm, '#'],
  [/\b(Your job |job-array |[Jj]ob |job "|job-array task |job_scripts\/|active_jobs\/|JOB_ID=)\d+/g, '$1#'],
  [/^(job_number: +)\d+$/gm, '$1#'],
  [
    /^(jobnumber +)(\d+)( *)$/gm,
    (_all, name = '', digits = '', blanks = '') => name + '#'.padEnd(digits.length + blanks.length),
  ],
  [/(<JB_job_number>)\d+/g, '$1#'],
  // Names of output files and of an attempt's own directory.
  [/(\.p?[oe])\d+(?=\.\d+$|$|\n)/gm, '$1#'],
  [/\S*\/\d+(\.\d+\.\w+)(?=$|:)/gm, '<tmp>/#$1'],
];

const TIMES: Aside = [
  [/\b\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d\b/g, '<when>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b/g, '<date>'],
  [/\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d(?= \S+$)/gm, '<date>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b/g, '<time>'],
  [/\b1[78]\d{8}\b/g, '<time>'],
];

const ASIDE: Aside = [...NUMBERS, ...TIMES];
