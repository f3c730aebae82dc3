/** Holds and releases one job or some of its tasks, and says for which of them that changed anything. */

import type { JobRef } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import { indicesOf, type RangeSet } from '../../../model/ranges.ts';
import { type Asking, command, printErr } from '../../program.ts';
import {
  type Changer,
  mayChange,
  notOwner,
  STATUS_NO_SUCH_JOB,
  STATUS_NOT_OPERATOR,
  STATUS_NOT_OWNER,
  STATUS_OK,
} from '../changer.ts';
import { taskNumber } from '../job-facts.ts';
import { jobNumbered, type KnownJob, refOf, tasksMeant } from '../job-list.ts';
import { isInError } from '../states.ts';
import { changedHolds, type HoldChange, holdsOf, withHolds } from './kinds.ts';

/** One record, or one task that has none and is as its array is. */
interface Part {
  readonly index: number;
  readonly job: Job;
  readonly target: JobRef;
  readonly before: string;
  readonly after: string;
}

/** How it went, as Grid Engine numbers it, and what is to be said of it. */
export interface HoldOutcome {
  readonly status: number;
  readonly lines: readonly string[];
}

export function* changeHolds(
  changer: Changer,
  known: KnownJob,
  tasks: RangeSet | null,
  change: HoldChange,
): Asking<HoldOutcome> {
  if (!mayChange(changer, known)) return { status: STATUS_NOT_OWNER, lines: [notOwner(changer, known)] };
  const parts = partsOf(known, tasks, change);
  const changing = parts.filter(({ before, after }) => before !== after);
  const denied = denials(changer, changing);
  if (denied.length > 0) return { status: STATUS_NOT_OPERATOR, lines: denied };
  yield* warnOfDeaf(changer, known, parts, change);
  const done = new Set<Part>();
  const rest = restAtOnce(known, tasks, parts);
  const atOnce = new Set(rest === null ? [] : changing.filter(({ job }) => job === known.view.job));
  if (rest !== null && atOnce.size > 0 && (yield* carryOut(changer, rest)))
    for (const part of atOnce) done.add(part);
  for (const part of changing) if (!atOnce.has(part) && (yield* carryOut(changer, part))) done.add(part);
  if (done.size < changing.length && (yield* jobNumbered(known.id)) === null) {
    return { status: STATUS_NO_SUCH_JOB, lines: [`denied: job "${known.id}" does not exist`] };
  }
  const changed = changing.filter((part) => done.has(part));
  return { status: STATUS_OK, lines: changed.map(({ index }) => `modified hold of ${nameOf(known, index)}`) };
}

function nameOf({ id, isArray }: KnownJob, index: number): string {
  return isArray ? `job-array task ${id}.${index}` : `job ${id}`;
}

/** By number. What runs, or is in error, is left as it is. */
function partsOf(known: KnownJob, tasks: RangeSet | null, change: HoldChange): readonly Part[] {
  const { records, unstarted } = tasksMeant(known, tasks);
  const own = known.view.job;
  const parts = [
    ...records.map((view) => partOf(taskNumber(view.job), view.job, refOf(view), change)),
    ...[...indicesOf(unstarted)].map((index) => partOf(index, own, { job: known.id, index }, change)),
  ];
  return parts.sort((a, b) => a.index - b.index);
}

function partOf(index: number, job: Job, target: JobRef, change: HoldChange): Part {
  const before = holdsOf(job);
  return { index, job, target, before, after: isDeaf(job) ? before : changedHolds(before, change) };
}

function isDeaf(job: Job): boolean {
  return job.phase === 'active' || isInError(job);
}

/**
 * All tasks without records, held or released in one go. The yard then does the same to those that have one, so none
 * of them may be in error, or held by somebody else.
 */
function restAtOnce(known: KnownJob, tasks: RangeSet | null, parts: readonly Part[]): Part | null {
  const rest = parts.find(({ job }) => known.isArray && job === known.view.job);
  if (tasks !== null || rest === undefined) return null;
  const isKept = (part: Part) => part.job.phase === 'held' && (isInError(part.job) || part.after !== '');
  if (rest.after === '' && parts.some(isKept)) return null;
  return { ...rest, target: { job: known.id, index: null } };
}

function denials({ user, isOperator }: Changer, changing: readonly Part[]): readonly string[] {
  if (isOperator) return [];
  const differs = (kind: string, from: 'before' | 'after', to: 'before' | 'after') =>
    changing.some((part) => part[from].includes(kind) && !part[to].includes(kind));
  return [['s', 'manager'] as const, ['o', 'operator'] as const].flatMap(([kind, role]) => {
    if (differs(kind, 'after', 'before')) return [`denied: "${user}" must be ${role} to set ${role} hold`];
    if (differs(kind, 'before', 'after')) return [`denied: "${user}" must be ${role} to remove ${role} hold`];
    return [];
  });
}

function* warnOfDeaf(
  { command: name }: Changer,
  known: KnownJob,
  parts: readonly Part[],
  { set }: HoldChange,
): Asking<void> {
  if (set === '' || parts.some(({ job }) => !isDeaf(job))) return;
  const [first] = parts;
  if (first === undefined) return;
  const why = isInError(first.job) ? 'is in error state, which keeps it from starting' : 'is running';
  yield* printErr(`${name}: warning: ${nameOf(known, first.index)} ${why}: it cannot be held\n`);
}

/** False when it is not there any more, or has begun to run. */
function* carryOut({ user: by }: Changer, { job, target, before, after }: Part): Asking<boolean> {
  if (before === '') {
    const held = yield* command({ type: 'hold', target, by });
    if (!held.ok) return false;
  }
  const origin = withHolds(job.spec, after);
  if (origin.words.holds !== job.spec.origin.words.holds) {
    const updated = yield* command({ type: 'update', target, by, changes: { origin } });
    if (!updated.ok) return false;
  }
  if (after !== '') return true;
  const released = yield* command({ type: 'release', target, by });
  return released.ok;
}
