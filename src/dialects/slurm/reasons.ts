/** Why a job waits, or how it came to its end, in the one word that Slurm has for it. */

import type { Job } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import type { LimitName, LimitOf, Reason } from '../../model/reason.ts';
import { requeueBrief } from '../requeue-sentences.ts';
import { hasFailed } from './dependency-text.ts';
import { neverRan } from './states.ts';

const PER_USER = {
  running: 'QOSMaxJobsPerUserLimit',
  cpus: 'QOSMaxCpuPerUserLimit',
  gpus: 'QOSMaxGRESPerUser',
  ranks: 'QOSMaxCpuPerUserLimit',
} as const;

const OF_ALL = {
  running: 'QOSGrpJobsLimit',
  cpus: 'QOSGrpCpuLimit',
  gpus: 'QOSGrpGRES',
  ranks: 'QOSGrpCpuLimit',
} as const;

export function reasonWord({ job, reason }: Pick<JobView, 'job' | 'reason'>): string {
  if (job.phase === 'ended') return endWord(job);
  if (job.phase === 'active') return 'None';
  return reason === null ? 'None' : waitingWord(job, reason);
}

/** The word with what Slurm would add as the description of a state: how the job came to be queued again. */
export function describedReason(view: Pick<JobView, 'job' | 'reason'>): string {
  const more = requeueBrief(view.job);
  return more === '' ? reasonWord(view) : `${reasonWord(view)}, ${more}`;
}

/** Held because it was queued again too often, and not because an exit code asks to be held. */
function isHeldForRequeues({ hold, askedAgain }: Job): boolean {
  return hold?.by === 'yard' && askedAgain !== undefined && askedAgain.rule !== 'holdExitCodes';
}

function waitingWord(job: Job, reason: Reason): string {
  switch (reason.kind) {
    case 'held':
      if (isHeldForRequeues(job)) return 'JobHoldMaxRequeue';
      return reason.by === 'user' ? 'JobHeldUser' : 'JobHeldAdmin';
    case 'dependency':
      return neverComesTrue(reason) ? 'DependencyNeverSatisfied' : 'Dependency';
    case 'begin':
      return 'BeginTime';
    // The directory is held by another job until that one has ended, as a device would be.
    case 'resources':
    case 'learning':
    case 'place':
      return 'Resources';
    case 'priority':
    case 'notLookedAt':
      return 'Priority';
    case 'limit':
      return LIMIT_WORDS[reason.of.kind][reason.limit];
    case 'throttle':
      return 'JobArrayTaskLimit';
    case 'queueClosed':
      return 'PartitionDown';
    case 'nodesUnavailable':
      return 'ReqNodeNotAvail';
    case 'neverPossible':
      return 'BadConstraints';
  }
}

type DependencyReason = Extract<Reason, { kind: 'dependency' }>;

function neverComesTrue({ unmet, need }: DependencyReason): boolean {
  return need === 'all' ? unmet.some(hasFailed) : unmet.every(hasFailed);
}

/** Slurm has such limits on associations and on classes of service; a queue's own and a layout's are like those of a class. */
const LIMIT_WORDS: Readonly<Record<LimitOf['kind'], Readonly<Record<LimitName, string>>>> = {
  user: {
    running: 'AssocMaxJobsLimit',
    cpus: 'AssocGrpCpuLimit',
    gpus: 'AssocGrpGRES',
    ranks: 'AssocGrpCpuLimit',
  },
  queue: OF_ALL,
  layout: OF_ALL,
  userInQueue: PER_USER,
  userInQos: PER_USER,
};

function endWord({ outcome, attempt }: Job): string {
  switch (outcome) {
    case 'timeout':
      return 'TimeLimit';
    case 'outOfMemory':
      return 'OutOfMemory';
    case 'nodeLost':
      return 'NodeDown';
    case 'dependencyFailed':
      return 'DependencyNeverSatisfied';
    case 'deadline':
      return 'DeadLine';
    case 'failed':
    case 'deviceOutOfMemory':
      return neverRan(attempt) ? 'JobLaunchFailure' : 'NonZeroExitCode';
    default:
      return 'None';
  }
}
