/** `qhost`: hosts, what they have, and the queues and jobs that are on them. */

import { ANY_JOB, type NodeView } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Asking, type Invocation, type Program, printOut, query } from '../../program.ts';
import type { GridEngineCommand } from '../command.ts';
import { type AttributeValue, hostValues } from '../host-values.ts';
import { type JobFacts, jobFacts } from '../job-facts.ts';
import { listedMoment, remembering } from '../moments.ts';
import { matchesExpression } from '../patterns.ts';
import { inOrder, prioritiesOf } from '../priorities.ts';
import { placed } from '../qstat/listing.ts';
import { queueInstances } from '../queue-instances.ts';
import { meetsWishes } from '../resource-match.ts';
import { GLOBAL, type HostRecord, hostRecord } from './host-record.ts';
import { QHOST_HELP, type QhostCall, readQhostCall, unknownHost } from './options.ts';
import { hostLines, type JobWriter } from './text.ts';
import { hostXml } from './xml.ts';

export const qhost: GridEngineCommand = { name: 'qhost', run: runQhost };

function* runQhost({ argv, timeZone }: Invocation): Program {
  const call = readQhostCall(argv.slice(1));
  if (call.isHelp) {
    yield* printOut(QHOST_HELP);
    return 0;
  }
  const nodes = yield* query('nodes', { names: null });
  const chosen = chosenNodes(nodes, call);
  const { hosts, writer } = yield* recordsOf(nodes, chosen, call, timeZone);
  // Nobody asks the cluster as a whole for what one host has.
  const all = call.wishes === null ? [GLOBAL, ...hosts] : hosts;
  yield* printPieces((call.xml ? hostXml : hostLines)(all, writer, call));
  return 0;
}

function chosenNodes(nodes: readonly NodeView[], { hosts, wishes }: QhostCall): readonly NodeView[] {
  const unknown = hosts?.find((host) => !nodes.some(({ node }) => isNamed(node.name, host)));
  if (unknown !== undefined) throw unknownHost(unknown);
  return nodes
    .filter(({ node }) => hosts === null || hosts.some((host) => isNamed(node.name, host)))
    .filter((view) => wishes === null || meetsWishes(withName(view), wishes))
    .sort((a, b) => (a.node.name < b.node.name ? -1 : 1));
}

function isNamed(node: string, host: string): boolean {
  return matchesExpression(host.toLowerCase(), node.toLowerCase());
}

function withName(view: NodeView): readonly AttributeValue[] {
  return [...hostValues(view), { name: 'hostname', dominance: 'hl', value: view.node.name }];
}

/** Queues and jobs are looked at only when they are shown. */
function* recordsOf(
  nodes: readonly NodeView[],
  chosen: readonly NodeView[],
  { withJobs, withQueues, users }: QhostCall,
  zone: string,
): Asking<{ readonly hosts: readonly HostRecord[]; readonly writer: JobWriter }> {
  const needsJobs = withJobs || withQueues;
  const views = needsJobs ? yield* liveJobs(ANY_JOB) : [];
  const queues = needsJobs ? yield* query('queues', {}) : [];
  const priority = prioritiesOf(views);
  const running = yield* inOrder(
    (yield* jobFacts(views)).filter(({ section }) => section === 'running'),
    priority,
  );
  const instances = queueInstances(queues, nodes, running);
  const isShown = ({ job }: JobFacts) =>
    users === null || users.some((user) => matchesExpression(user, job.spec.user));
  const jobs = placed(withJobs ? running.filter(isShown) : []);
  return {
    hosts: chosen.map((view) => hostRecord(view, instances, jobs)),
    writer: { priority, listed: remembering(listedMoment, zone) },
  };
}
