/** Why a job waits, or how it came to its end, in the one word that Slurm has for it. */

import type { JobView } from '../../model/query.ts';
import type { Reason } from '../../model/reason.ts';

export function reasonWord({ job, reason }: Pick<JobView, 'job' | 'reason'>): string {
  if (job.phase === 'ended') return endWord(job.outcome);
  if (job.phase === 'active') return 'None';
  return reason === null ? 'None' : waitingWord(reason);
}

function waitingWord(reason: Reason): string {
  switch (reason.kind) {
    case 'held':
      return reason.by === 'user' ? 'JobHeldUser' : 'JobHeldAdmin';
    case 'dependency':
      return 'Dependency';
    case 'begin':
      return 'BeginTime';
    case 'resources':
      return 'Resources';
    case 'priority':
    case 'notLookedAt':
      return 'Priority';
    case 'limit':
      return LIMIT_WORDS[reason.limit];
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

const LIMIT_WORDS = {
  running: 'QOSMaxJobsPerUserLimit',
  cpus: 'QOSMaxCpuPerUserLimit',
  gpus: 'QOSMaxGRESPerUser',
} as const;

function endWord(outcome: JobView['job']['outcome']): string {
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
      return 'NonZeroExitCode';
    default:
      return 'None';
  }
}
