/**
 * What hosts and queue instances have of the attributes that may be asked for with `-l`: what `qhost -F` and
 * `qstat -F` print, and `-l` compares with. Names, kinds and relations of the attributes are in complexes.ts. Nodes
 * that are rehearsed on one machine have CPUs and memory of their own, and that machine's load.
 */

import type { NodeView, Topology } from '../../model/query.ts';
import { architectureName } from './cell.ts';
import { complexNamed } from './complexes.ts';
import type { QueueInstance } from './queue-instances.ts';

export interface AttributeValue {
  readonly name: string;
  /** `h`: of the host, `q`: of the queue; `l`: as it is now, `f`: fixed, `c`: what is left of it. */
  readonly dominance: 'hl' | 'hc' | 'qf' | 'qc';
  readonly value: string | number;
  /** Of what is used up: all that there is. */
  readonly total?: number;
}

export interface HostFacts {
  readonly name: string;
  /** `lx-amd64`; null: nobody has looked. */
  readonly arch: string | null;
  readonly cpus: number;
  readonly topology: Topology;
  /** Of the last minute, of five and of fifteen; null: it does not answer. */
  readonly load: { readonly short: number; readonly medium: number; readonly long: number } | null;
  readonly memory: Amount;
  /** Null: nobody has looked. */
  readonly swap: Amount | null;
  readonly gpus: { readonly total: number; readonly free: number };
}

export interface Amount {
  readonly totalBytes: number;
  /** Null: it does not answer. */
  readonly usedBytes: number | null;
}

export function hostFacts(view: NodeView): HostFacts {
  const { node, machine } = view;
  const answers = machine !== undefined && node.state !== 'lost';
  return {
    name: node.name,
    arch: machine === undefined ? null : architectureName(machine.architecture),
    cpus: node.cpus,
    topology: topologyOf(view),
    load: answers
      ? {
          short: machine.load,
          medium: machine.loadOver5Minutes ?? machine.load,
          long: machine.loadOver15Minutes ?? machine.load,
        }
      : null,
    memory: { totalBytes: node.memoryBytes, usedBytes: answers ? usedMemory(view) : null },
    swap: swapOf(view, answers),
    gpus: {
      total: node.devices.length,
      free: view.devices.filter(({ usedMillis }) => usedMillis === 0).length,
    },
  };
}

function topologyOf({ node, machine }: NodeView): Topology {
  if (machine?.topology?.threads === node.cpus) return machine.topology;
  return { sockets: 1, cores: node.cpus, threads: node.cpus };
}

/** What is rehearsed uses what its jobs were given. */
function usedMemory({ node, machine, memoryUsedBytes }: NodeView): number {
  if (node.cpuIds.length === 0 || machine === undefined) return memoryUsedBytes;
  return Math.max(0, node.memoryBytes - machine.freeMemoryBytes);
}

function swapOf({ machine }: NodeView, answers: boolean): Amount | null {
  if (machine?.swapBytes === undefined || machine.freeSwapBytes === undefined) return null;
  const used = machine.swapBytes - machine.freeSwapBytes;
  return { totalBytes: machine.swapBytes, usedBytes: answers ? used : null };
}

/** In the order in which Grid Engine lists them. */
export function hostValues(view: NodeView): readonly AttributeValue[] {
  const { arch, cpus, topology, load, memory, swap, gpus } = hostFacts(view);
  const values: AttributeValue[] = [];
  const add = (name: string, value: string | number | null) => {
    if (value !== null) values.push({ name, dominance: 'hl', value });
  };
  add('load_avg', load?.medium ?? null);
  add('load_short', load?.short ?? null);
  add('load_medium', load?.medium ?? null);
  add('load_long', load?.long ?? null);
  add('arch', arch);
  add('num_proc', cpus);
  add('mem_free', freeOf(memory));
  add('swap_free', freeOf(swap));
  add('virtual_free', sum(freeOf(memory), freeOf(swap)));
  add('mem_total', memory.totalBytes);
  add('swap_total', swap?.totalBytes ?? null);
  add('virtual_total', sum(memory.totalBytes, swap?.totalBytes ?? null));
  add('mem_used', memory.usedBytes);
  add('swap_used', swap?.usedBytes ?? null);
  add('virtual_used', sum(memory.usedBytes, swap?.usedBytes ?? null));
  add('m_topology', topologyText(topology));
  add('m_topology_inuse', topologyText(topology));
  add('m_socket', topology.sockets);
  add('m_core', topology.cores);
  add('m_thread', topology.threads);
  if (load !== null) {
    const perCpu = (value: number) => value / Math.max(1, cpus);
    add('np_load_avg', perCpu(load.medium));
    add('np_load_short', perCpu(load.short));
    add('np_load_medium', perCpu(load.medium));
    add('np_load_long', perCpu(load.long));
  }
  values.push({ name: 'gpu', dominance: 'hc', value: gpus.free, total: gpus.total });
  return values;
}

/** What its queue limits; nothing of the rest. */
const UNLIMITED = [
  ...['s_rt', 'h_rt', 's_cpu', 'h_cpu', 's_fsize', 'h_fsize', 's_data', 'h_data', 's_stack', 'h_stack'],
  ...['s_core', 'h_core', 's_rss', 'h_rss', 's_vmem', 'h_vmem'],
];

/** Those of the host, then those of the queue. */
export function instanceValues(instance: QueueInstance): readonly AttributeValue[] {
  const { queue, node, queueView, nodeView, slots, free } = instance;
  const limitMs = queueView?.queue.maxLimitMs ?? null;
  const fixed = (name: string, value: string | number): AttributeValue => ({ name, dominance: 'qf', value });
  return [
    ...(nodeView === null ? [] : hostValues(nodeView)),
    fixed('qname', queue),
    fixed('hostname', node),
    { name: 'slots', dominance: 'qc', value: free, total: slots },
    fixed('seq_no', 0),
    fixed('rerun', 1),
    fixed('calendar', 'NONE'),
    ...UNLIMITED.map((name) =>
      fixed(name, name === 'h_rt' && limitMs !== null ? limitMs / 1000 : Number.POSITIVE_INFINITY),
    ),
  ];
}

/** How `qstat` writes it; `qhost` writes whole numbers with a fraction too. */
export function valueText({ name, value }: AttributeValue, wholeNumbers: 'plain' | 'withFraction'): string {
  if (typeof value === 'string') return value;
  if (value === Number.POSITIVE_INFINITY) return 'infinity';
  switch (complexNamed(name)?.type) {
    case 'MEMORY':
      return memoryText(value, 3);
    case 'TIME':
      return timeText(value);
    case 'INT':
      return wholeNumbers === 'plain' ? `${Math.round(value)}` : value.toFixed(6);
    default:
      return value.toFixed(6);
  }
}

const UNITS = ['', 'K', 'M', 'G', 'T', 'P'];

/** `23.5G`, `0.0`. */
export function memoryText(bytes: number, digits: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${amount.toFixed(digits)}${UNITS[unit]}`;
}

/** `24:00:00`. */
export function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => `${part}`.padStart(2, '0')).join(':');
}

/** `SCTTCTT`: each socket, its cores and, where there are several, their threads. */
function topologyText({ sockets, cores, threads }: Topology): string {
  const perCore = Math.round(threads / Math.max(1, cores));
  const core = `C${perCore > 1 ? 'T'.repeat(perCore) : ''}`;
  return `S${core.repeat(Math.round(cores / Math.max(1, sockets)))}`.repeat(sockets);
}

function freeOf(amount: Amount | null): number | null {
  if (amount === null || amount.usedBytes === null) return null;
  return amount.totalBytes - amount.usedBytes;
}

function sum(memory: number | null, swap: number | null): number | null {
  return memory === null ? null : memory + (swap ?? 0);
}
