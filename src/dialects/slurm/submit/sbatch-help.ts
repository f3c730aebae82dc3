/** What `sbatch --help` and `sbatch --usage` print. */

type Row = readonly [option: string, says: string];

const GROUPS: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    'The job',
    [
      ['-J, --job-name=NAME', 'its name; otherwise that of the script'],
      ['    --wrap=TEXT', 'run this shell text instead of a script'],
      ['-D, --chdir=DIR', 'run it there'],
      ['    --export=NAMES', 'which variables it gets: ALL, NONE, NAME, NAME=value'],
      ['    --export-file=FILE', 'more variables, each ended by a NUL'],
      ['    --propagate[=LIMITS]', "which of the shell's limits it gets"],
      ['-a, --array=RANGE[%N]', 'many like it: 0-99%8, 1-9:2'],
      ['-A, --account=NAME', 'on whose account it runs'],
      ['    --comment=TEXT', 'a remark'],
      ['    --wckey=KEY', 'another remark, for accounting'],
    ],
  ],
  [
    'Resources',
    [
      ['-p, --partition=NAME', 'where it queues'],
      ['-q, --qos=NAME', 'class of service'],
      ['-N, --nodes=MIN[-MAX]', 'how many nodes'],
      ['-n, --ntasks=N', 'how many tasks'],
      ['    --ntasks-per-node=N', 'tasks on each node'],
      ['    --ntasks-per-gpu=N', 'tasks for each GPU'],
      ['-c, --cpus-per-task=N', 'CPUs for each task'],
      ['    --cpus-per-gpu=N', 'CPUs for each GPU'],
      ['    --mincpus=N', 'CPUs on each node at least'],
      ['    --mem=SIZE', 'memory on each node: 512M, 16G; 0 is all of it'],
      ['    --mem-per-cpu=SIZE', 'memory for each CPU'],
      ['    --mem-per-gpu=SIZE', 'memory for each GPU'],
      ['-G, --gpus=[KIND:]N', 'GPUs in all'],
      ['    --gpus-per-node=[KIND:]N', 'GPUs on each node'],
      ['    --gpus-per-task=[KIND:]N', 'GPUs for each task'],
      ['    --gres=gpu[:KIND][:N]', 'GPUs on each node, said otherwise'],
      ['-O, --overcommit', 'tasks share the CPUs of one'],
      ['    --exclusive', 'share the nodes with nobody'],
      ['-C, --constraint=FEATURES', 'features of the nodes: a&b, a|b'],
      ['-w, --nodelist=HOSTS', 'on these nodes; also a file, with a / in its name'],
      ['-F, --nodefile=FILE', 'on the nodes that the file names'],
      ['-x, --exclude=HOSTS', 'not on these'],
    ],
  ],
  [
    'Time',
    [
      ['-t, --time=TIME', 'limit: MIN, MIN:SEC, H:MIN:SEC, DAYS-HOURS'],
      ['    --time-min=TIME', 'the least limit that would do'],
      ['-b, --begin=TIME', 'not before: 16:00, now+1hour, 2026-11-20T12:00'],
      ['    --deadline=TIME', 'remove it when it cannot end by then'],
      ['-d, --dependency=TERMS', 'afterok:17,afterany:18 for all, ? for any; singleton'],
      ['    --signal=[B:]SIG[@SEC]', 'a warning ahead of the limit, with B: to the script'],
      ['-H, --hold', 'wait until it is released'],
      ['    --nice[=N]', 'lower its priority'],
      ['    --priority=N', 'raise it'],
      ['    --requeue, --no-requeue', 'whether it may be started again'],
    ],
  ],
  [
    'Output',
    [
      ['-o, --output=PATTERN', 'stdout; otherwise slurm-%j.out'],
      ['-e, --error=PATTERN', 'stderr; otherwise with stdout'],
      ['-i, --input=PATTERN', 'stdin; otherwise nothing'],
      ['    --open-mode=MODE', 'append or truncate'],
      ['    --mail-type=TYPES', 'letters at BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ALL'],
      ['    --mail-user=ADDRESS', 'to whom'],
    ],
  ],
  [
    'This call',
    [
      ['-W, --wait', 'return when it has ended, with its exit code'],
      ['    --test-only', 'say when it would start, and submit nothing'],
      ['    --parsable', 'print the bare number'],
      ['-Q, --quiet', 'print nothing but errors'],
      ['-M, --clusters=NAME', 'name the cluster in the answer'],
      ['    --ignore-pbs', 'say nothing about #PBS and #BSUB lines'],
      ['-v, --verbose', 'list the options in force'],
      ['-V, --version', 'print the version of Slurm that is spoken'],
      ['-h, --help', 'this'],
    ],
  ],
];

const OPTION_WIDTH = 28;

export const SBATCH_HELP = [
  'Usage: sbatch [OPTIONS] SCRIPT [ARGUMENTS]',
  '       sbatch [OPTIONS] --wrap=TEXT',
  '       sbatch [OPTIONS] < SCRIPT',
  '',
  'Options may also stand in the script, before its first command: #SBATCH --time=10',
  'The command line wins over the variables SBATCH_..., and these over the script.',
  ...GROUPS.flatMap(([title, rows]) => [
    '',
    `${title}:`,
    ...rows.map(([option, says]) => `  ${option.padEnd(OPTION_WIDTH)}${says}`),
  ]),
  '',
  'In patterns: %j job, %A array, %a index, %x name, %u user, %N node, %% a percent sign.',
  "Slurm's other options are accepted; those that change nothing here say so.",
  '',
].join('\n');

export const SBATCH_USAGE = [
  'Usage: sbatch [-J name] [-p partition] [-N nodes] [-n tasks] [-c cpus] [--mem=size]',
  '              [-G gpus] [--gres=gpu:n] [-t time] [-a range] [-d dependency]',
  '              [-o output] [-e error] [-D dir] [--wait] [--parsable] [--wrap=text]',
  '              script [arguments]',
  '',
].join('\n');
