/**
 * Whether what was read from a row is what it should be. A damaged page or another program's hand can leave a row that
 * parses and still lacks what everybody counts on; such a row is left out, and all others are read. Only what the yard
 * could not do without is looked at: a row of an earlier version may lack what came later.
 */

import type { Attempt, AttemptPhase, JobPhase, Outcome } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Step } from '../../model/step.ts';

export class DamagedRow extends Error {}

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array';
type Fields = Readonly<Record<string, Kind>>;

const JOB_PHASES: Readonly<Record<JobPhase, true>> = {
  held: true,
  waiting: true,
  pending: true,
  active: true,
  ended: true,
};
const OUTCOMES: Readonly<Record<Outcome, true>> = {
  completed: true,
  failed: true,
  cancelled: true,
  timeout: true,
  outOfMemory: true,
  deviceOutOfMemory: true,
  preempted: true,
  nodeLost: true,
  deadline: true,
  dependencyFailed: true,
};
const ATTEMPT_PHASES: Readonly<Record<AttemptPhase, true>> = {
  assigned: true,
  staging: true,
  running: true,
  stopping: true,
  syncing: true,
  ended: true,
  lost: true,
};

const SPEC: Fields = {
  name: 'string',
  user: 'string',
  queue: 'string',
  workDir: 'string',
  program: 'object',
  streams: 'object',
  resources: 'object',
  origin: 'object',
  held: 'boolean',
  requeue: 'boolean',
  priority: 'number',
  nice: 'number',
};
const PROGRAM: Fields = { argv: 'array', environment: 'string', ulimits: 'object', spread: 'string' };
const RESOURCES: Fields = {
  nodes: 'object',
  ranks: 'number',
  cpusPerRank: 'number',
  onlyNodes: 'array',
  exceptNodes: 'array',
};
const ATTEMPT: Fields = {
  id: 'string',
  n: 'number',
  placement: 'object',
  assignedAt: 'number',
  signals: 'array',
};
const SHARE: Fields = {
  node: 'string',
  ranks: 'number',
  cpus: 'number',
  cpuIds: 'array',
  memoryBytes: 'number',
  devices: 'array',
};
const STEP: Fields = {
  attempt: 'string',
  n: 'number',
  name: 'string',
  command: 'array',
  placement: 'object',
};

export function parseSpec(doc: string): JobSpec {
  const spec = parsed(doc, 'spec');
  check(spec, SPEC, 'spec');
  check(spec.program, PROGRAM, 'spec.program');
  check(spec.streams, { stdout: 'string' }, 'spec.streams');
  check(spec.resources, RESOURCES, 'spec.resources');
  return spec as unknown as JobSpec;
}

export function parseAttempt(doc: string): Attempt {
  const attempt = parsed(doc, 'attempt');
  check(attempt, ATTEMPT, 'attempt');
  checkPlacement(attempt.placement, 'attempt');
  oneOf(ATTEMPT_PHASES, attempt.phase, 'attempt.phase');
  return attempt as unknown as Attempt;
}

export function parseStep(doc: string): Step {
  const step = parsed(doc, 'step');
  check(step, STEP, 'step');
  checkPlacement(step.placement, 'step');
  return step as unknown as Step;
}

/** A document whose fields are all optional. */
export function parseObject(doc: string, what: string): Record<string, unknown> {
  return parsed(doc, what);
}

export function checkJobColumns(row: {
  readonly phase: unknown;
  readonly outcome: unknown;
  readonly submitted_at: unknown;
  readonly ended_at: unknown;
}): void {
  oneOf(JOB_PHASES, row.phase, 'phase');
  if (row.outcome !== null) oneOf(OUTCOMES, row.outcome, 'outcome');
  if (typeof row.submitted_at !== 'number') throw new DamagedRow('submitted_at is no number');
  if (row.ended_at !== null && typeof row.ended_at !== 'number')
    throw new DamagedRow('ended_at is no number');
}

function checkPlacement(placement: unknown, of: string): void {
  check(placement, { nodes: 'array' }, `${of}.placement`);
  for (const share of (placement as { nodes: readonly unknown[] }).nodes)
    check(share, SHARE, `${of}.placement.nodes`);
}

function parsed(doc: unknown, what: string): Record<string, unknown> {
  if (typeof doc !== 'string') throw new DamagedRow(`${what} is missing`);
  let value: unknown;
  try {
    value = JSON.parse(doc);
  } catch {
    throw new DamagedRow(`${what} is no JSON`);
  }
  if (kindOf(value) !== 'object') throw new DamagedRow(`${what} is no object`);
  return value as Record<string, unknown>;
}

function check(value: unknown, fields: Fields, what: string): void {
  if (kindOf(value) !== 'object') throw new DamagedRow(`${what} is no object`);
  for (const name in fields) {
    const kind = kindOf((value as Record<string, unknown>)[name]);
    if (kind !== fields[name]) throw new DamagedRow(`${what}.${name} is no ${fields[name]}`);
  }
}

function oneOf(known: Readonly<Record<string, true>>, value: unknown, what: string): void {
  if (typeof value !== 'string' || !Object.hasOwn(known, value))
    throw new DamagedRow(`${what} says ${JSON.stringify(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
