/** `sprio`: what the priorities of waiting jobs are made of. */

import type { Policy } from '../../../model/policy.ts';
import { ANY_JOB } from '../../../model/query.ts';
import { variableOf } from '../../environment.ts';
import { waitingPriorities } from '../../job-pages.ts';
import {
  type GivenOption,
  isGiven,
  lastGiven,
  lastValue,
  type OptionSpec,
  type ParsedArguments,
} from '../../options.ts';
import { type Asking, type Invocation, type Program, printErr, printOut, query } from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { readFormat } from '../listing/format.ts';
import { headingLine, type Layout, rowLine } from '../listing/layout.ts';
import { COLUMNS, type PriorityRow, type Row, SORT_KEYS, usualFormat } from './columns.ts';
import { HELP, USAGE } from './help.ts';

export const sprio: SlurmCommand = { name: 'sprio', run: runSprio };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'clusters', aliases: ['cluster'], short: 'M', value: 'required' },
  { name: 'federation', value: 'none' },
  { name: 'format', short: 'o', value: 'required' },
  { name: 'help', value: 'none' },
  { name: 'jobs', short: 'j', value: 'optional' },
  { name: 'local', value: 'none' },
  { name: 'long', short: 'l', value: 'none' },
  { name: 'noheader', short: 'h', value: 'none' },
  { name: 'norm', short: 'n', value: 'none' },
  { name: 'partition', short: 'p', value: 'required' },
  { name: 'sibling', value: 'none' },
  { name: 'sort', short: 'S', value: 'required' },
  { name: 'usage', value: 'none' },
  { name: 'user', aliases: ['users'], short: 'u', value: 'required' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  { name: 'weights', short: 'w', value: 'none' },
];

function* runSprio(invocation: Invocation): Program {
  const { environment } = invocation;
  const parsed = readCommandLine(OPTIONS, invocation.argv.slice(1), {
    command: 'sprio',
    positionals: 'anywhere',
    exitCode: 1,
  });
  const { options: given } = parsed;
  const aboutItself = textAboutItself(given);
  if (aboutItself !== null) {
    yield* printOut(aboutItself);
    return 0;
  }
  const jobs = readJobs(parsed);
  yield* chooseCluster('sprio', lastValue(given, 'clusters'), variableOf(environment, 'SLURM_CLUSTERS'));
  const policy = yield* query('policy', {});
  const users = yield* readUsers(lastValue(given, 'user'));
  const layout = yield* readLayout(given, policy, variableOf(environment, 'SPRIO_FORMAT'), users !== null);
  const header = isGiven(given, 'noheader') ? '' : headingLine(layout);
  if (isGiven(given, 'weights')) {
    yield* printOut(header + rowLine(layout, { kind: 'weights', weights: policy.weights }));
    return 0;
  }
  const rows = yield* findRows(policy, jobs, users);
  if (rows.length === 0 && (jobs !== null || (users !== null && users.length > 0))) {
    yield* printOut('Unable to find jobs matching user/id(s) specified\n');
    return 0;
  }
  yield* printOut(header);
  const partitions = lastValue(given, 'partition')?.split(',') ?? null;
  const shown = rows.filter(({ view }) => partitions === null || partitions.includes(view.job.spec.queue));
  yield* printOut(
    inOrder(shown, lastValue(given, 'sort') ?? 'i')
      .map((row) => rowLine(layout, row))
      .join(''),
  );
  return 0;
}

function textAboutItself(given: readonly GivenOption[]): string | null {
  const asked = lastGiven(given, ['help', 'usage', 'version'])?.name;
  if (asked === undefined) return null;
  return asked === 'help' ? HELP : asked === 'usage' ? USAGE : `slurm ${SLURM_VERSION}\n`;
}

/** The list may also be the next word. Null: all jobs. */
function readJobs({ options, positionals, afterDashes }: ParsedArguments): readonly number[] | null {
  const attached = lastValue(options, 'jobs');
  const words = [...positionals, ...(afterDashes ?? [])];
  const text = attached ?? (isGiven(options, 'jobs') ? (words.shift() ?? null) : null);
  if (words.length > 0) {
    throw new SlurmFailure(
      [`sprio: error: Unrecognized option: ${words[0]}`, ...USAGE.trimEnd().split('\n')],
      1,
    );
  }
  return (
    text?.split(',').map((word) => {
      if (!/^\d{1,15}$/.test(word)) throw failure('sprio', `Invalid job id: ${word}`);
      return Number(word);
    }) ?? null
  );
}

/** Numbers stay numbers; a name that is nobody's is said and left out. */
function* readUsers(text: string | null): Asking<readonly string[] | null> {
  if (text === null) return null;
  const words = text.split(',');
  const known = yield* query('users', { names: words });
  const found: string[] = [];
  for (const [i, word] of words.entries()) {
    if (known[i] != null || /^\d+$/.test(word)) found.push(word);
    else yield* printErr(`sprio: error: Invalid user: ${word}\n`);
  }
  return found;
}

function* readLayout(
  given: readonly GivenOption[],
  { weights }: Policy,
  variable: string | null,
  byUsers: boolean,
): Asking<Layout<Row>> {
  const how = { norm: isGiven(given, 'norm'), long: isGiven(given, 'long'), users: byUsers };
  const format = lastValue(given, 'format') ?? (how.long || how.norm ? null : variable);
  const { layout, problems } = readFormat(format ?? usualFormat(weights, how), COLUMNS, null);
  for (const { said } of problems)
    yield* printErr(`sprio: error: Invalid job format specification: ${said}\n`);
  return {
    ...layout,
    cells: layout.cells.map((cell) => (cell.column === null ? { ...cell, after: '' } : cell)),
  };
}

function* findRows(
  { weights }: Policy,
  jobs: readonly number[] | null,
  users: readonly string[] | null,
): Asking<readonly PriorityRow[]> {
  const refs = jobs?.map((job) => ({ job, index: null })) ?? null;
  const waiting =
    refs === null
      ? yield* waitingPriorities()
      : yield* query('priorities', { ...ANY_JOB, refs, limit: refs.length });
  const rows = waiting.map((each): PriorityRow => ({ kind: 'job', ...each, weights }));
  if (users === null) return rows;
  const names = [...new Set(rows.map(({ view }) => view.job.spec.user))];
  const known = yield* query('users', { names });
  const wanted = new Set(
    names.filter((name, i) => users.includes(name) || users.includes(`${known[i]?.uid}`)),
  );
  return rows.filter(({ view }) => wanted.has(view.job.spec.user));
}

function inOrder(rows: readonly PriorityRow[], sort: string): readonly PriorityRow[] {
  const keys = sort.split(',').map((word) => {
    const [, sign = '', letter = ''] = /^([+-]?)(.*)$/.exec(word) ?? [];
    const key = Object.hasOwn(SORT_KEYS, letter) ? SORT_KEYS[letter] : undefined;
    if (key === undefined) throw failure('sprio', `Invalid sort specification: ${letter}`);
    return { key, sign: sign === '-' ? -1 : 1 };
  });
  return [...rows].sort((a, b) => {
    for (const { key, sign } of keys) {
      const [left, right] = [key(a), key(b)];
      if (left !== right) return left < right ? -sign : sign;
    }
    return 0;
  });
}
