/** `qstat`: jobs, queue instances, one job in full, and why jobs wait. */

import { variableOf } from '../../environment.ts';
import { chosen as chosenOf } from '../../job-pages.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Asking, type Invocation, type Program, printOut, query, readFile } from '../../program.ts';
import { commonDirectory } from '../cell.ts';
import type { GridEngineCommand } from '../command.ts';
import { belongsTo, selectInstances } from '../instance-selection.ts';
import type { JobFacts } from '../job-facts.ts';
import { matchesExpression } from '../patterns.ts';
import { requestWords } from '../submit/directives.ts';
import { clusterQueueLines, clusterQueueNode, clusterQueues } from './cluster-queues.ts';
import { showJobs, showReasons } from './details.ts';
import { QSTAT_HELP } from './help.ts';
import { type LineSources, queueWidthFor } from './job-line.ts';
import { fullListing, plainListing, type Wanted } from './listing.ts';
import { listingXml } from './listing-xml.ts';
import { type QstatCall, readQstatCall } from './options.ts';
import {
  type Hosts,
  lookAtFinished,
  lookAtHosts,
  lookAtJobs,
  lookAtPriorities,
  type Scene,
} from './scene.ts';
import { isChosen, USUAL_CHOICES } from './state-choices.ts';
import { measure } from './usage.ts';
import { opening, xmlText } from './xml.ts';

export const qstat: GridEngineCommand = { name: 'qstat', run: runQstat };

function* runQstat(invocation: Invocation): Program {
  const words = invocation.argv.slice(1);
  const call = readQstatCall([...(yield* defaults(invocation)), words], invocation.user);
  if (call.isHelp) {
    yield* printOut(QSTAT_HELP);
    return 0;
  }
  const scene = yield* lookAtJobs(invocation.timeZone);
  if (call.jobs !== null) {
    const hosts = yield* lookAtHosts(scene.facts);
    if (call.jobs.length === 0) return yield* showReasons(scene, hosts, call);
    return yield* showJobs(call.jobs, scene, hosts, call);
  }
  const needsHosts =
    call.full || call.perQueue || Object.values(call.selection).some((list) => list !== null);
  const hosts = needsHosts ? yield* lookAtHosts(scene.facts) : null;
  const chosen = hosts === null ? null : yield* choose(hosts, call);
  if (call.perQueue) return yield* listClusterQueues(chosen?.shown ?? [], call);
  const wanted = yield* wantedJobs(scene, chosen, call);
  // Where no queue instance is left there is nothing to list.
  const instances = call.full ? (chosen?.shown ?? []) : null;
  const sources: LineSources = {
    scene,
    breakdowns: call.columns.urgency ? yield* lookAtPriorities() : new Map(),
    measured: call.columns.extended ? yield* measure(wanted.running, scene.now) : new Map(),
  };
  if (call.xml) yield* printPieces(listingXml(instances, wanted, sources, call));
  else if (instances !== null) yield* printPieces(fullListing(instances, wanted, sources, call));
  else {
    const asked = variableOf(invocation.environment, 'SGE_LONG_QNAMES');
    yield* printPieces(plainListing(wanted, sources, call, queueWidthFor(asked, wanted.running)));
  }
  return 0;
}

const MOST_DEFAULT_BYTES = 65_536;

/** Flags that the site and then the user have put into files; most have none. */
function* defaults({ environment }: Invocation): Asking<readonly (readonly string[])[]> {
  const { directory } = yield* query('yard', {});
  const home = variableOf(environment, 'HOME');
  const paths = [`${commonDirectory(directory)}/sge_qstat`, ...(home === null ? [] : [`${home}/.sge_qstat`])];
  const sources: (readonly string[])[] = [];
  for (const path of paths) {
    const read = yield* readFile(path, MOST_DEFAULT_BYTES);
    if (read.ok) sources.push(requestWords(read.bytes));
  }
  return sources;
}

interface ChosenInstances {
  readonly shown: Hosts['instances'];
  /** Null: nobody chose, and so every job counts. */
  readonly forRunning: Hosts['instances'] | null;
  /** A state that a queue instance is in for now says nothing of what waits. */
  readonly forPending: Hosts['instances'] | null;
}

function* choose({ instances }: Hosts, { selection }: QstatCall): Asking<ChosenInstances> {
  const policy = yield* query('policy', {});
  const chosen = selectInstances(instances, selection, policy);
  const lasting = selectInstances(instances, { ...selection, states: null }, policy);
  return { shown: chosen ?? instances, forRunning: chosen, forPending: lasting };
}

function* wantedJobs(scene: Scene, chosen: ChosenInstances | null, call: QstatCall): Asking<Wanted> {
  const choices = call.states ?? USUAL_CHOICES;
  const isOfUsers = userFilter(call.users);
  const isWanted = (facts: JobFacts) => {
    if (!isChosen(facts, choices) || !isOfUsers(facts.job.spec.user)) return false;
    const among = (facts.section === 'running' ? chosen?.forRunning : chosen?.forPending) ?? null;
    return among === null || belongsTo(facts, among);
  };
  const facts = yield* chosenOf(scene.facts, isWanted);
  const finished = choices.includes('z') ? yield* lookAtFinished() : [];
  return {
    running: facts.filter(({ section }) => section === 'running'),
    pending: facts.filter(({ section }) => section === 'pending'),
    finished: finished.filter(isWanted),
  };
}

/** Each user is compared once. */
function userFilter(patterns: readonly string[]): (user: string) => boolean {
  const known = new Map<string, boolean>();
  return (user) => {
    let is = known.get(user);
    if (is === undefined) {
      is = patterns.some((pattern) => matchesExpression(pattern, user));
      known.set(user, is);
    }
    return is;
  };
}

function* listClusterQueues(instances: Hosts['instances'], call: QstatCall): Program {
  const queues = clusterQueues(instances);
  const { extended } = call.columns;
  if (!call.xml) {
    yield* printPieces(clusterQueueLines(queues, extended));
    return 0;
  }
  const nodes = queues.map((queue) => xmlText(clusterQueueNode(queue, extended), 1));
  yield* printPieces([opening('job_info', 'qstat'), ...nodes, '</job_info>\n']);
  return 0;
}
