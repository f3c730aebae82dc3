/** What `sinfo` can be told, on its command line and in its environment, and its help. */

import { variableOf } from '../../environment.ts';
import { isGiven, lastGiven, lastValue, type OptionSpec, type ParsedArguments } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import type { Structure } from '../listing/structured.ts';
import {
  LONG_FORMAT,
  LONG_NODE_FORMAT,
  LONG_REASON_FORMAT,
  type NamedFormat,
  NODE_FORMAT,
  REASON_FORMAT,
  SUMMARY_FORMAT,
  USUAL_FORMAT,
} from './columns.ts';
import { type NodeFilters, readNodes, readStates } from './filters.ts';

/** In the order of the original's table, in which it names those that an abbreviation could mean. */
const OPTIONS: readonly OptionSpec[] = [
  { name: 'all', short: 'a', value: 'none' },
  { name: 'dead', short: 'd', value: 'none' },
  { name: 'exact', short: 'e', value: 'none' },
  { name: 'federation', value: 'none' },
  { name: 'future', short: 'F', value: 'none' },
  { name: 'help', value: 'none' },
  { name: 'hide', value: 'none' },
  { name: 'iterate', short: 'i', value: 'required' },
  { name: 'local', value: 'none' },
  { name: 'long', short: 'l', value: 'none' },
  { name: 'clusters', aliases: ['cluster'], short: 'M', value: 'required' },
  { name: 'nodes', short: 'n', value: 'required' },
  { name: 'noconvert', value: 'none' },
  { name: 'noheader', short: 'h', value: 'none' },
  { name: 'Node', short: 'N', value: 'none' },
  { name: 'format', short: 'o', value: 'required' },
  { name: 'Format', short: 'O', value: 'required' },
  { name: 'partition', short: 'p', value: 'required' },
  { name: 'responding', short: 'r', value: 'none' },
  { name: 'list-reasons', short: 'R', value: 'none' },
  { name: 'summarize', short: 's', value: 'none' },
  { name: 'sort', short: 'S', value: 'required' },
  { name: 'states', short: 't', value: 'required' },
  { name: 'reservation', short: 'T', value: 'none' },
  { name: 'usage', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  { name: 'json', value: 'none' },
  { name: 'yaml', value: 'none' },
];

export const USAGE = [
  'Usage: sinfo [-i seconds] [-M cluster] [-n nodes] [-o format | -O fields] [-p partition] [-S order] [-t states]',
  '             [--json | --yaml] [-adehlNrRsTvV]',
  '',
].join('\n');

export const HELP = `Usage: sinfo [options]

Which nodes:
  -d, --dead               that do not answer
  -n, --nodes=HOSTS        these: n[1-3]
  -p, --partition=LIST     of these partitions
  -r, --responding         that answer
  -t, --states=LIST        in one of these states: idle,mix; or in all of them: drain&down

What of them:
  -e, --exact              apart unless they are alike in every amount
  -l, --long               more columns
  -N, --Node               a line for each node
  -o, --format=FORMAT      columns by letters: "%9P %.6D %N"; %all for all
  -O, --Format=FIELDS      columns by names: "nodelist:20,statelong,gres"
  -R, --list-reasons       why nodes are not to be had
  -s, --summarize          a line for each partition
  -S, --sort=LETTERS       order by columns: "#P,-t"
  -T, --reservation        reservations, of which a yard has none
      --json, --yaml       everything about the nodes, for programs
  -h, --noheader           no headings

Others:
  -i, --iterate=SECONDS    again and again
  -M, --clusters=NAME      the cluster, which is this yard, or all
  -v, --verbose            also when it was
  -V, --version
      --help, --usage

Without effect on a yard, where nothing is hidden and nothing federated: -a, --hide, --federation, --local, -F,
--noconvert.
`;

export interface SinfoCall {
  readonly zone: string;
  readonly header: boolean;
  readonly tellsTime: boolean;
  readonly everyMs: number | null;
  /** What was asked for in so many letters or words; null: one of those that have a name. */
  readonly format: string | null;
  readonly longFormat: string | null;
  readonly namedFormat: NamedFormat;
  readonly eachNode: boolean;
  readonly exact: boolean;
  readonly reservations: boolean;
  readonly sort: string | null;
  readonly structure: Structure | null;
  readonly clusters: { readonly option: string | null; readonly variable: string | null };
  /** Null: all. */
  readonly partitions: ReadonlySet<string> | null;
  readonly filters: NodeFilters;
}

export type SinfoRequest = { readonly kind: 'help' | 'usage' | 'version' } | SinfoCall;

/** Words that are no options say nothing to the original either. */
export function readSinfoCall({ argv, environment, timeZone: zone }: Invocation): SinfoRequest {
  const style = { command: 'sinfo', positionals: 'anywhere', exitCode: 1 } as const;
  const parsed = readCommandLine(OPTIONS, argv.slice(1), style);
  const { options } = parsed;
  const told = lastGiven(options, ['help', 'usage', 'version'])?.name;
  if (told === 'help' || told === 'usage' || told === 'version') return { kind: told };
  const variable = (name: string) => variableOf(environment, name);
  const has = (name: string) => isGiven(options, name);
  const structure = lastGiven(options, ['json', 'yaml'])?.name;
  const everyMs = intervalOf(lastValue(options, 'iterate'));
  const reasons = has('list-reasons') ? UNAVAILABLE : null;
  return {
    zone,
    header: !has('noheader'),
    tellsTime: !has('noheader') && (has('long') || has('verbose') || everyMs !== null),
    everyMs,
    ...formatsOf(parsed, variable),
    namedFormat: namedFormatOf(parsed),
    eachNode: has('Node'),
    exact: has('exact'),
    reservations: has('reservation'),
    sort: lastValue(options, 'sort') ?? variable('SINFO_SORT'),
    structure: structure === 'json' || structure === 'yaml' ? structure : null,
    clusters: { option: lastValue(options, 'clusters'), variable: variable('SLURM_CLUSTERS') },
    partitions: partitionsOf(parsed, variable),
    filters: {
      nodes: readNodes(lastValue(options, 'nodes')),
      responding: RESPONDING[lastGiven(options, ['dead', 'responding'])?.name ?? ''] ?? null,
      states: readStates(lastValue(options, 'states') ?? reasons),
    },
  };
}

/** Of which there can be a reason. */
const UNAVAILABLE = 'down,fail,drain';

const RESPONDING: Readonly<Record<string, 'only' | 'not'>> = { dead: 'not', responding: 'only' };

/** Once there are names, the last of either kind is read as names. */
function formatsOf({ options }: ParsedArguments, variable: (name: string) => string | null) {
  const last = lastGiven(options, ['format', 'Format'])?.value ?? null;
  if (last !== null && isGiven(options, 'long'))
    throw new SlurmFailure(
      [
        'sinfo: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.',
      ],
      1,
    );
  const named = ['long', 'summarize', 'Node', 'list-reasons'].some((name) => isGiven(options, name));
  const format = last ?? (named ? null : variable('SINFO_FORMAT'));
  return isGiven(options, 'Format') ? { format: null, longFormat: format } : { format, longFormat: null };
}

function namedFormatOf({ options }: ParsedArguments): NamedFormat {
  const long = isGiven(options, 'long');
  if (isGiven(options, 'summarize')) return SUMMARY_FORMAT;
  if (isGiven(options, 'Node')) return long ? LONG_NODE_FORMAT : NODE_FORMAT;
  if (isGiven(options, 'list-reasons')) return long ? LONG_REASON_FORMAT : REASON_FORMAT;
  return long ? LONG_FORMAT : USUAL_FORMAT;
}

function partitionsOf(
  { options }: ParsedArguments,
  variable: (name: string) => string | null,
): ReadonlySet<string> | null {
  const all = isGiven(options, 'all');
  const option = lastValue(options, 'partition');
  if (all && option !== null)
    throw failure('sinfo', 'Conflicting options, -a and -p, specified. Please choose one or the other.');
  const inEnvironment = variable('SINFO_PARTITION');
  if (option === null && !all && inEnvironment !== null && variable('SINFO_ALL') !== null)
    throw failure(
      'sinfo',
      'Conflicting options, SINFO_ALL and SINFO_PARTITION, specified. Please choose one or the other.',
    );
  const text = option ?? (all ? null : inEnvironment);
  return text === null ? null : new Set(text.split(',').filter((name) => name !== ''));
}

function intervalOf(text: string | null): number | null {
  if (text === null) return null;
  const seconds = Number.parseInt(text, 10);
  if (!(seconds > 0)) throw failure('sinfo', `Error: invalid entry for --iterate=${text}`);
  return seconds * 1000;
}
