/** `qmod -help`. */

import { helpText } from '../help-text.ts';

export const QMOD_HELP = helpText(
  'qmod [options]',
  [
    ['[-c job_wc_queue_list]', 'clear the errors of jobs and queues'],
    ['[-cj job_list]', 'clear the errors of jobs, so that they are started again'],
    ['[-cq wc_queue_list]', 'clear the errors of queues'],
    ['[-d wc_queue_list]', 'disable queues: they start no more jobs'],
    ['[-e wc_queue_list]', 'enable queues'],
    ['[-f]', 'do it also where it would be refused'],
    ['[-help]', 'say this'],
    ['[-r job_wc_queue_list]', 'stop jobs, or all jobs in queues, and start them again'],
    ['[-rj job_list]', 'the same for jobs'],
    ['[-rq wc_queue_list]', 'the same for all jobs in queues'],
    ['[-s job_wc_queue_list]', 'suspend jobs and queues'],
    ['[-sj job_list]', 'suspend jobs'],
    ['[-sq wc_queue_list]', 'suspend queues: their jobs stop where they are, and no more are started'],
    ['[-us job_wc_queue_list]', 'let jobs and queues go on'],
    ['[-usj job_list]', 'let jobs go on'],
    ['[-usq wc_queue_list]', 'let queues go on'],
  ],
  [
    ['job_list', 'jobs, with blanks between them: numbers, names, or patterns such as "tr*"'],
    ['', '12.3 and 12.1-5:2 are tasks of job 12, as is 12 -t 1-5:2'],
    ['wc_queue_list', 'queues, with commas between them: cpu, "c*", cpu@node, "*@node"'],
    ['job_wc_queue_list', 'numbers of jobs, and queues'],
  ],
);
