/**
 * What `qmod` does to queues: disables and enables them, suspends them and lets them go on, starts their jobs again.
 * Grid Engine does that for each node that a queue is on; a yard's queue is in one state wherever it is.
 */

import { printable } from '../../../model/bytes.ts';
import type { Job } from '../../../model/job.ts';
import type { QueueView } from '../../../model/query.ts';
import { type Asking, command, printErr, printOut, query } from '../../program.ts';
import { mayChange } from '../changer.ts';
import { instanceName } from '../job-facts.ts';
import { knownJobs } from '../job-list.ts';
import { matchesInstance } from '../patterns.ts';
import { type QueueInstance, queueInstances } from '../queue-instances.ts';
import type { Verb } from './call.ts';
import { type Doer, dealWithOne, noPermission } from './job-deeds.ts';

/** What the state is called once it is done. */
const STATE_WORDS: Readonly<Record<Exclude<Verb, 'reschedule'>, string>> = {
  clear: 'no error',
  disable: 'disabled',
  enable: 'enabled',
  suspend: 'suspended',
  unsuspend: 'unsuspended',
};

type StateChange = { readonly disabled: boolean } | { readonly suspended: boolean };

const CHANGES: Readonly<Record<Verb, StateChange | null>> = {
  clear: null,
  disable: { disabled: true },
  enable: { disabled: false },
  reschedule: null,
  suspend: { suspended: true },
  unsuspend: { suspended: false },
};

export function* dealWithQueues(doer: Doer, verb: Verb, text: string): Asking<boolean | 'noSuchQueue'> {
  const all = queueInstances(yield* query('queues', {}), yield* query('nodes', { names: null }), []);
  const meant = all.filter(({ queue, node }) => !text.startsWith('@') && matchesInstance(text, queue, node));
  if (meant.length === 0) return 'noSuchQueue';
  if (!doer.isOperator) {
    const lines = meant.map(
      ({ name }) => `${doer.user} - you have no permission to modify queue "${name}"\n`,
    );
    yield* printOut(lines.join(''));
    return false;
  }
  if (verb === 'reschedule') return yield* rescheduleJobs(doer, meant);
  const refused = new Set<string>();
  const changed = new Map<string, boolean>();
  for (const instance of meant) {
    const { queue, queueView } = instance;
    if (queueView === null) continue;
    const change = CHANGES[verb];
    if (change !== null && !changed.has(queue)) {
      const others = all.filter((each) => each.queue === queue && !meant.includes(each));
      if (others.length > 0) {
        if (refused.has(queue)) continue;
        refused.add(queue);
        yield* printOut(
          `denied: queue "${queue}" is in one state on all its nodes: ` +
            `say "${queue}" in place of "${printable(text)}"\n`,
        );
        continue;
      }
      yield* warnOfConfig(verb, queueView);
      changed.set(queue, yield* setQueue(doer, queueView, change));
    }
    yield* tell(doer, instance, STATE_WORDS[verb], changed.get(queue) ?? false);
  }
  return refused.size === 0;
}

function* setQueue({ user }: Doer, { queue, state }: QueueView, change: StateChange): Asking<boolean> {
  const after = { ...state, ...change };
  if (after.disabled === state.disabled && after.suspended === state.suspended) return false;
  const result = yield* command({ type: 'setQueue', queue: queue.name, by: user, ...change });
  return result.ok && result.changed;
}

function* tell(
  { user, host, force }: Doer,
  { name }: QueueInstance,
  state: string,
  changed: boolean,
): Asking<void> {
  if (force) yield* printOut(`${user}@${host} forced state change of "${name}" (${state})\n`);
  else if (changed) yield* printOut(`${user}@${host} changed state of "${name}" (${state})\n`);
  else yield* printOut(`Queue instance "${name}" is already in the specified state: ${state}\n`);
}

function* warnOfConfig(verb: Verb, { queue }: QueueView): Asking<void> {
  if (verb === 'enable' && !queue.open)
    yield* printErr(`qmod: warning: queue "${queue.name}" is closed in trainyard.toml, and stays so\n`);
}

function* rescheduleJobs(doer: Doer, meant: readonly QueueInstance[]): Asking<boolean> {
  const names = new Set(meant.map(({ name }) => name));
  let isDone = true;
  for (const known of yield* knownJobs(null)) {
    const there = (known.isArray ? known.elements : [known.view]).filter(({ job }) => isIn(job, names));
    if (there.length === 0) continue;
    if (!mayChange(doer, known)) {
      yield* noPermission(doer, known);
      isDone = false;
    } else for (const view of there) yield* dealWithOne(doer, 'reschedule', view);
  }
  return isDone;
}

function isIn({ phase, attempt, spec }: Job, instances: ReadonlySet<string>): boolean {
  const master = attempt?.placement.nodes[0]?.node;
  return (
    phase === 'active' &&
    master !== undefined &&
    instances.has(instanceName({ queue: spec.queue, node: master }))
  );
}
