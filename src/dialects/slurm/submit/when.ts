/** When a job may run and for how long: `--time`, `--time-min`, `--begin`, `--deadline`. */

import { SlurmFailure } from '../failure.ts';
import { readMoment } from '../written-moments.ts';
import { complaint, EXIT_OPTION, invalid, SubmissionRefused } from './complaints.ts';
import { type Asked, textAsked } from './given.ts';
import { parseTimeLimit } from './values.ts';

/** Null: none was asked for, or explicitly none at all. */
export function limitFrom(asked: Asked): number | null {
  const limitMs = readLimit(asked, 'time');
  const leastMs = readLimit(asked, 'time-min');
  if (leastMs !== null && limitMs !== null && leastMs > limitMs) throw tooLongAtLeast();
  return limitMs;
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
    throw new SubmissionRefused('Requested time limit is invalid (missing or exceeds some limit)');
  }
  const leastMs = readLimit(asked, 'time-min');
  if (leastMs !== null && now + leastMs > deadlineAt) throw tooLongAtLeast();
  return deadlineAt;
}
