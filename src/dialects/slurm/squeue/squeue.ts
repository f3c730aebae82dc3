/** `squeue`: jobs that wait, run, or ended a moment ago; or the steps that run. */

import type { UserView } from '../../../model/query.ts';
import { sorted } from '../../job-pages.ts';
import { knownUsers } from '../../known-users.ts';
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
import { type OpenList, openAnswer, type Structure } from '../listing/structured.ts';
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
import { eachRow, inOrder, type Line, lineOf } from './lines.ts';
import { eachJob, findSteps } from './look-up.ts';
import { HELP, readSqueueCall, type SqueueCall, USAGE } from './options.ts';
import { type ElementStyle, type JobRow, rowsOfJob, type Scene } from './rows.ts';
import {
  IGNORED_ORDER,
  type JobOrders,
  jobOrders,
  refuseUnknownOrder,
  START_ORDER,
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
      const sort = call.sort ?? (call.start ? START_ORDER : USUAL_JOB_ORDER);
      const listing = {
        call,
        filters,
        cluster,
        orders: jobOrders(sort),
        style: call.arrays,
        everything: false,
      };
      const found = yield* lookAtJobs(listing, yield* clock());
      if (found === null) return yield* repeatableFailure(call);
      const { scene, lines, count } = found;
      if (call.verbose) yield* printCount(call, scene.now, count);
      if (call.header) yield* printOut(headingLine(layout));
      refuseUnknownOrder(sort);
      const ordered = yield* inOrder(lines, call.arrays, listing.orders);
      yield* complainAbout(sort);
      yield* eachRow(
        ordered,
        scene,
        (row) => isWantedRow(row, filters),
        (rows) => printRows(layout, rows),
      );
      return 0;
    },
  };
}

interface JobListing {
  readonly call: SqueueCall;
  readonly filters: Filters;
  readonly cluster: string;
  readonly orders: JobOrders;
  readonly style: ElementStyle;
  /** Ended jobs too, unless states were asked for. */
  readonly everything: boolean;
}

interface FoundLines {
  readonly scene: Scene;
  readonly lines: readonly Line[];
  /** How many jobs they tell of. */
  readonly count: number;
}

/** Null when the one job that was asked for is not there. */
function* lookAtJobs(
  { call, filters, cluster, orders, style, everything }: JobListing,
  now: number,
): Asking<FoundLines | null> {
  const users = knownUsers();
  const starts = new Map<number, number>();
  const scene = yield* sceneOf(call, cluster, now, users.byName, starts);
  const isForecast = call.start && !everything;
  // Forecasts come before their rows, since they are sorted by them.
  if (isForecast) yield* forecast(filters, now, starts);
  const lines: Line[] = [];
  let count = 0;
  const isThere = yield* eachJob(filters, now, everything, function* (views) {
    yield* users.learn(views.map(({ job }) => job.spec.user));
    const wanted = views.filter(({ job }) => isWanted(job, filters));
    count += wanted.length;
    for (const row of wanted.flatMap((view) => rowsOfJob(view, scene, style, filters.asked)))
      if (isWantedRow(row, filters)) lines.push(lineOf(row, orders));
    return undefined;
  });
  return isThere ? { scene, lines, count } : null;
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
      const users = knownUsers();
      yield* users.learn(records.map(({ view }) => view.job.spec.user));
      const scene = yield* sceneOf(call, cluster, now, users.byName, new Map());
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
  const everything = { ...filters, states: filters.states ?? 'all' } as const;
  const listing = {
    call,
    filters: everything,
    cluster,
    orders: [],
    style: 'unique',
    everything: true,
  } as const;
  const found = yield* lookAtJobs(listing, yield* clock());
  if (found === null) return yield* repeatableFailure({ ...call, everyMs: null });
  const list = openAnswer('jobs', structure);
  yield* printOut(list.head);
  const lines = yield* inOrder(found.lines, 'unique', []);
  yield* eachRow(
    lines,
    found.scene,
    (row) => isWantedRow(row, everything),
    (rows) => printPieces(records(list, rows)),
  );
  yield* printOut(list.end());
  return 0;
}

function* records(list: OpenList, rows: readonly JobRow[]): Generator<string> {
  for (const row of rows) yield list.next(jobRecord(row));
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
  users: ReadonlyMap<string, UserView>,
  expectedStarts: ReadonlyMap<number, number>,
): Asking<Scene> {
  const { write, complaint } = momentWriter(call.timeForm, call.zone, now);
  if (complaint !== null) yield* printErr(`squeue: error: ${complaint}\n`);
  return {
    now,
    momentText: write,
    policy: yield* query('policy', {}),
    cluster,
    users,
    convert: call.convert,
    taskListLength: taskListLength(call.taskListLength),
    expectedStarts,
  };
}

/** When those start whose turn comes first. */
function* forecast(filters: Filters, now: number, starts: Map<number, number>): Asking<void> {
  const pending: { readonly id: number; readonly priority: number }[] = [];
  yield* eachJob(filters, now, false, (views) => {
    for (const { job, priority } of views)
      if (job.phase === 'pending' && isWanted(job, filters))
        pending.push({ id: job.id, priority: priority ?? 0 });
    return undefined;
  });
  const next = (yield* sorted(pending, (a, b) => b.priority - a.priority)).slice(0, MOST_FORECASTS);
  for (const { id } of next) {
    const answer = yield* query('explain', { ref: { job: id, index: null } });
    const at = answer?.explanation.expectedStartAt ?? null;
    if (at !== null) starts.set(id, at);
  }
}
