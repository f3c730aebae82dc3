/** `scontrol show job [ID]`: every job that has not long ended, or those that were named. */

import type { JobRef } from '../../../model/ids.ts';
import type { JobView, UserView } from '../../../model/query.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Asking, clock, pause, printErr, printOut, query } from '../../program.ts';
import { splitOutsideBrackets } from '../host-list.ts';
import { anyPreempts, jobFacts, qosOf } from '../job-facts.ts';
import { parseJobWord, refsOf, refText } from '../job-words.ts';
import { answerPieces, type Structure, type Value } from '../listing/structured.ts';
import { momentText } from '../moments.ts';
import { jobRecord } from '../squeue/job-record.ts';
import { eachRow, inOrder, lineOf } from '../squeue/lines.ts';
import { rowsOfJob, type Scene } from '../squeue/rows.ts';
import { USUAL_TASK_LIST_LENGTH } from '../task-list.ts';
import { type Call, complain, EXIT_FAILED, EXIT_OK } from './call.ts';
import { type JobCircumstances, type JobDetails, jobLines } from './job-record.ts';
import { everyJob, jobsMeant } from './known-jobs.ts';
import { recordText } from './record.ts';
import { NO_SUCH_JOB } from './sentences.ts';
import { toldMoments } from './told-moments.ts';

/** With `which` null every job. */
export function* showJobs(call: Call, which: string | null): Asking<number> {
  const now = yield* clock();
  if (which === null) return yield* showAll(call, now);
  const words = splitOutsideBrackets(which).map(parseJobWord);
  if (words.length === 0 || words.includes(null))
    return yield* complain(call, `scontrol_print_job error: ${NO_SUCH_JOB}`);
  const found: JobView[] = [];
  let exitCode = EXIT_OK;
  for (const ref of words.flatMap((word) => (word === null ? [] : refsOf(word)))) {
    const views = yield* jobsMeant(ref, now);
    found.push(...views);
    if (views.length === 0) exitCode = yield* notFound(call, ref, now);
  }
  yield* printJobs(call, found, now);
  return exitCode;
}

function* showAll(call: Call, now: number): Asking<number> {
  const known = yield* everyJob(now);
  if (known.length > 0 || call.manner.structure !== null) yield* printJobs(call, known, now);
  else yield* printOut('No jobs in the system\n');
  return EXIT_OK;
}

function* notFound(call: Call, ref: JobRef, now: number): Asking<number> {
  if (call.manner.quiet) return EXIT_FAILED;
  const isArrayKnown = ref.index !== null && (yield* jobsMeant({ ...ref, index: null }, now)).length > 0;
  if (isArrayKnown) yield* printOut(`Job ${refText(ref)} not found\n`);
  else yield* printErr(`slurm_load_jobs error: ${NO_SUCH_JOB}\n`);
  return EXIT_FAILED;
}

function* printJobs(call: Call, views: readonly JobView[], now: number): Asking<void> {
  const { manner } = call;
  if (manner.structure !== null) {
    yield* printForPrograms(call, views, now, manner.structure);
    return;
  }
  if (views.length === 0) return;
  const circumstances = yield* circumstancesOf(call, views);
  for (const view of views) {
    const facts = jobFacts(view, now);
    yield* printOut(recordText(jobLines(facts, yield* circumstances(view)), manner));
  }
}

/** What programs are told of a job is what squeue tells them. */
function* printForPrograms(
  call: Call,
  views: readonly JobView[],
  now: number,
  structure: Structure,
): Asking<void> {
  const users = yield* usersOf(views);
  const scene: Scene = {
    now,
    momentText: (at) => momentText(at, call.invocation.timeZone),
    policy: yield* query('policy', {}),
    cluster: (yield* query('yard', {})).name,
    users: new Map([...users].flatMap(([name, user]) => (user === null ? [] : [[name, user] as const]))),
    convert: true,
    taskListLength: USUAL_TASK_LIST_LENGTH,
    expectedStarts: new Map(),
  };
  const rows = views.flatMap((view) => rowsOfJob(view, scene, 'together', null));
  const lines = yield* inOrder(
    rows.map((row) => lineOf(row, [])),
    'together',
    [],
  );
  const records: Value[] = [];
  yield* eachRow(
    lines,
    scene,
    () => true,
    function* (shown) {
      yield* pause();
      records.push(...shown.map(jobRecord));
    },
  );
  yield* printPieces(answerPieces('jobs', records, structure));
}

function* usersOf(views: readonly JobView[]): Asking<ReadonlyMap<string, UserView | null>> {
  const names = [...new Set(views.map(({ job }) => job.spec.user))];
  const found = yield* query('users', { names });
  return new Map(names.map((name, at) => [name, found[at] ?? null]));
}

/** What all of them share is asked for once. */
function* circumstancesOf(
  call: Call,
  views: readonly JobView[],
): Asking<(view: JobView) => Asking<JobCircumstances>> {
  const users = yield* usersOf(views);
  const policy = yield* query('policy', {});
  const { host } = yield* query('yard', {});
  const moment = yield* toldMoments(call);
  const kindOf = call.manner.details ? yield* deviceKinds() : null;
  return function* (view) {
    return {
      user: users.get(view.job.spec.user) ?? null,
      qos: qosOf(view.job, policy),
      preempts: anyPreempts(policy),
      submitHost: host,
      moment,
      details: kindOf === null ? null : { steps: yield* stepsOf(view), kindOf },
    };
  };
}

function* stepsOf({ job }: JobView): Asking<JobDetails['steps']> {
  const detail = yield* query('job', { ref: { job: job.id, index: null } });
  return detail?.steps ?? [];
}

function* deviceKinds(): Asking<JobDetails['kindOf']> {
  const nodes = yield* query('nodes', { names: null });
  const kinds = new Map(
    nodes.flatMap(({ node }) => node.devices.map(({ index, kind }) => [`${node.name} ${index}`, kind])),
  );
  return (node, device) => kinds.get(`${node} ${device}`) ?? 'gpu';
}
