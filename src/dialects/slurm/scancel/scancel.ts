/**
 * `scancel`: ends jobs and steps, or sends them signals. Jobs that are only named are gone for one by one; with a
 * filter, a signal, a step or a question to be answered, they are looked up first, as the original does.
 */

import { variableOf } from '../../environment.ts';
import { type Asking, type Invocation, type Program, printErr, printOut } from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { failure } from '../failure.ts';
import { findJob } from '../find-job.ts';
import { refsOf } from '../job-words.ts';
import { endChosen } from './chosen.ts';
import { announcement, carryOut } from './deeds.ts';
import { COMPLETED, type Ending, endingOf, NO_SUCH_JOB, NOT_FEDERATED } from './endings.ts';
import { hasFilters } from './filters.ts';
import { HELP, USAGE } from './help.ts';
import { EXIT_USAGE, type Named, readScancelCall, type ScancelCall } from './options.ts';

export const scancel: SlurmCommand = { name: 'scancel', run };

const EXIT_OK = 0;

function* run(invocation: Invocation): Program {
  const call = readScancelCall(invocation);
  if (typeof call === 'string') {
    yield* printOut({ help: HELP, usage: USAGE, version: `slurm ${SLURM_VERSION}\n` }[call]);
    return EXIT_OK;
  }
  for (const remark of call.remarks) yield* printErr(`scancel: ${remark}\n`);
  yield* chooseCluster('scancel', call.clusters, variableOf(invocation.environment, 'SLURM_CLUSTERS'));
  const looksUp =
    hasFilters(call.filters) ||
    call.interactive ||
    call.batch ||
    call.signal !== null ||
    call.named.some(({ step }) => step !== null);
  if (call.named.length === 0 && !hasFilters(call.filters))
    throw failure('scancel', 'No job identification provided', EXIT_USAGE);
  return looksUp ? yield* endChosen(call) : yield* endNamed(call);
}

/** That a job is over already, or never was, is no failure. */
function* endNamed(call: ScancelCall): Asking<number> {
  let exitCode = EXIT_OK;
  for (const named of call.named) {
    const target = { ref: { job: named.job, index: null }, step: null };
    if (call.verbose) yield* printErr(`scancel: ${announcement(call, target, named.text)}\n`);
    const ending = yield* endOne(call, named);
    if (ending === null) continue;
    if (!ending.harmless) exitCode = ending.exitCode;
    if (!ending.harmless || call.verbose)
      yield* printErr(`scancel: error: Kill job error on job id ${named.text}: ${ending.sentence}\n`);
  }
  return exitCode;
}

/** Null when something was done; of several elements the worst that came of them counts. */
function* endOne(call: ScancelCall, named: Named): Asking<Ending | null> {
  if (call.sibling !== null) {
    const view = yield* findJob({ job: named.job, index: null });
    return view === null ? NO_SUCH_JOB : NOT_FEDERATED;
  }
  let worst: Ending | null = null;
  let anyDone = false;
  for (const ref of refsOf(named)) {
    const result = yield* carryOut(call, { ref, step: null });
    if (result.ok && result.changed) anyDone = true;
    else {
      const ending = result.ok ? COMPLETED : endingOf(result.refusal);
      if (worst === null || worst.harmless) worst = ending;
    }
  }
  return anyDone && worst?.harmless !== false ? null : worst;
}
