/**
 * `sdiag`: what the yard has been doing since it was opened. Only those of Slurm's sections are printed that a yard has
 * figures for: it has no server threads, agents, second scheduler or remote procedure calls.
 */

import type { YardActivity, YardView } from '../../model/query.ts';
import { isGiven, lastGiven, lastValue, type OptionSpec } from '../options.ts';
import { clock, type Invocation, type Program, printErr, printOut, query } from '../program.ts';
import { chooseCluster } from './clusters.ts';
import { SLURM_VERSION, type SlurmCommand } from './command.ts';
import { readCommandLine } from './command-line.ts';
import { failure } from './failure.ts';
import { headingText } from './moments.ts';

export const sdiag: SlurmCommand = { name: 'sdiag', run: runSdiag };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'all', short: 'a', value: 'none' },
  { name: 'cluster', aliases: ['clusters'], short: 'M', value: 'required' },
  { name: 'help', short: 'h', value: 'none' },
  { name: 'reset', short: 'r', value: 'none' },
  { name: 'sort-by-id', short: 'i', value: 'none' },
  { name: 'sort-by-time', short: 't', value: 'none' },
  { name: 'sort-by-time2', short: 'T', value: 'none' },
  { name: 'usage', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
];

const USAGE = 'Usage: sdiag [-M cluster] [-aritT]\n';
const HELP = `Usage: sdiag [OPTION]...   what the yard has been doing since it was opened

  -a, --all              everything, as always
  -M, --cluster=NAME     of this cluster: the yard's name
  -r, --reset            refused: the counts begin with the yard
  -i, --sort-by-id, -t, --sort-by-time, -T, --sort-by-time2
                         order remote procedure calls, of which there are none
  -V, --version          print the version
  -h, --help             print this
      --usage            print the options
`;

function* runSdiag(invocation: Invocation): Program {
  const { options: given } = readCommandLine(OPTIONS, invocation.argv.slice(1), {
    command: 'sdiag',
    positionals: 'anywhere',
    exitCode: 1,
  });
  const asked = lastGiven(given, ['help', 'usage', 'version'])?.name;
  if (asked !== undefined) {
    yield* printOut(asked === 'help' ? HELP : asked === 'usage' ? USAGE : `slurm ${SLURM_VERSION}\n`);
    return 0;
  }
  yield* chooseCluster('sdiag', lastValue(given, 'cluster'), null);
  if (isGiven(given, 'reset')) throw failure('sdiag', 'the counts begin with the yard and cannot be reset');
  if (lastGiven(given, ['sort-by-id', 'sort-by-time', 'sort-by-time2']) !== null) {
    yield* printErr('sdiag: warning: there are no remote procedure calls to sort\n');
  }
  const now = yield* clock();
  const activity = yield* query('activity', {});
  const { counts } = yield* query('yard', {});
  yield* printOut(activityText(activity, counts, now, invocation.timeZone));
  return 0;
}

const RULE = '*'.repeat(55);

function activityText(
  { since, jobs, plans }: YardActivity,
  counts: YardView['counts'],
  now: number,
  zone: string,
): string {
  const moment = (at: number) => `${headingText(at, zone)} (${Math.floor(at / 1000)})`;
  const microseconds = (ms: number) => `${Math.round(ms * 1000)}`;
  const minutes = Math.max(1, (now - since) / 60_000);
  return [
    RULE,
    `sdiag output at ${moment(now)}`,
    `Data since      ${moment(since)}`,
    RULE,
    '',
    `Jobs submitted: ${jobs.submitted}`,
    `Jobs started:   ${jobs.started}`,
    `Jobs completed: ${jobs.completed}`,
    `Jobs canceled:  ${jobs.cancelled}`,
    `Jobs failed:    ${jobs.failed}`,
    '',
    `Job states ts:  ${moment(now)}`,
    `Jobs pending:   ${counts.held + counts.waiting + counts.pending}`,
    `Jobs running:   ${counts.active}`,
    '',
    'Main schedule statistics (microseconds):',
    `\tLast cycle:   ${microseconds(plans.lastMs)}`,
    `\tMax cycle:    ${microseconds(plans.maxMs)}`,
    `\tTotal cycles: ${plans.count}`,
    ...(plans.count === 0 ? [] : [`\tMean cycle:   ${microseconds(plans.totalMs / plans.count)}`]),
    `\tCycles per minute: ${Math.floor(plans.count / minutes)}`,
    `\tLast queue length: ${plans.waitingAtLast}`,
    '',
  ].join('\n');
}
