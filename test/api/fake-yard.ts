/** A yard in memory, just real enough for the server around it: jobs, phases, a log, listeners. */

import { createHash } from 'node:crypto';
import type { CommandDone, CommandResult } from '../../src/dialects/program.ts';
import type { Command } from '../../src/model/command.ts';
import { type EventBody, jobOfEvent, type RecordedEvent } from '../../src/model/event.ts';
import { type JobId, type JobRef, jobOfAttempt } from '../../src/model/ids.ts';
import { type Attempt, type GivenBack, type Job, newAttempt, type Placement } from '../../src/model/job.ts';
import type { JobSpec } from '../../src/model/job-spec.ts';
import type { Node } from '../../src/model/node.ts';
import { PLAIN_POLICY, PLAIN_QUEUE } from '../../src/model/plain.ts';
import {
  ANY_JOB,
  type Answer,
  type Ask,
  type JobFilter,
  type JobView,
  type QueryName,
} from '../../src/model/query.ts';
import { type Refusal, refusal } from '../../src/model/refusal.ts';
import { createSlices } from '../../src/server/slices.ts';
import type { Yard } from '../../src/server/yard.ts';
import { ALL_READABLE } from '../../src/store/unreadable.ts';
import { ESTIMATE, FOOTPRINT, gpusOf } from './fake-gpus.ts';

export interface FakeYard extends Yard {
  readonly submitted: JobSpec[];
  readonly commands: Command[];
  readonly blobs: Map<string, Uint8Array>;
  readonly nodes: Map<string, Node>;
  listenerCount(): number;
  /** Records events in one commit. */
  record(...bodies: EventBody[]): void;
  run(job: JobId): void;
  /** Runs it, and says so. */
  start(job: JobId): void;
  /** Places that were given back, and how. */
  readonly givenBack: (readonly [attempt: string, how: GivenBack])[];
  end(job: JobId): void;
  /** Makes the next command or query fail like this. */
  failNext(error: unknown): void;
  /** Makes it refuse the next command. */
  refuseNext(reason: Refusal): void;
}

const T0 = 1_700_000_000_000;

export function fakeYard(): FakeYard {
  const jobs = new Map<JobId, Job>();
  const log: RecordedEvent[] = [];
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  const submitted: JobSpec[] = [];
  const commands: Command[] = [];
  const blobs = new Map<string, Uint8Array>();
  const nodes = new Map<string, Node>([['here', NODE]]);
  const givenBack: (readonly [string, GivenBack])[] = [];
  const slices = createSlices();
  let failure: { readonly error: unknown } | null = null;
  let refusing: Refusal | null = null;
  let clock = T0;

  const record = (...bodies: EventBody[]) => {
    const events = bodies.map((body) => {
      clock += 1;
      const recorded = { seq: log.length + 1, event: { ...body, at: clock } };
      log.push(recorded);
      return recorded;
    });
    for (const listener of listeners) listener(events);
  };
  const change = (id: JobId, changes: Partial<Job>) => jobs.set(id, { ...(jobs.get(id) as Job), ...changes });
  const failIfAsked = () => {
    if (failure === null) return;
    const { error } = failure;
    failure = null;
    throw error;
  };

  const find = ({ job, index }: JobRef): Job | null => {
    if (index === null) return jobs.get(job) ?? null;
    return (
      [...jobs.values()].find(({ element }) => element?.array === job && element.index === index) ?? null
    );
  };

  const decide = (command: Command): CommandResult => {
    commands.push(command);
    if (command.type === 'submit') {
      const id = jobs.size + 1;
      submitted.push(command.spec);
      const phase = command.spec.held ? 'held' : 'pending';
      jobs.set(id, newJob(id, command.spec, phase, clock));
      record({ type: 'jobSubmitted', job: id, spec: command.spec, phase });
      return done(id);
    }
    if (command.type === 'drainNode' || command.type === 'resumeNode') {
      const node = nodes.get(command.node);
      if (node === undefined) {
        return {
          ok: false,
          refusal: refusal('noSuchNode', `there is no node ${command.node}`, null, ['here']),
        };
      }
      nodes.set(node.name, { ...node, state: command.type === 'drainNode' ? 'draining' : 'up' });
      return done(null);
    }
    if (command.type === 'setQueue') {
      if (command.queue !== QUEUE.name)
        return { ok: false, refusal: refusal('noSuchQueue', 'there is no such queue', null, [QUEUE.name]) };
      return done(null);
    }
    if (command.type === 'setFootprint' || command.type === 'forgetFootprints') {
      const keys = command.type === 'setFootprint' ? [command.key] : (command.keys ?? []);
      return keys.every((key) => key === FOOTPRINT.key.text)
        ? done(null)
        : { ok: false, refusal: refusal('badRequest', 'nothing is known of that') };
    }
    if (!('target' in command)) throw new Error(`the fake yard does not know ${command.type}`);
    const job = find(command.target);
    if (job === null) return { ok: false, refusal: refusal('noSuchJob', 'there is no such job') };
    if (job.phase === 'ended' && command.type !== 'requeue') {
      return { ok: false, refusal: refusal('wrongState', `job ${job.id} has ended`) };
    }
    if (command.type === 'hold') {
      const hold = { by: 'user', reason: null } as const;
      if (job.phase === 'held') return { ...done(job.id), changed: false };
      change(job.id, { phase: 'held', hold });
      record({ type: 'jobHeld', job: job.id, hold });
    } else if (command.type === 'release') {
      change(job.id, { phase: 'pending', hold: null });
      record({ type: 'jobPending', job: job.id });
    } else if (command.type === 'cancel') {
      change(job.id, { phase: 'ended', outcome: 'cancelled', endedAt: clock, endedBy: command.by });
      record({ type: 'jobEnded', job: job.id, outcome: 'cancelled', note: null, by: command.by });
    } else if (command.type === 'requeue') {
      change(job.id, { phase: 'pending', outcome: null, endedAt: null });
      record({ type: 'jobRequeued', job: job.id, why: `${command.by} asked for it`, hold: null });
    } else if (command.type === 'update') {
      record({ type: 'jobUpdated', job: job.id, changes: command.changes, by: command.by });
    }
    return done(job.id);
  };

  const answers: { [Q in QueryName]: (ask: Ask<Q>) => Answer<Q> } = {
    jobs: (filter) => views(filter),
    liveJobs: () => [...jobs.values()].filter(({ phase }) => phase !== 'ended').map(({ id }) => id),
    jobPage: ({ filter }) => ({
      records: views({ ...filter, refs: null }).map((view) => ({ view, attempts: [], steps: [] })),
      next: null,
    }),
    records: ({ jobs: ids, filter }) =>
      views({ ...filter, refs: ids.map((job) => ({ job, index: null })) }).map((view) => ({
        view,
        attempts: [],
        steps: [],
      })),
    job: ({ ref }) => {
      const job = find(ref);
      if (job === null) return null;
      const elements = [...jobs.values()].filter(({ element }) => element?.array === job.id).map(viewOf);
      const attempts = job.attempt === null ? [] : [job.attempt];
      return { view: viewOf(job), attempts, steps: [], script: null, elements };
    },
    trial: () => ({ ok: true, job: 99, queue: 'main', startAt: clock, placement: null }),
    explain: ({ ref }) => {
      const job = find(ref);
      if (job === null) return null;
      const priority = { total: 5, age: 1, fairShare: 1, queue: 1, qos: 0, size: 1, asked: 1 };
      const reason = viewOf(job).reason;
      return { view: viewOf(job), explanation: { reason, expectedStartAt: clock, priority, ahead: 2 } };
    },
    nodes: () =>
      [...nodes.values()].map((node) => ({
        node,
        cpusUsed: 1,
        memoryUsedBytes: 1024,
        devices: [{ index: 0, usedMillis: 500, jobs: [1] }],
        jobs: [1],
      })),
    gpus: () => gpusOf(views(ANY_JOB), clock),
    footprints: () => [{ footprint: FOOTPRINT, estimate: ESTIMATE }],
    queues: () => [{ queue: QUEUE, state: { disabled: false, suspended: false }, waiting: 1, running: 0 }],
    events: ({ job, afterSeq, limit, newest }) => {
      const found = log.filter(
        ({ seq, event }) => seq > afterSeq && (job === null || jobOfEvent(event) === job),
      );
      return newest ? found.slice(-limit) : found.slice(0, limit);
    },
    yard: () => ({
      version: '0.0.0',
      name: 'yard',
      host: 'here',
      mail: null,
      pid: 1,
      directory: '/yard',
      socket: '/yard/socket',
      startedAt: T0,
      user: 'alice',
      counts: { held: 0, waiting: 0, pending: jobs.size, active: 0 },
      remarks: ['memory is measured'],
      lastSeq: log.length,
    }),
    accounting: (filter) => views(filter).map((view) => ({ view, attempts: [], steps: [] })),
    usage: () => null,
    priorities: () => [],
    shares: () => [],
    activity: () => ({
      since: T0,
      jobs: { submitted: submitted.length, started: 0, completed: 0, cancelled: 0, failed: 0 },
      plans: { count: 0, lastMs: 0, maxMs: 0, totalMs: 0, waitingAtLast: 0 },
      slices: slices.read(),
    }),
    policy: () => PLAIN_POLICY,
    users: ({ names }) => names.map(() => null),
    config: () => ({ file: null, values: [{ key: 'nodes', value: '1', from: 'default' }] }),
  };

  const views = (filter: JobFilter): JobView[] =>
    [...jobs.values()]
      .filter(({ phase }) => filter.phases === null || filter.phases.includes(phase))
      .filter(({ spec }) => filter.names === null || filter.names.includes(spec.name))
      .filter(({ id }) => filter.refs === null || filter.refs.some((ref) => ref.job === id))
      .slice(0, filter.limit)
      .map(viewOf);

  const run = (id: JobId) => {
    change(id, { phase: 'active', attempt: { ...ATTEMPT, id: `${id}.1` } });
    record({ type: 'attemptAssigned', job: id, attempt: `${id}.1`, placement: ATTEMPT.placement });
  };
  const end = (id: JobId) => {
    change(id, { phase: 'ended', outcome: 'completed', endedAt: clock });
    record({ type: 'jobEnded', job: id, outcome: 'completed', note: null, by: null });
  };

  return {
    slices,
    submitted,
    givenBack,
    commands,
    blobs,
    nodes,
    record,
    listenerCount: () => listeners.size,
    refuseNext: (reason) => {
      refusing = reason;
    },
    failNext: (error) => {
      failure = { error };
    },
    run,
    end,
    start: (id) => {
      run(id);
      record({ type: 'attemptStarted', job: id, attempt: `${id}.1`, startedAt: clock });
    },
    command: async (command) => {
      failIfAsked();
      if (refusing !== null) return { ok: false, refusal: refusing };
      return decide(command);
    },
    query: (name, ask) => {
      failIfAsked();
      return answers[name](ask);
    },
    giveBack: (attempt, how) => {
      const job = jobs.get(jobOfAttempt(attempt));
      if (job?.phase !== 'active' || givenBack.some(([before]) => before === attempt)) return false;
      givenBack.push([attempt, how]);
      setImmediate(() => end(job.id));
      return true;
    },
    planRun: (run) => {
      failIfAsked();
      return { run, ...PLAIN_PLAN };
    },
    checkpoints: async (job, ask, by) => {
      failIfAsked();
      return { ok: true, from: `/${job}`, to: null, checkpoints: [], done: [ask.what, by], trouble: null };
    },
    keepBlob: (bytes) => {
      const hash = createHash('sha256').update(bytes).digest('hex');
      blobs.set(hash, bytes);
      return hash;
    },
    now: () => clock,
    onCommit: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    lastSeq: () => log.length,
    unreadable: ALL_READABLE,
    phaseOf: (id) => jobs.get(id)?.phase ?? null,
  };
}

function done(job: JobId | null): CommandDone {
  return { ok: true, job, step: null, changed: true };
}

function newJob(id: JobId, spec: JobSpec, phase: Job['phase'], at: number): Job {
  return {
    id,
    spec,
    submittedAt: at,
    phase,
    hold: phase === 'held' ? { by: 'user', reason: null } : null,
    eligibleAt: at,
    array: spec.array === null ? null : { unstarted: spec.array.indices, dropped: [], live: 0, ended: {} },
    element: null,
    restarts: 0,
    fruitless: 0,
    attempt: null,
    outcome: null,
    endedAt: null,
    note: null,
    endedBy: null,
  };
}

function viewOf(job: Job): JobView {
  const fill = (pattern: string) => pattern.replaceAll('%j', `${job.id}`);
  const { stdout, stderr } = job.spec.streams;
  return {
    job,
    priority: 5,
    reason: job.phase === 'pending' ? { kind: 'priority', behind: null, ahead: 2 } : null,
    stdoutPath: `${job.spec.workDir}/${fill(stdout)}`,
    stderrPath: stderr === null ? null : `${job.spec.workDir}/${fill(stderr)}`,
  };
}

const PLAIN_PLAN = {
  jobRecord: null,
  stepRecord: null,
  variables: [],
  cgroupFiles: new Map(),
  commands: null,
  python: null,
};

const NODE: Node = {
  name: 'here',
  cpus: 2,
  cpuIds: [0, 1],
  memoryBytes: 2 ** 33,
  devices: [{ index: 0, kind: 'sim', memoryBytes: 2 ** 34, simulated: true }],
  features: ['fast'],
  state: 'up',
  reason: null,
};

const QUEUE = { ...PLAIN_QUEUE, isDefault: true };

const PLACEMENT: Placement = {
  nodes: [
    {
      node: 'here',
      ranks: 1,
      cpus: 1,
      cpuIds: [0],
      memoryBytes: 1024,
      devices: [{ index: 0, millis: 500 }],
    },
  ],
};

const ATTEMPT: Attempt = {
  ...newAttempt('1.1', 1, PLACEMENT, T0),
  phase: 'running',
  startedAt: T0,
  clockFrom: T0,
};
