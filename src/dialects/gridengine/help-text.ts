/** Help of a command, laid out: whom one talks to, how it is called, and a few words on each flag. */

import { GRID_ENGINE_VERSION } from './command.ts';

export type HelpRow = readonly [flag: string, says: string];

const FLAG_WIDTH = 44;

/** `notes` say what the words of the usage stand for. */
export function helpText(usage: string, rows: readonly HelpRow[], notes: readonly HelpRow[]): string {
  const lines = [
    GRID_ENGINE_VERSION,
    `usage: ${usage}`,
    ...rows.map(([flag, says]) => `   ${flag.padEnd(FLAG_WIDTH - 3)}${says}`),
    '',
    ...notes.map(([word, says]) => `${word.padEnd(FLAG_WIDTH)}${says}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** What a list of jobs may be made of. */
export const JOB_LIST_NOTES: readonly HelpRow[] = [
  ['job_task_list', 'jobs, with commas between them: numbers, names, or patterns such as "tr*"'],
  ['', '12.3 and 12.1-5:2 are tasks of job 12, as is 12 -t 1-5:2'],
];
