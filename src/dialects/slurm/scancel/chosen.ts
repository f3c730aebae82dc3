/** Jobs and steps that `scancel` looks up before it goes for them: by filters, for signals, or to ask first. */

import { printable } from '../../../model/bytes.ts';
import type { JobId, JobRef } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import type { JobView } from '../../../model/query.ts';
import { hasIndex, indicesOf } from '../../../model/ranges.ts';
import { SIGKILL } from '../../../model/signals.ts';
import { type Asking, printErr, printOut, readLine } from '../../program.ts';
import { jobFacts } from '../job-facts.ts';
import { announcement, carryOut, type Target } from './deeds.ts';
import { type Ending, endingOf, NO_SUCH_JOB, NOT_NOW } from './endings.ts';
import { filterWords, hasFilters, isNamed, jobsThatFit } from './filters.ts';
import type { Named, ScancelCall } from './options.ts';

const EXIT_OK = 0;
const EXIT_FAILED = 1;

/** One job or step, and what it is called. */
interface Chosen {
  readonly view: JobView;
  /** More than one where it is an array of which some elements run, and those are not meant. */
  readonly targets: readonly Target[];
  readonly name: string;
}

export function* endChosen(call: ScancelCall): Asking<number> {
  const fitting = yield* jobsThatFit(call);
  const byNumber = viewsByNumber(fitting);
  let exitCode = EXIT_OK;
  for (const named of call.named) {
    if (viewsNamed(byNumber, named).length > 0) continue;
    exitCode = EXIT_FAILED;
    const what = named.step === null ? 'job id' : 'job step id';
    if (!call.quiet)
      yield* printErr(`scancel: error: Kill job error on ${what} ${named.text}: ${NO_SUCH_JOB.sentence}\n`);
  }
  const chosen =
    call.named.length === 0
      ? fitting.map((view) => wholeJob(view, byNumber, call))
      : call.named.flatMap((named) => meant(byNumber, named, call));
  if (chosen.length === 0 && call.verbose && hasFilters(call.filters)) {
    const words = filterWords(call.filters);
    yield* printErr(`scancel: error: No active jobs match ALL job filters, including: ${words}\n`);
  }
  for (const each of chosen) {
    const failed = yield* endIfWanted(call, each);
    if (failed !== null) exitCode = failed;
  }
  return exitCode;
}

/** Under its own number each, and under that of the array whose element it is. */
type ViewsByNumber = ReadonlyMap<JobId, readonly JobView[]>;

function viewsByNumber(views: readonly JobView[]): ViewsByNumber {
  const found = new Map<JobId, JobView[]>();
  for (const view of views) {
    const { id, element } = view.job;
    for (const number of element === null || element.array === id ? [id] : [id, element.array]) {
      const others = found.get(number);
      if (others === undefined) found.set(number, [view]);
      else others.push(view);
    }
  }
  return found;
}

function viewsNamed(byNumber: ViewsByNumber, named: Named): readonly JobView[] {
  return (byNumber.get(named.job) ?? []).filter((view) => isNamed(view, named));
}

function wholeJob(view: JobView, byNumber: ViewsByNumber, call: ScancelCall): Chosen {
  const { job } = view;
  const name = jobFacts(view, 0).displayId;
  return { view, name, targets: targetsOf(job, byNumber, call).map((ref) => ({ ref, step: null })) };
}

/** The number of an array means its running elements too, and is said only where those are all meant. */
function targetsOf(job: Job, byNumber: ViewsByNumber, { interactive }: ScancelCall): readonly JobRef[] {
  const { id, element, array } = job;
  if (element !== null) return [{ job: element.array, index: element.index }];
  if (array === null) return [{ job: id, index: null }];
  const chosen = (byNumber.get(id) ?? []).filter((other) => other.job.element?.array === id).length;
  if (array.live === 0 || (array.live === chosen && !interactive)) return [{ job: id, index: null }];
  return [...indicesOf(array.unstarted)].map((index) => ({ job: id, index }));
}

/** The jobs that a name stands for; of elements that have not started those which were named. */
function meant(byNumber: ViewsByNumber, named: Named, call: ScancelCall): readonly Chosen[] {
  const step = named.step === null ? '' : `.${named.step}`;
  return viewsNamed(byNumber, named).flatMap((view) => {
    const { array, id } = view.job;
    if (array === null || named.indices === null) {
      const { targets, name } = wholeJob(view, byNumber, call);
      return [
        { view, targets: targets.map(({ ref }) => ({ ref, step: named.step })), name: `${name}${step}` },
      ];
    }
    return [...indicesOf(named.indices)]
      .filter((index) => hasIndex(array.unstarted, index))
      .map((index) => ({
        view,
        targets: [{ ref: { job: id, index }, step: named.step }],
        name: `${id}_${index}${step}`,
      }));
  });
}

/** The exit code when it failed, null when it was done or not wanted. */
function* endIfWanted(call: ScancelCall, { view, targets, name }: Chosen): Asking<number | null> {
  const [first] = targets;
  if (first === undefined) return null;
  if (call.interactive && !(yield* isConfirmed(view, first, name))) return null;
  if (call.verbose) yield* printErr(`scancel: ${announcement(call, first, name)}\n`);
  let ending: Ending | null = null;
  // What has not begun gets no signal; the yard would give it to the elements that have.
  if (view.job.array !== null && call.signal !== null && call.signal !== SIGKILL) ending = NOT_NOW;
  else
    for (const target of targets) {
      const result = yield* carryOut(call, target);
      if (!result.ok) ending = endingOf(result.refusal);
    }
  if (ending === null) return null;
  const isStep = typeof first.step === 'number';
  if (call.quiet && ending.harmless && !isStep) return null;
  // Of a step the original names the job alone.
  const subject = isStep ? `job step id ${name.replace(/\.\d+$/, '')}` : `job id ${name}`;
  yield* printErr(`scancel: error: Kill job error on ${subject}: ${ending.sentence}\n`);
  return ending.exitCode;
}

/** Asks until it is answered; the end of stdin is no. */
function* isConfirmed({ job }: JobView, { step }: Target, name: string): Asking<boolean> {
  const what = typeof step === 'number' ? 'step_id' : 'job_id';
  for (;;) {
    yield* printOut(
      `Cancel ${what}=${name} name=${printable(job.spec.name)} partition=${printable(job.spec.queue)} [y/n]? `,
    );
    const answer = yield* readLine();
    if (answer === null || /^no?$/i.test(answer.trim())) return false;
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
  }
}
