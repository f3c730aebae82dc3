/** Changes one job: works out all edits on what it is now, and asks the yard for them together, or for none. */

import { printable } from '../../../model/bytes.ts';
import type { JobChanges } from '../../../model/command.ts';
import type { JobRef } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { RangeSet } from '../../../model/ranges.ts';
import { type Asking, type CommandResult, command, type Invocation, printOut } from '../../program.ts';
import { type Changer, mayChange, notOwner } from '../changer.ts';
import { GridEngineFailure } from '../failure.ts';
import { changeHolds, type HoldOutcome } from '../holds/change-holds.ts';
import type { HoldChange } from '../holds/kinds.ts';
import { jobNumbered, type KnownJob, refOf } from '../job-list.ts';
import { Rejection } from '../submit/complaints.ts';
import { type Validation, whyNoQueue } from '../submit/submission.ts';
import type { Surroundings } from '../submit/surroundings.ts';
import type { QalterCall } from './call.ts';
import type { Edited } from './edit.ts';
import { EDITS } from './edits.ts';
import { isSettled, looksOnly, SETTLED, validationOf } from './validation.ts';

export interface Alteration {
  readonly call: QalterCall;
  readonly invocation: Invocation;
  readonly changer: Changer;
  readonly surroundings: Surroundings;
  /** Said so far: each only once, however many jobs there are. */
  readonly warned: Set<string>;
}

interface Draft {
  readonly job: Job;
  readonly changes: JobChanges;
  readonly words: NonNullable<Edited['words']>;
  readonly lines: readonly string[];
  /** What is wrong with it, after all that was found to be right. */
  readonly refused: readonly string[] | null;
}

/** What was done, and what is to be said of it. */
interface Outcome {
  readonly isDone: boolean;
  /** The job has been changed, all the same. */
  readonly isChanged: boolean;
  readonly lines: readonly string[];
}

/** Whether all went well. */
export function* alterJob(alteration: Alteration, known: KnownJob, tasks: RangeSet | null): Asking<boolean> {
  const { call, changer } = alteration;
  const { holds } = call;
  if (!mayChange(changer, known)) {
    yield* say([notOwner(changer, known)]);
    return false;
  }
  const validation = validationOf(call.given);
  const isLook = looksOnly(validation) || call.verifies;
  // A job that is let go may start at once: it is changed before, and held first.
  const first = holds !== null && holds.set !== '' && !isLook;
  const held = first ? yield* changeHolds(changer, known, tasks, holds) : NO_HOLDS;
  if (held.status !== 0) {
    yield* say(held.lines);
    return false;
  }
  const seen = first ? ((yield* jobNumbered(known.id)) ?? known) : known;
  const draft = yield* draftFor(alteration, seen);
  if (draft.refused !== null) {
    yield* say([...held.lines, ...(isLook ? [] : draft.lines), ...draft.refused]);
    return false;
  }
  if (call.verifies) {
    yield* say([`job_name:                   ${draft.job.spec.name}`, '']);
    return true;
  }
  const { now } = alteration.surroundings;
  const outcome = yield* validated(draft, seen, { validation, now }, () => carryOut(alteration, seen, draft));
  const last = holds !== null && !first && !isLook && outcome.isChanged;
  const released = last ? yield* release(alteration, known, tasks, holds) : NO_HOLDS;
  yield* say([...held.lines, ...released.lines, ...outcome.lines]);
  return outcome.isDone && released.status === 0;
}

const NO_HOLDS: HoldOutcome = { status: 0, lines: [] };

function* release(
  { changer }: Alteration,
  known: KnownJob,
  tasks: RangeSet | null,
  holds: HoldChange,
): Asking<HoldOutcome> {
  return yield* changeHolds(changer, (yield* jobNumbered(known.id)) ?? known, tasks, holds);
}

/** `-w`: whether any queue would do, and what follows from it. */
function* validated(
  draft: Draft,
  known: KnownJob,
  { validation, now }: { readonly validation: Validation; readonly now: number },
  act: () => Asking<Outcome>,
): Asking<Outcome> {
  if (validation === 'n') return yield* act();
  const isLook = looksOnly(validation);
  if (isSettled(known)) {
    const outcome = isLook ? UNCHANGED : yield* act();
    return isLook || draft.lines.length === 0 ? { ...outcome, lines: [...outcome.lines, SETTLED] } : outcome;
  }
  const why = yield* whyNoQueue({ ...draft.job.spec, held: false }, validation, now);
  if (why === null) {
    if (!isLook) return yield* act();
    return { ...UNCHANGED, lines: ['verification: found suitable queue(s)'] };
  }
  const refused = { isDone: false, isChanged: false };
  if (isLook) {
    return { ...refused, lines: [`Job ${known.id} cannot run: ${why}`, 'verification: no suitable queues'] };
  }
  if (validation === 'e') return { ...refused, lines: ['error: no suitable queues'] };
  const outcome = yield* act();
  return { ...outcome, isDone: false, lines: [...outcome.lines, 'warning: no suitable queues'] };
}

const UNCHANGED: Outcome = { isDone: true, isChanged: false, lines: [] };

function* draftFor(alteration: Alteration, known: KnownJob): Asking<Draft> {
  const { call, invocation, changer, surroundings, warned } = alteration;
  let draft: Draft = { job: known.view.job, changes: {}, words: {}, lines: [], refused: null };
  for (const edit of EDITS) {
    try {
      const { given } = call;
      const outcome = edit({
        given,
        invocation,
        changer,
        surroundings,
        job: draft.job,
        isArray: known.isArray,
      });
      const edited = outcome !== null && 'next' in outcome ? yield* outcome : outcome;
      if (edited === null) continue;
      for (const warning of edited.warnings ?? []) warned.add(warning);
      draft = afterEdit(draft, edited);
    } catch (error) {
      const refused = reasonsOf(error);
      if (refused === null) throw error;
      return { ...draft, refused };
    }
  }
  return draft;
}

function afterEdit({ job, changes, words, lines, refused }: Draft, edited: Edited): Draft {
  const { throttle: _throttle, ...ofSpec } = edited.changes ?? {};
  const spec = withWords({ ...job.spec, ...ofSpec }, edited.words ?? {});
  return {
    job: { ...job, spec },
    changes: { ...changes, ...edited.changes },
    words: { ...words, ...edited.words },
    lines: [...lines, ...edited.lines],
    refused,
  };
}

function withWords(spec: JobSpec, changed: Draft['words']): JobSpec {
  const words = Object.entries({ ...spec.origin.words, ...changed }).flatMap(([word, value]) =>
    value === null || value === undefined ? [] : [[word, value]],
  );
  return { ...spec, origin: { ...spec.origin, words: Object.fromEntries(words) } };
}

/** Null for what is not about the job: a flag that makes no sense, or a defect. */
function reasonsOf(error: unknown): readonly string[] | null {
  if (error instanceof Rejection) return error.reasons.map(asOfAJobThatIsThere);
  return error instanceof GridEngineFailure && error.stream === 'stdout' ? error.lines : null;
}

/** Of a job that is there already the original says it in other words. */
export function asOfAJobThatIsThere(reason: string): string {
  return reason.replace(
    /^job rejected: the requested ((?:parallel|checkpointing) environment ".*" does not exist)$/,
    'denied: $1',
  );
}

/** The record of an array stands for the tasks that have none; those that have one are changed as well. */
function* carryOut({ changer }: Alteration, known: KnownJob, draft: Draft): Asking<Outcome> {
  if (draft.lines.length === 0) return { isDone: true, isChanged: true, lines: [] };
  const records = [known.view, ...known.elements];
  let refused: Extract<CommandResult, { ok: false }> | null = null;
  let isDone = false;
  for (const { job, target } of records.map((view) => ({ job: view.job, target: refOf(view) }))) {
    const changes = changesFor(job, draft);
    const result = Object.keys(changes).length === 0 ? null : yield* update(changer, target, changes);
    if (result === null || result.ok) isDone = true;
    else refused ??= result;
    // What a job as a whole cannot have, its tasks cannot have either.
    if (result !== null && !result.ok && job === known.view.job) break;
  }
  if (isDone && (refused === null || known.isArray)) return { isDone, isChanged: true, lines: draft.lines };
  const isGone = (yield* jobNumbered(known.id)) === null;
  const why = isGone ? `denied: job "${known.id}" does not exist` : `denied: ${refused?.refusal.message}`;
  return { isDone: false, isChanged: false, lines: [why] };
}

function* update({ user: by }: Changer, target: JobRef, changes: JobChanges): Asking<CommandResult> {
  return yield* command({ type: 'update', target, by, changes });
}

/** Without what stays as it is: a job that runs can have some things changed, and not others. */
function changesFor(job: Job, { changes, words }: Draft): JobChanges {
  const { throttle, ...ofSpec } = changes;
  const { origin } = withWords(job.spec, words);
  const wanted: Readonly<Record<string, unknown>> = { ...ofSpec, origin };
  const differing = Object.entries(wanted).filter(
    ([key, value]) => !isSame(value, job.spec[key as keyof JobSpec]),
  );
  return {
    ...(Object.fromEntries(differing) as JobChanges),
    ...(throttle === undefined || job.element !== null ? {} : { throttle }),
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function* say(lines: readonly string[]): Asking<void> {
  if (lines.length > 0) yield* printOut(lines.map((line) => `${printable(line)}\n`).join(''));
}
