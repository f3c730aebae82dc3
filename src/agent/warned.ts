/**
 * Whom a warning is for. Scripts run their trainer in ways of which a signal to the script alone does not know: a
 * shell that waits for its program handles a signal only afterwards, and one that does not expect it dies of it, and the
 * run with it. So a warning goes on to the programs that wait for one, and spares those who would only die of it while
 * somebody else waits for it. Decides over processes as they were found; sends nothing.
 */

import { SIGINT } from '../model/signals.ts';
import type { ProcessInfo } from '../platform/processes.ts';

/** What a process makes of the warning: it has a handler, it ignores it, or it would die. */
export interface Manners {
  catches(pid: number, signal: number): boolean;
  ignores(pid: number, signal: number): boolean;
}

/**
 * For the main processes of an attempt: each of them, and the programs that it runs in the foreground and that catch
 * the signal. A main process that would die of it is spared when such a program is there.
 */
export function warnedMain(
  mains: readonly number[],
  members: readonly ProcessInfo[],
  signal: number,
  manners: Manners,
): readonly number[] {
  return mains.flatMap((main) => {
    const below = hearersBelow(main, members, signal, manners);
    const isSafe = manners.catches(main, signal) || manners.ignores(main, signal);
    return isSafe || below.length === 0 ? [main, ...below] : below;
  });
}

/** Those among the members who catch it; all of them when nobody does, as that is what was asked for. */
export function warnedAll(
  members: readonly ProcessInfo[],
  signal: number,
  manners: Manners,
): readonly number[] {
  const all = members.map(({ pid }) => pid);
  const hearers = all.filter((pid) => manners.catches(pid, signal));
  return hearers.length === 0 ? all : hearers;
}

/**
 * Where there is no step to be warned: the programs in the foreground that catch it, or the main process itself where
 * the script has become its program by `exec`. The script's own shell is never warned in this way.
 */
export function warnedInsteadOfSteps(
  mains: readonly number[],
  members: readonly ProcessInfo[],
  signal: number,
  manners: Manners,
  isScript: (pid: number) => boolean,
): readonly number[] {
  return mains.flatMap((main) => {
    if (!isScript(main) && manners.catches(main, signal)) return [main];
    return hearersBelow(main, members, signal, manners);
  });
}

/**
 * The first on each way down who catch it. What a shell runs in the background ignores SIGINT: the script has a way of
 * its own to tell it.
 */
function hearersBelow(
  parent: number,
  members: readonly ProcessInfo[],
  signal: number,
  manners: Manners,
): readonly number[] {
  return members
    .filter(({ pid, ppid }) => ppid === parent && pid !== parent && !manners.ignores(pid, SIGINT))
    .flatMap(({ pid }) =>
      manners.catches(pid, signal) ? [pid] : hearersBelow(pid, members, signal, manners),
    );
}
