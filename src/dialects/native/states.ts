/**
 * The words and colours of states. Exhaustive records: a new state does not compile until it has both.
 */

import {
  type Attempt,
  type AttemptPhase,
  isLive,
  type Job,
  type JobPhase,
  type Outcome,
} from '../../model/job.ts';
import type { NodeState } from '../../model/node.ts';
import type { Colour } from '../text/colour.ts';
import type { Cell } from '../text/table.ts';

export interface StateWord {
  readonly word: string;
  readonly colour: Colour;
}

export const PHASE_WORDS: Readonly<Record<JobPhase, StateWord>> = {
  held: { word: 'held', colour: 'magenta' },
  waiting: { word: 'waiting', colour: 'cyan' },
  pending: { word: 'queued', colour: 'yellow' },
  active: { word: 'running', colour: 'green' },
  ended: { word: 'ended', colour: 'grey' },
};

export const ATTEMPT_WORDS: Readonly<Record<AttemptPhase, StateWord>> = {
  assigned: { word: 'starting', colour: 'blue' },
  staging: { word: 'staging', colour: 'blue' },
  running: { word: 'running', colour: 'green' },
  stopping: { word: 'stopping', colour: 'yellow' },
  syncing: { word: 'saving', colour: 'blue' },
  ended: { word: 'ended', colour: 'grey' },
  lost: { word: 'lost', colour: 'red' },
};

export const OUTCOME_WORDS: Readonly<Record<Outcome, StateWord>> = {
  completed: { word: 'completed', colour: 'green' },
  failed: { word: 'failed', colour: 'red' },
  cancelled: { word: 'cancelled', colour: 'grey' },
  timeout: { word: 'timeout', colour: 'red' },
  outOfMemory: { word: 'out of memory', colour: 'red' },
  deviceOutOfMemory: { word: 'out of GPU memory', colour: 'red' },
  preempted: { word: 'preempted', colour: 'yellow' },
  nodeLost: { word: 'node lost', colour: 'red' },
  dependencyFailed: { word: 'dependency failed', colour: 'magenta' },
  deadline: { word: 'missed deadline', colour: 'red' },
};

export const NODE_WORDS: Readonly<Record<NodeState, StateWord>> = {
  up: { word: 'up', colour: 'green' },
  draining: { word: 'draining', colour: 'yellow' },
  lost: { word: 'lost', colour: 'red' },
};

export const LIVE_PHASES = ['held', 'waiting', 'pending', 'active'] as const satisfies readonly JobPhase[];

const SUSPENDED: StateWord = { word: 'suspended', colour: 'magenta' };

export function attemptState(attempt: Attempt): StateWord {
  return isLive(attempt) && attempt.suspendedAt !== null ? SUSPENDED : ATTEMPT_WORDS[attempt.phase];
}

/** One word for how a job is doing, as exact as is known. */
export function stateOf(job: Job): StateWord {
  if (job.phase === 'ended') return job.outcome === null ? PHASE_WORDS.ended : OUTCOME_WORDS[job.outcome];
  if (job.phase === 'active' && isLive(job.attempt)) return attemptState(job.attempt);
  return PHASE_WORDS[job.phase];
}

export function stateCell(word: StateWord): Cell {
  return { text: word.word, colour: word.colour };
}
