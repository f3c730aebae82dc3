/**
 * Names of things. A job is a number; an attempt is `job.n` ("17.2"); an array element has its own job
 * number and is also known as `array_index` ("17_3").
 */

export type JobId = number;
export type AttemptId = string;
export type NodeName = string;
export type QueueName = string;
/** Hex sha-256 of bytes kept in the store (a script, an environment). */
export type BlobHash = string;

export function attemptId(job: JobId, n: number): AttemptId {
  return `${job}.${n}`;
}

export function jobOfAttempt(id: AttemptId): JobId {
  return Number(id.slice(0, id.indexOf('.')));
}

export function attemptNumber(id: AttemptId): number {
  return Number(id.slice(id.indexOf('.') + 1));
}

/** A job as a person names it: a number, or one element or several of an array. */
export interface JobRef {
  readonly job: JobId;
  /** Null means the whole job. */
  readonly index: number | null;
}

/** Reads `17` or `17_3`; null when it is neither. */
export function parseJobRef(text: string): JobRef | null {
  const match = /^(\d{1,15})(?:_(\d{1,9}))?$/.exec(text);
  if (match === null) return null;
  return { job: Number(match[1]), index: match[2] === undefined ? null : Number(match[2]) };
}
