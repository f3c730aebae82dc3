/** `scontrol show node [LIST]`. */

import type { NodeView, QueueView } from '../../../model/query.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Asking, printErr, printOut, query } from '../../program.ts';
import { expandHosts } from '../host-list.ts';
import { answerPieces, type Structure } from '../listing/structured.ts';
import { nodeFacts } from '../node-facts.ts';
import { nodeRecord } from '../sinfo/node-record.ts';
import { nodeSight } from '../sinfo/node-sights.ts';
import { stoppingJobs } from '../sinfo/sinfo.ts';
import { type Call, EXIT_FAILED, EXIT_OK } from './call.ts';
import { nodeLines } from './node-record.ts';
import { recordText } from './record.ts';
import { toldMoments } from './told-moments.ts';

export function* showNodes(call: Call, which: string | null): Asking<number> {
  const { manner } = call;
  const nodes = yield* query('nodes', { names: null });
  const queues = yield* query('queues', {});
  const { host, startedAt } = yield* query('yard', {});
  const circumstances = {
    host,
    startedAt,
    details: manner.details,
    moment: yield* toldMoments(call),
  };
  if (manner.structure !== null)
    return yield* printForPrograms(manner.structure, which, nodes, queues, circumstances);
  const text = (view: NodeView) => recordText(nodeLines(nodeFacts(view, queues), circumstances), manner);
  if (which === null) {
    yield* printOut(nodes.length === 0 ? 'No nodes in the system\n' : nodes.map(text).join(''));
    return EXIT_OK;
  }
  const names = expandHosts(which);
  if (names === null) {
    yield* printErr(`Invalid hostlist: ${which}\n`);
    return EXIT_FAILED;
  }
  let exitCode = EXIT_OK;
  for (const name of names) {
    const found = nodes.find(({ node }) => node.name === name);
    if (found !== undefined) yield* printOut(text(found));
    else exitCode = yield* notFound(call, `Node ${name} not found`);
  }
  return exitCode;
}

/** What programs are told of a node is what sinfo tells them. */
function* printForPrograms(
  structure: Structure,
  which: string | null,
  nodes: readonly NodeView[],
  queues: readonly QueueView[],
  machine: { readonly host: string; readonly startedAt: number },
): Asking<number> {
  const names = which === null ? null : new Set(expandHosts(which));
  const wanted = nodes.filter(({ node }) => names?.has(node.name) ?? true);
  const stopping = yield* stoppingJobs();
  const records = wanted.map((view) => nodeRecord(nodeSight(view, queues, stopping), machine));
  yield* printPieces(answerPieces('nodes', records, structure));
  return wanted.length === 0 && which !== null ? EXIT_FAILED : EXIT_OK;
}

/** Slurm says this where the record would have been. */
export function* notFound({ manner }: Call, sentence: string): Asking<number> {
  if (!manner.quiet) yield* printOut(`${sentence}\n`);
  return EXIT_FAILED;
}
