/** `sacct -B` and `--env-vars`: the script of each job that was asked for. Environments are shown to nobody. */

import { type Asking, printOut, query } from '../../program.ts';
import type { Selection } from './filters.ts';
import { fatal } from './options.ts';
import type { Run } from './runs.ts';

const RULE = '-'.repeat(80);

export type Wanted = 'script' | 'environment';

export function refuseWithoutJobs(what: Wanted, { jobs }: Selection): void {
  if (jobs !== null) return;
  const wanted = what === 'script' ? 'scripts' : 'environment';
  throw fatal(`When requesting job ${wanted} you must also request specific jobs with the '-j' option.`);
}

export function* printScripts(runs: readonly Run[], what: Wanted): Asking<void> {
  for (const { job, displayId } of runs) {
    if (what === 'environment') {
      yield* printOut(`Environment used for ${displayId} (must be batch to display)\n${RULE}\nNONE\n\n`);
      continue;
    }
    const detail = yield* query('job', { ref: { job: job.id, index: null } });
    const script = detail?.script ?? 'NONE\n';
    yield* printOut(
      `Batch Script for ${displayId}\n${RULE}\n${script}${script.endsWith('\n') ? '' : '\n'}\n`,
    );
  }
}
