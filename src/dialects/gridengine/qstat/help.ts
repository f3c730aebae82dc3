/** What `qstat -help` says. */

import { helpText } from '../help-text.ts';

export const QSTAT_HELP = helpText(
  'qstat [options]',
  [
    ['[-ext]', 'add tickets, project, department and what jobs have used'],
    ['[-explain a|c|A|E]', 'say why queue instances are in these states; lists queues as -f does'],
    ['[-f]', 'list every queue instance with its jobs, then what waits'],
    ['[-F [attribute,...]]', 'the same, with what each queue instance has of (these) attributes'],
    ['[-g c]', 'one line for each queue'],
    ['[-g d]', 'one line for each task of an array'],
    ['[-g t]', 'one line for each slot of a running job'],
    ['[-help]', 'say this'],
    ['[-j [job_list]]', 'everything about these jobs, and why they wait; without a list why any do'],
    ['[-l resource=value,...]', 'only queue instances that have this, and jobs that could run there'],
    ['[-ne]', 'with -f: leave out queue instances in which nothing runs'],
    ['[-ncb]', 'leave out to which cores jobs are bound'],
    ['[-pe pe_list]', 'only queues that have one of these parallel environments'],
    ['[-q wc_queue_list]', 'only these queues or queue instances'],
    ['[-qs {a|c|d|o|s|u|A|C|D|E|S}]', 'only queue instances in one of these states'],
    ['[-r]', 'add what each job asked for'],
    ['[-s {p|r|s|z|hu|ho|hs|hd|hj|ha|h|a}]', 'only jobs that are pending, running, suspended, finished,'],
    ['', 'held by their owner, an operator, the system, an array or a job,'],
    ['', 'or waiting for a time; h is all that are held, a is p, r, s and h'],
    ['[-t]', 'add tasks of parallel jobs; as -g t'],
    ['[-u user_list]', 'jobs of these users; without it your own'],
    ['[-U user_list]', 'only queues that these users may use'],
    ['[-urg]', 'add how urgent jobs are'],
    ['[-pri]', 'add what the priority of jobs is made of'],
    ['[-xml]', 'for programs'],
  ],
  [
    ['job_list', 'jobs with commas between them: numbers, names, or patterns such as "tr*"'],
    ['pe_list', 'parallel environments with commas between them'],
    ['user_list', 'users with commas between them; $user is you, "*" is everybody'],
    ['wc_queue_list', 'cpu, "c*", cpu@node1, "*@node1", with commas between them'],
  ],
);
