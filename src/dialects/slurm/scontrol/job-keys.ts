/** What `scontrol update JobId=…` can change: each name, with what its value does to a job. */

import type { MailRequest } from '../../../model/job-spec.ts';
import type { JobView } from '../../../model/query.ts';
import { requeueChanges } from '../../keeping-words.ts';
import { SlurmFailure } from '../failure.ts';
import { expandHosts } from '../host-list.ts';
import { parseConstraintWords } from '../submit/constraint-values.ts';
import { parseDependencies } from '../submit/dependency-values.ts';
import { parseGres, sumOf } from '../submit/gpu-values.ts';
import { request } from '../submit/gpus.ts';
import { parseMailTypes } from '../submit/mail-values.ts';
import { parseCount, parseNodeCount } from '../submit/values.ts';
import { EXIT_FAILED } from './call.ts';
import {
  demand,
  derive,
  type Edit,
  invalid,
  KEEP_FROM_RUNNING,
  objecting,
  refused,
  set,
  setBefore,
  warning,
} from './edits.ts';
import { HELD, NOT_SUPPORTED } from './sentences.ts';
import type { Assignment } from './specification.ts';
import { deadline, endTime, startTime, timeLimit } from './time-keys.ts';

export interface KeyContext {
  readonly now: number;
  readonly zone: string;
  /** Features that some node has. */
  readonly features: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
}

export type JobKey = (value: string, assignment: Assignment, context: KeyContext) => Edit;

const MEGABYTE = 1024 ** 2;
const MOST_NICE = 2_147_483_645;
const NICE_WITHOUT_NUMBER = 100;
const MOST_PRIORITY = 4_294_967_294;

const noEffect: JobKey = (_value, { name }) => warning(null, `${name} has no effect here`);
const notSupported: JobKey = () => refused(NOT_SUPPORTED);

/** Nothing of the kind exists here, so nothing can be named; but it can be left. */
function onlyEmpty(sentence: string): JobKey {
  return (value) => (value === '' ? set({}) : refused(sentence));
}

export const JOB_KEYS: Readonly<Record<string, JobKey>> = {
  Account: (value) => setBefore({ account: value === '' ? null : value }),
  AdminComment: noEffect,
  ArrayTaskThrottle: throttle,
  BurstBuffer: notSupported,
  ClusterFeatures: notSupported,
  Clusters: notSupported,
  Comment: (value) => set({ comment: value === '' ? null : value }),
  Contiguous: yesOrNo,
  CoreSpec: noEffect,
  CPUsPerTask: (value, { name }) => {
    const cpusPerRank = count(name, value);
    return demand(() => ({ cpusPerRank, cpusAsked: true }));
  },
  CpusPerTres: noEffect,
  Deadline: deadline,
  DelayBoot: noEffect,
  Dependency: dependency,
  EligibleTime: startTime,
  EndTime: endTime,
  ExcNodeList: (value, _, context) =>
    onNodes(value, context, (exceptNodes) => demand(() => ({ exceptNodes }))),
  Features: features,
  Gres: gpus('node'),
  JobName: (value) => set({ name: value }),
  Licenses: onlyEmpty('Invalid license specification'),
  MailType: mailType,
  MailUser: (value) => mail((request, user) => ({ ...request, to: value === '' ? user : value })),
  MemPerTres: noEffect,
  MinCPUsNode: (value, { name }) => {
    const least = count(name, value);
    return demand(({ ranksPerNode, cpusPerRank }) => ({
      cpusPerRank: Math.max(cpusPerRank, Math.ceil(least / (ranksPerNode ?? 1))),
      cpusAsked: true,
    }));
  },
  MinMemoryCPU: (value, { name }) => memory(name, value, 'cpu'),
  MinMemoryNode: (value, { name }) => memory(name, value, 'node'),
  MinTmpDiskNode: noEffect,
  Name: (value) => set({ name: value }),
  Network: noEffect,
  Nice: nice,
  NodeList: (value, _, context) => onNodes(value, context, (onlyNodes) => demand(() => ({ onlyNodes }))),
  NumCPUs: cpus,
  NumNodes: nodeCount,
  NumTasks: (value, { name }) => {
    const ranks = count(name, value);
    return demand(() => ({ ranks }));
  },
  OverSubscribe: yesOrNo,
  Partition: (value) => {
    const [first = '', ...others] = value.split(',');
    return set({ queue: first, ...(others.length === 0 ? {} : { queueChoices: [first, ...others] }) });
  },
  Prefer: noEffect,
  Priority: priority,
  QOS: (value) => set({ qos: value === '' ? null : value }),
  Reboot: yesOrNo,
  ReqCores: noEffect,
  ReqNodeList: (value, _, context) => onNodes(value, context, (onlyNodes) => demand(() => ({ onlyNodes }))),
  ReqNodes: nodeCount,
  ReqProcs: (value, { name }) => {
    const ranks = count(name, value);
    return demand(() => ({ ranks }));
  },
  ReqSockets: noEffect,
  ReqThreads: noEffect,
  Requeue: (value, { name }) => {
    if (!/^\d{1,9}$/.test(value)) throw invalid(`Invalid ${name} value: ${value}`);
    return derive((spec) => requeueChanges(spec, Number(value) !== 0));
  },
  Reservation: onlyEmpty('Requested reservation is invalid'),
  ReservationName: onlyEmpty('Requested reservation is invalid'),
  ResetAccrueTime: noEffect,
  Shared: yesOrNo,
  SiteFactor: noEffect,
  StartTime: startTime,
  StdOut: notSupported,
  Switches: noEffect,
  TasksPerNode: (value, { name }) => {
    const ranksPerNode = count(name, value);
    return demand(() => ({ ranksPerNode }));
  },
  ThreadSpec: noEffect,
  TimeLimit: timeLimit,
  TimeMin: noEffect,
  TresBind: noEffect,
  TresFreq: noEffect,
  TresPerJob: gpus('job'),
  TresPerNode: gpus('node'),
  TresPerSocket: noEffect,
  TresPerTask: gpus('rank'),
  'wait-for-switch': noEffect,
  WCKey: noEffect,
  WorkDir: notSupported,
};

function count(name: string, value: string): number {
  const number = parseCount(value, 1);
  if (number === null) throw invalid(`Invalid ${name} value: ${value}`);
  return number;
}

function yesOrNo(value: string, assignment: Assignment, context: KeyContext): Edit {
  if (!/^(?:y(?:es)?|no?|[01])$/i.test(value)) throw invalid(`Invalid ${assignment.name} value: ${value}`);
  return noEffect(value, assignment, context);
}

function throttle(value: string, { name }: Assignment): Edit {
  if (!/^\d{1,9}$/.test(value)) throw invalid(`Invalid ${name} value: ${value}`);
  return set({ throttle: Number(value) === 0 ? null : Number(value) });
}

function dependency(value: string): Edit {
  const dependencies = parseDependencies(value);
  return dependencies === undefined ? refused('Job dependency problem') : setBefore({ dependencies });
}

function features(value: string, _: Assignment, context: KeyContext): Edit {
  if (value === '') return demand(() => ({ constraint: null }));
  const words = parseConstraintWords(value.replace(/\s/g, ''), 1);
  const names = value.match(/[A-Za-z_][A-Za-z0-9_.:-]*/g) ?? [];
  if (words === null || names.some((name) => !context.features.has(name)))
    return refused('Invalid feature specification');
  const edit = demand(() => ({ constraint: words.constraint }));
  return words.lost === null ? edit : warning(edit, `Features=${value}: ${words.lost}`);
}

function onNodes(value: string, { nodes }: KeyContext, edit: (names: readonly string[]) => Edit): Edit {
  const names = value === '' ? [] : expandHosts(value);
  if (names === null || names.some((name) => !nodes.has(name))) return refused('Invalid node name specified');
  return edit([...new Set(names)]);
}

function gpus(per: 'job' | 'node' | 'rank'): JobKey {
  return (value) => {
    if (value === '') return demand(() => ({ gpus: null }));
    const terms = parseGres(value);
    if (typeof terms === 'string') return refused('Invalid generic resource (gres) specification');
    const amount = sumOf(terms);
    const edit = demand(() => ({ gpus: amount && request(amount, per) }));
    return amount?.mixed === true
      ? warning(edit, 'a job has GPUs of one kind: it gets as many of any')
      : edit;
  };
}

function mailType(value: string): Edit {
  const on = parseMailTypes(value);
  if (on === null) throw new SlurmFailure([`Invalid MailType: ${value}`], EXIT_FAILED);
  return mail((request) => ({ ...request, on }));
}

function mail(change: (request: MailRequest, user: string) => MailRequest): Edit {
  return derive((spec) => {
    const request = change(spec.mail ?? { to: spec.user, on: [] }, spec.user);
    return { mail: request.on.length === 0 && request.to === spec.user ? null : request };
  });
}

function memory(name: string, value: string, per: 'cpu' | 'node'): Edit {
  if (!/^\d{1,9}$/.test(value)) throw invalid(`Invalid ${name} value: ${value}`);
  return demand(() => ({ memory: { bytes: Number(value) * MEGABYTE, per } }));
}

function nice(value: string, { value: written, name }: Assignment): Edit {
  if (written === null) return set({ nice: NICE_WITHOUT_NUMBER });
  if (!/^-?\d{1,10}$/.test(value) || Math.abs(Number(value)) > MOST_NICE)
    throw invalid(`Invalid ${name} value: ${value}`);
  return set({ nice: Number(value) });
}

/** Slurm's is the whole priority; the yard adds what was asked for to what it works out itself. */
function priority(value: string, { name }: Assignment): Edit {
  if (!/^\d{1,10}$/.test(value) || Number(value) > MOST_PRIORITY)
    throw invalid(`Invalid ${name} value: ${value}`);
  const wanted = Number(value);
  if (wanted === 0) return KEEP_FROM_RUNNING;
  const edit = derive((spec, view) => ({
    priority: view.priority === null ? spec.priority : spec.priority + wanted - Math.round(view.priority),
    nice: 0,
  }));
  return objecting(edit, ({ job }: JobView) => (job.phase === 'held' ? HELD : null));
}

function nodeCount(value: string): Edit {
  const nodes = parseNodeCount(value);
  if (!nodes.ok) throw invalid(`Invalid numeric value "${value}" for requested node count.`);
  const { min, max } = nodes;
  // As many tasks as nodes, at the least.
  return demand(({ ranks }) => ({ nodes: { min, max }, ranks: Math.max(ranks, min) }));
}

function cpus(value: string, { name }: Assignment): Edit {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(value);
  if (match === null || Number(match[1]) === 0) {
    throw new SlurmFailure(
      [
        `scontrol: error: Invalid numeric value "${value}" for ${name}.`,
        `scontrol: error: Invalid ${name} value: ${value}`,
      ],
      EXIT_FAILED,
    );
  }
  const edit = demand(({ ranks }) => ({ cpusPerRank: Math.ceil(Number(match[1]) / ranks), cpusAsked: true }));
  return match[2] === undefined ? edit : warning(edit, 'a job has the least number of CPUs that it asks for');
}
