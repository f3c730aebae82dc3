/**
 * For tests: a yard made of plain values that answers what a command asks, and builders for what is in it.
 * Nothing here runs in the product.
 */

import { bytesFromText, textFromBytes } from '../model/bytes.ts';
import type { UserCommand } from '../model/command.ts';
import type { RecordedEvent } from '../model/event.ts';
import { type Footprint, NO_SPREAD, spreadWith } from '../model/footprint.ts';
import type { JobId, JobRef } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import { newAttempt, newJob } from '../model/job.ts';
import type { JobSpec } from '../model/job-spec.ts';
import type { CheckpointsAsk } from '../model/keeping.ts';
import { PLAIN_POLICY, PLAIN_QUEUE, PLAIN_SPEC } from '../model/plain.ts';
import type { Policy, Queue } from '../model/policy.ts';
import type {
  Answer,
  Ask,
  ConfigView,
  FootprintView,
  GpusView,
  JobDetail,
  JobFilter,
  JobOrder,
  JobPage,
  JobPageAsk,
  JobPlace,
  JobRecord,
  JobView,
  LiveUsage,
  NodeView,
  QueryName,
  QueueView,
  Trial,
  UserShare,
  UserView,
  YardActivity,
  YardView,
} from '../model/query.ts';
import type { Explanation } from '../model/reason.ts';
import type { RunHere } from '../model/run-here.ts';
import type { Step } from '../model/step.ts';
import type {
  Asking,
  CheckpointsResult,
  CommandResult,
  Invocation,
  Program,
  Question,
  SnapshotResult,
} from './program.ts';

/** 2026-03-10 14:20:00 UTC. */
export const NOW = 1_773_152_400_000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** How a command ends that would go on for ever, once nothing more happens. */
export const CALLER_GONE = 130;
const MOST_QUESTIONS = 100_000;

/** Of a kind that was seen twice, with 3G at most. */
export function aFootprint(changes: Partial<Footprint> = {}): Footprint {
  const twice = (low: number, high: number) => spreadWith(spreadWith(NO_SPREAD, low), high);
  return {
    key: { level: 'command', text: 'command:train.py#0011223344556677', label: 'train.py' },
    device: 'a100',
    memory: twice(2 * 2 ** 30, 3 * 2 ** 30),
    load: twice(200, 220),
    hostMemory: NO_SPREAD,
    durationMs: twice(HOUR, HOUR),
    firstSeenAt: NOW - 3 * HOUR,
    lastSeenAt: NOW - HOUR,
    isProvisional: false,
    ...changes,
  };
}

export interface FakeYard {
  now: number;
  views: JobView[];
  nodes: NodeView[];
  queues: QueueView[];
  gpus: GpusView;
  footprints: FootprintView[];
  events: RecordedEvent[];
  config: ConfigView;
  /** What accounting knows; when empty, what the views and attempts say. */
  records: JobRecord[];
  steps: Map<number, Step[]>;
  policy: Policy;
  users: UserView[];
  explanations: Map<number, Explanation>;
  usage: Map<number, LiveUsage>;
  shares: UserShare[];
  activity: YardActivity;
  trial: Trial;
  scripts: Map<number, string>;
  attempts: Map<number, Attempt[]>;
  files: Map<string, Uint8Array | 'directory' | 'denied'>;
  stdin: Uint8Array;
  /** What the yard says to commands; by default it does as told. */
  answer: (command: UserCommand) => CommandResult;
  /** Programs by path, and where they really are. */
  programs: Map<string, string>;
  /** What happens, one after the other, whenever a command waits. */
  meanwhile: (() => void)[];
  /** The caller got this signal, and the next wait that takes signals is told so. */
  signal: number | null;
  readonly commands: UserCommand[];
  readonly blobs: Uint8Array[];
  stopped: boolean;
  /** The program that mail is sent with. */
  mail: string | null;
  /** What is to be done should the caller go away. */
  whenCallerGoes: UserCommand | null;
  readonly tickets: string[];
  /** What callers were given to run themselves. */
  readonly runs: RunHere[];
  /** What is said about checkpoints; by default there are none yet. */
  checkpoints: (job: JobId, ask: CheckpointsAsk) => CheckpointsResult;
  readonly checkpointAsks: { readonly job: JobId; readonly ask: CheckpointsAsk }[];
  snapshot: SnapshotResult;
  /** Of which directories the code was kept. */
  readonly snapshots: string[];
}

export function fakeYard(changes: Partial<FakeYard> = {}): FakeYard {
  return {
    now: NOW,
    views: [],
    nodes: [],
    queues: [],
    gpus: { source: null, gpus: [], waiting: [] },
    footprints: [],
    events: [],
    config: { file: null, values: [] },
    records: [],
    steps: new Map(),
    policy: PLAIN_POLICY,
    users: [{ name: 'ada', uid: 1000, gid: 1000, group: 'ada' }],
    explanations: new Map(),
    usage: new Map(),
    shares: [],
    activity: {
      since: NOW - 2 * HOUR,
      jobs: { submitted: 0, started: 0, completed: 0, cancelled: 0, failed: 0 },
      plans: { count: 0, lastMs: 0, maxMs: 0, totalMs: 0, waitingAtLast: 0 },
      slices: { count: 0, longestMs: 0, longestOf: null, longCount: 0 },
    },
    trial: { ok: true, job: 17, queue: 'main', startAt: null, placement: null },
    scripts: new Map(),
    attempts: new Map(),
    files: new Map(),
    stdin: new Uint8Array(0),
    answer: (command) => ({
      ok: true,
      job: command.type === 'submit' ? 17 : null,
      step: command.type === 'startStep' ? 0 : null,
      changed: true,
    }),
    programs: new Map(),
    meanwhile: [],
    signal: null,
    commands: [],
    blobs: [],
    stopped: false,
    mail: '/usr/bin/mail',
    whenCallerGoes: null,
    tickets: [],
    runs: [],
    checkpoints: () => ({
      ok: true,
      from: '/scratch/out',
      to: '/data/out',
      checkpoints: [],
      done: [],
      trouble: null,
    }),
    checkpointAsks: [],
    snapshot: { ok: true, snapshot: { tree: 'tree-0', root: '/home/ada/work', below: '' } },
    snapshots: [],
    ...changes,
  };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function invocationOf(argv: readonly string[], changes: Partial<Invocation> = {}): Invocation {
  return {
    argv,
    workDir: '/home/ada/work',
    environment: bytesFromText('HOME=/home/ada\0PATH=/usr/bin\0SECRET=a=b\0'),
    umask: 0o022,
    ulimits: { n: '1024' },
    user: 'ada',
    uid: 1000,
    process: { pid: 4711, startTicks: 815, bootId: 'boot' },
    ticket: null,
    terminal: { stdin: false, stdout: false, stderr: false, columns: 80, colour: false },
    timeZone: 'UTC',
    ...changes,
  };
}

/** Runs one command line of a dialect against the yard until it ends; argv[0] is the name it was called by. */
export function runDialect(
  dialect: (invocation: Invocation) => Program,
  yard: FakeYard,
  argv: readonly string[],
  changes: Partial<Invocation> = {},
): Ran {
  const printed = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const program = dialect(invocationOf(argv, changes));
  let turn = program.next();
  for (let asked = 0; !turn.done; asked++) {
    if (asked > MOST_QUESTIONS) throw new Error(`${argv.join(' ')} asks without end`);
    const question = turn.value;
    if (question.kind === 'print') {
      printed[question.stream].push(
        typeof question.data === 'string' ? bytesFromText(question.data) : question.data,
      );
      turn = program.next();
    } else if (goesOnForEver(question) && yard.meanwhile.length === 0) {
      turn = program.return(CALLER_GONE);
    } else if (question.kind === 'runHere') {
      yard.runs.push(question.run);
      turn = program.return(0);
    } else turn = program.next(answerTo(yard, question));
  }
  const text = (chunks: readonly Uint8Array[]) => chunks.map(textFromBytes).join('');
  return { code: turn.value, stdout: text(printed.stdout), stderr: text(printed.stderr) };
}

/** What a part of a program gives that asks for nothing but pauses. */
export function undisturbed<T>(asking: Asking<T>): T {
  for (;;) {
    const turn = asking.next();
    if (turn.done) return turn.value;
    if (turn.value.kind !== 'pause') throw new Error(`it asks for ${turn.value.kind}`);
  }
}

/** Waiting for anything, or for nothing but time. */
function goesOnForEver(question: Question): boolean {
  return question.kind === 'awaitEvent' || (question.kind === 'awaitChange' && question.jobs.length === 0);
}

type Answerable = Exclude<Question, { kind: 'print' | 'runHere' }>;

function answerTo(yard: FakeYard, question: Answerable): unknown {
  switch (question.kind) {
    case 'readFile': {
      const found = yard.files.get(absolute(question.path));
      if (found === undefined) return { ok: false, error: 'missing' };
      if (typeof found === 'string') return { ok: false, error: found };
      return found.length > question.maxBytes ? { ok: false, error: 'tooLarge' } : { ok: true, bytes: found };
    }
    case 'readStdin':
      return { ok: true, bytes: yard.stdin };
    case 'readLine': {
      if (yard.stdin.length === 0) return null;
      const end = yard.stdin.indexOf(0x0a);
      const line = yard.stdin.subarray(0, end === -1 ? undefined : end);
      yard.stdin = end === -1 ? new Uint8Array(0) : yard.stdin.subarray(end + 1);
      return textFromBytes(line);
    }
    case 'writeFile': {
      const path = absolute(question.path);
      const found = yard.files.get(path);
      if (typeof found === 'string') return { ok: false, error: found };
      const before = question.append && found !== undefined ? [...found] : [];
      yard.files.set(path, new Uint8Array([...before, ...question.bytes]));
      return { ok: true };
    }
    case 'copyFile': {
      const found = yard.files.get(absolute(question.from));
      if (found === undefined) return { ok: false, of: 'source', error: 'missing' };
      if (typeof found === 'string') return { ok: false, of: 'source', error: found };
      const to = absolute(question.to);
      const there = yard.files.get(to);
      if (typeof there === 'string') return { ok: false, of: 'target', error: there };
      if (there !== undefined && !question.manner.replace)
        return { ok: false, of: 'target', error: 'exists' };
      yard.files.set(to, found);
      return { ok: true };
    }
    case 'findProgram': {
      const paths = question.path.split(':').map((directory) => `${directory}/${question.name}`);
      const path = paths.find((each) => yard.programs.has(each));
      return path === undefined ? null : { path, realPath: yard.programs.get(path) };
    }
    case 'keepBlob':
      return `blob-${yard.blobs.push(question.bytes) - 1}`;
    case 'command':
      yard.commands.push(question.command);
      return yard.answer(question.command);
    case 'query':
      return QUERIES[question.name](yard, question.ask as never);
    case 'now':
      return yard.now;
    case 'pause':
      return undefined;
    case 'readFrom': {
      const found = yard.files.get(absolute(question.path));
      const isFile = found !== undefined && typeof found !== 'string';
      const bytes = isFile ? found.subarray(question.offset, question.offset + question.maxBytes) : null;
      if ((bytes === null || bytes.length === 0) && question.timeoutMs > 0) yard.meanwhile.shift()?.();
      return bytes;
    }
    case 'awaitChange':
    case 'awaitEvent': {
      const next = yard.meanwhile.shift();
      if (next === undefined) throw new Error(`nothing more happens, and ${question.kind} waits`);
      next();
      if (question.kind === 'awaitEvent' || !question.takesSignals) return null;
      const { signal } = yard;
      yard.signal = null;
      return signal;
    }
    case 'whenCallerGoes':
      yard.whenCallerGoes = question.command;
      return undefined;
    case 'giveTicket':
      yard.tickets.push(question.ticket);
      return undefined;
    case 'checkpoints':
      yard.checkpointAsks.push({ job: question.job, ask: question.ask });
      return yard.checkpoints(question.job, question.ask);
    case 'takeSnapshot':
      yard.snapshots.push(question.directory);
      return yard.snapshot;
    case 'stopYard':
      yard.stopped = true;
      return undefined;
  }
}

const QUERIES: { readonly [Q in QueryName]: (yard: FakeYard, ask: Ask<Q>) => Answer<Q> } = {
  jobs: (yard, filter) =>
    viewsAmong(yard, filter.refs)
      .filter(({ job }) => matches(job, filter))
      .slice(0, filter.limit),
  liveJobs: (yard) => yard.views.filter(({ job }) => job.phase !== 'ended').map(({ job }) => job.id),
  jobPage: pageOf,
  records: (yard, { jobs, filter }) =>
    jobs
      .flatMap((id) => recordOf(yard, id))
      .filter(({ view }) => matches(view.job, { ...filter, refs: null })),
  job: (yard, { ref }) => detailOf(yard, ref),
  trial: (yard) => yard.trial,
  explain: (yard, { ref }) => {
    const view = viewOf(yard, ref);
    if (view === null) return null;
    const none: Explanation = { reason: view.reason, expectedStartAt: null, priority: null, ahead: 0 };
    return { view, explanation: yard.explanations.get(view.job.id) ?? none };
  },
  nodes: (yard, { names }) => yard.nodes.filter(({ node }) => names === null || names.includes(node.name)),
  queues: (yard) => yard.queues,
  gpus: (yard) => yard.gpus,
  footprints: (yard) => yard.footprints,
  events: (yard, { job, afterSeq, limit, newest }) => {
    const found = yard.events.filter(
      ({ seq, event }) => seq > afterSeq && (job === null || ('job' in event && event.job === job)),
    );
    return newest ? found.slice(-limit) : found.slice(0, limit);
  },
  yard: yardView,
  config: (yard) => yard.config,
  accounting: (yard, filter) =>
    accountsOf(yard)
      .filter(({ view: { job } }) => matches(job, { ...filter, refs: null }) && isMeant(job, filter.refs))
      .sort((a, b) => a.view.job.id - b.view.job.id)
      .slice(0, filter.limit),
  usage: (yard, { ref }) => yard.usage.get(viewOf(yard, ref)?.job.id ?? 0) ?? null,
  priorities: (yard, filter) =>
    yard.views
      .filter(({ job }) => matches(job, { ...filter, phases: ['pending'] }))
      .flatMap((view) => {
        const priority = yard.explanations.get(view.job.id)?.priority ?? null;
        return priority === null ? [] : [{ view, priority }];
      }),
  shares: (yard) => yard.shares,
  activity: (yard) => yard.activity,
  policy: (yard) => yard.policy,
  users: (yard, { names }) =>
    names.map((word) => yard.users.find(({ name, uid }) => name === word || `${uid}` === word) ?? null),
};

const MANY = 20;
const places = new WeakMap<readonly JobView[], ReadonlyMap<JobId, number>>();

/** By a table that is made again when it does not fit any more. */
function viewsAt(views: readonly JobView[], refs: readonly JobRef[]): readonly JobView[] {
  let known = places.get(views);
  const fits = (table: ReadonlyMap<JobId, number>) =>
    table.size === views.length && refs.every(({ job }) => views[table.get(job) ?? -1]?.job.id === job);
  if (known === undefined || !fits(known)) {
    known = new Map(views.map(({ job }, at) => [job.id, at]));
    places.set(views, known);
  }
  const table = known;
  return refs.flatMap(({ job }) => views[table.get(job) ?? -1] ?? []);
}

/** Those that these can mean, found quickly in a long queue. */
function viewsAmong({ views }: FakeYard, refs: readonly JobRef[] | null): readonly JobView[] {
  if (refs === null) return views;
  if (refs.length > MANY && refs.every(({ index }) => index === null)) return viewsAt(views, refs);
  const numbers = new Set(refs.map(({ job }) => job));
  return views.filter(({ job }) => numbers.has(job.id) || numbers.has(job.element?.array ?? 0));
}

function accountsOf(yard: FakeYard): readonly JobRecord[] {
  return yard.records.length > 0 ? yard.records : recordsOf(yard);
}

/** With the records of arrays that a test left out: a real yard has no element without its array. */
function withArrays(records: readonly JobRecord[]): readonly JobRecord[] {
  const known = new Set(records.filter(({ view }) => view.job.array !== null).map(({ view }) => view.job.id));
  const missing = new Map<JobId, JobRecord>();
  for (const { view } of records) {
    const { element, spec, submittedAt, endedAt } = view.job;
    if (element === null || known.has(element.array)) continue;
    const array = { unstarted: [], live: 0, ended: {}, dropped: [] };
    const held = newJob(element.array, spec, 'held', submittedAt);
    const job: Job = { ...held, phase: endedAt === null ? 'active' : 'ended', array, endedAt };
    missing.set(element.array, { view: aView(job), attempts: [], steps: [] });
  }
  return [...records, ...missing.values()];
}

function recordOf(yard: FakeYard, id: JobId): readonly JobRecord[] {
  const records = accountsOf(yard);
  const own = records.filter(({ view }) => view.job.id === id);
  return own.length > 0 ? own : withArrays(records).filter(({ view }) => view.job.id === id);
}

/** Small pages, so that every test that lists several jobs goes from one to the next. */
const PAGE_JOBS = 2;

function pageOf(yard: FakeYard, { filter, order, after, reruns }: JobPageAsk): JobPage {
  const placeOf = ({ view: { job } }: JobRecord): JobPlace => {
    const key =
      order.by === 'end' ? (job.endedAt ?? 0) : order.by === 'index' ? (job.element?.index ?? 0) : job.id;
    return { key, id: job.id };
  };
  const compare = (a: JobPlace, b: JobPlace) =>
    (order.by === 'newest' ? -1 : 1) * (a.key - b.key || a.id - b.id);
  const rest = withArrays(accountsOf(yard))
    .filter(
      (record) => isIn(record.view.job, order) && (after === null || compare(placeOf(record), after) > 0),
    )
    .sort((a, b) => compare(placeOf(a), placeOf(b)));
  const looked = rest.slice(0, PAGE_JOBS);
  const last = rest.length > PAGE_JOBS ? looked.at(-1) : undefined;
  return {
    records: looked.filter(
      ({ view, attempts }) =>
        matches(view.job, { ...filter, refs: null }) && (reruns !== true || attempts.length > 1),
    ),
    next: last === undefined ? null : placeOf(last),
  };
}

function isIn(job: Job, order: JobOrder): boolean {
  if (order.by === 'index') return job.element?.array === order.array;
  if (order.by === 'oldest') return job.element === null;
  return order.by === 'newest' || job.endedAt !== null;
}

function recordsOf(yard: FakeYard): JobRecord[] {
  return yard.views.map((view) => {
    const { id, attempt } = view.job;
    return {
      view,
      attempts: yard.attempts.get(id) ?? (attempt === null ? [] : [attempt]),
      steps: yard.steps.get(id) ?? [],
    };
  });
}

function matches(job: Job, filter: JobFilter): boolean {
  const { refs, phases, outcomes, users, queues, names, endedAfter, submittedAfter, submittedBefore } =
    filter;
  return (
    (refs === null || refs.some((ref) => isNamed(job, ref))) &&
    (phases === null || phases.includes(job.phase)) &&
    (outcomes === null || (job.outcome !== null && outcomes.includes(job.outcome))) &&
    (users === null || users.includes(job.spec.user)) &&
    (queues === null || queues.includes(job.spec.queue)) &&
    (names === null || names.includes(job.spec.name)) &&
    (endedAfter === null || job.endedAt === null || job.endedAt >= endedAfter) &&
    (submittedAfter === null || job.submittedAt >= submittedAfter) &&
    (submittedBefore === null || job.submittedAt < submittedBefore)
  );
}

/** Whoever asks for an array asks for its elements. */
function isMeant(job: Job, refs: readonly JobRef[] | null): boolean {
  return (
    refs === null ||
    refs.some((ref) => isNamed(job, ref) || (ref.index === null && job.element?.array === ref.job))
  );
}

function isNamed(job: Job, ref: JobRef): boolean {
  if (ref.index === null) return job.id === ref.job;
  return job.element?.array === ref.job && job.element.index === ref.index;
}

function viewOf(yard: FakeYard, ref: JobRef): JobView | null {
  return yard.views.find(({ job }) => isNamed(job, ref)) ?? null;
}

function detailOf(yard: FakeYard, ref: JobRef): JobDetail | null {
  const view = viewOf(yard, ref);
  if (view === null) return null;
  const { id, attempt } = view.job;
  return {
    view,
    attempts: yard.attempts.get(id) ?? (attempt === null ? [] : [attempt]),
    steps: yard.steps.get(id) ?? [],
    script: yard.scripts.get(id) ?? null,
    elements: yard.views.filter(({ job }) => job.element?.array === id),
  };
}

function yardView(yard: FakeYard): YardView {
  const counts = { held: 0, waiting: 0, pending: 0, active: 0 };
  for (const { job } of yard.views) if (job.phase !== 'ended') counts[job.phase] += 1;
  return {
    version: '0.1.0',
    name: 'yard',
    host: 'box.example.org',
    mail: yard.mail,
    pid: 4321,
    directory: '/home/ada/.trainyard',
    socket: '/run/user/1000/trainyard.sock',
    startedAt: NOW - 2 * HOUR,
    user: 'ada',
    counts,
    remarks: ['memory is limited through cgroups v2'],
    lastSeq: yard.events.at(-1)?.seq ?? 0,
  };
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `/home/ada/work/${path}`;
}

export function aSpec(changes: Partial<JobSpec> = {}): JobSpec {
  return {
    ...PLAIN_SPEC,
    name: 'train.sh',
    user: 'ada',
    queue: 'main',
    program: {
      script: 'blob-0',
      argv: [],
      environment: 'blob-1',
      umask: 0o022,
      ulimits: {},
      spread: 'once',
      caller: null,
    },
    workDir: '/home/ada/work',
    origin: { dialect: 'native', words: { script: '/home/ada/work/train.sh' } },
    ...changes,
  };
}

export function aJob(changes: Partial<Job> = {}, spec: Partial<JobSpec> = {}): Job {
  return { ...newJob(17, aSpec(spec), 'pending', NOW - 10 * MINUTE), ...changes };
}

export function anAttempt(changes: Partial<Attempt> = {}): Attempt {
  const since = NOW - 5 * MINUTE;
  const placement = {
    nodes: [{ node: 'node1', ranks: 1, cpus: 1, cpuIds: [0], memoryBytes: 0, devices: [] }],
  };
  return {
    ...newAttempt('17.1', 1, placement, since),
    phase: 'running',
    startedAt: since,
    clockFrom: since,
    ...changes,
  };
}

export function aStep(changes: Partial<Step> = {}): Step {
  const { id, placement, assignedAt } = anAttempt();
  return {
    attempt: id,
    n: 0,
    name: 'python',
    command: ['python', 'train.py'],
    placement,
    overlap: false,
    cpusPerRank: 1,
    startedAt: assignedAt,
    endedAt: null,
    stoppedBy: null,
    exit: null,
    usage: null,
    ...changes,
  };
}

export function aView(job: Job, changes: Partial<JobView> = {}): JobView {
  return {
    job,
    priority: job.phase === 'pending' ? 1000 : null,
    reason: null,
    stdoutPath: `/home/ada/work/trainyard-${job.id}.out`,
    stderrPath: null,
    ...changes,
  };
}

export function runningJob(id: number, spec: Partial<JobSpec> = {}): Job {
  return aJob({ id, phase: 'active', attempt: anAttempt({ id: `${id}.1` }) }, spec);
}

export function endedJob(id: number, changes: Partial<Job> = {}, attempt: Partial<Attempt> = {}): Job {
  const exit = { code: 0, signal: null, outOfMemory: false };
  return aJob({
    id,
    phase: 'ended',
    outcome: 'completed',
    endedAt: NOW - MINUTE,
    attempt: anAttempt({ id: `${id}.1`, phase: 'ended', endedAt: NOW - MINUTE, exit, ...attempt }),
    ...changes,
  });
}

export function aQueue(changes: Partial<Queue> = {}): Queue {
  return { ...PLAIN_QUEUE, isDefault: true, ...changes };
}
