/** Flags that ask for what there is not here: said once each, or refused where the yard's config says what there is. */

import { hasFlag, lastWord } from '../flags.ts';
import { askedAttributes } from './attributes.ts';
import { rejected } from './complaints.ts';
import { type Submitter, submitFlag } from './flag-table.ts';
import type { AskedFlag } from './layers.ts';
import { isLenient, type Surroundings } from './surroundings.ts';
import { parseYesNo } from './values.ts';

export function flagWarnings(
  command: Submitter,
  given: readonly AskedFlag[],
  surroundings: Surroundings,
): readonly string[] {
  const warnings: string[] = [];
  for (const flag of new Set(given.map((each) => each.flag))) {
    const reason = submitFlag(flag)?.noEffect;
    // Only new jobs are nobody's yet: `qalter -u` means something.
    if (reason === undefined || (flag === '-u' && command === 'qalter')) continue;
    warnings.push(`${flag} has no effect here: ${reason}`);
  }
  if (askedAttributes(given, 'soft').length > 0) {
    warnings.push('-soft -l has no effect here: a job gets what it asks for, or waits');
  }
  if (lastWord(given, '-dl') !== null) {
    warnings.push('-dl has no effect here: priorities do not grow towards a deadline');
  }
  if (parseYesNo(lastWord(given, '-pty') ?? 'n') === true && command === 'qsub') {
    warnings.push('-pty has no effect here: batch jobs have no terminal');
  }
  warnings.push(...unknownThings(given, surroundings));
  return warnings;
}

/** There are no checkpointing environments and no advance reservations to be named. */
function unknownThings(given: readonly AskedFlag[], surroundings: Surroundings): readonly string[] {
  const warnings: string[] = [];
  const missing = (refusal: string, warning: string) => {
    if (!isLenient(surroundings)) throw rejected(refusal);
    warnings.push(warning);
  };
  const checkpoint = lastWord(given, '-ckpt');
  if (checkpoint !== null && checkpoint !== '') {
    missing(
      `job rejected: the requested checkpointing environment "${checkpoint}" does not exist`,
      `there is no checkpointing environment ${checkpoint} here; the job runs without`,
    );
  } else if (hasFlag(given, '-c') && lastWord(given, '-c') !== 'n') {
    missing('checkpointing denied', '-c has no effect here: there are no checkpointing environments');
  }
  const reservation = Number(lastWord(given, '-ar') ?? 0);
  if (reservation > 0) {
    missing(
      `the advance reservation id ${reservation} is invalid`,
      `there is no advance reservation ${reservation} here; the job runs without`,
    );
  }
  return warnings;
}
