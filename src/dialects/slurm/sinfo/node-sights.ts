/** One node as `sinfo` sees it: its state in Slurm's words, and what of it is used. Values, not columns. */

import type { NodeView, QueueView } from '../../../model/query.ts';
import { type NodeFacts, nodeFacts } from '../node-facts.ts';

export interface NodeSight {
  readonly facts: NodeFacts;
  readonly name: string;
  readonly state: NodeState;
  /** Some job on it is ending. */
  readonly completing: boolean;
  readonly cpus: CpuCounts;
}

export interface NodeState {
  readonly short: string;
  readonly long: string;
  /** With every flag: `idle+drain`. */
  readonly complete: string;
  /** By which nodes are ordered: the number that Slurm has for it. */
  readonly rank: number;
  /** How it counts in A/I/O. */
  readonly share: 'allocated' | 'idle' | 'other';
}

export interface CpuCounts {
  readonly allocated: number;
  readonly idle: number;
  readonly other: number;
  readonly total: number;
}

/** `stopping`: jobs that hold a node and are about to leave it. */
export function nodeSight(
  view: NodeView,
  queues: readonly QueueView[],
  stopping: ReadonlySet<number>,
): NodeSight {
  const facts = nodeFacts(view, queues);
  const leaving = view.jobs.filter((job) => stopping.has(job)).length;
  const situation = { facts, completing: leaving > 0, deserted: leaving === view.jobs.length };
  const state = stateOf(situation);
  return { facts, name: view.node.name, state, completing: leaving > 0, cpus: cpuCounts(view) };
}

interface Situation {
  readonly facts: NodeFacts;
  readonly completing: boolean;
  /** Nothing on it goes on. */
  readonly deserted: boolean;
}

const BASE_RANKS = { DOWN: 1, IDLE: 2, ALLOCATED: 3, MIXED: 5 } as const;
const FLAG_RANKS = { DRAIN: 0x200, NOT_RESPONDING: 0x800 } as const;
const COMPLETING_RANK = 0x400;

function stateOf(situation: Situation): NodeState {
  const { facts, completing, deserted } = situation;
  const base = completing && deserted && facts.base !== 'DOWN' ? 'IDLE' : facts.base;
  const [short, long] = words(situation, base);
  const flags = [...facts.flags, ...(completing ? ['COMPLETING'] : [])];
  const rank =
    BASE_RANKS[base] +
    facts.flags.reduce((sum, flag) => sum + FLAG_RANKS[flag], 0) +
    (completing ? COMPLETING_RANK : 0);
  return {
    short,
    long,
    complete: [base, ...flags].join('+').toLowerCase(),
    rank,
    share: shareOf(facts),
  };
}

function words({ facts, completing }: Situation, base: NodeFacts['base']): readonly [string, string] {
  const silent = facts.flags.includes('NOT_RESPONDING') ? '*' : '';
  if (facts.flags.includes('DRAIN'))
    return isBusy(facts) ? ['drng', 'draining'] : [`drain${silent}`, `drained${silent}`];
  if (base === 'ALLOCATED') return completing ? ['alloc+', 'allocated+'] : ['alloc', 'allocated'];
  if (completing && base !== 'DOWN') return ['comp', 'completing'];
  const [short, long] = BASE_WORDS[base];
  return [`${short}${silent}`, `${long}${silent}`];
}

const BASE_WORDS = { DOWN: ['down', 'down'], IDLE: ['idle', 'idle'], MIXED: ['mix', 'mixed'] } as const;

export function isBusy({ view }: NodeFacts): boolean {
  return view.jobs.length > 0;
}

function shareOf(facts: NodeFacts): NodeState['share'] {
  if (facts.base === 'DOWN' || facts.flags.length > 0) return 'other';
  return facts.base === 'IDLE' ? 'idle' : 'allocated';
}

/** What a node that takes no more work has free is neither used nor to be had. */
function cpuCounts({ node, cpusUsed }: NodeView): CpuCounts {
  const free = Math.max(0, node.cpus - cpusUsed);
  const takesWork = node.state === 'up';
  return {
    allocated: cpusUsed,
    idle: takesWork ? free : 0,
    other: takesWork ? 0 : free,
    total: node.cpus,
  };
}
