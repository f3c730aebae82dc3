/** What is set aside before a yard's answer is compared with a capture: numbers of jobs, times, hosts and paths. */

import type { Surroundings } from '../session.ts';

export const CAPTURED_IN: Surroundings = { workDir: '/home/user/work', host: 'vm', user: 'root', uid: 0 };

/**
 * Fields whose value is of a moment, a machine or a scheduler. docs/compat/slurm.md says why for each; those of the
 * last list are whole lines that only one of the two has.
 */
const FIELDS_ASIDE: readonly (readonly [RegExp, string])[] = [
  [/\bPriority=\d+/g, 'Priority=<n>'],
  [/\|\d{1,10}\|(?=[^|]*$)/gm, '|<n>|'],
  [
    /\b(Scheduler|AllocNode:Sid|LastSchedEval|LastBusyTime|CPULoad|FreeMem|OS|NodeAddr)=[^=\n]*?(?= \w+=|$)/gm,
    '$1=<…>',
  ],
  // `sstat`: how much it used, and which processes it was.
  [/\|\d+K\|/g, '|<K>|'],
  [/\|\d+(?:,\d+)+$/gm, '|<pids>'],
  [/ Port=\d+/g, ''],
  [/\bCPU_IDs=\S*/g, 'CPU_IDs=<…>'],
  [/\b(EligibleTime|AccrueTime)=(?:<time>|Unknown)/g, '$1=<time>'],
  [/\bDefMemPer\w+=\S+/g, 'DefMem=<…>'],
  [
    /^(?:\d+: )?SLURM_(?:CONF|WORKING_CLUSTER|SRUN_COMM_HOST|SRUN_COMM_PORT|STEP_LAUNCHER_PORT|TASK_PID|JOB_START_TIME|JOB_END_TIME)=.*\n/gm,
    '',
  ],
  [/^-rw.*\n/gm, ''],
];

/** The same for both sides, so that what is left can be compared to the letter. */
export function comparable(text: string, surroundings: Surroundings): string {
  const { workDir, host, user, uid } = surroundings;
  let out = text.replaceAll(workDir, '<work>');
  out = out.replaceAll(`${user}(${uid})`, '<user>').replaceAll(new RegExp(`\\b${host}\\b`, 'g'), '<host>');
  for (const [pattern, replacement] of ASIDE) out = out.replace(pattern, replacement as string);
  return out;
}

type Replacement = string | ((...parts: string[]) => string);

const ASIDE: readonly (readonly [RegExp, Replacement])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\b/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b/g, '<date>'],
  [/\b00:0\d:\d\d\b/g, '<seconds>'],
  [/(?<![\d:-])\d:\d\d\b/g, '<s>'],
  // A number in the first column; where it is set to one side, the width stays.
  [
    /^( *)(\d+)(?=[ _.|]|$)( {2})?/gm,
    (_all, blanks = '', digits = '', after = '') =>
      blanks !== ''
        ? '#'.padStart(blanks.length + digits.length) + after
        : after === ''
          ? '#'
          : '#'.padEnd(digits.length) + after,
  ],
  [
    /\b(JobId=|ArrayJobId=|Submitted batch job |job allocation |Terminating job |[Jj]ob id |StepId=|^in |slurm-|Job (?=\d+ to start)|after\w+:|SLURM_(?:ARRAY_)?JOB_?ID=)\d+/gm,
    '$1#',
  ],
  // `squeue -o "%i|%F|%K|%A|…"` and `-O JobID,ArrayJobID,…`: the number of the array, and the element's own.
  [/^(#[^|]*\|)\d+(\|[^|]*\|)\d+\|/gm, '$1#$2#|'],
  [
    /^(# +)(\d+)( +)(?=\S+ +(?:PENDING|RUNNING))/gm,
    (_all, id = '', array = '', blanks = '') => `${id}${'#'.padEnd(array.length)}${blanks}`,
  ],
  ...FIELDS_ASIDE,
];
