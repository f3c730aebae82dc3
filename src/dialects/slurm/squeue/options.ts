/** What `squeue` can be told, on its command line and in its environment, and its help. */

import { variableOf } from '../../environment.ts';
import {
  allValues,
  isGiven,
  lastGiven,
  lastValue,
  type OptionSpec,
  type ParsedArguments,
} from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import type { Structure } from '../listing/structured.ts';

/** In the order of the original's table, in which it names those that an abbreviation could mean. */
const OPTIONS: readonly OptionSpec[] = [
  { name: 'accounts', aliases: ['account'], short: 'A', value: 'required' },
  { name: 'all', short: 'a', value: 'none' },
  { name: 'array', short: 'r', value: 'none' },
  { name: 'array-unique', value: 'none' },
  { name: 'Format', short: 'O', value: 'required' },
  { name: 'format', short: 'o', value: 'required' },
  { name: 'federation', value: 'none' },
  { name: 'help', value: 'none' },
  { name: 'hide', value: 'none' },
  { name: 'iterate', short: 'i', value: 'required' },
  { name: 'jobs', short: 'j', value: 'optional' },
  { name: 'json', value: 'none' },
  { name: 'licenses', short: 'L', value: 'required' },
  { name: 'local', value: 'none' },
  { name: 'long', short: 'l', value: 'none' },
  { name: 'clusters', aliases: ['cluster'], short: 'M', value: 'required' },
  { name: 'me', value: 'none' },
  { name: 'name', short: 'n', value: 'required' },
  { name: 'noconvert', value: 'none' },
  { name: 'nodelist', aliases: ['node', 'nodes'], short: 'w', value: 'required' },
  { name: 'noheader', short: 'h', value: 'none' },
  { name: 'notme', value: 'none' },
  { name: 'only-job-state', value: 'none' },
  { name: 'partitions', aliases: ['partition'], short: 'p', value: 'required' },
  { name: 'priority', short: 'P', value: 'none' },
  { name: 'qos', short: 'q', value: 'required' },
  { name: 'reservation', short: 'R', value: 'required' },
  { name: 'sib', aliases: ['sibling'], value: 'none' },
  { name: 'sort', short: 'S', value: 'required' },
  { name: 'start', value: 'none' },
  { name: 'steps', short: 's', value: 'optional' },
  { name: 'states', short: 't', value: 'required' },
  { name: 'usage', value: 'none' },
  { name: 'user', aliases: ['users'], short: 'u', value: 'required' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  { name: 'yaml', value: 'none' },
];

export const USAGE = [
  'Usage: squeue [-A account] [-i seconds] [-j[jobs]] [-L licenses] [-M cluster] [-n name] [-o format | -O fields]',
  '              [-p partition] [-q qos] [-R reservation] [-S order] [-s[steps]] [-t states] [-u user] [-w nodes]',
  '              [--json | --yaml] [--start] [--me] [-ahlPrvV]',
  '',
].join('\n');

export const HELP = `Usage: squeue [options]

Which jobs:
  -A, --account=LIST       of these accounts
  -j, --jobs=LIST          these jobs: 17, 4_1
  -L, --licenses=LIST      that ask for one of these licenses
      --me, --notme        your own; everybody else's
  -n, --name=LIST          of these names
  -p, --partition=LIST     in these partitions
  -q, --qos=LIST           of these classes of service
  -R, --reservation=NAME   in this reservation
  -t, --states=LIST        in these states, or all; ended jobs are listed for five minutes
  -u, --user=LIST          of these users, by name or number
  -w, --nodelist=HOSTS     on these nodes

What of them:
  -l, --long               more columns
  -o, --format=FORMAT      columns by letters: "%.18i %.9P %j"; %all for all
  -O, --Format=FIELDS      columns by names: "jobid:8,name:20,state"
  -r, --array              a line for each element of an array
  -s, --steps[=LIST]       steps instead of jobs
  -S, --sort=LETTERS       order by columns: "P,t,-p"
      --start              waiting jobs and when they are expected to start
      --json, --yaml       everything, for programs
      --noconvert          memory in megabytes
  -h, --noheader           no headings

Others:
  -i, --iterate=SECONDS    again and again
  -M, --clusters=NAME      the cluster, which is this yard, or all
  -v, --verbose            also how many there are
  -V, --version
      --help, --usage

Without effect on a yard, where nothing is hidden and nothing federated: -a, --hide, --federation, --local,
--sibling, -P, --array-unique, --only-job-state.
`;

export interface SqueueCall {
  readonly zone: string;
  readonly header: boolean;
  readonly long: boolean;
  readonly verbose: boolean;
  readonly format: string | null;
  readonly longFormat: string | null;
  readonly steps: boolean;
  /** Which steps; null: all. */
  readonly stepList: string | null;
  readonly start: boolean;
  readonly structure: Structure | null;
  readonly everyMs: number | null;
  readonly sort: string | null;
  readonly arrays: 'together' | 'apart' | 'unique';
  readonly convert: boolean;
  readonly clusters: { readonly option: string | null; readonly variable: string | null };
  readonly timeForm: string | null;
  readonly taskListLength: string | null;
  readonly filters: SqueueFilterWords;
}

/** As they were written; null where nobody said anything. */
export interface SqueueFilterWords {
  /** Whoever asks. */
  readonly self: string;
  readonly jobs: string | null;
  readonly states: string | null;
  readonly users: string | null;
  readonly notUser: string | null;
  readonly names: string | null;
  readonly partitions: string | null;
  readonly accounts: string | null;
  readonly qos: string | null;
  readonly licenses: string | null;
  readonly reservation: string | null;
  readonly nodes: string | null;
}

export type SqueueRequest = { readonly kind: 'help' | 'usage' | 'version' } | SqueueCall;

export function readSqueueCall({ argv, environment, user, timeZone: zone }: Invocation): SqueueRequest {
  const style = { command: 'squeue', positionals: 'anywhere', exitCode: 1 } as const;
  const parsed = readCommandLine(OPTIONS, argv.slice(1), style);
  const { options } = parsed;
  const told = lastGiven(options, ['help', 'usage', 'version'])?.name;
  if (told === 'help' || told === 'usage' || told === 'version') return { kind: told };
  const variable = (name: string) => variableOf(environment, name);
  const said = (name: string, inEnvironment: string | null = null) =>
    lastValue(options, name) ?? (inEnvironment === null ? null : variable(inEnvironment));
  const { jobs, steps: stepList } = listsOf(parsed);
  const steps = isGiven(options, 'steps');
  const start = isGiven(options, 'start');
  const long = isGiven(options, 'long');
  const formats = formatsOf(parsed, steps || start || long, variable);
  const mine = lastGiven(options, ['me', 'user']);
  return {
    zone,
    header: !isGiven(options, 'noheader'),
    long,
    verbose: isGiven(options, 'verbose'),
    ...formats,
    steps,
    stepList,
    start,
    structure: structureOf(parsed),
    everyMs: intervalOf(lastValue(options, 'iterate')),
    sort: said('sort', 'SQUEUE_SORT'),
    arrays: arraysOf(parsed, variable),
    convert: !isGiven(options, 'noconvert'),
    clusters: { option: lastValue(options, 'clusters'), variable: variable('SLURM_CLUSTERS') },
    timeForm: variable('SLURM_TIME_FORMAT'),
    taskListLength: variable('SLURM_BITSTR_LEN'),
    filters: {
      self: user,
      jobs,
      states: said('states', 'SQUEUE_STATES') ?? (start ? 'PENDING' : null),
      users: mine === null ? variable('SQUEUE_USERS') : mine.name === 'me' ? user : mine.value,
      notUser: isGiven(options, 'notme') ? user : null,
      names: said('name', 'SQUEUE_NAMES'),
      partitions: said('partitions', 'SQUEUE_PARTITION'),
      accounts: said('accounts', 'SQUEUE_ACCOUNT'),
      qos: said('qos', 'SQUEUE_QOS'),
      licenses: said('licenses', 'SQUEUE_LICENSES'),
      reservation: said('reservation'),
      nodes: said('nodelist'),
    },
  };
}

/** The value of `-j` and `-s` may come as a word of its own. */
function listsOf({ options, positionals, afterDashes }: ParsedArguments) {
  const words = [...positionals, ...(afterDashes ?? [])];
  const lists = { jobs: allValues(options, 'jobs').at(-1) ?? null, steps: lastValue(options, 'steps') };
  if (isGiven(options, 'jobs') && lists.jobs === null) lists.jobs = words.shift() ?? null;
  else if (isGiven(options, 'steps') && lists.steps === null) lists.steps = words.shift() ?? null;
  const [unknown] = words;
  if (unknown !== undefined)
    throw new SlurmFailure([`squeue: error: Unrecognized option: ${unknown}`, USAGE.trimEnd()], 1);
  return lists;
}

function formatsOf(
  { options }: ParsedArguments,
  hasFormatOfItsOwn: boolean,
  variable: (name: string) => string | null,
): { readonly format: string | null; readonly longFormat: string | null } {
  const format = lastValue(options, 'format');
  const longFormat = lastValue(options, 'Format');
  if (format !== null && longFormat !== null) {
    const last = lastGiven(options, ['format', 'Format'])?.name;
    throw failure(
      'squeue',
      last === 'Format'
        ? '-O (--Format) is incompatible with -o (--format)'
        : '-o (--format) is incompatible with -O (--Format)',
    );
  }
  if (isGiven(options, 'long') && (format !== null || longFormat !== null))
    throw new SlurmFailure(
      [
        'squeue: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.',
      ],
      1,
    );
  if (format !== null || longFormat !== null || hasFormatOfItsOwn) return { format, longFormat };
  const usual = variable('SQUEUE_FORMAT');
  return { format: usual, longFormat: usual === null ? variable('SQUEUE_FORMAT2') : null };
}

function structureOf({ options }: ParsedArguments): Structure | null {
  const name = lastGiven(options, ['json', 'yaml'])?.name;
  return name === 'json' || name === 'yaml' ? name : null;
}

function arraysOf(
  { options }: ParsedArguments,
  variable: (name: string) => string | null,
): SqueueCall['arrays'] {
  if (isGiven(options, 'array') || variable('SQUEUE_ARRAY') !== null) return 'apart';
  return isGiven(options, 'array-unique') || variable('SQUEUE_ARRAY_UNIQUE') !== null ? 'unique' : 'together';
}

function intervalOf(text: string | null): number | null {
  if (text === null) return null;
  const seconds = Number.parseInt(text, 10);
  if (!(seconds > 0)) throw new SlurmFailure([`squeue: error: --iterate=${text}`, ''], 1);
  return seconds * 1000;
}
