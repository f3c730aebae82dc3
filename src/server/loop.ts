/**
 * The heart of the daemon. Everything that arrives within one turn of the event loop is decided together,
 * planned once, and committed once. A commit survives the death of this process, so effects follow it at once;
 * callers are answered when it survives the loss of power as well, which is waited for off this thread. If a
 * commit fails, what was decided is forgotten and the state is loaded again: memory never runs ahead.
 */

import { createHash } from 'node:crypto';
import { nextAt } from '../core/agenda.ts';
import { type Decision, decide } from '../core/decide/decide.ts';
import { commandsOf, plan } from '../core/schedule/plan.ts';
import type { YardState } from '../core/state.ts';
import { newTurn, type Turn } from '../core/turn.ts';
import type { CommandResult } from '../dialects/program.ts';
import type { Engine } from '../engines/engine.ts';
import type { Command, Observation } from '../model/command.ts';
import type { Effect } from '../model/effect.ts';
import type { Event, RecordedEvent } from '../model/event.ts';
import {
  type AttemptId,
  attemptNumber,
  type BlobHash,
  type JobId,
  type JobRef,
  jobOfAttempt,
} from '../model/ids.ts';
import { isLive, type Job } from '../model/job.ts';
import type { Policy } from '../model/policy.ts';
import { Fault } from '../model/refusal.ts';
import { sharedParts } from '../model/shared-parts.ts';
import type { Clock } from '../platform/clock.ts';
import { utc } from '../store/sqlite/place.ts';
import { batchOf, clearTouched, recall, stateOf } from '../store/state-batch.ts';
import type { Store } from '../store/store.ts';
import { countActivity } from './activity.ts';
import { carryOut } from './carry-out.ts';
import { askAboutCheckpoints } from './checkpoints.ts';
import { type EndedInMemory, endedInMemory } from './ended-in-memory.ts';
import { answer } from './queries.ts';
import type { Surroundings } from './query-sources.ts';
import { createSlices } from './slices.ts';
import { whenSafe } from './when-safe.ts';
import type { Yard } from './yard.ts';

export interface YardParts {
  readonly store: Store;
  readonly engine: Engine;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly surroundings: Surroundings;
  /** How long ended jobs are kept in the store. */
  readonly keepHistoryMs: number;
  /** What is known from elsewhere than the store, about which it may know nothing. */
  readonly claims?: {
    /** The highest number of a job that is in use. */
    readonly highestJob: JobId;
    /** The attempts that have a claim. */
    attempts(): readonly AttemptId[];
  };
}

export interface OpenYard extends Yard {
  /** Stops deciding. What runs goes on running. */
  close(): Promise<void>;
}

interface Asked {
  readonly command: Command;
  readonly answer: ((result: CommandResult) => void) | null;
  readonly fail: ((reason: unknown) => void) | null;
}

const CAN_WAIT: ReadonlySet<Observation['type']> = new Set([
  'attemptRunning',
  'warningSent',
  'signalSent',
  'checkpointKept',
  'checkpointTrouble',
] as const);
const CAN_WAIT_MS = 20;
/** After a commit that failed, observations are tried again this much later. */
const RETRY_MS = 1000;
/** Housekeeping: old history, ended jobs in memory. */
const SWEEP_MS = 10_000;
const KEEP_BLOB_AGAIN_MS = 3_600_000;
/** setTimeout's own limit is 2^31 ms. */
const LONGEST_TIMER_MS = 1_000_000_000;

/** After a backup was put back. Jobs that ended a moment before the store was lost may have left no trace of their numbers. */
const NUMBERS_LEFT_OUT = 1000;

export async function openYard(parts: YardParts): Promise<OpenYard> {
  const { store, engine, policy, clock, log } = parts;
  let state!: YardState;
  let ended!: EndedInMemory;
  let lastSeq = 0;
  let restoredFrom: number | null = null;
  const asked: Asked[] = [];
  let turnIsDue = false;
  /** What was loaded has not been planned for yet. */
  let planIsDue = false;
  let backingOff = false;
  /** Why nothing can be written at the moment. */
  let trouble: string | null = null;
  /** So many turns take a single command, after a turn that met a defect. */
  let oneByOne = 0;
  let closed = false;
  let alarm: NodeJS.Timeout | null = null;
  let soon: NodeJS.Timeout | null = null;
  const effects = carryOut(engine);
  const safe = whenSafe(store);
  const activity = countActivity(clock.now());
  const slices = createSlices();
  const share = sharedParts();
  const blobs = new Map<BlobHash, Uint8Array>();
  const blobsKeptAt = new Map<BlobHash, number>();
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();

  load();
  settleRestored();
  // What the daemon before committed may not be on the disk yet, and files go because of it.
  await store.flush();
  await engine.open({ report: observe, blob: (hash) => blobs.get(hash) ?? store.blob(hash), isOwed, log });
  const stopListening = clock.onJump((byMs) => {
    log(`the clock was set ${byMs > 0 ? 'forward' : 'back'} by ${Math.abs(byMs)} ms`);
    // Before anything that came with the new time, which it would otherwise move along.
    asked.unshift({ command: { type: 'clockJumped', byMs }, answer: null, fail: null });
    wake();
  });
  const sweeper = setInterval(sweep, SWEEP_MS);
  sweeper.unref();
  for (const effect of effects.perform(state, state.live)) engine.perform(effect);
  wake();

  function load(): void {
    const remembered = store.load();
    state = stateOf(remembered, store);
    restoredFrom = remembered.restoredFrom;
    state.nextJobId =
      Math.max(state.nextJobId, (parts.claims?.highestJob ?? 0) + 1) +
      (restoredFrom === null ? 0 : NUMBERS_LEFT_OUT);
    ended = endedInMemory(state);
    lastSeq = remembered.lastSeq;
    planIsDue = true;
  }

  /** Before anything is started or planned: what may have run since the backup is held. */
  function settleRestored(): void {
    if (restoredFrom === null) return;
    const turn = newTurn(state, policy, clock.now());
    decide(turn, {
      type: 'storeRestored',
      backupOf: utc(restoredFrom),
      claimed: parts.claims?.attempts() ?? [],
    });
    // Also without events: the number of the next job is kept by this.
    commit(turn);
    clearTouched(state);
    store.settleRestored();
    log(`the store was put back from a backup: ${turn.events.length} events hold what may have run since`);
  }

  /** Not ended, and no earlier attempt than the current one: its end is not on record. */
  function isOwed(attempt: AttemptId): boolean {
    const id = jobOfAttempt(attempt);
    const job = state.jobs.get(id);
    // Of a job that cannot be read, nobody knows whether its end is on record.
    if (job === undefined && store.unreadable.has(id)) return true;
    if (job === undefined || job.phase === 'ended') return false;
    const n = attemptNumber(attempt);
    return job.attempt === null || n > job.attempt.n || (n === job.attempt.n && isLive(job.attempt));
  }

  /** That something began or was sent can wait a little, and then mostly shares a commit with something else. */
  function observe(observation: Observation): void {
    const one = { command: observation, answer: null, fail: null };
    if (!CAN_WAIT.has(observation.type) || isAwaited(observation)) return ask(one);
    asked.push(one);
    if (soon === null && !turnIsDue) soon = setTimeout(wake, CAN_WAIT_MS);
  }

  /** Whoever asked for a place waits for just this: that it has it, and that it is taken back. */
  function isAwaited(command: Command): boolean {
    if (command.type !== 'attemptRunning' && command.type !== 'attemptEnded') return false;
    return state.jobs.get(jobOfAttempt(command.attempt))?.spec.program.spread === 'caller';
  }

  function ask(one: Asked): void {
    if (closed) {
      one.fail?.(new Fault('the yard is stopping', true));
      return;
    }
    asked.push(one);
    wake();
  }

  function wake(): void {
    if (turnIsDue || backingOff || closed) return;
    turnIsDue = true;
    setImmediate(runTurn);
  }

  function runTurn(): void {
    turnIsDue = false;
    if (soon !== null) clearTimeout(soon);
    soon = null;
    if (closed) return;
    const now = asked.splice(0, oneByOne > 0 ? 1 : asked.length);
    const turn = newTurn(state, policy, clock.now());
    const decisions = decideAndCommit(turn, now);
    if (decisions !== null) follow(turn, now, decisions);
    if (oneByOne > 0) oneByOne--;
    if (asked.length > 0) wake();
    setAlarm();
  }

  /** Null when nothing of it happened. */
  function decideAndCommit(turn: Turn, now: readonly Asked[]): Decision[] | null {
    try {
      const decisions = now.map((one) => decideOne(turn, one.command));
      decide(turn, { type: 'tick' });
      if (turn.events.length > 0 || planIsDue) takePlan(turn);
      if (turn.events.length > 0) commit(turn);
      return decisions;
    } catch (error) {
      load();
      if (error instanceof Fault) commitFailed(now, error);
      else defectMet(now, error);
      return null;
    }
  }

  /** It has happened: effects now, answers when it is safe. What goes wrong here must not be decided again. */
  function follow({ events }: Turn, now: readonly Asked[], decisions: readonly Decision[]): void {
    const touched = [...state.touched.jobs];
    clearTouched(state);
    noteEnded(events);
    activity.note(events, state);
    const late = effects.perform(state, touched);
    const recorded = events.map((event, at) => ({ seq: lastSeq - events.length + 1 + at, event }));
    const tell = () => {
      for (const [at, one] of now.entries()) one.answer?.(decisions[at] as Decision);
      for (const effect of late) if (isStillOwed(effect)) engine.perform(effect);
      if (recorded.length > 0) for (const listener of listeners) listener(recorded);
      for (const event of events) {
        if (isEndOfAttempt(event)) engine.forget(event.attempt);
        else if (event.type === 'stepEnded') engine.forgetStep(event.attempt, event.n);
      }
    };
    const somebodyWaits =
      late.length > 0 || now.some(({ answer, command }) => answer !== null || isAwaited(command));
    // What changes nothing may still tell of a change, so it is not told before that change is safe.
    safe.add(somebodyWaits, tell, (error) => {
      for (const { fail } of now) fail?.(error);
    });
  }

  /** Somebody may have cancelled it while its start waited to be safe. */
  function isStillOwed({ job, attempt }: Effect): boolean {
    const current = state.jobs.get(job.id)?.attempt ?? null;
    return isLive(current) && current.id === attempt.id && current.stop === null;
  }

  function decideOne(turn: Turn, asked: Command): Decision {
    const command = asked.type === 'submit' ? { ...asked, spec: share(asked.spec) } : asked;
    for (const id of recall(state, store, command)) ended.note(id, turn.now);
    return decide(turn, command);
  }

  function takePlan(turn: Turn): void {
    planIsDue = false;
    const since = performance.now();
    const made = plan(state, policy, turn.now);
    activity.notePlan(performance.now() - since, state.counts.pending);
    for (const command of commandsOf(made)) decide(turn, command);
  }

  function commit(turn: Turn): void {
    const kept = [...blobs].map(([hash, bytes]) => ({ hash, bytes }));
    store.append(batchOf(state, turn.events, lastSeq + 1, kept));
    if (trouble !== null) log('can write again');
    trouble = null;
    for (const { hash } of kept) blobs.delete(hash);
    lastSeq += turn.events.length;
  }

  /** Nothing of this turn happened. People are told; what engines saw is true all the same, and is kept. */
  function commitFailed(now: readonly Asked[], fault: Fault): void {
    // Said once: it is tried again every second until there is room.
    if (trouble !== fault.message) log(`could not write: ${fault.message}`);
    trouble = fault.message;
    for (const { fail } of now) fail?.(fault);
    asked.unshift(...now.filter(({ fail }) => fail === null));
    backingOff = true;
    setTimeout(() => {
      backingOff = false;
      wake();
    }, RETRY_MS);
  }

  /**
   * An invariant of ours was broken. The state is loaded again already; which command it was is found by
   * deciding them one by one, and that one alone is given up.
   */
  function defectMet(now: readonly Asked[], error: unknown): void {
    const only = now[0];
    if (only === undefined) throw error;
    if (now.length > 1) {
      asked.unshift(...now);
      oneByOne = now.length + 1;
      return;
    }
    log(
      `a defect, met while deciding ${JSON.stringify(only.command)}: ${error instanceof Error ? error.stack : error}`,
    );
    only.fail?.(error);
  }

  function noteEnded(events: readonly Event[]): void {
    for (const event of events) {
      if (isEndOfAttempt(event)) effects.forget(event.attempt);
      else if (event.type === 'stepEnded') effects.forgetStep(event.attempt, event.n);
      else if (event.type === 'jobEnded') ended.note(event.job, event.at);
    }
  }

  function setAlarm(): void {
    if (alarm !== null) clearTimeout(alarm);
    alarm = null;
    const at = nextAt(state.agenda);
    if (at === null || closed) return;
    alarm = setTimeout(wake, Math.min(LONGEST_TIMER_MS, Math.max(0, at - clock.now())));
  }

  function sweep(): void {
    const now = clock.now();
    ended.evict(now);
    for (const [hash, keptAt] of blobsKeptAt) if (keptAt < now - KEEP_BLOB_AGAIN_MS) blobsKeptAt.delete(hash);
    try {
      store.purge(now - parts.keepHistoryMs, 1000);
    } catch (error) {
      log(`could not tidy the history: ${error instanceof Error ? error.message : error}`);
    }
  }

  function find(ref: JobRef): Job | null {
    const job = state.jobs.get(ref.job) ?? store.job(ref.job);
    if (job === null || ref.index === null) return job;
    if (job.array === null) return job.element?.index === ref.index ? job : null;
    const element = state.elements.get(job.id)?.get(ref.index);
    return element === undefined ? store.element(job.id, ref.index) : (state.jobs.get(element) ?? null);
  }

  return {
    command: (command) => new Promise((answered, failed) => ask({ command, answer: answered, fail: failed })),
    query: (name, question) =>
      answer(
        {
          state,
          policy,
          store,
          now: clock.now(),
          lastSeq,
          trouble,
          find,
          activity: { ...activity.read(), slices: slices.read() },
          measure: (attempt) => engine.measure(attempt),
          devicesNow: () => engine.devices(),
          surroundings: parts.surroundings,
        },
        name,
        question,
      ),
    planRun: (run) => engine.planRun(run),
    giveBack: (attempt, how) => engine.giveBack(attempt, how),
    checkpoints: (id, ask, by) =>
      askAboutCheckpoints(engine, { id, job: find({ job: id, index: null }), ask, by }),
    keepBlob(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      // Written again now and then even if it is there, so that nothing in use looks old enough to purge.
      const keptAt = blobsKeptAt.get(hash);
      if (keptAt === undefined || keptAt < clock.now() - KEEP_BLOB_AGAIN_MS) {
        blobs.set(hash, bytes);
        blobsKeptAt.set(hash, clock.now());
      }
      return hash;
    },
    now: () => clock.now(),
    slices,
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lastSeq: () => lastSeq,
    unreadable: store.unreadable,
    phaseOf: (id) => state.jobs.get(id)?.phase ?? store.job(id)?.phase ?? null,
    async close() {
      closed = true;
      safe.flush();
      await store.flush();
      stopListening();
      clearInterval(sweeper);
      if (alarm !== null) clearTimeout(alarm);
      if (soon !== null) clearTimeout(soon);
      for (const { fail } of asked) fail?.(new Fault('the yard is stopping', true));
      await engine.close();
      store.close();
    },
  };
}

function isEndOfAttempt(event: Event): event is Event & { readonly type: 'attemptEnded' | 'attemptLost' } {
  return event.type === 'attemptEnded' || event.type === 'attemptLost';
}
