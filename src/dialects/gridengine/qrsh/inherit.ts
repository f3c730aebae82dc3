/**
 * `qrsh -inherit`: a command inside a job, on one of its hosts, as a part of that job. Programs that start others on
 * the hosts of a parallel job (`mpirun`) call it so.
 */

import type { JobId } from '../../../model/ids.ts';
import type { Attempt, Job, NodeShare } from '../../../model/job.ts';
import { absolutePath, baseName } from '../../../model/paths.ts';
import type { Step, StepRequest } from '../../../model/step.ts';
import type { Allocation } from '../../allocation.ts';
import { variableOf } from '../../environment.ts';
import {
  type Asking,
  awaitChange,
  command,
  giveTicket,
  query,
  runHere,
  whenCallerGoes,
} from '../../program.ts';
import { directoryOn, jobNumber } from '../environment/places.ts';
import { GridEngineFailure } from '../failure.ts';
import { hasFlag } from '../flags.ts';
import { jobVariables, variablesIn } from '../submit/variables.ts';
import { mannerOf, rankOf, type Session, sessionVariables } from './session.ts';

const NO_JOB = 'error: "qrsh" called with option "-inherit", but "JOB_ID" not set in environment';
const USAGE = 'error: usage with "-inherit" option: "qrsh -inherit ... <host> <command> [args]"';

export function* runInside(asked: Session): Asking<number> {
  const id = enclosingJob(asked);
  if (id === null) throw new GridEngineFailure([NO_JOB], 1);
  const [host, ...words] = asked.words;
  if (host === undefined || words.length === 0) throw new GridEngineFailure([USAGE], 1);
  const session = { ...asked, words };
  const { job, attempt } = yield* placeIn(id, host);
  const share = attempt.placement.nodes.find(({ node }) => isHost(node, host));
  if (share === undefined) throw yield* notOfJob(job, host);
  const step = (yield* stepOfTicket(session, job, attempt)) ?? (yield* newStep(session, job, share));
  yield* giveTicket(`step ${step.n}`);
  const { graceMs } = yield* query('policy', {});
  const nodeNumber = attempt.placement.nodes.indexOf(share);
  const rank = rankOf(session, {
    share,
    nodeNumber,
    workDir: workDirIn(session, job),
    isPinned: job.spec.resources.cpusAsked,
    // Who exports everything has all that the job was told, perhaps on another host.
    variables: {
      ...sessionVariables(session),
      ...(hasFlag(session.given, '-V') ? directoryThere(session, attempt, nodeNumber) : {}),
      ...givenVariables(session),
      HOSTNAME: share.node,
    },
  });
  return yield* runHere({
    attempt: attempt.id,
    step: step.n,
    holdsJob: false,
    ranks: [rank],
    ...(hasFlag(session.given, '-V') ? {} : { environment: 'job' }),
    input: hasFlag(session.given, '-nostdin') ? { kind: 'none' } : { kind: 'rank', rank: 0 },
    manner: mannerOf(session, `${jobNumber(job)}.${step.n}`, graceMs),
  });
}

/** The job's own directory on that host, told from the one on the caller's. */
function directoryThere(
  { invocation: { environment } }: Session,
  { placement }: Attempt,
  nodeNumber: number,
): Readonly<Record<string, string>> {
  const here = variableOf(environment, 'TMPDIR');
  const ownNode = variableOf(environment, 'TRAINYARD_NODE');
  const ownNumber = placement.nodes.findIndex(({ node }) => node === ownNode);
  if (here === null || ownNumber === -1 || here !== variableOf(environment, 'TMP')) return {};
  const suffix = directoryOn(ownNumber, '');
  const there = directoryOn(
    nodeNumber,
    here.endsWith(suffix) ? here.slice(0, here.length - suffix.length) : here,
  );
  return { TMP: there, TMPDIR: there };
}

/** The yard's own number of it, where it says so: that of a task is not the one that people know. */
function enclosingJob({ invocation: { environment } }: Session): JobId | null {
  const own = variableOf(environment, 'TRAINYARD_JOB_ID') ?? variableOf(environment, 'JOB_ID') ?? '';
  return /^\d{1,15}$/.test(own) ? Number(own) : null;
}

/** A script may be quicker with its first line than the yard is with noting that it runs. */
function* placeIn(id: JobId, host: string): Asking<Allocation> {
  for (;;) {
    const job = (yield* query('job', { ref: { job: id, index: null } }))?.view.job ?? null;
    if (job === null || job.phase !== 'active' || job.attempt === null) throw notAccepted(id, host);
    const { attempt } = job;
    if (attempt.startedAt !== null) return { job, attempt };
    yield* awaitChange([id], null);
  }
}

function isHost(node: string, host: string): boolean {
  return node.toLowerCase() === host.toLowerCase();
}

function* notOfJob(job: Job, host: string): Asking<GridEngineFailure> {
  const nodes = yield* query('nodes', { names: null });
  if (nodes.some(({ node }) => isHost(node.name, host))) return notAccepted(jobNumber(job), host);
  return failed(jobNumber(job), `failed sending task to execd@${host}: can't resolve host name`);
}

function notAccepted(number: number, host: string): GridEngineFailure {
  return failed(number, `execution daemon on host "${host}" didn't accept task`);
}

function failed(number: number, why: string): GridEngineFailure {
  return new GridEngineFailure([`error: executing task of job ${number} failed: ${why}`], 1);
}

/** A step that an earlier yard made for this caller, and that nobody has begun to run. */
function* stepOfTicket({ invocation: { ticket } }: Session, job: Job, attempt: Attempt): Asking<Step | null> {
  const match = /^step (\d{1,9})$/.exec(ticket ?? '');
  return match === null ? null : yield* stepNumbered(job, attempt, Number(match[1]));
}

function* stepNumbered(job: Job, attempt: Attempt, n: number): Asking<Step | null> {
  const detail = yield* query('job', { ref: { job: job.id, index: null } });
  const found = detail?.steps.find((step) => step.attempt === attempt.id && step.n === n);
  return found === undefined || found.endedAt !== null ? null : found;
}

/** With all that the job has on the host, whoever else uses it: what is started here shares it out by itself. */
function* newStep({ words, invocation }: Session, job: Job, share: NodeShare): Asking<Step> {
  const request: StepRequest = {
    name: baseName(words[0] as string),
    command: words,
    nodes: { min: 1, max: 1 },
    ranks: 1,
    ranksPerNode: null,
    cpusPerRank: 1,
    gpus: null,
    overlap: true,
    wholeNodes: true,
    distribution: 'block',
    onlyNodes: [share.node],
    exceptNodes: [],
    firstNode: 0,
  };
  const target = { job: job.id, index: null };
  const result = yield* command({ type: 'startStep', target, by: invocation.user, request });
  if (!result.ok) throw notAccepted(jobNumber(job), share.node);
  const n = result.step as number;
  yield* whenCallerGoes({ type: 'stopStep', target, by: invocation.user, step: n });
  const step = job.attempt === null ? null : yield* stepNumbered(job, job.attempt, n);
  if (step === null) throw notAccepted(jobNumber(job), share.node);
  return step;
}

/** Where the job is, unless told otherwise. */
function workDirIn({ given, invocation }: Session, { spec }: Job): string {
  const said = given.findLast(({ flag }) => flag === '-cwd' || flag === '-wd');
  if (said === undefined) return spec.workDir;
  return said.flag === '-cwd' ? invocation.workDir : absolutePath(invocation.workDir, said.words[0] || '.');
}

/** Those of `-v`. */
function givenVariables({ given, invocation }: Session): Readonly<Record<string, string>> {
  const named = given.filter(({ flag }) => flag === '-v');
  const { environment, user } = invocation;
  const home = variableOf(environment, 'HOME') ?? '/';
  return Object.fromEntries(variablesIn(jobVariables({ given: named, environment, home, user }).environment));
}
