/**
 * Jobs and events as rows and back, without loss. Columns hold what filters look at; `doc` holds the rest as
 * JSON, leaving out what is as it is for most jobs.
 */

import type { Event, RecordedEvent } from '../../model/event.ts';
import type { Job, JobPhase, Outcome } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { checkJobColumns, DamagedRow, parseAttempt, parseObject, parseSpec } from './shapes.ts';

type JobInDoc = Omit<
  Job,
  'id' | 'spec' | 'phase' | 'outcome' | 'submittedAt' | 'endedAt' | 'element' | 'attempt'
>;

type OptionalInDoc = { [K in keyof JobInDoc]-?: undefined extends JobInDoc[K] ? K : never }[keyof JobInDoc];

/** A field added to Job does not compile until it says here what is left out of the document... */
const ORDINARY: Omit<JobInDoc, OptionalInDoc> = {
  hold: null,
  eligibleAt: null,
  array: null,
  restarts: 0,
  fruitless: 0,
  note: null,
  endedBy: null,
};
const DOC_FIELDS = Object.keys(ORDINARY) as (keyof typeof ORDINARY)[];

/** ...or, where it may be absent, that it is in there when it is not. */
const OPTIONAL: Readonly<Record<OptionalInDoc, true>> = {
  restartsAtProgress: true,
  askedAgain: true,
  stagnant: true,
  checkpoint: true,
  furthestStep: true,
};
const OPTIONAL_FIELDS = Object.keys(OPTIONAL) as OptionalInDoc[];

export interface JobRow {
  readonly id: number;
  readonly spec: number;
  readonly phase: JobPhase;
  readonly outcome: Outcome | null;
  readonly submitted_at: number;
  readonly ended_at: number | null;
  readonly array_id: number | null;
  readonly array_index: number | null;
  readonly doc: string;
  /** The number of the current attempt. */
  readonly attempt: number | null;
  /** The document of the current attempt. */
  readonly attempt_doc: string | null;
}

export function jobDoc(job: Job): string {
  const doc: Record<string, unknown> = {};
  for (const field of DOC_FIELDS) if (job[field] !== ORDINARY[field]) doc[field] = job[field];
  for (const field of OPTIONAL_FIELDS) if (job[field] !== undefined) doc[field] = job[field];
  return JSON.stringify(doc);
}

export function jobFromRow(row: JobRow, spec: JobSpec): Job {
  checkJobColumns(row);
  const written: Partial<JobInDoc> = row.doc === '{}' ? {} : parseObject(row.doc, 'job');
  if (row.attempt_doc === null && row.attempt !== null) throw new DamagedRow('its attempt is missing');
  const doc = row.doc === '{}' ? ORDINARY : { ...ORDINARY, ...written };
  return {
    id: row.id,
    spec,
    submittedAt: row.submitted_at,
    phase: row.phase,
    hold: doc.hold,
    eligibleAt: doc.eligibleAt,
    array: doc.array,
    element: row.array_id === null ? null : { array: row.array_id, index: row.array_index as number },
    restarts: doc.restarts,
    fruitless: doc.fruitless,
    ...optionalIn(written),
    attempt: row.attempt_doc === null ? null : parseAttempt(row.attempt_doc),
    outcome: row.outcome,
    endedAt: row.ended_at,
    note: doc.note,
    endedBy: doc.endedBy,
  };
}

function optionalIn(written: Partial<JobInDoc>): Pick<JobInDoc, OptionalInDoc> {
  const found: Record<string, unknown> = {};
  for (const field of OPTIONAL_FIELDS) if (written[field] !== undefined) found[field] = written[field];
  return found;
}

export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly job: number | null;
  readonly type: string;
  readonly doc: string;
  /** The document of the spec that the event carries. */
  readonly spec_doc: string | null;
}

/** The spec of an event is not in its document but in the table of specs, with the job's. */
export function eventDoc(event: Event): string {
  const { at: _at, type: _type, ...rest } = event as Event & { job?: number; spec?: JobSpec };
  delete rest.job;
  delete rest.spec;
  return JSON.stringify(rest);
}

export function eventFromRow(row: EventRow): RecordedEvent {
  const event: Record<string, unknown> = { at: row.at, type: row.type };
  if (row.job !== null) event.job = row.job;
  if (row.spec_doc !== null) event.spec = parseSpec(row.spec_doc);
  Object.assign(event, parseObject(row.doc, 'event'));
  return { seq: row.seq, event: event as unknown as Event };
}

/**
 * A name as a text column. SQLite ends a text at a NUL and has no place for a lone surrogate (a byte that is
 * not UTF-8), so such names are written as marked JSON; a name that starts like the mark is too.
 */
export function columnText(text: string): string {
  return UNSTORABLE.test(text) ? `\u0001${JSON.stringify(text)}` : text;
}

const UNSTORABLE = /^\u0001|\0|\p{Surrogate}/u;
