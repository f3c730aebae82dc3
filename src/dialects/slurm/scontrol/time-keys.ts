/** The names of `scontrol update JobId=…` that are about time. */

import { parseSpan } from '../durations.ts';
import { SlurmFailure } from '../failure.ts';
import { parseTimeLimit } from '../submit/values.ts';
import { readMoment } from '../written-moments.ts';
import { EXIT_FAILED } from './call.ts';
import { derive, type Edit, invalid, objecting, refused, set, setBefore } from './edits.ts';
import type { JobKey, KeyContext } from './job-keys.ts';

const MINUTE_MS = 60_000;

/** `TimeLimit=30`, `TimeLimit=+30`, `TimeLimit+=30`. */
export const timeLimit: JobKey = (value, { sign }) => {
  const [, inner, text = ''] = /^([+-]?)(.*)$/s.exec(value) ?? [];
  const direction = sign ?? (inner === '' ? null : inner);
  const limit = parseTimeLimit(text);
  // Nothing at all is a limit here, and no job can keep to it.
  const limitMs = parseSpan(text) === 0 ? 0 : limit?.limitMs;
  if (limitMs === undefined || (direction !== null && limitMs === null))
    throw invalid('Invalid TimeLimit value');
  return direction === null ? set({ limitMs }) : change(limitMs ?? 0, direction === '+' ? 1 : -1);
};

/** A job without a limit has all the time there is, and more of it is the same. */
function change(byMs: number, direction: 1 | -1): Edit {
  return derive(({ limitMs }) => {
    if (limitMs === null) return {};
    const changedMs = limitMs + direction * byMs;
    if (changedMs >= 0) return { limitMs: changedMs };
    throw invalid(
      `TimeLimit decrement larger than current time limit (${byMs / MINUTE_MS} > ${limitMs / MINUTE_MS})`,
    );
  });
}

export const startTime: JobKey = (value, _, context) => {
  const beginAt = momentIn(value, context);
  return setBefore({ beginAt });
};

export const deadline: JobKey = (value, _, context) => {
  const deadlineAt = momentIn(value, context);
  return deadlineAt <= context.now ? refused('Invalid time specified') : set({ deadlineAt });
};

/** The end of a running job is its limit, said otherwise. */
export const endTime: JobKey = (value, _, context) => {
  const endAt = momentIn(value, context);
  const edit = derive((_spec, { job }) => {
    const from = job.attempt?.clockFrom ?? context.now;
    return { limitMs: Math.max(1, endAt - from) };
  });
  return objecting(edit, ({ job }) =>
    job.phase === 'active' && job.attempt?.startedAt != null ? null : 'Job is not running',
  );
};

/** In the words of a parser that has gone on without it, and found nothing else to do. */
function momentIn(text: string, { now, zone }: KeyContext): number {
  const read = text === '' ? null : readMoment(text, now, zone, 'ahead');
  if (read?.ok === true) return read.at;
  const position = read === null ? [] : [`Invalid time specification (pos=${read.position}): ${text}`];
  throw new SlurmFailure([...position, 'No changes specified'], EXIT_FAILED);
}
