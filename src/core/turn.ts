/**
 * One turn of the yard: commands are decided against the state as it is, and each fact takes effect at once,
 * so that what follows from it can be decided too. Nothing leaves the turn before its events are durable; if
 * they cannot be made so, the state is thrown away and loaded again.
 */

import type { Event, EventBody } from '../model/event.ts';
import type { Job } from '../model/job.ts';
import type { Policy } from '../model/policy.ts';
import { apply } from './apply.ts';
import type { YardState } from './state.ts';

export interface Turn {
  readonly state: YardState;
  readonly policy: Policy;
  readonly now: number;
  readonly events: Event[];
  /** Jobs that began or ended, in order: others may have waited for that and are yet to be looked at. */
  readonly news: Job[];
}

export function newTurn(state: YardState, policy: Policy, now: number): Turn {
  return { state, policy, now, events: [], news: [] };
}

/** States a fact: it is noted for the log and applied. */
export function record(turn: Turn, body: EventBody): void {
  const event = { at: turn.now, ...body } as Event;
  apply(turn.state, event);
  turn.events.push(event);
}
