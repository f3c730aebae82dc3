/**
 * Three kinds of error. A refusal is the user's: a code, one sentence, a hint, the valid choices. A fault is
 * the world's: recorded on the job, retried or not. A broken invariant is ours: stop and say where.
 */

export type RefusalCode =
  | 'badRequest'
  | 'noSuchJob'
  | 'noSuchQueue'
  | 'noSuchNode'
  | 'notAllowed'
  | 'wrongState'
  /** Not now, but as soon as something else has ended. */
  | 'busy'
  | 'noSuchStep'
  | 'noSuchQos'
  | 'noSuchAccount'
  | 'neverPossible'
  | 'limitReached'
  | 'tooLarge'
  | 'noSuchFile'
  | 'unavailable';

/** What a refused job asked too much of, or asked for wrongly. */
export type RefusalSubject =
  | 'cpus'
  | 'memory'
  | 'gpus'
  | 'nodes'
  | 'nodeName'
  | 'feature'
  | 'timeLimit'
  | 'deadline'
  | 'arraySize'
  | 'jobCount';

export interface Refusal {
  readonly code: RefusalCode;
  /** One sentence, no full stop at the end, no capital unless a name. */
  readonly message: string;
  readonly hint: string | null;
  readonly choices: readonly string[];
  /** For dialects that have a sentence of their own for each. */
  readonly about?: RefusalSubject;
}

export function refusal(
  code: RefusalCode,
  message: string,
  hint: string | null = null,
  choices: readonly string[] = [],
): Refusal {
  return { code, message, hint, choices };
}

/** More than is allowed of something. */
export function overLimit(about: RefusalSubject, message: string, hint: string): Refusal {
  return { ...refusal('limitReached', message, hint), about };
}

/** Carries a refusal through code that cannot return one. */
export class RefusalError extends Error {
  readonly refusal: Refusal;
  constructor(reason: Refusal) {
    super(reason.message);
    this.refusal = reason;
  }
}

interface FaultDetails {
  readonly hint?: string | null;
  readonly cause?: unknown;
}

export class Fault extends Error {
  readonly retryable: boolean;
  /** What somebody can do about it. */
  readonly hint: string | null;
  constructor(message: string, retryable: boolean, { hint = null, cause }: FaultDetails = {}) {
    super(message, { cause });
    this.retryable = retryable;
    this.hint = hint;
  }
}

export class BrokenInvariant extends Error {}

export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenInvariant(what);
}
