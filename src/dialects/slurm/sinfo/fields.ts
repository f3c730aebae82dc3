/** Every field of `sinfo -O`, by its name in lower case, and what it keeps apart. The letters are in columns.ts. */

import { SLURM_VERSION } from '../command.ts';
import { clockText } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import { gresText } from '../node-facts.ts';
import type { Group, NodeField, Place } from './groups.ts';
import type { CpuCounts, NodeSight, NodeState } from './node-sights.ts';

const MEBIBYTE = 1024 ** 2;

/** Of a partition. */
function ofPartition(
  heading: string,
  text: (queue: Group['queue']) => string,
  more: Partial<NodeField> = {},
): NodeField {
  return {
    heading,
    text: ({ queue }) => text(queue),
    apartBy: ({ queue }: Place) => text(queue),
    ...more,
  };
}

/** The same for all nodes of a line. */
function ofNode(heading: string, text: (node: NodeSight) => string | null, ofNone: string | null): NodeField {
  return {
    heading,
    text: ({ nodes }) => (nodes[0] === undefined ? ofNone : text(nodes[0])),
    apartBy: ({ node }: Place) => text(node),
  };
}

/** The smallest of a line, with a plus where others have more. */
function amount(heading: string, value: (node: NodeSight) => number): NodeField {
  return {
    heading,
    text: ({ nodes }) => leastText(nodes, value),
    apartIfExact: ({ node }: Place) => value(node),
  };
}

function leastText(nodes: readonly NodeSight[], value: (node: NodeSight) => number): string {
  if (nodes.length === 0) return '0';
  const values = nodes.map(value);
  const least = values.reduce((a, b) => Math.min(a, b));
  return values.every((each) => each === least) ? `${least}` : `${least}+`;
}

function always(heading: string, value: string | null): NodeField {
  return { heading, text: () => value };
}

function countText(nodes: readonly NodeSight[], share: NodeState['share']): number {
  return nodes.filter(({ state }) => state.share === share).length;
}

function cpuTotal(nodes: readonly NodeSight[], of: keyof CpuCounts): number {
  return nodes.reduce((sum, { cpus }) => sum + cpus[of], 0);
}

function timeText(limitMs: number | null, none: string): string {
  return limitMs === null ? none : clockText(limitMs);
}

const cpusOf = ({ facts }: NodeSight) => facts.view.node.cpus;
export const memoryOf = ({ facts }: NodeSight) => Math.floor(facts.view.node.memoryBytes / MEBIBYTE);
const one = () => 1;
const none = () => 0;

export function featuresText({ facts }: NodeSight): string | null {
  const { features } = facts.view.node;
  return features.length === 0 ? null : features.join(',');
}

export function gresOf({ facts }: NodeSight): string | null {
  return gresText(facts.view.node.devices);
}

/** `gpu:1` of `gpu:2`: every kind that the node has, with how many are taken. */
export function gresUsedText({ facts }: NodeSight): string | null {
  const { node, devices } = facts.view;
  const whole = gresText(node.devices);
  if (whole === null) return null;
  const used = new Set(devices.filter(({ usedMillis }) => usedMillis > 0).map(({ index }) => index));
  const taken = gresText(node.devices.filter(({ index }) => used.has(index)))?.split(',') ?? [];
  return whole
    .split(',')
    .map((kind) => {
      const name = kind.slice(0, kind.lastIndexOf(':'));
      return taken.find((entry) => entry.slice(0, entry.lastIndexOf(':')) === name) ?? `${name}:0`;
    })
    .join(',');
}

function freeMemoryText({ facts }: NodeSight): string {
  const { machine } = facts.view;
  return machine === undefined ? 'N/A' : `${Math.floor(machine.freeMemoryBytes / MEBIBYTE)}`;
}

function reasonText({ facts }: NodeSight): string {
  return facts.view.node.reason ?? 'none';
}

const PREEMPT_MODES = { off: 'OFF', requeue: 'REQUEUE', suspend: 'SUSPEND', cancel: 'CANCEL' } as const;

const sharing = always('OVERSUBSCRIBE', 'NO');

export const NODE_FIELDS: Readonly<Record<string, NodeField>> = {
  allocmem: ofNode('ALLOCMEM', ({ facts }) => `${Math.floor(facts.view.memoryUsedBytes / MEBIBYTE)}`, '0'),
  allocnodes: always('ALLOCNODES', 'all'),
  available: ofPartition('AVAIL', ({ open }) => (open ? 'up' : 'down')),
  cluster: always('CLUSTER', 'N/A'),
  comment: always('COMMENT', null),
  cores: amount('CORES', one),
  cpus: amount('CPUS', cpusOf),
  cpusload: ofNode('CPU_LOAD', ({ facts }) => facts.view.machine?.load.toFixed(2) ?? 'N/A', 'N/A'),
  cpusstate: {
    heading: 'CPUS(A/I/O/T)',
    text: ({ nodes }) =>
      (['allocated', 'idle', 'other', 'total'] as const).map((of) => cpuTotal(nodes, of)).join('/'),
  },
  defaulttime: ofPartition('DEFAULTTIME', ({ defaultLimitMs }) => timeText(defaultLimitMs, 'n/a')),
  disk: amount('TMP_DISK', none),
  extra: always('EXTRA', null),
  features: ofNode('AVAIL_FEATURES', featuresText, null),
  features_act: ofNode('ACTIVE_FEATURES', featuresText, null),
  freemem: ofNode('FREE_MEM', freeMemoryText, 'N/A'),
  gres: ofNode('GRES', gresOf, null),
  gresused: ofNode('GRES_USED', gresUsedText, null),
  groups: always('GROUPS', 'all'),
  maxcpuspernode: always('MAX_CPUS_PER_NODE', 'UNLIMITED'),
  memory: amount('MEMORY', memoryOf),
  nodeaddr: { ...ofNode('NODE_ADDR', ({ name }) => name, ''), whole: 'heading' },
  nodeai: {
    heading: 'NODES(A/I)',
    text: ({ nodes }) => `${countText(nodes, 'allocated')}/${countText(nodes, 'idle')}`,
  },
  nodeaiot: {
    heading: 'NODES(A/I/O/T)',
    text: ({ nodes }) =>
      [
        ...(['allocated', 'idle', 'other'] as const).map((share) => countText(nodes, share)),
        nodes.length,
      ].join('/'),
  },
  nodehost: {
    heading: 'HOSTNAMES',
    text: ({ nodes, scene }) => (nodes.length === 0 ? '' : scene.host),
    whole: 'heading',
  },
  nodelist: {
    heading: 'NODELIST',
    text: ({ nodes }) => foldHosts(nodes.map(({ name }) => name)),
    whole: 'heading',
  },
  nodes: { heading: 'NODES', text: ({ nodes }) => `${nodes.length}` },
  oversubscribe: sharing,
  partition: {
    ...ofPartition('PARTITION', ({ name, isDefault }) => `${name}${isDefault ? '*' : ''}`),
    namesPartition: true,
  },
  partitionname: ofPartition('PARTITION', ({ name }) => name, { namesPartition: true }),
  port: always('PORT', '0'),
  preemptmode: ofPartition('PREEMPT_MODE', ({ preempt }) => PREEMPT_MODES[preempt]),
  priorityjobfactor: always('PRIO_JOB_FACTOR', '1'),
  prioritytier: ofPartition('PRIO_TIER', ({ priority }) => `${priority}`),
  reason: ofNode('REASON', reasonText, 'none'),
  root: always('ROOT', 'no'),
  share: sharing,
  size: always('JOB_SIZE', '1-infinite'),
  socketcorethread: {
    heading: 'S:C:T',
    text: ({ nodes }) => [cpusOf, one, one].map((value) => leastText(nodes, value)).join(':'),
    apartIfExact: ({ node }) => cpusOf(node),
  },
  sockets: amount('SOCKETS', cpusOf),
  statecompact: ofNode('STATE', ({ state }) => state.short, 'n/a'),
  statecomplete: ofNode('STATECOMPLETE', ({ state }) => state.complete, 'n/a'),
  statelong: ofNode('STATE', ({ state }) => state.long, 'n/a'),
  threads: amount('THREADS', one),
  time: ofPartition('TIMELIMIT', ({ maxLimitMs }) => timeText(maxLimitMs, 'infinite')),
  timestamp: always('TIMESTAMP', 'Unknown'),
  user: always('USER', 'Unknown'),
  userlong: always('USER', 'Unknown'),
  version: ofNode('VERSION', () => SLURM_VERSION, 'N/A'),
  weight: amount('WEIGHT', one),
};
