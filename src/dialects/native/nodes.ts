/** `trainyard nodes`: the machines, what is in use on them, and by whom. */

import type { JobId } from '../../model/ids.ts';
import { displayId } from '../../model/job.ts';
import type { NodeView } from '../../model/query.ts';
import { formatBytes } from '../../model/units.ts';
import { type Asking, type Program, printOut, query } from '../program.ts';
import { type Cell, type Column, type Row, table } from '../text/table.ts';
import { listed, plainNumber } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { refusalError } from './failure.ts';
import { orAny } from './filters.ts';
import { printJson } from './json.ts';
import { findLive } from './look-up.ts';
import { NODE_WORDS, stateCell } from './states.ts';

const BAR_COLUMNS = 8;

export const nodes: NativeCommand = {
  name: 'nodes',
  aliases: ['node'],
  group: 'yard',
  summary: 'the machines, and what is in use on them',
  usage: ['[NODE…]'],
  about: [],
  examples: [{ line: 'trainyard nodes', says: 'CPUs, memory and GPUs, and which jobs hold them' }],
  options: [],
  positionals: 'anywhere',
  arguments: 'some',
  run: runNodes,
};

function* runNodes(call: Call): Program {
  const views = yield* query('nodes', { names: orAny(call.positionals) });
  const missing = call.positionals.filter((name) => !views.some(({ node }) => node.name === name));
  if (missing.length > 0) {
    const known = (yield* query('nodes', { names: null })).map(({ node }) => node.name);
    throw refusalError('noSuchNode', `there is no node ${listed(missing)}`, null, known);
  }
  if (call.json) yield* printJson({ nodes: views });
  else if (call.quiet)
    yield* printOut(
      table(
        [{ title: '' }],
        views.map(({ node }) => [node.name]),
        { ...call, width: null, titles: false },
      ),
    );
  else if (views.length === 0) yield* printOut('this yard has no nodes yet\n');
  else {
    const called = yield* namesOf(views);
    const rows = views.map((view) => rowOf(view, called));
    yield* printOut(table(COLUMNS, rows, call));
    yield* printOut(devicesText(views, called, call));
  }
  return 0;
}

const COLUMNS: readonly Column[] = [
  { title: 'NODE', shrinkTo: 8 },
  { title: 'STATE' },
  { title: 'CPUS' },
  { title: 'MEMORY' },
  { title: 'GPUS' },
  { title: 'JOBS', shrinkTo: 8 },
  { title: 'FEATURES', shrinkTo: 8 },
  { title: 'REASON', shrinkTo: 8 },
];

/** Elements of an array are known by their place in it. */
function* namesOf(views: readonly NodeView[]): Asking<(job: JobId) => string> {
  const ids = [...new Set(views.flatMap(({ jobs }) => jobs))];
  if (ids.length === 0) return String;
  const live = yield* findLive(ids.map((job) => ({ job, index: null })));
  const names = new Map(live.map(({ job }) => [job.id, displayId(job)]));
  return (job) => names.get(job) ?? `${job}`;
}

function rowOf(view: NodeView, called: (job: JobId) => string): Row {
  const { node } = view;
  const gpusUsed = view.devices.reduce((sum, device) => sum + shareOf(device), 0);
  return [
    node.name,
    stateCell(NODE_WORDS[node.state]),
    usage(view.cpusUsed, node.cpus, plainNumber),
    usage(view.memoryUsedBytes, node.memoryBytes, formatBytes),
    node.devices.length === 0 ? '-' : usage(gpusUsed, node.devices.length, plainNumber),
    view.jobs.length === 0 ? '-' : listed(view.jobs.map(called)),
    node.features.join(','),
    node.reason ?? '',
  ];
}

function devicesText(views: readonly NodeView[], called: (job: JobId) => string, call: Call): string {
  const rows = views.flatMap(({ node, devices }) =>
    node.devices.map((device): Row => {
      const used = devices.find((each) => each.index === device.index);
      return [
        node.name,
        `gpu ${device.index}`,
        device.simulated && device.kind !== 'simulated' ? `${device.kind} (simulated)` : device.kind,
        formatBytes(device.memoryBytes),
        usage(used === undefined ? 0 : shareOf(used) * 100, 100, (share) => `${plainNumber(share)}%`),
        used === undefined || used.jobs.length === 0 ? '-' : listed(used.jobs.map(called)),
      ];
    }),
  );
  return rows.length === 0 ? '' : `\n${table(DEVICE_COLUMNS, rows, call)}`;
}

/** Those who share a device may have grown beyond all that it has: it is full then. */
function shareOf({ usedMillis }: NodeView['devices'][number]): number {
  return Math.min(1, usedMillis / 1000);
}

const DEVICE_COLUMNS: readonly Column[] = [
  { title: 'NODE', shrinkTo: 8 },
  { title: 'GPU' },
  { title: 'KIND', shrinkTo: 8 },
  { title: 'MEMORY', align: 'right' },
  { title: 'IN USE' },
  { title: 'JOBS', shrinkTo: 8 },
];

/** `[####....] 4/8`. */
function usage(used: number, total: number, format: (amount: number) => string): Cell {
  const share = total === 0 ? 0 : Math.min(1, used / total);
  // Something in use shows at least one mark, however small.
  const marks = used > 0 ? Math.max(1, Math.round(share * BAR_COLUMNS)) : 0;
  const bar = '#'.repeat(marks) + '.'.repeat(BAR_COLUMNS - marks);
  const colour = share >= 1 ? 'red' : share > 0 ? 'yellow' : 'green';
  return { text: `[${bar}] ${format(used)}/${format(total)}`, colour };
}
