/**
 * Why a job waits, in words: a few for a table's column, and whole sentences for `why`. Core found the reason;
 * nothing is worked out here.
 */

import type { JobId } from '../../model/ids.ts';
import type { DependencyTerm } from '../../model/job-spec.ts';
import type { LimitName, LimitOf, Reason, UnmetDependency } from '../../model/reason.ts';
import { formatDuration } from '../../model/units.ts';
import { fromNow, shortTime } from '../text/times.ts';
import { counted, listed, plainNumber } from '../text/words.ts';
import { holdersSentence, shortageSentence, shortShortage, strangersSentence } from './shortages.ts';
import { OUTCOME_WORDS, PHASE_WORDS } from './states.ts';
import type { Surroundings } from './surroundings.ts';

/** For the queue's last column. `called` is how people call a job that it names. */
export function shortReason(
  reason: Reason,
  now: number,
  zone: string,
  called: (job: JobId) => string = String,
): string {
  switch (reason.kind) {
    case 'held':
      return reason.by === 'user'
        ? 'held'
        : `held by the yard${reason.note === null ? '' : `: ${reason.note}`}`;
    case 'dependency':
      return `waits for ${listed(reason.unmet.map(shortTerm), 3, reason.need === 'all' ? 'and' : 'or')}`;
    case 'begin':
      return `begins ${shortTime(reason.at, now, zone)}`;
    case 'resources':
      return shortShortage(reason.short);
    case 'learning':
      return `job ${called(reason.job)} shows what its kind uses`;
    case 'priority':
      return reason.behind === null
        ? `${counted(reason.ahead, 'job')} ahead`
        : `behind job ${called(reason.behind)}`;
    case 'limit':
      return `limit of ${limitHolder(reason.of)}: ${counted(reason.allowed, ...LIMIT_NOUNS[reason.limit])}`;
    case 'throttle':
      return `at most ${reason.allowed} at once`;
    case 'queueClosed':
      return `queue ${reason.queue} is ${reason.because ?? 'closed'}`;
    case 'nodesUnavailable':
      return `${listed(reason.nodes, 3)} not up`;
    case 'place':
      return `job ${called(reason.job)} keeps its checkpoints in ${reason.directory}`;
    case 'neverPossible':
      return `can never start: ${reason.why}`;
    case 'notLookedAt':
      return 'not looked at yet';
  }
}

/** What follows "job 17": one or more sentences without the last full stop. */
export function whyItWaits(reason: Reason, around: Surroundings): string {
  switch (reason.kind) {
    case 'held':
      return heldSentence(reason);
    case 'dependency':
      return dependencySentence(reason.unmet, reason.need, around);
    case 'begin':
      return `is not to begin before ${shortTime(reason.at, around.now, around.zone)} (${fromNow(reason.at, around.now)})`;
    case 'resources':
      return `${shortageSentence(reason.short)}${holdersSentence(reason.waitsFor, reason.short, around)}${strangersSentence(reason.foreign)}`;
    case 'learning':
      return learningSentence(reason, around);
    case 'priority':
      return prioritySentence(reason.behind, reason.ahead, around);
    case 'limit':
      return limitSentence(reason, around.caller);
    case 'throttle':
      return `waits for another element of its array to end: at most ${reason.allowed} may run at once`;
    case 'queueClosed':
      return reason.because === undefined
        ? `waits for queue ${reason.queue} to open: it starts no jobs now`
        : `waits for queue ${reason.queue}, which is ${reason.because}: it starts no jobs now`;
    case 'nodesUnavailable':
      return `waits for ${listed(reason.nodes)}: ${reason.nodes.length === 1 ? 'it is' : 'they are'} not up`;
    case 'place':
      return placeSentence(reason, around);
    case 'neverPossible':
      return `can never start here: ${reason.why}`;
    case 'notLookedAt':
      return 'has not been looked at yet: the scheduler comes to it soon';
  }
}

function learningSentence(
  { job, label, device }: Extract<Reason, { kind: 'learning' }>,
  around: Surroundings,
): string {
  const called = around.others.get(job)?.called ?? job;
  return `waits for job ${called}, the first like \`${label}\` on a GPU ${device}: once that one has shown what such jobs use, they can share`;
}

function placeSentence({ directory, job }: Extract<Reason, { kind: 'place' }>, around: Surroundings): string {
  const called = around.others.get(job)?.called ?? job;
  return `waits for job ${called} to end: both keep their checkpoints in ${directory}, and only one job at a time may`;
}

function heldSentence(reason: Extract<Reason, { kind: 'held' }>): string {
  const who = reason.by === 'user' ? 'is held' : 'is held by the yard';
  return reason.note === null ? who : `${who}: ${reason.note}`;
}

const TERM_WORDS: Readonly<Record<DependencyTerm['kind'], string>> = {
  after: 'to start',
  afterok: 'to end successfully',
  afternotok: 'to fail',
  afterany: 'to end',
  aftercorr: 'to end successfully, element by element',
  aftercorrany: 'to end, element by element',
  singleton: 'to end',
};

function dependencySentence(
  unmet: readonly UnmetDependency[],
  need: 'all' | 'any',
  around: Surroundings,
): string {
  const waits = unmet.map(({ term }) =>
    term.kind === 'singleton'
      ? 'every earlier job of the same name and user to end (singleton)'
      : `${otherName(term, around)} ${TERM_WORDS[term.kind]}${delayText(term)} (${term.kind})`,
  );
  const states = unmet.flatMap(({ term, other }) =>
    term.kind === 'singleton' ? [] : [`${otherName(term, around)} ${progressText(other)}`],
  );
  const what = listed(waits, 5, need === 'all' ? 'and' : 'or');
  return `waits for ${what}${states.length === 0 ? '' : `; ${listed(states, 5)}`}`;
}

function delayText({ delayMs }: Exclude<DependencyTerm, { kind: 'singleton' }>): string {
  return delayMs === undefined ? '' : ` and ${formatDuration(delayMs)} to pass from then on`;
}

function progressText(other: UnmetDependency['other']): string {
  if (other === null) return 'is not known here';
  if (other.outcome !== null) return `has ended (${OUTCOME_WORDS[other.outcome].word})`;
  return `is ${PHASE_WORDS[other.phase].word}`;
}

function otherName(term: Exclude<DependencyTerm, { kind: 'singleton' }>, around: Surroundings): string {
  if (term.index !== null) return `job ${term.job}_${term.index}`;
  return `job ${around.others.get(term.job)?.called ?? term.job}`;
}

function shortTerm({ term }: UnmetDependency): string {
  if (term.kind === 'singleton') return 'its namesakes';
  return `${term.job}${term.index === null ? '' : `_${term.index}`} (${term.kind})`;
}

function prioritySentence(behind: JobId | null, ahead: number, around: Surroundings): string {
  const others = counted(ahead, 'job');
  if (behind === null)
    return `waits for its turn: ${others} of higher priority ${ahead === 1 ? 'goes' : 'go'} first`;
  const first = around.others.get(behind)?.called ?? behind;
  const rest = ahead > 1 ? ` (${others} of higher priority in all)` : '';
  return `waits for its turn: job ${first} has a higher priority and goes first${rest}, and starting this one now would delay it`;
}

const LIMIT_NOUNS: Readonly<Record<LimitName, readonly [string, string]>> = {
  running: ['running job', 'running jobs'],
  cpus: ['CPU', 'CPUs'],
  gpus: ['GPU', 'GPUs'],
  ranks: ['rank', 'ranks'],
};

/** `ada`, `queue gpu`, `ada in queue gpu`, `ada with QOS long`. */
function limitHolder(of: LimitOf): string {
  switch (of.kind) {
    case 'user':
      return of.user;
    case 'queue':
      return `queue ${of.queue}`;
    case 'userInQueue':
      return `${of.user} in queue ${of.queue}`;
    case 'userInQos':
      return `${of.user} with QOS ${of.qos}`;
    case 'layout':
      return `layout ${of.layout}`;
  }
}

function limitSentence(
  { limit, of, allowed, used }: Extract<Reason, { kind: 'limit' }>,
  caller: string,
): string {
  const most = plainNumber(allowed);
  if (of.kind === 'queue')
    return `waits, since queue ${of.queue} already ${doing(limit, used, true)} and allows ${most}`;
  if (of.kind === 'layout')
    return `waits, since jobs with layout ${of.layout} already ${doing(limit, used, false)} and ${most} are allowed`;
  const who = of.user === caller ? 'you' : of.user;
  const already = `waits, since ${who} already ${doing(limit, used, of.user !== caller)}`;
  if (of.kind === 'user') return `${already}, and the yard allows ${most} per user`;
  const where = of.kind === 'userInQueue' ? `in queue ${of.queue}` : `with QOS ${of.qos}`;
  return `${already} ${where}, which allows ${most} per user`;
}

function doing(limit: LimitName, used: number, thirdPerson: boolean): string {
  const ending = thirdPerson ? 's' : '';
  if (limit === 'running') return `run${ending} ${counted(used, 'job')}`;
  const [one, several] = LIMIT_NOUNS[limit];
  return `use${ending} ${plainNumber(used)} ${used === 1 ? one : several}`;
}
