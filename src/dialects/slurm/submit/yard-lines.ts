/** What a batch script says in `#YARD` lines, of what is kept and how GPUs are shared: comments to Slurm itself. */

import type { JobSpec } from '../../../model/job-spec.ts';
import type { Refusal } from '../../../model/refusal.ts';
import { variableOf } from '../../environment.ts';
import { foreignYardLines } from '../../foreign-yard-lines.ts';
import { gpuWarnings, gpuWordsFrom, withGpuWords } from '../../gpu-words.ts';
import { type KeepingAsked, keepingFrom } from '../../keeping-words.ts';
import { KeepingMistake } from '../../kept-directories.ts';
import { type GivenOption, lastGiven } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { withRequeueWords } from '../../requeue-words.ts';
import { SlurmFailure } from '../failure.ts';

export interface YardLinesRead extends Omit<KeepingAsked, 'parts'> {
  readonly spec: JobSpec;
}

export function withYardLines(
  plain: JobSpec,
  script: Uint8Array,
  given: readonly GivenOption[],
  { environment }: Invocation,
): YardLinesRead {
  try {
    const lines = foreignYardLines(script);
    const around = { workDir: plain.workDir, home: variableOf(environment, 'HOME') };
    const said = lastGiven(given, ['requeue', 'no-requeue'])?.name;
    const { parts, wantsSnapshot, warnings } = keepingFrom(lines.given, {
      ...around,
      isArray: plain.array !== null,
      requeue: said === undefined ? null : said === 'requeue' ? 'yes' : 'no',
    });
    const wantsNone = plain.resources.gpus === null && lastGiven(given, GPU_COUNTS) !== null;
    const shared = withGpuWords(plain, gpuWordsFrom(lines.given, around), wantsNone);
    const spec = withRequeueWords({ ...shared, ...parts }, lines.given);
    return { spec, wantsSnapshot, warnings: [...lines.warnings, ...warnings, ...gpuWarnings(spec)] };
  } catch (error) {
    if (!(error instanceof KeepingMistake)) throw error;
    throw saidWithHint(error.message, error.hint);
  }
}

/** By which a job may say that it wants no GPUs. */
const GPU_COUNTS = ['gres', 'gpus', 'gpus-per-node', 'gpus-per-task'];

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
