/** `trainyard queues`: where jobs can queue, the rules there, and how many do; or what is done to queues. */

import type { Queue, QueueLimits, QueueState } from '../../model/policy.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { type Program, printOut, query } from '../program.ts';
import { type Cell, type Column, type Row, table } from '../text/table.ts';
import { listed } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { refusalError } from './failure.ts';
import { orAny } from './filters.ts';
import { printJson } from './json.ts';
import { DEED_OPTIONS, deedAsked, setQueues } from './set-queues.ts';

export const queues: NativeCommand = {
  name: 'queues',
  aliases: [],
  group: 'yard',
  summary: 'where jobs can queue, and the rules there',
  usage: ['[QUEUE…]', '--disable | --enable | --suspend | --resume QUEUE…'],
  about: [
    'The one marked * is taken when a job names none. What is done to a queue is kept across restarts.',
  ],
  examples: [
    { line: 'trainyard queues', says: 'priorities, time limits, and how many jobs there are' },
    { line: 'trainyard queues --disable gpu', says: 'what runs there goes on, and nothing more starts' },
  ],
  options: DEED_OPTIONS,
  positionals: 'anywhere',
  arguments: 'some',
  run: runQueues,
};

function* runQueues(call: Call): Program {
  const deed = deedAsked(call);
  if (deed !== null) return yield* setQueues(call, deed);
  const all = yield* query('queues', {});
  const known = all.map(({ queue }) => queue.name);
  const missing = call.positionals.filter((name) => !known.includes(name));
  if (missing.length > 0)
    throw refusalError('noSuchQueue', `there is no queue ${listed(missing)}`, null, known);
  const wanted = new Set(orAny(call.positionals) ?? known);
  const views = all.filter(({ queue }) => wanted.has(queue.name));
  if (call.json) yield* printJson({ queues: views });
  else if (call.quiet) {
    const names = views.map(({ queue }): Row => [queue.name]);
    yield* printOut(table([{ title: '' }], names, { ...call, width: null, titles: false }));
  } else {
    const rows = views.map(
      ({ queue, state, waiting, running }): Row => [
        queue.isDefault ? `${queue.name}*` : queue.name,
        stateCell(queue, state),
        `${queue.priority}`,
        `${running}`,
        `${waiting}`,
        durationOr(queue.defaultLimitMs),
        durationOr(queue.maxLimitMs),
        queue.preempt,
        queue.nodes === null ? 'all' : queue.nodes.join(','),
        rulesText(queue),
      ],
    );
    yield* printOut(table(COLUMNS, rows, call));
  }
  return 0;
}

function stateCell({ open }: Queue, { disabled, suspended }: QueueState): Cell {
  if (suspended) return { text: 'suspended', colour: 'red' };
  if (!open) return { text: 'closed', colour: 'red' };
  return disabled ? { text: 'disabled', colour: 'red' } : { text: 'open', colour: 'green' };
}

const COLUMNS: readonly Column[] = [
  { title: 'QUEUE' },
  { title: 'STATE' },
  { title: 'PRIORITY', align: 'right' },
  { title: 'RUNNING', align: 'right' },
  { title: 'WAITING', align: 'right' },
  { title: 'TIME', align: 'right' },
  { title: 'MOST', align: 'right' },
  { title: 'PREEMPT' },
  { title: 'NODES', shrinkTo: 8 },
  { title: 'LIMITS', shrinkTo: 10 },
];

const LIMIT_WORDS: Readonly<Record<keyof QueueLimits, string>> = {
  maxRunning: 'running',
  maxQueued: 'queued',
  maxCpus: 'CPUs',
  maxGpus: 'GPUs',
  maxRunningPerUser: 'running per user',
  maxCpusPerUser: 'CPUs per user',
  maxGpusPerUser: 'GPUs per user',
};

function rulesText({ limits, defaultMemoryBytes, gpuShare }: Queue): string {
  const rules = (Object.keys(LIMIT_WORDS) as (keyof QueueLimits)[]).flatMap((key) =>
    limits[key] === null ? [] : [`${limits[key]} ${LIMIT_WORDS[key]}`],
  );
  const memory =
    defaultMemoryBytes === null ? [] : [`${formatBytes(defaultMemoryBytes)} memory unless asked`];
  const sharing = gpuShare === undefined ? [] : [gpuShare === 'auto' ? 'GPUs shared' : 'whole GPUs'];
  return [...rules, ...memory, ...sharing].join(', ') || '-';
}

function durationOr(durationMs: number | null): string {
  return durationMs === null ? '-' : formatDuration(durationMs);
}
