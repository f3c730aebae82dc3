/**
 * Jobs, nodes, policies and whole yards for tests, in words that read like a sentence. Everything is ordinary
 * unless a test says otherwise. A yard checks every invariant after each command, and at the end of the test
 * that its log gives the same state when it is replayed.
 */

import { expect, onTestFinished } from 'vitest';
import { apply } from '../src/core/apply.ts';
import { type Decided, decide } from '../src/core/decide/decide.ts';
import { react } from '../src/core/react.ts';
import { commandsOf, type Plan, plan } from '../src/core/schedule/plan.ts';
import { jobOf, newState, type YardState } from '../src/core/state.ts';
import { newTurn } from '../src/core/turn.ts';
import { validate } from '../src/core/validate.ts';
import type { Command } from '../src/model/command.ts';
import type { Effect } from '../src/model/effect.ts';
import type { Event } from '../src/model/event.ts';
import type { JobId, JobRef, NodeName } from '../src/model/ids.ts';
import type { Exit, Job } from '../src/model/job.ts';
import type {
  Dependencies,
  DependencyTerm,
  GpuRequest,
  JobSpec,
  MemoryRequest,
  ResourceRequest,
} from '../src/model/job-spec.ts';
import { type CheckpointNote, type Keeping, NOTHING_KEPT } from '../src/model/keeping.ts';
import type { Node } from '../src/model/node.ts';
import { NO_LIMITS, PLAIN_POLICY, PLAIN_QOS, PLAIN_QUEUE, PLAIN_SPEC } from '../src/model/plain.ts';
import type { Policy, Qos, Queue } from '../src/model/policy.ts';
import { parseRanges } from '../src/model/ranges.ts';
import type { Refusal } from '../src/model/refusal.ts';
import type { Step, StepRequest } from '../src/model/step.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const GIB = 1024 ** 3;

export interface Wants {
  readonly cpus?: number;
  readonly ranks?: number;
  readonly ranksMax?: number;
  readonly spread?: NonNullable<ResourceRequest['spread']>;
  readonly ranksPerNode?: number;
  readonly nodes?: number | readonly [min: number, max: number];
  readonly memoryBytes?: number;
  readonly memoryPer?: MemoryRequest['per'];
  readonly gpus?: number;
  readonly gpusPer?: GpuRequest['per'];
  readonly gpuKind?: string;
  /** Thousandths of each device. */
  readonly gpuShare?: number;
  readonly gpuSharing?: NonNullable<GpuRequest['sharing']>;
  readonly exclusive?: boolean;
  readonly constraint?: string;
  readonly onlyNodes?: readonly NodeName[];
  readonly exceptNodes?: readonly NodeName[];
}

export interface JobBuilder {
  readonly spec: JobSpec;
  by(user: string): JobBuilder;
  named(name: string): JobBuilder;
  inQueue(queue: string): JobBuilder;
  /** The preferred one first. */
  inAnyOf(...queues: string[]): JobBuilder;
  /** What no other word here says. */
  saying(changes: Partial<JobSpec>): JobBuilder;
  /** CPUs are per rank. */
  wanting(wants: Wants): JobBuilder;
  limitedTo(limitMs: number | null): JobBuilder;
  warnedBefore(beforeMs: number, signal?: number): JobBuilder;
  /** `0-9`, `1,3,5`, or with a throttle, `0-9%2`. */
  asArray(words: string): JobBuilder;
  after(kind: Exclude<DependencyTerm['kind'], 'singleton'>, job: JobId, index?: number): JobBuilder;
  singleton(): JobBuilder;
  /** Any one of what it comes after is enough. */
  afterAnyOfThem(): JobBuilder;
  beginningAt(at: number): JobBuilder;
  endedBy(deadlineAt: number): JobBuilder;
  held(): JobBuilder;
  withPriority(priority: number): JobBuilder;
  nicedBy(nice: number): JobBuilder;
  neverRequeued(): JobBuilder;
  /** A plain command rather than a batch script. */
  asCommand(): JobBuilder;
  /** This command, and as much of one GPU as its kind was seen to use. */
  sharing(command: string): JobBuilder;
  runByItsCaller(): JobBuilder;
  withQos(qos: string): JobBuilder;
  inAccount(account: string): JobBuilder;
  keeping(what: Partial<Keeping>): JobBuilder;
  /** Goes on in another run when its time limit ends one. */
  chained(): JobBuilder;
}

export function aJob(): JobBuilder {
  return jobBuilder(ORDINARY_SPEC);
}

function jobBuilder(spec: JobSpec): JobBuilder {
  const but = (changes: Partial<JobSpec>) => jobBuilder({ ...spec, ...changes });
  const depends = (changes: Partial<Dependencies>) => {
    const before: Dependencies = spec.dependencies ?? { need: 'all', terms: [] };
    return but({ dependencies: { ...before, ...changes } });
  };
  const terms = spec.dependencies?.terms ?? [];
  return {
    spec,
    by: (user) => but({ user }),
    named: (name) => but({ name }),
    inQueue: (queue) => but({ queue }),
    inAnyOf: (...queues) => but({ queue: queues[0] ?? '', queueChoices: queues }),
    saying: (changes) => but(changes),
    wanting: (wants) => but({ resources: requestOf(wants, spec.resources) }),
    limitedTo: (limitMs) => but({ limitMs }),
    warnedBefore: (beforeMs, signal = 10) => but({ warning: { beforeMs, signal, scope: 'main' } }),
    asArray: (words) => but({ array: arrayOf(words) }),
    after: (kind, job, index) => depends({ terms: [...terms, { kind, job, index: index ?? null }] }),
    singleton: () => depends({ terms: [...terms, { kind: 'singleton' }] }),
    afterAnyOfThem: () => depends({ need: 'any' }),
    beginningAt: (beginAt) => but({ beginAt }),
    endedBy: (deadlineAt) => but({ deadlineAt }),
    held: () => but({ held: true }),
    withPriority: (priority) => but({ priority }),
    nicedBy: (nice) => but({ nice }),
    neverRequeued: () => but({ requeue: false }),
    asCommand: () => but({ program: { ...spec.program, script: null, argv: ['true'] } }),
    sharing: (command) =>
      but({
        program: { ...spec.program, script: null, argv: command.split(' ') },
        resources: requestOf({ gpus: 1, gpuSharing: 'auto' }, spec.resources),
      }),
    runByItsCaller: () =>
      but({
        program: {
          ...spec.program,
          script: null,
          spread: 'caller',
          caller: { pid: 7, startTicks: 1, bootId: 'b' },
        },
      }),
    withQos: (qos) => but({ qos }),
    inAccount: (account) => but({ account }),
    keeping: (what) => but({ keeping: { ...(spec.keeping ?? NOTHING_KEPT), ...what } }),
    chained: () => but({ chain: true }),
  };
}

const ORDINARY_SPEC: JobSpec = {
  ...PLAIN_SPEC,
  name: 'train',
  user: 'ann',
  account: null,
  queue: '',
  program: {
    script: '1'.repeat(64),
    argv: [],
    environment: '0'.repeat(64),
    umask: 0o022,
    ulimits: {},
    spread: 'once',
    caller: null,
  },
  workDir: '/home/ann',
  streams: { stdin: null, stdout: '%j.out', stderr: null, openMode: 'truncate', makeDirectories: false },
  origin: { dialect: 'native', words: {} },
};

function requestOf(wants: Wants, before: ResourceRequest): ResourceRequest {
  const [min, max] =
    wants.nodes === undefined
      ? [before.nodes.min, before.nodes.max]
      : typeof wants.nodes === 'number'
        ? [wants.nodes, wants.nodes]
        : wants.nodes;
  return {
    nodes: { min, max },
    ranks: wants.ranks ?? Math.max(before.ranks, min),
    ...(wants.ranksMax === undefined ? {} : { ranksMax: wants.ranksMax }),
    ...(wants.spread === undefined ? {} : { spread: wants.spread }),
    ranksPerNode: wants.ranksPerNode ?? before.ranksPerNode,
    cpusPerRank: wants.cpus ?? before.cpusPerRank,
    cpusAsked: wants.cpus !== undefined || before.cpusAsked,
    memory:
      wants.memoryBytes === undefined
        ? before.memory
        : { bytes: wants.memoryBytes, per: wants.memoryPer ?? 'node' },
    gpus:
      wants.gpus === undefined
        ? before.gpus
        : {
            count: wants.gpus,
            per: wants.gpusPer ?? 'job',
            kind: wants.gpuKind ?? null,
            shareMillis: wants.gpuShare ?? 1000,
            ...(wants.gpuSharing === undefined ? {} : { sharing: wants.gpuSharing }),
          },
    exclusive: wants.exclusive ?? before.exclusive,
    constraint: wants.constraint ?? before.constraint,
    onlyNodes: wants.onlyNodes ?? before.onlyNodes,
    exceptNodes: wants.exceptNodes ?? before.exceptNodes,
  };
}

function arrayOf(words: string): JobSpec['array'] {
  const [ranges, throttle] = words.split('%');
  const indices = parseRanges(ranges as string);
  if (indices === null) throw new Error(`'${words}' is not an array`);
  return { indices, throttle: throttle === undefined ? null : Number(throttle) };
}

export interface NodeBuilder {
  readonly node: Node;
  withCpus(cpus: number): NodeBuilder;
  /** CPUs that the kernel knows by number. */
  withNumberedCpus(...ids: number[]): NodeBuilder;
  withMemory(bytes: number): NodeBuilder;
  /** Of 40 GiB each, unless it is said otherwise. */
  withGpus(count: number, kind?: string, memoryBytes?: number): NodeBuilder;
  withFeatures(...features: string[]): NodeBuilder;
}

/** Eight CPUs and 64 GiB unless it is said otherwise. */
export function aNode(name: NodeName): NodeBuilder {
  return nodeBuilder({
    name,
    cpus: 8,
    cpuIds: [],
    memoryBytes: 64 * GIB,
    devices: [],
    features: [],
    state: 'up',
    reason: null,
  });
}

function nodeBuilder(node: Node): NodeBuilder {
  const but = (changes: Partial<Node>) => nodeBuilder({ ...node, ...changes });
  return {
    node,
    withCpus: (cpus) => but({ cpus }),
    withNumberedCpus: (...cpuIds) => but({ cpus: cpuIds.length, cpuIds }),
    withMemory: (memoryBytes) => but({ memoryBytes }),
    withGpus: (count, kind = 'a100', memoryBytes = 40 * GIB) =>
      but({
        devices: [
          ...node.devices,
          ...Array.from({ length: count }, (_, at) => ({
            index: node.devices.length + at,
            kind,
            memoryBytes,
            simulated: true,
          })),
        ],
      }),
    withFeatures: (...features) => but({ features }),
  };
}

export function aQueue(name: string, changes: Partial<Queue> = {}): Queue {
  return { ...PLAIN_QUEUE, name, ...changes, limits: { ...NO_LIMITS, ...changes.limits } };
}

/** One queue called `main`, priority by age alone, and a grace of ten seconds, unless it is said otherwise. */
export function aPolicy(changes: Partial<Policy> = {}): Policy {
  return {
    ...PLAIN_POLICY,
    weights: { age: 1000, qos: 0, fairShare: 0, queue: 1000, size: 0 },
    graceMs: 10 * SECOND,
    maxRestarts: 3,
    ...changes,
  };
}

/** One rank on one CPU, beside others, with no devices. */
export function aStep(changes: Partial<StepRequest> = {}): StepRequest {
  return {
    name: 'step',
    command: ['true'],
    nodes: null,
    ranks: 1,
    ranksPerNode: null,
    cpusPerRank: 1,
    gpus: { count: 0, per: 'job', kind: null, shareMillis: 1000 },
    overlap: false,
    wholeNodes: false,
    distribution: 'block',
    onlyNodes: [],
    exceptNodes: [],
    firstNode: 0,
    ...changes,
  };
}

export function aQos(name: string, changes: Partial<Qos> = {}): Qos {
  return { ...PLAIN_QOS, name, isDefault: false, ...changes };
}

export interface TestYard {
  readonly state: YardState;
  readonly events: readonly Event[];
  now: number;
  policy: Policy;
  /** The nodes of this yard; those of before that are not among them are gone. */
  withNodes(...nodes: NodeBuilder[]): TestYard;
  /** Decides one command; a refusal fails the test. */
  tell(command: Command): Decided;
  /** Decides one command that must be refused. */
  refusalOf(command: Command): Refusal;
  submit(job: JobBuilder): JobId;
  /** Plans without taking the plan up. */
  plan(): Plan;
  /** Plans, and takes the plan up. */
  schedule(): Plan;
  /** Submits, schedules, and lets it run. */
  run(job: JobBuilder): JobId;
  /** The engine reports that the job's attempt runs. */
  runs(job: JobId | JobRef): void;
  ends(job: JobId | JobRef, code?: number, more?: Partial<Exit>): void;
  /** The same, and its program said that it had come to this step. */
  endsAt(job: JobId | JobRef, step: number | null, code?: number): void;
  /** Its processes are gone, and what they left is being made safe. */
  syncs(job: JobId | JobRef, code?: number, more?: Partial<Exit>): void;
  /** A checkpoint of it is safe, written just now unless it is said otherwise. */
  keeps(job: JobId | JobRef, checkpoint?: Partial<CheckpointNote>): Decided;
  /** Begins a step in the job, of one rank on one CPU unless it is said otherwise. */
  step(job: JobId | JobRef, wish?: Partial<StepRequest>): Step;
  stepEnds(job: JobId | JobRef, n: number, code?: number): void;
  /** Time goes by, and the yard looks at its agenda. */
  pass(ms: number): void;
  job(ref: JobId | JobRef): Job;
  /** What is owed for this job now. */
  owed(ref: JobId | JobRef): Effect[];
  /** Jobs with a live attempt, as displayed. */
  running(): JobId[];
  /** These nodes came back smaller than what runs on them. */
  readonly shrunk: Set<NodeName>;
}

/** A yard with one ordinary node. */
export function aYard(policy: Policy = aPolicy()): TestYard {
  const state = newState();
  const events: Event[] = [];
  const refOf = (ref: JobId | JobRef): JobRef => (typeof ref === 'number' ? { job: ref, index: null } : ref);

  function turn<T>(work: (turn: ReturnType<typeof newTurn>) => T): T {
    const one = newTurn(state, yard.policy, yard.now);
    const result = work(one);
    events.push(...one.events);
    validate(state, yard.shrunk);
    return result;
  }

  function attemptOf(ref: JobId | JobRef): string {
    const { attempt } = yard.job(ref);
    if (attempt === null) throw new Error(`job ${JSON.stringify(ref)} has no attempt`);
    return attempt.id;
  }

  const yard: TestYard = {
    state,
    events,
    now: 1_700_000_000_000,
    policy,
    shrunk: new Set(),
    withNodes(...nodes) {
      yard.tell({ type: 'nodesSeen', nodes: nodes.map(({ node }) => node) });
      return yard;
    },
    tell(command) {
      const decision = turn((one) => decide(one, command));
      if (!decision.ok) throw new Error(`${command.type} was refused: ${decision.refusal.message}`);
      return decision;
    },
    refusalOf(command) {
      const before = structuredClone([...state.jobs]);
      const decision = turn((one) => decide(one, command));
      if (decision.ok) throw new Error(`${command.type} was not refused`);
      expect([...state.jobs]).toEqual(before);
      return decision.refusal;
    },
    submit(job) {
      const { job: id } = yard.tell({ type: 'submit', spec: job.spec });
      if (id === null) throw new Error('a submitted job has no number');
      return id;
    },
    plan: () => plan(state, yard.policy, yard.now),
    schedule() {
      const made = yard.plan();
      turn((one) => {
        for (const command of commandsOf(made)) {
          const taken = decide(one, command);
          if (!taken.ok || !taken.changed)
            throw new Error(`the plan's own ${command.type} of job ${command.job} does not fit`);
        }
      });
      return made;
    },
    run(job) {
      const id = yard.submit(job);
      yard.schedule();
      yard.runs(id);
      return id;
    },
    runs(ref) {
      yard.tell({ type: 'attemptRunning', attempt: attemptOf(ref), forMs: 0 });
    },
    ends(ref, code = 0, more = {}) {
      const exit: Exit = { code, signal: null, outOfMemory: false, ...more };
      yard.tell({ type: 'attemptEnded', attempt: attemptOf(ref), exit, usage: null, fault: null });
    },
    endsAt(ref, step, code = 0) {
      const exit: Exit = { code, signal: null, outOfMemory: false };
      const progress = { step, steps: null, epoch: null, loss: null, at: yard.now };
      const attempt = attemptOf(ref);
      yard.tell({ type: 'attemptEnded', attempt, exit, usage: null, fault: null, progress });
    },
    syncs(ref, code = 0, more = {}) {
      const exit: Exit = { code, signal: null, outOfMemory: false, ...more };
      yard.tell({ type: 'attemptSyncing', attempt: attemptOf(ref), exit, usage: null, fault: null });
    },
    keeps(ref, given = {}) {
      const { now } = yard;
      const checkpoint = { name: `${now}.pt`, step: null, bytes: 1, writtenAt: now, keptAt: now, ...given };
      return yard.tell({ type: 'checkpointKept', attempt: attemptOf(ref), checkpoint });
    },
    step(ref, wish = {}) {
      const command = { type: 'startStep', target: refOf(ref), by: 'root', request: aStep(wish) } as const;
      const { step: n } = yard.tell(command);
      const step = n === null ? undefined : state.steps.get(attemptOf(ref))?.get(n);
      if (step === undefined) throw new Error('a step was begun and is not there');
      return step;
    },
    stepEnds(ref, n, code = 0) {
      const exit: Exit = { code, signal: null, outOfMemory: false };
      yard.tell({ type: 'stepEnded', attempt: attemptOf(ref), step: n, exit, usage: null });
    },
    pass(ms) {
      yard.now += ms;
      yard.tell({ type: 'tick' });
    },
    job(ref) {
      const { job, index } = refOf(ref);
      if (index === null) return jobOf(state, job);
      const element = state.elements.get(job)?.get(index);
      if (element === undefined) throw new Error(`there is no record of ${job}_${index}`);
      return jobOf(state, element);
    },
    owed: (ref) => react(state, [yard.job(ref).id]),
    running: () => [...state.live].sort((a, b) => a - b),
  };

  yard.withNodes(aNode('n1'));
  onTestFinished(() => {
    validate(state, yard.shrunk);
    expectReplayed(state, events);
  });
  return yard;
}

/** The log alone gives the same state; ended jobs may have left memory. */
function expectReplayed(state: YardState, events: readonly Event[]): void {
  const again = newState();
  for (const event of events) apply(again, event);
  for (const job of again.jobs.values())
    if (job.phase !== 'ended' || state.jobs.has(job.id)) expect(state.jobs.get(job.id)).toEqual(job);
  expect(state.steps).toEqual(again.steps);
  expect(state.nodes).toEqual(again.nodes);
  expect(state.usage).toEqual(again.usage);
  expect(state.footprints).toEqual(again.footprints);
  expect(state.learners).toEqual(again.learners);
  expect(state.nextJobId).toBe(again.nextJobId);
}
