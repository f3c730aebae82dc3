/** `scontrol show node [LIST]`. */

import type { NodeView } from '../../../model/query.ts';
import { type Asking, printErr, printOut, query } from '../../program.ts';
import { expandHosts } from '../host-list.ts';
import { momentText } from '../moments.ts';
import { nodeFacts } from '../node-facts.ts';
import { type Call, EXIT_FAILED, EXIT_OK } from './call.ts';
import { nodeLines } from './node-record.ts';
import { recordText } from './record.ts';

export function* showNodes(call: Call, which: string | null): Asking<number> {
  const { invocation, manner } = call;
  const nodes = yield* query('nodes', { names: null });
  const queues = yield* query('queues', {});
  const { host, startedAt } = yield* query('yard', {});
  const circumstances = {
    host,
    startedAt,
    details: manner.details,
    moment: (at: number) => momentText(at, invocation.timeZone),
  };
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

/** Slurm says this where the record would have been. */
export function* notFound({ manner }: Call, sentence: string): Asking<number> {
  if (!manner.quiet) yield* printOut(`${sentence}\n`);
  return EXIT_FAILED;
}
