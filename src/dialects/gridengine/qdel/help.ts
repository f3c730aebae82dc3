/** `qdel -help`. */

import { helpText, JOB_LIST_NOTES } from '../help-text.ts';

export const QDEL_HELP = helpText(
  'qdel [options] job_task_list',
  [
    ['[-f]', 'kill at once, without waiting for anything'],
    ['[-help]', 'say this'],
    ['[-u user_list]', 'jobs of these users; without a list of jobs, all of them'],
    ['job_task_list', 'the jobs to delete'],
  ],
  [...JOB_LIST_NOTES, ['user_list', 'names or patterns, with commas between them']],
);
