/** `squeue`: jobs that wait, run, or ended a moment ago; or the steps that run. */

import type { JobView, UserView } from '../../../model/query.ts';
import { chosen } from '../../job-pages.ts';
import { printPieces } from '../../print-pieces.ts';
import {
  type Asking,
  clock,
  type Invocation,
  type Program,
  printErr,
  printOut,
  query,
} from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { SlurmFailure } from '../failure.ts';
import { readFormat } from '../listing/format.ts';
import { headingLine, type ReadLayout } from '../listing/layout.ts';
import { readLongFormat } from '../listing/long-format.ts';
import { printRows, repeated } from '../listing/print.ts';
import { answerPieces, type Structure, type Value } from '../listing/structured.ts';
import { momentWriter } from '../moment-writer.ts';
import { headingText } from '../moments.ts';
import { taskListLength } from '../task-list.ts';
import {
  ALL_LETTERS,
  JOB_COLUMNS,
  LONG_FORMAT,
  START_FORMAT,
  STEP_COLUMNS,
  STEP_FORMAT,
  USUAL_FORMAT,
} from './columns.ts';
import { JOB_FIELDS } from './fields.ts';
import { type Filters, isWanted, isWantedRow, readFilters } from './filters.ts';
import { jobRecord } from './job-record.ts';
import { findJobs, findSteps } from './look-up.ts';
import { HELP, readSqueueCall, type SqueueCall, USAGE } from './options.ts';
import { type JobRow, rowsOf, type Scene } from './rows.ts';
import {
  IGNORED_ORDER,
  START_ORDER,
  sortedJobs,
  sortedSteps,
  USUAL_JOB_ORDER,
  USUAL_STEP_ORDER,
} from './sort.ts';
import { STEP_FIELDS } from './step-fields.ts';
import { isAskedStep, readStepList, stepRowsOf } from './steps.ts';

export const squeue: SlurmCommand = { name: 'squeue', run: runSqueue };

/** As many as Slurm's own scheduler looks at ahead of their turn. */
const MOST_FORECASTS = 100;

function* runSqueue(invocation: Invocation): Program {
  const call = readSqueueCall(invocation);
  if ('kind' in call) {
    const texts = { help: HELP, usage: USAGE, version: `slurm ${SLURM_VERSION}\n` };
    yield* printOut(texts[call.kind]);
    return 0;
  }
  const cluster = yield* chooseCluster('squeue', call.clusters.option, call.clusters.variable);
  const filters = yield* readFilters(call.filters);
  if (call.structure !== null) return yield* printStructured(call, call.structure, filters, cluster.name);
  const list = call.steps ? stepLister(call, filters) : jobLister(call, filters);
  for (const problem of list.problems) yield* printErr(`squeue: error: ${problem}\n`);
  if (cluster.named && call.header) yield* printOut(`CLUSTER: ${cluster.name}\n`);
  const tellsTime = call.header && (call.long || call.everyMs !== null);
  return yield* repeated({ everyMs: call.everyMs, tellsTime, zone: call.zone }, () =>
    list.once(cluster.name),
  );
}

interface Lister {
  readonly problems: readonly string[];
  readonly once: (cluster: string) => Program;
}

function jobLister(call: SqueueCall, filters: Filters): Lister {
  const { layout, problems } = jobLayout(call);
  return {
    problems: problems.map(({ said }) => `Invalid job format specification: ${said}`),
    *once(cluster) {
      const now = yield* clock();
      const found = yield* findJobs(filters, now, false);
      if (found === null) return yield* repeatableFailure(call);
      const views = yield* chosen(found, ({ job }) => isWanted(job, filters));
      const scene = yield* sceneOf(call, cluster, now, views, call.start);
      if (call.verbose) yield* printCount(call, now, views.length);
      if (call.header) yield* printOut(headingLine(layout));
      const rows = yield* chosen(yield* rowsOf(views, scene, call.arrays, filters.asked), (row) =>
        isWantedRow(row, filters),
      );
      const sort = call.sort ?? (call.start ? START_ORDER : USUAL_JOB_ORDER);
      const sorted = yield* sortedJobs(rows, sort);
      yield* complainAbout(sort);
      yield* printRows(layout, sorted);
      return 0;
    },
  };
}

function jobLayout({ format, longFormat, long, start }: SqueueCall): ReadLayout<JobRow> {
  if (longFormat !== null) return readLongFormat(longFormat, JOB_FIELDS);
  const usual = start ? START_FORMAT : long ? LONG_FORMAT : USUAL_FORMAT;
  return readFormat(format ?? usual, JOB_COLUMNS, ALL_LETTERS);
}

function stepLister(call: SqueueCall, filters: Filters): Lister {
  const { layout, problems } =
    call.longFormat === null
      ? readFormat(call.format ?? STEP_FORMAT, STEP_COLUMNS, null)
      : readLongFormat(call.longFormat, STEP_FIELDS);
  const asked = readStepList(call.stepList);
  return {
    problems: problems.map(({ said }) => `Invalid job step format specification: ${said}`),
    *once(cluster) {
      const now = yield* clock();
      const records = (yield* findSteps()).filter(({ view }) => isWanted(view.job, filters));
      const views = records.map(({ view }) => view);
      const scene = yield* sceneOf(call, cluster, now, views, false);
      if (call.header) yield* printOut(headingLine(layout));
      const rows = stepRowsOf(records, scene).filter((row) => isAskedStep(row, filters.asked, asked));
      const sort = call.sort ?? USUAL_STEP_ORDER;
      yield* complainAbout(sort);
      yield* printRows(layout, sortedSteps(rows, sort));
      return 0;
    },
  };
}

/** Everything that is known of the jobs, ended ones with them unless somebody asked for states. */
function* printStructured(
  call: SqueueCall,
  structure: Structure,
  filters: Filters,
  cluster: string,
): Program {
  const now = yield* clock();
  const found = yield* findJobs(filters, now, true);
  if (found === null) return yield* repeatableFailure({ ...call, everyMs: null });
  const views = yield* chosen(found, ({ job }) => isWanted(job, filters));
  const scene = yield* sceneOf(call, cluster, now, views, false);
  const states = filters.states ?? 'all';
  const rows = yield* chosen(yield* rowsOf(views, scene, 'unique', filters.asked), (row) =>
    isWantedRow(row, { ...filters, states }),
  );
  yield* printPieces(answerPieces('jobs', records(rows), structure));
  return 0;
}

function* records(rows: readonly JobRow[]): Generator<Value> {
  for (const row of rows) yield jobRecord(row);
}

/** A job that is not there ends the command, unless it looks again in a while. */
function* repeatableFailure({ everyMs }: SqueueCall): Program {
  const line = 'slurm_load_jobs error: Invalid job id specified';
  if (everyMs === null) throw new SlurmFailure([line], 1);
  yield* printErr(`${line}\n`);
  return 1;
}

function* complainAbout(sort: string): Asking<void> {
  if (sort !== 'cluster' && sort.includes(IGNORED_ORDER))
    yield* printErr(`squeue: Invalid sort specification: ${IGNORED_ORDER}\n`);
}

function* printCount({ zone }: SqueueCall, now: number, count: number): Asking<void> {
  yield* printOut(`${headingText(now, zone)}\nlast_update_time=${Math.floor(now / 1000)} records=${count}\n`);
}

function* sceneOf(
  call: SqueueCall,
  cluster: string,
  now: number,
  views: readonly JobView[],
  forecasts: boolean,
): Asking<Scene> {
  const { write, complaint } = momentWriter(call.timeForm, call.zone, now);
  if (complaint !== null) yield* printErr(`squeue: error: ${complaint}\n`);
  return {
    now,
    momentText: write,
    policy: yield* query('policy', {}),
    cluster,
    users: yield* usersOf(views),
    convert: call.convert,
    taskListLength: taskListLength(call.taskListLength),
    expectedStarts: forecasts ? yield* expectedStarts(views) : new Map(),
  };
}

function* usersOf(views: readonly JobView[]): Asking<ReadonlyMap<string, UserView>> {
  const names = [...new Set(views.map(({ job }) => job.spec.user))];
  const found = yield* query('users', { names });
  return new Map(names.flatMap((name, at) => (found[at] ? [[name, found[at]] as const] : [])));
}

/** Of those whose turn comes first. */
function* expectedStarts(views: readonly JobView[]): Asking<ReadonlyMap<number, number>> {
  const next = views
    .filter(({ job }) => job.phase === 'pending')
    .sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
    .slice(0, MOST_FORECASTS);
  const starts = new Map<number, number>();
  for (const { job } of next) {
    const answer = yield* query('explain', { ref: { job: job.id, index: null } });
    const at = answer?.explanation.expectedStartAt ?? null;
    if (at !== null) starts.set(job.id, at);
  }
  return starts;
}
