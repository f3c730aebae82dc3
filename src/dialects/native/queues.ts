/** `trainyard queues`: where jobs can queue, the rules there, and how many do. */

import type { Queue, QueueLimits, QueueState } from '../../model/policy.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { type Program, printOut, query } from '../program.ts';
import { type Cell, type Column, type Row, table } from '../text/table.ts';
import type { Call, NativeCommand } from './call.ts';
import { printJson } from './json.ts';

export const queues: NativeCommand = {
  name: 'queues',
  aliases: [],
  group: 'yard',
  summary: 'where jobs can queue, and the rules there',
  usage: [''],
  about: ['The one marked * is taken when a job names none.'],
  examples: [{ line: 'trainyard queues', says: 'priorities, time limits, and how many jobs there are' }],
  options: [],
  positionals: 'anywhere',
  arguments: 'none',
  run: runQueues,
};

function* runQueues(call: Call): Program {
  const views = yield* query('queues', {});
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

function rulesText({ limits, defaultMemoryBytes }: Queue): string {
  const rules = (Object.keys(LIMIT_WORDS) as (keyof QueueLimits)[]).flatMap((key) =>
    limits[key] === null ? [] : [`${limits[key]} ${LIMIT_WORDS[key]}`],
  );
  const memory =
    defaultMemoryBytes === null ? [] : [`${formatBytes(defaultMemoryBytes)} memory unless asked`];
  return [...rules, ...memory].join(', ') || '-';
}

function durationOr(durationMs: number | null): string {
  return durationMs === null ? '-' : formatDuration(durationMs);
}
