/**
 * What was said in Grid Engine's words and has no place in JobSpec, kept verbatim on the job so that it can be said
 * back: by `qstat -j`, by the variables of the job, by `qacct`. Only what the submitter gave is there.
 */

import type { Job } from '../../model/job.ts';

export type GridEngineWord =
  /** Which command submitted it: `qsub`, `qrsh`, `qlogin`. For people who look at the record. */
  | 'by'
  /** `-q`, `-soft -q`, `-masterq` as given. */
  | 'queues'
  | 'softQueues'
  | 'masterQueues'
  /** `-l` as given: `h_rt=600,mem_free=1G`. */
  | 'resources'
  | 'softResources'
  /** `-pe`: name and range as given. */
  | 'pe'
  | 'slotRange'
  /** `-t` in full: `1-10:2`. Its last task may be an earlier one. */
  | 'taskRange'
  /** The script's path as given, or the command of `-b y`; `STDIN` when it came that way. */
  | 'script'
  /** It was to start at once or not at all. */
  | 'isImmediate'
  /** `-C` as given. */
  | 'directivePrefix'
  /** `-b y` was said. */
  | 'isBinary'
  /** `-S` as given. */
  | 'shell'
  | 'project'
  | 'account'
  /** `-p`, as Grid Engine counts: -1023 to 1024. */
  | 'priority'
  | 'jobShare'
  /** `-dl`, in milliseconds since 1970. */
  | 'deadlineAt'
  | 'binding'
  | 'checkpoint'
  | 'notify'
  | 'rerun'
  | 'reserve'
  | 'mailOptions'
  | 'mailList'
  | 'context'
  | 'holdJobs'
  | 'holdArrayJobs'
  /** Who holds it, as letters: its owner (u), an operator (o), the system (s). Absent: its owner, while it is held. */
  | 'holds'
  /** `-v` as given, for `env_list`. */
  | 'variables'
  /** Variables whose value names what is known only when the job starts: JSON, name → value as written. */
  | 'lateVariables'
  /** The submitter's HOME, PATH, SHELL, LOGNAME, MAIL, TZ, working directory and host, for SGE_O_*: JSON. */
  | 'submitter'
  /** `-cwd` or `-wd` was said. */
  | 'ownDirectory'
  /** `-o`, `-e`, `-i`, `-j` as given. */
  | 'outputPath'
  | 'errorPath'
  | 'inputPath'
  | 'isMerged';

export type GridEngineWords = Readonly<Partial<Record<GridEngineWord, string>>>;

export function wordOf({ spec }: Pick<Job, 'spec'>, word: GridEngineWord): string | null {
  const { words } = spec.origin;
  return Object.hasOwn(words, word) ? (words[word] ?? null) : null;
}

/** What `Origin.dialect` says of jobs submitted in these words. */
export const GRID_ENGINE = 'gridengine';
