/** When a job may run and for how long: `--time`, `--time-min`, `--begin`, `--deadline`. */

import type { Queue } from '../../../model/policy.ts';
import { SlurmFailure } from '../failure.ts';
import { readMoment } from '../written-moments.ts';
import { complaint, EXIT_OPTION, invalid, SubmissionRefused } from './complaints.ts';
import { type Asked, textAsked } from './given.ts';
import { parseTimeLimit } from './values.ts';

const TOO_LONG = 'Requested time limit is invalid (missing or exceeds some limit)';

/** Null: none was asked for, or explicitly none at all. */
export function limitFrom(asked: Asked): number | null {
  const limitMs = readLimit(asked, 'time');
  const leastMs = readLimit(asked, 'time-min');
  if (leastMs !== null && limitMs !== null && leastMs > limitMs) throw tooLongAtLeast();
  return limitMs;
}

/** Whoever asks for no limit at all asks for more than a queue with a longest limit allows. */
export function unlimitedWarning(asked: Asked, queue: Queue | null): string | null {
  const text = textAsked(asked, 'time');
  if (queue === null || text === null || parseTimeLimit(text)?.limitMs !== null) return null;
  if (queue.maxLimitMs !== null) throw new SubmissionRefused(TOO_LONG);
  if (queue.defaultLimitMs === null) return null;
  return `--time=${text}: jobs in partition ${queue.name} have a limit, and this one gets it`;
}

function readLimit(asked: Asked, name: string): number | null {
  const text = textAsked(asked, name);
  if (text === null) return null;
  const limit = parseTimeLimit(text);
  if (limit === null) throw invalid(asked.command, name);
  return limit.limitMs;
}

function tooLongAtLeast(): SubmissionRefused {
  return new SubmissionRefused(`Invalid time-min specification (exceeds job's time or other limits)`);
}

/** Null when it was not given. */
export function momentFrom(asked: Asked, name: string, now: number, zone: string): number | null {
  const text = textAsked(asked, name);
  if (text === null) return null;
  const moment = readMoment(text, now, zone, 'ahead');
  if (moment.ok && text !== '') return moment.at;
  const refusal = `${asked.command}: error: Invalid --${name} specification`;
  const where = moment.ok ? [] : [`Invalid time specification (pos=${moment.position}): ${text}`];
  throw new SlurmFailure([...where, refusal], EXIT_OPTION);
}

export function deadlineFrom(asked: Asked, now: number, zone: string, beginAt: number | null): number | null {
  const deadlineAt = momentFrom(asked, 'deadline', now, zone);
  if (deadlineAt === null) return null;
  if (beginAt !== null && beginAt > deadlineAt) {
    throw complaint(asked.command, 'Incompatible begin and deadline time specification', 1);
  }
  if (deadlineAt < now) {
    throw new SubmissionRefused(TOO_LONG);
  }
  const leastMs = readLimit(asked, 'time-min');
  if (leastMs !== null && now + leastMs > deadlineAt) throw tooLongAtLeast();
  return deadlineAt;
}
