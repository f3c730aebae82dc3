/** `trainyard status`: the yard at a glance. */

import { printable } from '../../model/bytes.ts';
import type { NodeView, YardView } from '../../model/query.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { clock, type Program, printOut, query } from '../program.ts';
import { type Row, table } from '../text/table.ts';
import { fullTime } from '../text/times.ts';
import { counted, plainNumber } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { isoOrNull, printJson } from './json.ts';
import { LIVE_PHASES, PHASE_WORDS } from './states.ts';

export const status: NativeCommand = {
  name: 'status',
  aliases: [],
  group: 'yard',
  summary: 'the yard at a glance',
  usage: [''],
  about: ['With --quiet it prints nothing: that it succeeds says that a yard runs.'],
  examples: [{ line: 'trainyard status', says: 'who runs it, where it keeps things, how busy it is' }],
  options: [],
  positionals: 'anywhere',
  arguments: 'none',
  run: runStatus,
};

function* runStatus(call: Call): Program {
  const yard = yield* query('yard', {});
  const nodes = yield* query('nodes', { names: null });
  const now = yield* clock();
  if (call.json) {
    const { startedAt, ...rest } = yard;
    const { slices } = yield* query('activity', {});
    const times = { startedAt: isoOrNull(startedAt), upMs: now - startedAt };
    yield* printJson({ ...rest, ...times, ...totalsOf(nodes), slices });
  } else if (!call.quiet) {
    const up = formatDuration(Math.max(0, now - yard.startedAt));
    yield* printOut(
      `${call.paint('bold', `trainyard ${yard.version}`)}, the yard of ${printable(yard.user)}, up for ${up}\n`,
    );
    const rows = factsOf(yard, nodes, call.zone).map(
      ([name, value]): Row => [{ text: name, colour: 'grey' }, value],
    );
    yield* printOut(
      table([{ title: '' }, { title: '' }], rows, { ...call, width: null, indent: '  ', titles: false }),
    );
  }
  return 0;
}

function factsOf(
  yard: YardView,
  nodes: readonly NodeView[],
  zone: string,
): readonly (readonly [string, string])[] {
  return [
    ['jobs', jobsText(yard)],
    ['nodes', nodesText(nodes)],
    ['started', `${fullTime(yard.startedAt, zone)}, process ${yard.pid}`],
    ['directory', yard.directory],
    ['socket', yard.socket],
    ...yard.remarks.map((remark) => ['remark', remark] as const),
  ];
}

function jobsText(yard: YardView): string {
  const live = [...LIVE_PHASES].reverse().map((phase) => `${yard.counts[phase]} ${PHASE_WORDS[phase].word}`);
  return live.join(', ');
}

interface Totals {
  readonly nodes: number;
  readonly cpus: { readonly used: number; readonly total: number };
  readonly memoryBytes: { readonly used: number; readonly total: number };
  readonly gpus: { readonly used: number; readonly total: number };
}

function totalsOf(nodes: readonly NodeView[]): Totals {
  const sum = (amount: (view: NodeView) => number) => nodes.reduce((total, view) => total + amount(view), 0);
  return {
    nodes: nodes.length,
    cpus: { used: sum((view) => view.cpusUsed), total: sum(({ node }) => node.cpus) },
    memoryBytes: { used: sum((view) => view.memoryUsedBytes), total: sum(({ node }) => node.memoryBytes) },
    gpus: {
      used:
        sum(({ devices }) =>
          devices.reduce((total, device) => total + Math.min(1000, device.usedMillis), 0),
        ) / 1000,
      total: sum(({ node }) => node.devices.length),
    },
  };
}

function nodesText(nodes: readonly NodeView[]): string {
  const { cpus, memoryBytes, gpus } = totalsOf(nodes);
  const parts = [
    `${cpus.used}/${cpus.total} CPUs`,
    `${formatBytes(memoryBytes.used)}/${formatBytes(memoryBytes.total)} memory`,
  ];
  if (gpus.total > 0) parts.push(`${plainNumber(gpus.used)}/${gpus.total} GPUs`);
  return `${counted(nodes.length, 'node')}, in use: ${parts.join(', ')}`;
}
