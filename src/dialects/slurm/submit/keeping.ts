/** What a batch script asks to be kept of its job, in `#YARD` lines: comments to Slurm itself. */

import type { JobSpec } from '../../../model/job-spec.ts';
import type { Refusal } from '../../../model/refusal.ts';
import { variableOf } from '../../environment.ts';
import { foreignYardLines } from '../../foreign-yard-lines.ts';
import { type KeepingAsked, keepingFrom } from '../../keeping-words.ts';
import { KeepingMistake } from '../../kept-directories.ts';
import { type GivenOption, lastGiven } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';

export function keepingOf(
  script: Uint8Array,
  given: readonly GivenOption[],
  { workDir, array }: JobSpec,
  { environment }: Invocation,
): KeepingAsked {
  try {
    const lines = foreignYardLines(script);
    const said = lastGiven(given, ['requeue', 'no-requeue'])?.name;
    const asked = keepingFrom(lines.given, {
      workDir,
      home: variableOf(environment, 'HOME'),
      isArray: array !== null,
      requeue: said === undefined ? null : said === 'requeue' ? 'yes' : 'no',
    });
    return { ...asked, warnings: [...lines.warnings, ...asked.warnings] };
  } catch (error) {
    if (!(error instanceof KeepingMistake)) throw error;
    throw saidWithHint(error.message, error.hint);
  }
}

/** The yard's own words, since Slurm has none for code that cannot be kept. */
export function codeNotKept({ message, hint }: Refusal): SlurmFailure {
  return saidWithHint(`Batch job submission failed: ${message}`, hint);
}

function saidWithHint(sentence: string, hint: string | null): SlurmFailure {
  const lines = [sentence, ...(hint?.split('\n') ?? [])];
  return new SlurmFailure(
    lines.map((line) => `sbatch: error: ${line}`),
    1,
  );
}
