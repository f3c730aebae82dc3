/** The queues of a yard, and the mistakes that only show when they are seen together. */

import { nearest } from '../../model/nearest.ts';
import type { Node } from '../../model/node.ts';
import type { Queue } from '../../model/policy.ts';
import { type Choices, showDuration, showLimit, showList, showSize } from './choices.ts';
import type { ConfigFile } from './file.ts';
import { badName, keyText, type Mistake, mistakeAt } from './mistakes.ts';
import type { QueueSettings } from './schema.ts';

type QueueTable = Readonly<Record<string, QueueSettings>>;

const DEFAULT_NAME = 'main';
/** Where none are configured: scripts written elsewhere mostly name one of the others. */
const STANDING_NAMES = [DEFAULT_NAME, 'cpu', 'gpu'];

export function queuesOf(table: QueueTable, choices: Choices): Queue[] {
  const entries = Object.entries(table);
  if (entries.length === 0) for (const name of STANDING_NAMES) entries.push([name, {}]);
  const standing = defaultQueueOf(entries);
  return entries.map(([name, settings]) => queueOf(name, settings, name === standing, choices));
}

/** The one that says so, otherwise `main`, otherwise the first. */
function defaultQueueOf(entries: readonly [string, QueueSettings][]): string {
  const marked = entries.find(([, settings]) => settings.default === true);
  const fallback = entries.find(([name]) => name === DEFAULT_NAME) ?? entries[0];
  return ((marked ?? fallback) as [string, QueueSettings])[0];
}

function queueOf(name: string, settings: QueueSettings, isDefault: boolean, choices: Choices): Queue {
  const at = (key: keyof QueueSettings) => ['queues', name, key];
  const limit = (key: LimitKey) => choices.choose(at(key), settings[key], null, showLimit);
  // `default = false` on the only queue cannot be had, so what is in force is told and not what was asked.
  const fromFile = settings.default === isDefault ? isDefault : undefined;
  return {
    name,
    isDefault: choices.choose(at('default'), fromFile, isDefault, String),
    priority: choices.choose(at('priority'), settings.priority, 0, String),
    nodes: choices.choose(at('nodes'), settings.nodes, null, (nodes) =>
      nodes === null ? 'all' : showList(nodes),
    ),
    defaultLimitMs: choices.choose(at('default_time'), settings.default_time, null, showDuration),
    maxLimitMs: choices.choose(at('max_time'), settings.max_time, null, showDuration),
    defaultMemoryBytes: choices.choose(at('default_memory'), settings.default_memory, null, showSize),
    defaultMemoryPerCpuBytes: choices.choose(
      at('default_memory_per_cpu'),
      settings.default_memory_per_cpu,
      null,
      showSize,
    ),
    preempt: choices.choose(at('preempt'), settings.preempt, 'off', String),
    graceMs: choices.choose(at('grace'), settings.grace, null, (graceMs) =>
      graceMs === null ? 'as stop.grace' : showDuration(graceMs),
    ),
    open: choices.choose(at('open'), settings.open, true, String),
    ...gpuShareOf(name, settings, choices),
    limits: {
      maxRunning: limit('max_running'),
      maxRunningPerUser: limit('max_running_per_user'),
      maxQueued: limit('max_queued'),
      maxCpus: limit('max_cpus'),
      maxCpusPerUser: limit('max_cpus_per_user'),
      maxGpus: limit('max_gpus'),
      maxGpusPerUser: limit('max_gpus_per_user'),
    },
  };
}

/** Only where it says something: else the yard's own word holds. */
function gpuShareOf(name: string, { gpu }: QueueSettings, choices: Choices): Pick<Queue, 'gpuShare'> {
  if (gpu?.share === undefined) return {};
  return { gpuShare: choices.choose(['queues', name, 'gpu', 'share'], gpu.share, 'whole', String) };
}

type LimitKey =
  | 'max_running'
  | 'max_running_per_user'
  | 'max_queued'
  | 'max_cpus'
  | 'max_cpus_per_user'
  | 'max_gpus'
  | 'max_gpus_per_user';

export function mistakesInQueues(file: ConfigFile, table: QueueTable, nodes: readonly Node[]): Mistake[] {
  const entries = Object.entries(table);
  return [
    ...entries.flatMap(([name]) => badName(file, ['queues', name], 'a queue')),
    ...secondDefaults(file, entries),
    ...entries.flatMap(([name, settings]) => unknownNodes(file, name, settings, nodes)),
    ...entries.flatMap(([name, settings]) => defaultAboveMaximum(file, name, settings)),
  ];
}

function secondDefaults(file: ConfigFile, entries: readonly [string, QueueSettings][]): Mistake[] {
  const [first, ...others] = entries
    .filter(([, settings]) => settings.default === true)
    .map(([name]) => ({ name, path: ['queues', name, 'default'] }));
  return others.map(({ path }) =>
    mistakeAt(
      file,
      path,
      `${keyText(path)} is true, but ${keyText(first?.path ?? [])} on line ${file.lineOf(first?.path ?? [])} is too; one queue is the default`,
    ),
  );
}

function unknownNodes(
  file: ConfigFile,
  name: string,
  settings: QueueSettings,
  nodes: readonly Node[],
): Mistake[] {
  const known = nodes.map((node) => node.name);
  return (settings.nodes ?? []).flatMap((node, i) => {
    if (known.includes(node)) return [];
    const path = ['queues', name, 'nodes', i];
    const meant = nearest(node, known)[0] ?? null;
    const sentence = `${keyText(path)} is ${JSON.stringify(node)}, which is no node; choose from ${someOf(known)}`;
    const suggestion = meant === null ? null : `did you mean ${JSON.stringify(meant)}?`;
    return [mistakeAt(file, path, sentence, suggestion, known)];
  });
}

function defaultAboveMaximum(file: ConfigFile, name: string, settings: QueueSettings): Mistake[] {
  const { default_time, max_time } = settings;
  if (default_time === undefined || max_time === undefined || default_time <= max_time) return [];
  const path = ['queues', name, 'default_time'];
  const given = file.valueAt(path);
  const most = file.valueAt(['queues', name, 'max_time']);
  const sentence = `${keyText(path)} is ${JSON.stringify(given)}, more than its max_time of ${JSON.stringify(most)}`;
  return [mistakeAt(file, path, sentence)];
}

function someOf(names: readonly string[]): string {
  return names.length <= 8
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')}, … ${names.at(-1)} (${names.length} nodes)`;
}
