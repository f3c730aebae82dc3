/**
 * Commands that do one thing to several jobs: which jobs are meant (named one by one, or by filters), and how
 * the answers are told. What the one thing is comes from the command.
 */

import { printable } from '../../model/bytes.ts';
import type { UserCommand } from '../../model/command.ts';
import type { JobRef } from '../../model/ids.ts';
import type { JobPhase } from '../../model/job.ts';
import { ANY_JOB } from '../../model/query.ts';
import type { Refusal } from '../../model/refusal.ts';
import { liveJobs } from '../job-pages.ts';
import { isGiven } from '../options.ts';
import { type Asking, command, printErr, printOut } from '../program.ts';
import type { Call, NativeOption } from './call.ts';
import { EXIT_OK, EXIT_REFUSED, failureText, usageError } from './failure.ts';
import { FILTER_OPTIONS, filtersFrom } from './filters.ts';
import { printJson } from './json.ts';
import { parseJobRefs, refText } from './look-up.ts';

export const TARGET_OPTIONS: readonly NativeOption[] = [
  { name: 'all', value: 'none', help: 'every job of yours' },
  ...FILTER_OPTIONS,
];

export interface Deed {
  readonly verb: string;
  readonly commandFor: (target: JobRef) => UserCommand;
  /** `cancelled job 17`, or what is said when nothing had to change. */
  readonly done: (job: string, changed: boolean) => string;
  /** In which phases a filter finds jobs for it. */
  readonly phases: readonly JobPhase[];
}

interface DeedResult {
  readonly ref: JobRef;
  readonly changed: boolean;
  readonly refusal: Refusal | null;
}

export function* doToJobs(call: Call, deed: Deed): Asking<number> {
  const targets = yield* targetsOf(call, deed);
  const results: DeedResult[] = [];
  for (const ref of targets) {
    const result = yield* command(deed.commandFor(ref));
    results.push(
      result.ok
        ? { ref, changed: result.changed, refusal: null }
        : { ref, changed: false, refusal: result.refusal },
    );
  }
  yield* tell(call, deed, results);
  return results.some(({ refusal }) => refusal !== null) ? EXIT_REFUSED : EXIT_OK;
}

function* targetsOf(call: Call, deed: Deed): Asking<readonly JobRef[]> {
  const refs = parseJobRefs(call.positionals);
  const filtered = TARGET_OPTIONS.some(({ name }) => isGiven(call.options, name));
  if (filtered && refs.length > 0) {
    throw usageError(`name the jobs to ${deed.verb}, or give a filter, but not both`);
  }
  if (!filtered) {
    if (refs.length > 0) return refs;
    throw usageError(`${deed.verb} needs a job`, `for example: trainyard ${deed.verb} 17`);
  }
  const filters = filtersFrom(call.options);
  const views = yield* liveJobs({
    ...ANY_JOB,
    ...filters,
    users: filters.users ?? [call.invocation.user],
    phases: deed.phases,
  });
  // An array takes its elements along, so they are not named a second time.
  const arrays = new Set(views.flatMap(({ job }) => (job.array === null ? [] : [job.id])));
  return views
    .filter(({ job }) => job.element === null || !arrays.has(job.element.array))
    .map(({ job }) => ({ job: job.id, index: null }));
}

function* tell(call: Call, deed: Deed, results: readonly DeedResult[]): Asking<void> {
  if (call.json) {
    const first = results.find(({ refusal }) => refusal !== null)?.refusal ?? null;
    const jobs = results.map(({ ref, changed, refusal }) => ({ ref: refText(ref), changed, error: refusal }));
    yield* printJson(first === null ? { jobs } : { error: first, jobs });
    return;
  }
  if (results.length === 0 && !call.quiet) yield* printOut(`no job to ${deed.verb}\n`);
  for (const { ref, changed, refusal } of results) {
    if (refusal !== null) yield* printErr(failureText(refusal, call.paint));
    else if (!call.quiet) yield* printOut(`${printable(deed.done(refText(ref), changed))}\n`);
  }
}
