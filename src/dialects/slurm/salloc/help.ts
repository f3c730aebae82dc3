/** What `salloc --help` and `salloc --usage` print. */

import { type HelpGroup, helpText } from '../help-text.ts';

const GROUPS: readonly HelpGroup[] = [
  [
    'The place',
    [
      ['-p, --partition=NAME', 'where to queue for it'],
      ['-N, --nodes=MIN[-MAX]', 'how many nodes'],
      ['-n, --ntasks=N', 'how many tasks'],
      ['    --ntasks-per-node=N', 'tasks on each node'],
      ['-c, --cpus-per-task=N', 'CPUs for each task'],
      ['    --mem=SIZE', 'memory on each node: 512M, 16G; 0 is all of it'],
      ['    --mem-per-cpu=SIZE', 'memory for each CPU'],
      ['-G, --gpus=[KIND:]N', 'GPUs in all'],
      ['    --gpus-per-node=[KIND:]N', 'GPUs on each node'],
      ['    --gpus-per-task=[KIND:]N', 'GPUs for each task'],
      ['    --gres=gpu[:KIND][:N]', 'GPUs on each node, said otherwise'],
      ['    --exclusive', 'share the nodes with nobody'],
      ['-C, --constraint=FEATURES', 'features of the nodes: a&b, a|b'],
      ['-w, --nodelist=HOSTS', 'these nodes'],
      ['-x, --exclude=HOSTS', 'not these'],
      ['-t, --time=TIME', 'for how long: MIN, MIN:SEC, H:MIN:SEC, DAYS-HOURS'],
    ],
  ],
  [
    'The job',
    [
      ['-J, --job-name=NAME', 'its name; otherwise interactive'],
      ['-A, --account=NAME', 'on whose account it is'],
      ['-q, --qos=NAME', 'class of service'],
      ['-b, --begin=TIME', 'not before'],
      ['-d, --dependency=TERMS', 'after other jobs: afterok:17'],
      ['-H, --hold', 'wait until it is released'],
    ],
  ],
  [
    'This call',
    [
      ['-D, --chdir=DIR', 'run the command there'],
      ['-I, --immediate[=SEC]', 'give up when there is no place at once, or in that time'],
      ['    --no-shell', 'run nothing; the place stays until it is cancelled'],
      ['    --bell, --no-bell', 'ring the bell when the place is there, or never'],
      ['-Q, --quiet', 'print nothing but errors'],
      ['-v, --verbose', 'list the options in force'],
      ['-V, --version', 'print the version of Slurm that is spoken'],
      ['-h, --help', 'this'],
    ],
  ],
];

export const SALLOC_HELP = helpText(['Usage: salloc [OPTIONS] [COMMAND [ARGUMENTS]]'], GROUPS, [
  'Without a command, your shell runs in the place; srun in it starts tasks. The end of it gives the place back.',
  "Slurm's other options are accepted; those that change nothing here say so.",
]);

export const SALLOC_USAGE = [
  'Usage: salloc [-n tasks] [-N nodes] [-c cpus] [-G gpus] [--gres=gpu:n] [--mem=size] [-t time]',
  '              [-p partition] [-J name] [-D dir] [--immediate[=sec]] [--no-shell]',
  '              [command [arguments]]',
  '',
].join('\n');
