/**
 * The desk at which leases are asked for: it knows which connection holds which lease, tells each how it stands, and
 * takes a lease back when its connection has gone. It is woken by commits and looks at all who wait together, so that a
 * thousand of them cost little more than one. What is on the wire is not known here.
 */

import { endingSentence } from '../../dialects/native/endings.ts';
import { jobOfEvent, type RecordedEvent } from '../../model/event.ts';
import { type JobId, jobOfAttempt } from '../../model/ids.ts';
import { type GivenBack, isUnderWay, type Job } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import { Fault, type Refusal, RefusalError, refusal } from '../../model/refusal.ts';
import type { Yard } from '../yard.ts';
import { awaitEnds } from './ends.ts';
import { grantOf } from './grant.ts';
import { forgetHolding, type Holding, holdingOf, type LeaseLine, newHolding } from './holdings.ts';
import { isLease, isSameProcess, type LeaseClient, type LeaseWish, specOfLease } from './lease.ts';
import { keptFromBefore } from './orphans.ts';
import { viewsOf, waitingSentences } from './sentences.ts';

export interface LeaseDesk {
  /** Resolves once it is in the queue, or is one that this client waited for at an earlier yard. */
  ask(wish: LeaseWish, client: LeaseClient, line: LeaseLine): Promise<void>;
  /** Goes on with a lease that was granted. Throws a RefusalError when it is not this client's, or over. */
  goOn(lease: string, client: LeaseClient, line: LeaseLine): void;
  /** Resolves when it has ended for good. False: it had already. Rejects with a RefusalError or a Fault. */
  complete(lease: string, client: LeaseClient, how: GivenBack): Promise<{ job: JobId; changed: boolean }>;
  /** Whoever was at the other end has gone. A lease is held by the last connection that asked for it. */
  hungUp(line: LeaseLine): void;
  /** The yard goes, and what is held is kept. */
  close(): void;
}

export interface LeaseDeskParts {
  readonly yard: Yard;
  readonly log: (line: string) => void;
}

/** Sentences are looked at again so long after something has changed. */
const LOOK_AGAIN_MS = 300;
const RETRY_MS = 5_000;

export function createLeaseDesk({ yard, log }: LeaseDeskParts): LeaseDesk {
  const holdings = new Map<JobId, Holding>();
  const ends = awaitEnds();
  /** Who has to be told how they stand as soon as this turn of the event loop is over. */
  const unseen = new Set<JobId>();
  let lookAgain: NodeJS.Timeout | null = null;
  let stopListening: (() => void) | null = null;
  const before = keptFromBefore(yard, (job) => void release(job));
  if (before.size() > 0) listen();

  function listen(): void {
    stopListening ??= yard.onCommit(onCommit);
  }

  function listenNoMore(): void {
    if (holdings.size > 0 || before.size() > 0 || ends.areAwaited()) return;
    stopListening?.();
    stopListening = null;
  }

  function onCommit(events: readonly RecordedEvent[]): void {
    for (const { event } of events) {
      const job = jobOfEvent(event);
      if (job === null) continue;
      if (event.type === 'jobEnded') {
        ends.hasEnded(job);
        before.forget(job);
      }
      if (!holdings.has(job)) continue;
      if (event.type === 'attemptStarted' || event.type === 'jobEnded') lookSoon(job);
    }
    if (holdings.size > 0) lookAgain ??= setTimeout(lookAtThoseWhoWait, LOOK_AGAIN_MS);
    listenNoMore();
  }

  function lookSoon(job: JobId): void {
    if (unseen.size === 0) setImmediate(lookNow);
    unseen.add(job);
  }

  function lookNow(): void {
    const jobs = [...unseen];
    unseen.clear();
    look(jobs);
  }

  function lookAtThoseWhoWait(): void {
    lookAgain = null;
    look([...holdings.values()].filter(({ isGranted }) => !isGranted).map(({ job }) => job));
  }

  function look(jobs: readonly JobId[]): void {
    try {
      const views = viewsOf(yard, jobs);
      const sentenceOf = waitingSentences(yard, views);
      for (const view of views) {
        const holding = holdings.get(view.job.id);
        if (holding !== undefined) tell(holding, view, sentenceOf);
      }
    } catch (error) {
      log(`leases could not be looked at: ${error instanceof Error ? error.stack : error}`);
    }
  }

  function tell(holding: Holding, view: JobView, sentenceOf: (view: JobView) => string): void {
    const { job } = view;
    if (job.phase === 'ended') return over(holding, job);
    if (isStarted(job)) return grant(holding, job);
    // One that has a place and is about to begin has nothing to be told.
    if (job.phase === 'active') return;
    const sentence = sentenceOf(view);
    if (sentence === holding.sentence) return;
    holding.sentence = sentence;
    for (const line of holding.lines) line.say({ state: 'waiting', job: job.id, sentence });
  }

  function grant(holding: Holding, job: Job): void {
    if (holding.isGranted || job.attempt === null) return;
    holding.isGranted = true;
    const granted = grantOf(yard, job, job.attempt);
    for (const line of holding.lines) line.say({ state: 'granted', ...granted });
  }

  function over(holding: Holding, job: Job): void {
    forgetHolding(holdings, holding);
    for (const line of holding.lines) {
      line.say({ state: 'ended', why: endingSentence(job) });
      line.end();
    }
    listenNoMore();
  }

  /** Its client has gone. What the disk does not take is tried again: a lease that nobody holds must not stay. */
  async function release(id: JobId): Promise<void> {
    try {
      const job = viewsOf(yard, [id])[0]?.job;
      if (job === undefined || job.phase === 'ended') return;
      if (isUnderWay(job.attempt) && yard.giveBack(job.attempt.id, 'killed')) return;
      await yard.command({ type: 'cancel', target: { job: id, index: null }, by: job.spec.user });
    } catch (error) {
      if (!(error instanceof Fault)) log(`lease ${id} could not be taken back: ${error}`);
      setTimeout(() => void release(id), RETRY_MS).unref();
    }
  }

  function leaseNamed(lease: string, { user, uid }: LeaseClient): Job {
    const job = /^\d{1,15}\.\d{1,9}$/.test(lease) ? viewsOf(yard, [jobOfAttempt(lease)])[0]?.job : undefined;
    if (job === undefined || !isLease(job) || job.attempt?.id !== lease || job.attempt.startedAt === null)
      throw new RefusalError(refusal('noSuchJob', `there is no lease ${lease.slice(0, 40)}`));
    if (job.spec.user !== user && uid !== 0)
      throw new RefusalError(refusal('notAllowed', `lease ${lease} is ${job.spec.user}'s`));
    return job;
  }

  return {
    async ask(wish, client, line) {
      let id = before.taken(wish, client);
      if (id === null) {
        const spec = specOfLease(wish, client, yard.keepBlob(new Uint8Array()));
        const result = await yard.command({ type: 'submit', spec });
        if (!result.ok) throw new RefusalError(inWordsOfLeases(yard, result.refusal));
        id = result.job as JobId;
      }
      newHolding(holdings, id, line);
      listen();
      lookSoon(id);
    },

    goOn(lease, client, line) {
      const job = leaseNamed(lease, client);
      if (job.phase === 'ended' || !isUnderWay(job.attempt))
        throw new RefusalError(refusal('wrongState', `lease ${lease} is over: ${endingSentence(job)}`));
      if (!isSameProcess(job.spec.program.caller, client.process))
        throw new RefusalError(
          refusal('notAllowed', `lease ${lease} is held by another process`, 'ask for one of your own'),
        );
      before.forget(job.id);
      const holding = newHolding(holdings, job.id, line);
      holding.isGranted = true;
      listen();
      line.say({ state: 'granted', ...grantOf(yard, job, job.attempt) });
    },

    async complete(lease, client, how) {
      const { id, phase } = leaseNamed(lease, client);
      if (phase === 'ended') return { job: id, changed: false };
      listen();
      const ended = ends.endOf(id);
      const changed = yard.giveBack(lease, how);
      try {
        await ended;
      } finally {
        listenNoMore();
      }
      return { job: id, changed };
    },

    hungUp(line) {
      const holding = holdingOf(holdings, line);
      if (holding === null) return;
      const isNewest = holding.lines.at(-1) === line;
      holding.lines.splice(holding.lines.indexOf(line), 1);
      if (!isNewest) return;
      forgetHolding(holdings, holding);
      for (const older of holding.lines) older.end();
      void release(holding.job);
      listenNoMore();
    },

    close() {
      stopListening?.();
      stopListening = null;
      if (lookAgain !== null) clearTimeout(lookAgain);
      before.close();
      // Whose end is decided but not told yet would look for the next yard in vain.
      look([...holdings.keys()]);
    },
  };
}

function isStarted({ phase, attempt }: Job): boolean {
  return phase === 'active' && attempt !== null && attempt.startedAt !== null;
}

/** A yard without GPUs is the mistake of whoever started it, rather than of whoever asks. */
function inWordsOfLeases(yard: Yard, reason: Refusal): Refusal {
  if (reason.about !== 'gpus') return reason;
  if (yard.query('nodes', { names: null }).some(({ node }) => node.devices.length > 0)) return reason;
  const hint = 'to rehearse without GPUs, start it with --simulate-gpus 4x16G (glb-start, or trainyard up)';
  return refusal('neverPossible', 'this yard has no GPUs to share out', hint);
}
