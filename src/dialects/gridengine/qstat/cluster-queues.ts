/** `qstat -g c`: one line for each queue, with the slots of all its instances together. */

import { cell, right } from '../cells.ts';
import { hostFacts } from '../host-values.ts';
import type { QueueInstance } from '../queue-instances.ts';
import { element, type XmlNode } from './xml.ts';

interface ClusterQueue {
  readonly name: string;
  /** For each CPU; null: no host answers. */
  readonly load: number | null;
  readonly used: number;
  readonly available: number;
  readonly total: number;
  /** Slots that nothing starts in for now, and those that somebody must see to. */
  readonly paused: number;
  readonly closed: number;
  /** Slots in each state, in the order of the columns. */
  readonly byState: readonly number[];
}

const STATES = [...'sASCuadDcoE'];
const CLOSED = [...'cdsuE'];

export function clusterQueues(instances: readonly QueueInstance[]): readonly ClusterQueue[] {
  const byQueue = new Map<string, QueueInstance[]>();
  for (const instance of instances) {
    const others = byQueue.get(instance.queue);
    if (others === undefined) byQueue.set(instance.queue, [instance]);
    else others.push(instance);
  }
  return [...byQueue].map(([name, all]) => {
    const slotsIn = (isIn: (instance: QueueInstance) => boolean) =>
      all.reduce((sum, instance) => sum + (isIn(instance) ? instance.slots : 0), 0);
    const isClosed = ({ states }: QueueInstance) => CLOSED.some((letter) => states.includes(letter));
    return {
      name,
      load: loadOf(all),
      used: all.reduce((sum, { used }) => sum + used, 0),
      available: all.reduce((sum, { states, free }) => sum + (states === '' ? free : 0), 0),
      total: slotsIn(() => true),
      paused: slotsIn((instance) => instance.states !== '' && !isClosed(instance)),
      closed: slotsIn(isClosed),
      byState: STATES.map((letter) => slotsIn(({ states }) => states.includes(letter))),
    };
  });
}

function loadOf(instances: readonly QueueInstance[]): number | null {
  let slots = 0;
  let load = 0;
  for (const { nodeView, slots: its } of instances) {
    const host = nodeView === null ? null : hostFacts(nodeView);
    if (host === null || host.load === null) continue;
    slots += its;
    load += (its * host.load.medium) / Math.max(1, host.cpus);
  }
  return slots === 0 ? null : load / slots;
}

const HEADING = 'CLUSTER QUEUE                   CQLOAD   USED    RES  AVAIL  TOTAL aoACDS  cdsuE  ';

export function* clusterQueueLines(queues: readonly ClusterQueue[], extended: boolean): Generator<string> {
  if (queues.length === 0) return;
  yield `${HEADING}${extended ? STATES.map((letter) => right(letter, 5)).join(' ') : ''}\n`;
  yield `${'-'.repeat(extended ? 146 : 80)}\n`;
  for (const { name, load, used, available, total, paused, closed, byState } of queues) {
    const cells = [
      cell(name, 30),
      right(load === null ? '-NA-' : load.toFixed(2), 7),
      ...[used, 0, available, total, paused, closed].map((value) => right(value, 6)),
      ...(extended ? byState.map((value) => right(value, 5)) : []),
    ];
    yield `${cells.join(' ')} \n`;
  }
}

const STATE_NAMES = [
  'suspend_manual',
  'suspend_threshold',
  'suspend_on_subordinate',
  'suspend_calendar',
  'unknown',
  'load_alarm',
  'disabled_manual',
  'disabled_calendar',
  'ambiguous',
  'orphaned',
  'error',
];

export function clusterQueueNode(queue: ClusterQueue, extended: boolean): XmlNode {
  const { name, load, used, available, total, paused, closed, byState } = queue;
  return element('cluster_queue_summary', [
    element('name', name),
    ...(load === null ? [] : [element('load', load.toFixed(5))]),
    element('used', used),
    element('resv', 0),
    element('available', available),
    element('total', total),
    element('temp_disabled', paused),
    element('manual_intervention', closed),
    ...(extended ? STATE_NAMES.map((state, i) => element(state, byState[i] ?? 0)) : []),
  ]);
}
