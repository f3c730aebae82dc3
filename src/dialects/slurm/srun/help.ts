/** What `srun --help` and `srun --usage` print. */

import { type HelpGroup, helpText } from '../help-text.ts';

const GROUPS: readonly HelpGroup[] = [
  [
    'Tasks',
    [
      ['-n, --ntasks=N', 'how many'],
      ['-N, --nodes=MIN[-MAX]', 'on how many nodes'],
      ['    --ntasks-per-node=N', 'tasks on each node'],
      ['-c, --cpus-per-task=N', 'CPUs for each task'],
      ['-m, --distribution=HOW', 'block, cyclic or plane=SIZE: the order over the nodes'],
      ['    --multi-prog', 'the command is a file that says what each task runs'],
      ['-D, --chdir=DIR', 'run there'],
      ['    --export=NAMES', 'which variables they get: ALL, NONE, NAME, NAME=value'],
      ['-J, --job-name=NAME', 'the name of the step, or of the job'],
    ],
  ],
  [
    'Resources',
    [
      ['-G, --gpus=[KIND:]N', 'GPUs in all'],
      ['    --gpus-per-task=[KIND:]N', 'GPUs for each task, which sees only those'],
      ['    --gres=gpu[:KIND][:N]', 'GPUs on each node; none for none'],
      ['    --gpu-bind=HOW', 'which GPUs each task sees: single:N, map_gpu:LIST, none'],
      ['    --cpu-bind=HOW', 'which CPUs each task has: none, cores, map_cpu:LIST'],
      ['    --mem=SIZE', 'memory on each node'],
      ['    --mem-per-cpu=SIZE', 'memory for each CPU'],
      ['-O, --overcommit', 'more tasks than CPUs'],
      ['-w, --nodelist=HOSTS', 'on these nodes'],
      ['-x, --exclude=HOSTS', 'not on these'],
      ['-t, --time=TIME', 'how long it may take'],
    ],
  ],
  [
    'In a job',
    [
      ['    --jobid=ID', 'in this job; otherwise in the one it is called in'],
      ['    --exact', 'no more CPUs than asked for, so that steps run side by side'],
      ['    --overlap', 'share CPUs and GPUs with other steps'],
      ['-r, --relative=N', "from the job's node N on, counted from 0"],
    ],
  ],
  [
    'For a job of its own, when it is called outside of any',
    [
      ['-p, --partition=NAME', 'where it queues'],
      ['-A, --account=NAME', 'on whose account it runs'],
      ['-q, --qos=NAME', 'class of service'],
      ['-I, --immediate[=SEC]', 'give up when there is no place at once, or in that time'],
      ['-b, --begin=TIME', 'not before'],
      ['-d, --dependency=TERMS', 'after other jobs: afterok:17'],
      ['    --exclusive', 'share the nodes with nobody'],
      ['    --test-only', 'say when it would start, and run nothing'],
    ],
  ],
  [
    'Input and output',
    [
      ['-o, --output=WHERE', 'stdout: all, none, the number of a task, or a file'],
      ['-e, --error=WHERE', 'stderr, likewise'],
      ['-i, --input=WHERE', 'stdin, likewise'],
      ['    --open-mode=MODE', 'append or truncate'],
      ['-l, --label', 'begin each line with the number of its task'],
      ['-u, --unbuffered', 'pass everything on at once'],
      ['    --pty', 'give the terminal to task 0'],
    ],
  ],
  [
    'The end',
    [
      ['-K, --kill-on-bad-exit[=0|1]', 'one task that fails ends the others'],
      ['-W, --wait=SEC', 'after the first task has ended, the others have so long'],
      ['-X, --disable-status', 'pass Ctrl-C on at once'],
    ],
  ],
  [
    'This call',
    [
      ['-Q, --quiet', 'print nothing but errors'],
      ['-v, --verbose', 'list the options in force, and where tasks go'],
      ['-V, --version', 'print the version of Slurm that is spoken'],
      ['-h, --help', 'this'],
    ],
  ],
];

export const SRUN_HELP = helpText(['Usage: srun [OPTIONS] COMMAND [ARGUMENTS]'], GROUPS, [
  'In names of files: %j job, %s step, %J both, %t task, %N node, %n its number, %x name, %u user.',
  "Slurm's other options are accepted; those that change nothing here say so.",
]);

export const SRUN_USAGE = [
  'Usage: srun [-n tasks] [-N nodes] [-c cpus] [-G gpus] [--gres=gpu:n] [--mem=size] [-t time]',
  '            [-p partition] [-J name] [-o output] [-e error] [-i input] [-l] [-D dir] [--jobid=id]',
  '            [--exact] [--overlap] [--pty] [--multi-prog] command [arguments]',
  '',
].join('\n');
