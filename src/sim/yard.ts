/**
 * The yard of a simulation: the production core and store in the same recipe as the daemon's loop (decide all
 * that has come in, look at the time, plan once, commit once, then answer and carry out effects), with places
 * where it can die. It knows nothing of the engine beyond effects and reports.
 */

import { nextAt } from '../core/agenda.ts';
import { type Decision, decide } from '../core/decide/decide.ts';
import { effectName, react } from '../core/react.ts';
import { commandsOf, plan } from '../core/schedule/plan.ts';
import type { YardState } from '../core/state.ts';
import { newTurn, type Turn } from '../core/turn.ts';
import type { Command } from '../model/command.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId, JobId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import { Fault } from '../model/refusal.ts';
import { batchOf, clearTouched, forgetEnded, recall, stateOf } from '../store/state-batch.ts';
import type { Batch, Store } from '../store/store.ts';

export interface SimulatedYard {
  readonly state: YardState;
  /** Something to decide in the next turn. Without an answer it is an observation: it outlasts a full disk. */
  ask(command: Command, answer?: (decision: Decision) => void): void;
  /** One turn at this time of the clock on the wall. Gives what became of it. */
  turn(now: number): 'done' | 'commitFailed' | 'crashed';
  /** When time alone will next matter, by the clock on the wall. */
  dueAt(): number | null;
}

export interface YardParts {
  readonly store: Store;
  readonly policy: Policy;
  readonly perform: (effect: Effect) => void;
  readonly forget: (attempt: AttemptId) => void;
  /** Asked at every place where it can die. */
  readonly diesNow: () => boolean;
  /** After a commit, before anything follows from it. */
  readonly committed: (batch: Batch) => void;
  /** After a crash, when everything was loaded again and nothing has been carried out yet. */
  readonly reloaded: (state: YardState) => void;
}

interface Asked {
  readonly command: Command;
  readonly answer: ((decision: Decision) => void) | null;
}

class Crash extends Error {}

export function simulatedYard(parts: YardParts): SimulatedYard {
  const { store, policy } = parts;
  let state = stateOf(store.load(), store);
  let lastSeq = store.load().lastSeq;
  let planIsDue = true;
  let asked: Asked[] = [];
  const performed = new Map<AttemptId, Set<string>>();

  function load(): void {
    const remembered = store.load();
    state = stateOf(remembered, store);
    lastSeq = remembered.lastSeq;
    planIsDue = true;
    parts.reloaded(state);
  }

  function runTurn(now: number, taken: readonly Asked[]): void {
    const turn = newTurn(state, policy, now);
    const recalled: JobId[] = [];
    const decisions = taken.map(({ command }) => {
      recalled.push(...recall(state, store, command));
      return decide(turn, command);
    });
    decide(turn, { type: 'tick' });
    if (turn.events.length > 0 || planIsDue) takePlan(turn);
    dieMaybe();
    if (turn.events.length > 0) commit(turn, recalled);
    for (const [at, { answer }] of taken.entries()) answer?.(decisions[at] as Decision);
  }

  function takePlan(turn: Turn): void {
    planIsDue = false;
    for (const command of commandsOf(plan(state, policy, turn.now))) decide(turn, command);
  }

  function commit(turn: Turn, recalled: readonly JobId[]): void {
    const batch = batchOf(state, turn.events, lastSeq + 1, []);
    store.append(batch);
    lastSeq += turn.events.length;
    const touched = [...state.touched.jobs];
    clearTouched(state);
    parts.committed(batch);
    dieMaybe();
    for (const event of turn.events) {
      if (event.type !== 'attemptEnded' && event.type !== 'attemptLost') continue;
      performed.delete(event.attempt);
      parts.forget(event.attempt);
    }
    perform(touched);
    forgetEnded(state, [...touched, ...recalled]);
  }

  function perform(ids: Iterable<JobId>): void {
    for (const effect of react(state, ids)) {
      const done = performed.get(effect.attempt.id);
      const name = effectName(effect);
      if (done === undefined) performed.set(effect.attempt.id, new Set([name]));
      else if (done.has(name)) continue;
      else done.add(name);
      // A freshly started attempt is being watched already.
      if (effect.type === 'watch' && done?.has('start') === true) continue;
      dieMaybe();
      parts.perform(effect);
    }
  }

  function dieMaybe(): void {
    if (parts.diesNow()) throw new Crash();
  }

  return {
    get state() {
      return state;
    },
    ask(command, answer) {
      const one = { command, answer: answer ?? null };
      // A turn sees one time. What the yard remembers is moved to it before anything is decided by it.
      if (command.type === 'clockJumped') asked.unshift(one);
      else asked.push(one);
    },
    turn(now) {
      const taken = asked;
      asked = [];
      try {
        runTurn(now, taken);
        return 'done';
      } catch (error) {
        if (error instanceof Fault) {
          load();
          asked = [...taken.filter(({ answer }) => answer === null), ...asked];
          return 'commitFailed';
        }
        if (!(error instanceof Crash)) throw error;
        // A new yard: nothing that was not written is left of the old one, and all that is owed is done again.
        asked = [];
        performed.clear();
        load();
        reactAgain();
        return 'crashed';
      }
    },
    dueAt: () => nextAt(state.agenda),
  };

  /** May die again on the way; then the next one does it again. */
  function reactAgain(): void {
    for (;;) {
      try {
        return perform(state.live);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        performed.clear();
        load();
      }
    }
  }
}
