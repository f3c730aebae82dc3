/**
 * Waiting for a driver, but not for ever. A call that does not come back keeps its thread, and Node waits for its
 * threads before it ends: as long as there is such a call, this process ends without waiting.
 */

import { isMainThread } from 'node:worker_threads';
import { lazily, libc } from '../../platform/libc.ts';

export const LATE = Symbol('late');

let lateCount = 0;

/** The work goes on when the patience is over, since nothing can stop it. */
export async function withPatience<T>(work: Promise<T>, patienceMs: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), patienceMs);
  });
  try {
    const outcome = await Promise.race([work, late]);
    if (outcome === LATE) void untilBack(work);
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

async function untilBack(work: Promise<unknown>): Promise<void> {
  if (++lateCount === 1 && isMainThread) process.on('exit', leaveAtOnce);
  await work.catch(() => {});
  if (--lateCount === 0) process.off('exit', leaveAtOnce);
}

const exitAtOnce = lazily(() => libc().func('void _exit(int code)'));

function leaveAtOnce(code: number): void {
  exitAtOnce()(code);
}
