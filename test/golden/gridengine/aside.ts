/**
 * What is set aside before a yard's answer is compared with a capture: numbers of jobs, times, hosts, paths, and what was
 * used. docs/compat/gridengine.md has the same list for people, with the reasons.
 */

import { dirname } from 'node:path';
import type { Surroundings } from '../session.ts';

export const CAPTURED_IN: Surroundings = { workDir: '/home/user/work', host: 'vm', user: 'root', uid: 0 };

/** The same for both sides, so that what is left can be compared to the letter. */
export function comparable(text: string, { workDir, host, user, uid }: Surroundings): string {
  let out = text.replaceAll(dirname(workDir), '<home>');
  for (const [pattern, replacement] of ASIDE) out = out.replace(pattern, replacement as string);
  // The node is called vm on both sides; the machine may have another name.
  out = out.replace(
    new RegExp(`(?<![\\w.-])(?:vm|localhost|${escaped(host)}(?:\\.[\\w-]+)*)(?![\\w-])`, 'g'),
    '<host>',
  );
  out = out.replace(
    new RegExp(`(?<![\\w/.-])${escaped(user)}(?![\\w/.-])( {2,})?`, 'g'),
    (_all, blanks?: string) => (blanks === undefined ? '<user>' : padded('<user>', user, blanks)),
  );
  // A job that is only verified has no number of a user yet, whoever asks.
  return out.replace(new RegExp(`^([ug]id: +|\\s*<JB_[ug]id>)(?:0|${uid})\\b`, 'gm'), '$1<id>');
}

type Replacement = string | ((...parts: string[]) => string);
type Aside = readonly (readonly [RegExp, Replacement])[];

const escaped = (text: string) => text.replace(/[^\w]/g, '\\$&');

/** In a column whose width is compared, another word takes the place of this one. */
const padded = (word: string, instead: string, blanks: string) =>
  word.padEnd(Math.max(instead.length + blanks.length, word.length));

const NUMBERS: Aside = [
  [/^ *\d+(?= [01]\.\d{5} )/gm, '      #'],
  // `qsub -terse`.
  [/^\d+(?=$|\.\d+-\d+:\d+$)/gm, '#'],
  [/\b([Jj]ob |job-array |job-array task |job id |[Jj]ob "|Predecessor Jobs: |JOB_ID=)\d+/g, '$1#'],
  [/^(job_number: +)\d+$/gm, '$1#'],
  [
    /^(jobnumber +)(\d+)( *)$/gm,
    (_all, name = '', number = '', blanks = '') => name + padded('#', number, blanks),
  ],
  [/(<JB_job_number>)\d+/g, '$1#'],
  [/\b(job_scripts\/)\d+/g, '$1#'],
  // Names of output files.
  [/(\.p?[oe])\d+(?=\.\d+$|$)/gm, '$1#'],
  // The process that found an error.
  [/ \[\d+:\d+\]: /g, ' [<id>:<pid>]: '],
];

const TIMES: Aside = [
  [/\b\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d\b/g, '<when>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b/g, '<date>'],
  [/\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d(?= \S+$)/gm, '<date>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b/g, '<time>'],
  [/\b1[789]\d{8}\b/g, '<time>'],
];

/** Priorities other than none, and loads. */
const SCHEDULING: Aside = [
  [/^( +# )(?!0\.00000)[01]\.\d{5} /gm, '$1<prio> '],
  [/(<JAT_prio>)(?!0\.00000)[01]\.\d{5}/g, '$1<prio>'],
  [/(<JB_nurg>)[\d.]+/g, '$1<n>'],
  [/^(\S+@\S+ +BIP? +\S+ +)\d+\.\d\d /gm, '$1<load>'],
  [/(<load_avg>)[\d.]+/g, '$1<load>'],
  // `qstat -g c`.
  [/^((?:cpu|gpu) +)\d\.\d\d /gm, '$1<load>'],
  // All queues of a node share its CPUs here, so that no queue has room when one is full.
  [/^ +queue instance "gpu@\S+" dropped because it is full\n/gm, ''],
  [
    / *<element>\n *<MES_message_number>\d+<\/MES_message_number>\n *<MES_message>(?:queue instance &quot;gpu@[^&]*&quot; dropped because it is full|All queues dropped because of overload or full)<\/MES_message>\n *<\/element>\n/g,
    '',
  ],
  [/^ +All queues dropped because of overload or full\n/gm, ''],
];

/** What was used, where what is compared is how it is printed. */
const USAGE: Aside = [
  [/^(usage +\d+: +).*$/gm, '$1<usage>'],
  [/ *<JAT_scaled_usage_list>.*?<\/JAT_scaled_usage_list>\n/gs, ''],
  // `qstat -ext`: cpu, mem and io.
  [
    /( defaultdep \S+ +)(?:NA {9}|\d:\d\d:\d\d:\d\d )(?:NA {6}|\d\.\d{5} )(?:NA {6}|\d\.\d{5} )/g,
    '$1<usage> ',
  ],
  [
    /^((?:ru_min|ru_maj|ru_nswap|ru_in|ru_ou|ru_ms|ru_ns|ru_nv|ru_ni)\w* +)(\d+)( +)$/gm,
    (_all, name = '', number = '', blanks = '') => name + padded('<n>', number, blanks),
  ],
  [/^(ru_wallclock +)\d+s$/gm, '$1<n>s'],
  [/^((?:ru_utime|ru_stime|cpu|iow) +)\d+\.\d{3}s$/gm, '$1<n>s'],
  [/^((?:ru_maxrss|io|maxvmem) +)\d+\.\d{3}[KMG]?B$/gm, '$1<n>B'],
  [/^(mem +)\d+\.\d{3}[KMG]?Bs$/gm, '$1<n>Bs'],
  // `qacct` without a job.
  [/^[ \d.]{112}$/gm, (all = '') => all.replace(/ *[\d.]+/g, (column) => '<n>'.padStart(column.length))],
  [/^\w+(?::[^:\n]*){44}$/gm, (all = '') => recordAside(all)],
  // `qhost`: how big a machine is, and how busy.
  [/^(\S+ +lx-amd64 ) +\d+ +\d+ +\d+ +\d+ +\S+ +\S+ +\S+ +\S+ +\S+$/gm, '$1<machine>'],
];

/** Fields of a line of the accounting file that are numbers or of the moment. */
function recordAside(line: string): string {
  const times = [8, 9, 10];
  const usage = [...Array.from({ length: 18 }, (_, at) => 13 + at), 36, 37, 38, 40, 42];
  return line
    .split(':')
    .map((field, at) => (at === 5 ? '#' : times.includes(at) ? '<time>' : usage.includes(at) ? '<n>' : field))
    .join(':');
}

const PATHS: Aside = [
  [/^(sge_o_path: +|SGE_O_PATH=).*$/gm, '$1<path>'],
  [/(__SGE_PREFIX__O_PATH<\/VA_variable>\n *<VA_value>)[^<]*/g, '$1<path>'],
  // An attempt's own directory.
  [/[^=:\s]*\/\d+(\.\d+\.\w+)(?=$|:)/gm, '<tmp>/#$1'],
  // A job finds the yard's commands, in front of the system's own and behind them.
  [/^(PATH=\S*?)[^=:\s]*\/sge\/bin\/[\w-]+:/gm, '$1'],
  [/^(PATH=\S*?)(?::[^:\s]*\/commands\/\w+)+$/gm, '$1'],
  // After a login its files have had their say, and they say one thing to root and another to others.
  [/^PATH=(?!<tmp>).*$/gm, 'PATH=<login>'],
  [/^(JOB_SCRIPT=)\/.*$/gm, '$1<script>'],
  [/^(PE_HOSTFILE=)\S*\/active_jobs\/\d+(?=\.)/gm, '$1<spool>/#'],
  [/^(SGE_JOB_SPOOL_DIR|SGE_ROOT|SGE_BINARY_PATH|SGE_QMASTER_PORT|SGE_EXECD_PORT)=.*$/gm, '$1=<…>'],
];

/** Variables that only a yard sets. */
const ONLY_HERE: Aside = [[/^(?:TMPDIR|PYTHONPATH|TRAINYARD_\w+)=.*\n/gm, '']];

const ASIDE: Aside = [...ONLY_HERE, ...PATHS, ...NUMBERS, ...TIMES, ...SCHEDULING, ...USAGE];
