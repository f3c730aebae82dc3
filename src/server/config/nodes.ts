/** The nodes of a yard: the machine as it is, a part of it, or several virtual nodes to rehearse on. */

import type { Device, Node } from '../../model/node.ts';
import { type Choices, showList, showSize } from './choices.ts';
import type { Machine } from './machine.ts';
import type { NodeSettings } from './schema.ts';

const SIMULATED_MEMORY_BYTES = 16 * 1024 ** 3;

export function nodesOf(settings: NodeSettings, machine: Machine, choices: Choices): Node[] {
  const hostname = shortName(machine.hostname);
  const name = choices.choose(['node', 'name'], settings.name, hostname, String, 'detected');
  const count = choices.choose(['node', 'nodes'], settings.nodes, 1, String);
  const cpus = choices.choose(
    ['node', 'cpus'],
    settings.cpus,
    Math.max(1, Math.floor(machine.cpus / count)),
    String,
    'detected',
  );
  const memoryBytes = choices.choose(
    ['node', 'memory'],
    settings.memory,
    Math.floor(machine.memoryBytes / count),
    showSize,
    'detected',
  );
  const simulated = settings.gpus === undefined ? undefined : simulatedDevices(settings.gpus);
  const devices = choices.choose(['node', 'gpus'], simulated, machine.devices, showDevices, 'detected');
  const features = choices.choose(['node', 'features'], settings.features, [], showList);

  // CPUs can be pinned only where every node has its own.
  const pinned = cpus * count <= machine.cpuIds.length;
  return Array.from({ length: count }, (_, i) => ({
    name: nodeName(name, i + 1, count),
    cpus,
    cpuIds: pinned ? machine.cpuIds.slice(i * cpus, (i + 1) * cpus) : [],
    memoryBytes,
    devices: simulated ?? shareOf(devices, i, count),
    features,
    state: 'up',
    reason: null,
  }));
}

function shortName(hostname: string): string {
  const [first] = hostname.split('.');
  return first === undefined || first === '' ? 'localhost' : first;
}

function nodeName(name: string, number: number, count: number): string {
  if (name.includes('%n')) return name.replaceAll('%n', String(number));
  return count === 1 ? name : `${name}-${number}`;
}

/** Every device goes to one node, and no node gets two more than another. They keep their own numbers. */
function shareOf(devices: readonly Device[], node: number, count: number): readonly Device[] {
  const from = Math.floor((devices.length * node) / count);
  const to = Math.floor((devices.length * (node + 1)) / count);
  return devices.slice(from, to);
}

function simulatedDevices(gpus: NonNullable<NodeSettings['gpus']>): Device[] {
  return Array.from({ length: gpus.count ?? 1 }, (_, index) => ({
    index,
    kind: gpus.kind ?? 'simulated',
    memoryBytes: gpus.memory ?? SIMULATED_MEMORY_BYTES,
    simulated: true,
  }));
}

function showDevices(devices: readonly Device[]): string {
  const counts = new Map<string, number>();
  for (const { kind, memoryBytes } of devices) {
    const what = `${kind} ${showSize(memoryBytes)}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return showList([...counts].map(([what, count]) => `${count} × ${what}`));
}
