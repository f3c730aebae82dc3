/** `sinfo`: partitions, and the nodes in them by state. */

import type { Queue } from '../../../model/policy.ts';
import { ANY_JOB } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Asking, type Invocation, type Program, printErr, printOut, query } from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readFormat } from '../listing/format.ts';
import { headingLine, type Layout, type ReadLayout } from '../listing/layout.ts';
import { readLongFormat } from '../listing/long-format.ts';
import { printRows, repeated } from '../listing/print.ts';
import { answerPieces, type Structure } from '../listing/structured.ts';
import { partitionOf } from '../partitions.ts';
import { ALL_LETTERS, LEAST_WIDTHS, NODE_COLUMNS, type Widths } from './columns.ts';
import { NODE_FIELDS } from './fields.ts';
import { isWantedNode } from './filters.ts';
import { type Group, groupsOf, type NodeField } from './groups.ts';
import { nodeRecord } from './node-record.ts';
import { type NodeSight, nodeSight } from './node-sights.ts';
import { HELP, readSinfoCall, type SinfoCall, USAGE } from './options.ts';
import { NODE_ORDER, sortedGroups, USUAL_ORDER } from './sort.ts';

export const sinfo: SlurmCommand = { name: 'sinfo', run: runSinfo };

function* runSinfo(invocation: Invocation): Program {
  const call = readSinfoCall(invocation);
  if ('kind' in call) {
    const texts = { help: HELP, usage: USAGE, version: `slurm ${SLURM_VERSION}\n` };
    yield* printOut(texts[call.kind]);
    return 0;
  }
  const cluster = yield* chooseCluster('sinfo', call.clusters.option, call.clusters.variable);
  if (call.structure !== null) return yield* printStructured(call, call.structure);
  for (const { said } of layoutOf(call, LEAST_WIDTHS).problems) {
    const letters = call.longFormat === null;
    yield* printErr(
      letters
        ? `Invalid node format specification: ${said}\n`
        : `sinfo: error: Invalid job format specification: ${said}\n`,
    );
  }
  if (cluster.named && call.header) yield* printOut(`CLUSTER: ${cluster.name}\n`);
  return yield* repeated(call, () => printOnce(call));
}

function* printOnce(call: SinfoCall): Program {
  if (call.reservations) {
    yield* printOut('No reservations in the system\n');
    return 0;
  }
  const { host } = yield* query('yard', {});
  const { queues, nodes } = yield* look(call);
  const fields = layoutOf(call, LEAST_WIDTHS).layout.cells.flatMap(({ column }) =>
    column === null ? [] : [column as NodeField],
  );
  const groups = groupsOf(queues, nodes, { host }, { ...call, fields });
  const { layout } = layoutOf(call, widthsFor(groups));
  const sorted = sortedGroups(groups, call.sort ?? (call.eachNode ? NODE_ORDER : USUAL_ORDER));
  if (call.header) yield* printOut(headingLine(layout));
  yield* printRows(layout as Layout<Group>, sorted);
  return 0;
}

function* printStructured(call: SinfoCall, structure: Structure): Program {
  const yard = yield* query('yard', {});
  const { queues, nodes } = yield* look(call);
  const shown = nodes.filter(({ name }) => queues.some((queue) => isMember(queue, name)));
  yield* printPieces(
    answerPieces(
      'nodes',
      shown.map((node) => nodeRecord(node, yard)),
      structure,
    ),
  );
  return 0;
}

function isMember({ nodes }: Queue, name: string): boolean {
  return nodes === null || nodes.includes(name);
}

interface Sight {
  readonly queues: readonly Queue[];
  readonly nodes: readonly NodeSight[];
}

/** The partitions and nodes that are wanted. */
function* look({ partitions, filters }: SinfoCall): Asking<Sight> {
  const queues = yield* query('queues', {});
  const views = yield* query('nodes', { names: null });
  const stopping = yield* stoppingJobs();
  return {
    queues: queues.map(partitionOf).filter(({ name }) => partitions?.has(name) ?? true),
    nodes: views
      .map((view) => nodeSight(view, queues, stopping))
      .filter((node) => isWantedNode(node, filters)),
  };
}

/** Jobs that hold a place and are about to leave it. */
export function* stoppingJobs(): Asking<ReadonlySet<number>> {
  const active = yield* liveJobs({ ...ANY_JOB, phases: ['active'] });
  const stopping = active.filter(({ job }) => job.attempt?.phase === 'stopping');
  return new Set(stopping.map(({ job }) => job.id));
}

function layoutOf({ format, longFormat, namedFormat }: SinfoCall, widths: Widths): ReadLayout<Group> {
  if (longFormat !== null && longFormat.toLowerCase() !== 'all')
    return readLongFormat(longFormat, NODE_FIELDS);
  const letters = longFormat === null ? (format ?? namedFormat(widths)) : ALL_LETTERS;
  return readFormat(letters, NODE_COLUMNS, ALL_LETTERS);
}

/** As wide as the longest name that is shown. */
function widthsFor(groups: readonly Group[]): Widths {
  let { partition, nodes } = LEAST_WIDTHS;
  for (const group of groups) {
    partition = Math.max(partition, NODE_FIELDS.partition?.text(group)?.length ?? 0);
    nodes = Math.max(nodes, NODE_FIELDS.nodelist?.text(group)?.length ?? 0);
  }
  return { partition, nodes };
}
