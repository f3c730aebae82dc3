/** A queue, or a queue on one host, as `qconf -sq` shows it: what the yard's config decides, and what holds for all. */

import { PLAIN_QUEUE } from '../../../model/plain.ts';
import type { Layout as PeLayout, Policy, Queue } from '../../../model/policy.ts';
import type { NodeView } from '../../../model/query.ts';
import { timeText } from '../host-values.ts';
import { ALL_HOSTS } from '../patterns.ts';
import type { Setting } from './layout.ts';

export const QUEUE_WIDTH = 22;

/** What no yard limits. */
const WITHOUT_END = [
  ...['s_cpu', 'h_cpu', 's_fsize', 'h_fsize', 's_data', 'h_data', 's_stack', 'h_stack', 's_core', 'h_core'],
  ...['s_rss', 'h_rss', 's_vmem', 'h_vmem'],
];

export interface QueueSight {
  readonly queue: Queue;
  readonly policy: Policy;
  /** Those that it reaches. */
  readonly nodes: readonly NodeView[];
}

/** A cluster queue. */
export function queueSettings(sight: QueueSight): readonly Setting[] {
  const { queue, nodes } = sight;
  const hosts: Setting = ['hostlist', queue.nodes === null ? ALL_HOSTS : listText(queue.nodes)];
  return settingsOf(sight, hosts, slotsText(nodes));
}

/** The same on one of its hosts. */
export function instanceSettings(sight: QueueSight, { node }: NodeView): readonly Setting[] {
  return settingsOf(sight, ['hostname', node.name], `${node.cpus}`);
}

/** What a new queue begins with, which is what `-sq` shows when no queue is named. */
export function templateSettings(policy: Policy): readonly Setting[] {
  const queue: Queue = { ...PLAIN_QUEUE, name: 'template' };
  return settingsOf({ queue, policy, nodes: [] }, ['hostlist', 'NONE'], '1');
}

function settingsOf({ queue, policy }: QueueSight, hosts: Setting, slots: string): readonly Setting[] {
  return [
    ['qname', queue.name],
    hosts,
    ['seq_no', '0'],
    ['load_thresholds', 'NONE'],
    ['suspend_thresholds', 'NONE'],
    ['nsuspend', '1'],
    ['suspend_interval', '00:05:00'],
    ['priority', '0'],
    ['min_cpu_interval', '00:05:00'],
    ['processors', 'UNDEFINED'],
    ['qtype', 'BATCH INTERACTIVE'],
    ['ckpt_list', 'NONE'],
    ['pe_list', listText(policy.layouts.map(({ name }) => name))],
    ['rerun', 'TRUE'],
    ['slots', slots],
    ['tmpdir', '/tmp'],
    ['shell', '/bin/sh'],
    ['prolog', 'NONE'],
    ['epilog', 'NONE'],
    ['shell_start_mode', 'unix_behavior'],
    ['starter_method', 'NONE'],
    ['suspend_method', 'NONE'],
    ['resume_method', 'NONE'],
    ['terminate_method', 'NONE'],
    ['notify', timeText((queue.graceMs ?? policy.graceMs) / 1000)],
    ['owner_list', 'NONE'],
    ['user_lists', 'NONE'],
    ['xuser_lists', 'NONE'],
    ['subordinate_list', 'NONE'],
    ['complex_values', 'NONE'],
    ['projects', 'NONE'],
    ['xprojects', 'NONE'],
    ['calendar', 'NONE'],
    ['initial_state', queue.open ? 'default' : 'disabled'],
    ['s_rt', 'INFINITY'],
    ['h_rt', queue.maxLimitMs === null ? 'INFINITY' : timeText(queue.maxLimitMs / 1000)],
    ...WITHOUT_END.map((name): Setting => [name, 'INFINITY']),
  ];
}

/** `4,[n2=8]`: what most hosts have, and those that have another number. */
function slotsText(nodes: readonly NodeView[]): string {
  const counts = new Map<number, number>();
  for (const { node } of nodes) counts.set(node.cpus, (counts.get(node.cpus) ?? 0) + 1);
  const [common = 1] = [...counts].sort((a, b) => b[1] - a[1]).map(([cpus]) => cpus);
  const others = nodes.filter(({ node }) => node.cpus !== common);
  return [`${common}`, ...others.map(({ node }) => `[${node.name}=${node.cpus}]`)].join(',');
}

export const PE_WIDTH = 19;
/** What Grid Engine writes for as many as there are. */
const ANY_NUMBER = 9_999_999;

export function peSettings({ name, spread, maxRanks }: PeLayout): readonly Setting[] {
  return [
    ['pe_name', name],
    ['slots', `${maxRanks ?? ANY_NUMBER}`],
    ['user_lists', 'NONE'],
    ['xuser_lists', 'NONE'],
    ['start_proc_args', 'NONE'],
    ['stop_proc_args', 'NONE'],
    ['allocation_rule', typeof spread === 'number' ? `${spread}` : RULES[spread]],
    ['control_slaves', 'TRUE'],
    ['job_is_first_task', 'TRUE'],
    ['urgency_slots', 'min'],
    ['accounting_summary', 'TRUE'],
    ['qsort_args', 'NONE'],
  ];
}

const RULES = { oneNode: '$pe_slots', fill: '$fill_up', roundRobin: '$round_robin' } as const;

function listText(names: readonly string[]): string {
  return names.length === 0 ? 'NONE' : names.join(' ');
}
