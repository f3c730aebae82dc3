/** What a script says in `#YARD` lines, of what is kept and how GPUs are shared: comments to Grid Engine itself. */

import type { JobSpec } from '../../../model/job-spec.ts';
import type { Refusal } from '../../../model/refusal.ts';
import { foreignYardLines } from '../../foreign-yard-lines.ts';
import { gpuWarnings, gpuWordsFrom, withGpuWords } from '../../gpu-words.ts';
import { type KeepingAsked, keepingFrom } from '../../keeping-words.ts';
import { KeepingMistake } from '../../kept-directories.ts';
import { withRequeueWords } from '../../requeue-words.ts';
import type { GridEngineFailure } from '../failure.ts';
import { lastWord } from '../flags.ts';
import { complaint, complaintFailure, EXIT_VALUE, rejected } from './complaints.ts';
import type { AskedFlag } from './layers.ts';
import type { Executable } from './script.ts';
import { parseYesNo } from './values.ts';

export interface YardLinesRead extends Omit<KeepingAsked, 'parts'> {
  readonly spec: JobSpec;
}

export function withYardLines(
  spec: JobSpec,
  executable: Executable,
  given: readonly AskedFlag[],
  home: string,
): YardLinesRead {
  if (executable.kind === 'command') return { spec, wantsSnapshot: false, warnings: [] };
  const rerun = lastWord(given, '-r');
  const requeue = rerun === null ? null : parseYesNo(rerun) === true ? 'yes' : 'no';
  try {
    const lines = foreignYardLines(executable.bytes);
    const { workDir, array } = spec;
    const asked = keepingFrom(lines.given, { workDir, home, isArray: array !== null, requeue });
    const shared = withGpuWords(spec, gpuWordsFrom(lines.given, { workDir, home }), false);
    // Whoever goes on after a time limit may be started again after anything else, too.
    const mayRerun = asked.parts.chain === true ? { requeue: true } : {};
    return {
      spec: withRequeueWords({ ...shared, ...mayRerun, ...asked.parts }, lines.given),
      wantsSnapshot: asked.wantsSnapshot,
      warnings: [...lines.warnings, ...asked.warnings, ...gpuWarnings(shared)],
    };
  } catch (error) {
    if (!(error instanceof KeepingMistake)) throw error;
    const lines = [error.message, ...(error.hint === null ? [] : [error.hint])];
    throw complaintFailure(complaint(EXIT_VALUE, ...lines), 'qsub', 'script');
  }
}

/** The yard's own words, since Grid Engine has none for code that cannot be kept. */
export function codeNotKept({ message, hint }: Refusal): GridEngineFailure {
  return rejected(`job rejected: ${message}`, ...(hint?.split('\n') ?? []));
}
