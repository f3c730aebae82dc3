/** How the tasks of a step are run and looked after: labels, the terminal, what ends them. */

import type { HereManner } from '../../../model/run-here.ts';
import { type GivenOption, isGiven, lastGiven } from '../../options.ts';
import { invalid } from '../submit/complaints.ts';
import { type Asked, countAsked, textAsked } from '../submit/given.ts';
import { parseTimeLimit } from '../submit/values.ts';

export function mannerOf(asked: Asked, stepName: string, graceMs: number, isOwn: boolean): HereManner {
  const { given } = asked;
  const isTerminal = isGiven(given, 'pty');
  return {
    name: 'srun',
    stepName,
    label: isGiven(given, 'label'),
    unbuffered: isTerminal || isGiven(given, 'unbuffered'),
    terminal: isTerminal,
    killOnBadExit: isSwitchedOn(given, 'kill-on-bad-exit'),
    waitMs: (countAsked(asked, 'wait', 0) ?? 0) * 1000 || null,
    // A job of its own has the limit already.
    limitMs: isOwn ? null : stepLimitMs(asked),
    graceMs,
    quiet: isGiven(given, 'quiet'),
    quitOnInterrupt: isGiven(given, 'quit-on-interrupt') || isGiven(given, 'disable-status'),
    pidVariable: 'SLURM_TASK_PID',
    farewell: null,
  };
}

/** `-K` and `-K1`, but not `-K0`. */
function isSwitchedOn(given: readonly GivenOption[], name: string): boolean {
  const option = lastGiven(given, [name]);
  return option !== null && Number.parseInt(option.value ?? '1', 10) !== 0;
}

/** How long the step may take within its job; null: as long as that. */
function stepLimitMs(asked: Asked): number | null {
  const text = textAsked(asked, 'time');
  if (text === null) return null;
  const limit = parseTimeLimit(text);
  if (limit === null) throw invalid('srun', 'time');
  return limit.limitMs;
}
