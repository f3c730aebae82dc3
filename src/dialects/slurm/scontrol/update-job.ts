/** `scontrol update JobId=…`: reads all that is to change, then changes one job after the other. */

import type { JobChanges } from '../../../model/command.ts';
import type { JobRef } from '../../../model/ids.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { ANY_JOB, type JobView } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, clock, command, printErr, query } from '../../program.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { findJob } from '../find-job.ts';
import { splitOutsideBrackets } from '../host-list.ts';
import { parseJobWord, refsOf, refText } from '../job-words.ts';
import { type Call, complain, EXIT_FAILED, EXIT_OK } from './call.ts';
import type { Edit } from './edits.ts';
import { JOB_KEYS, type KeyContext } from './job-keys.ts';
import { NO_SUCH_JOB, sentenceFor } from './sentences.ts';
import { type Assignment, nameMeant } from './specification.ts';

const KEY_NAMES = Object.keys(JOB_KEYS);

/** With `ids` null the jobs are those of a name. */
export function* updateJobs(
  call: Call,
  assignments: readonly Assignment[],
  ids: readonly Assignment[] | null,
): Asking<number> {
  const isOf = (names: readonly string[]) => (each: Assignment) => names.includes(each.name.toLowerCase());
  const owners = assignments.filter(isOf(['userid']));
  const named = ids === null ? assignments.filter(isOf(['jobname', 'name'])).slice(0, 1) : [];
  const identity = new Set([...(ids ?? named), ...owners]);
  const edits = yield* readEdits(
    call,
    assignments.filter((each) => !identity.has(each)),
  );
  if (edits.length === 0) return yield* complain(call, 'No changes specified');
  for (const { warning } of edits) if (warning !== null) yield* printErr(`scontrol: warning: ${warning}\n`);
  const words = ids === null ? yield* jobsNamed(named[0]?.value ?? '', owners) : wordsOf(ids);
  let exitCode = EXIT_OK;
  for (const word of words) if (!(yield* updateWord(call, word, edits))) exitCode = EXIT_FAILED;
  return exitCode;
}

function wordsOf(ids: readonly Assignment[]): readonly string[] {
  return ids.flatMap(({ value }) => splitOutsideBrackets(value ?? ''));
}

function* readEdits({ invocation }: Call, assignments: readonly Assignment[]): Asking<readonly Edit[]> {
  const nodes = yield* query('nodes', { names: null });
  const now = yield* clock();
  const context: KeyContext = {
    now,
    zone: invocation.timeZone,
    nodes: new Set(nodes.map(({ node }) => node.name)),
    features: new Set(nodes.flatMap(({ node }) => node.features)),
  };
  return assignments.map((assignment) => editFor(assignment, context));
}

const STANDS_ALONE: ReadonlySet<string> = new Set(['Nice', 'ResetAccrueTime']);

function editFor(assignment: Assignment, context: KeyContext): Edit {
  const { name, text, value } = assignment;
  const key = nameMeant(name, KEY_NAMES);
  if (value === null && (key === null || !STANDS_ALONE.has(key)))
    throw new SlurmFailure([`Invalid input: ${text}`, 'Request aborted'], EXIT_FAILED);
  if (key === null)
    throw new SlurmFailure(
      [`Update of this parameter is not supported: ${text}`, 'Request aborted'],
      EXIT_FAILED,
    );
  const read = JOB_KEYS[key] as (typeof JOB_KEYS)[string];
  return read(value ?? '', { ...assignment, name: key }, context);
}

function* jobsNamed(name: string, owners: readonly Assignment[]): Asking<readonly string[]> {
  const owner = owners.at(-1)?.value ?? null;
  const views = yield* liveJobs({ ...ANY_JOB, names: [name] });
  const unended = views.filter(({ job }) => job.phase !== 'ended' && job.element === null);
  const users = owner === null ? null : yield* userNamed(owner);
  const found = unended.filter(({ job }) => users === null || users === job.spec.user);
  if (found.length === 0) throw failure('scontrol', `No jobs with name '${name}'`);
  return found.map(({ job }) => `${job.id}`);
}

function* userNamed(text: string): Asking<string> {
  const [user] = yield* query('users', { names: [text] });
  if (user == null) throw new SlurmFailure([`Invalid UserID: ${text}`, 'Request aborted'], EXIT_FAILED);
  return user.name;
}

/** False when any of it was refused. */
function* updateWord(call: Call, word: string, edits: readonly Edit[]): Asking<boolean> {
  const parsed = parseJobWord(word);
  if (parsed === null) {
    yield* complain(call, `${NO_SUCH_JOB} for job ${word}`);
    return false;
  }
  let done = true;
  for (const ref of refsOf(parsed)) {
    const sentence = yield* updateOne(call, ref, edits);
    if (sentence === null) continue;
    done = false;
    const line = ref.index === null ? `${sentence} for job ${word}` : `${refText(ref)}: ${sentence}`;
    yield* complain(call, line);
  }
  return done;
}

/** Slurm's sentence when it was refused, null when it was done. */
function* updateOne({ invocation }: Call, target: JobRef, edits: readonly Edit[]): Asking<string | null> {
  const by = invocation.user;
  const view = yield* findJob(target);
  if (view === null) return NO_SUCH_JOB;
  const objection = edits.map((edit) => edit.objection(view)).find((sentence) => sentence !== null);
  const mayControl = by === view.job.spec.user || by === 'root';
  if (mayControl && objection !== undefined && view.job.phase !== 'ended') return objection;
  const { throttle, ...changes } = changesOf(view, edits);
  const phase = view.job.phase;
  if (Object.keys(changes).length > 0 || throttle === undefined) {
    const result = yield* command({ type: 'update', target, by, changes });
    if (!result.ok) return sentenceFor('update', result.refusal, phase);
  }
  if (throttle !== undefined) {
    // How many elements run at once is a matter of the whole array.
    const array = { job: view.job.element?.array ?? target.job, index: null };
    const result = yield* command({ type: 'update', target: array, by, changes: { throttle } });
    if (!result.ok) return sentenceFor('update', result.refusal, phase === 'ended' ? phase : null);
  }
  if (!edits.some(({ holds }) => holds)) return null;
  const result = yield* command({ type: 'hold', target, by });
  return result.ok ? null : sentenceFor('hold', result.refusal, phase);
}

function changesOf(view: JobView, edits: readonly Edit[]): JobChanges {
  let changes: JobChanges = {};
  let spec: JobSpec = view.job.spec;
  for (const edit of edits) {
    const { throttle, ...more } = edit.changes(spec, view);
    changes = { ...changes, ...more, ...(throttle === undefined ? {} : { throttle }) };
    spec = { ...spec, ...more };
  }
  return changes;
}
