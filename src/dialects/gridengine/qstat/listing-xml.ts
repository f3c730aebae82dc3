/** The listings of `qstat` as XML: the same jobs and queue instances, with the names that its schema has for them. */

import { hostFacts, instanceValues, valueText } from '../host-values.ts';
import { eachTask, instanceName, type JobFacts, type Place, taskText } from '../job-facts.ts';
import { askedPriority, urgencyOf } from '../priorities.ts';
import type { QueueInstance } from '../queue-instances.ts';
import {
  askedEnvironment,
  askedQueues,
  bindingText,
  hardResources,
  predecessorsOf,
  slotRangeText,
  softResources,
} from '../requested.ts';
import type { Section } from '../states.ts';
import { wordOf } from '../words.ts';
import { DEPARTMENT, eachSlot, type LineSources } from './job-line.ts';
import { placed, QUEUE_TYPE, type Wanted } from './listing.ts';
import type { QstatCall } from './options.ts';
import { element, opening, type XmlNode, xmlText } from './xml.ts';

/** `instances` are null when only jobs are listed. */
export function* listingXml(
  instances: readonly QueueInstance[] | null,
  wanted: Wanted,
  sources: LineSources,
  call: QstatCall,
): Generator<string> {
  yield opening('job_info', 'qstat');
  yield '  <queue_info>\n';
  if (instances === null) {
    for (const facts of wanted.running) yield* jobTexts(facts, sources, call, null, 2);
  } else {
    const byInstance = placed(wanted.running);
    for (const instance of instances) {
      if (call.hideEmpty && instance.used === 0) continue;
      yield instanceText(instance, byInstance.get(instance.name) ?? [], sources, call);
    }
  }
  yield '  </queue_info>\n  <job_info>\n';
  for (const facts of [...wanted.pending, ...wanted.finished]) yield* jobTexts(facts, sources, call, null, 2);
  yield '  </job_info>\n</job_info>\n';
}

function instanceText(
  instance: QueueInstance,
  jobs: readonly JobFacts[],
  sources: LineSources,
  call: QstatCall,
): string {
  const { name, used, slots, nodeView, states } = instance;
  const host = nodeView === null ? null : hostFacts(nodeView);
  const nodes: XmlNode[] = [
    element('name', name),
    element('qtype', QUEUE_TYPE),
    element('slots_used', used),
    element('slots_resv', 0),
    element('slots_total', slots),
  ];
  if (host !== null && host.load !== null) nodes.push(element('load_avg', host.load.medium.toFixed(5)));
  if (host !== null && host.arch !== null) nodes.push(element('arch', host.arch));
  if (states !== '') nodes.push(element('state', states));
  const { attributes } = call;
  for (const value of attributes === null ? [] : instanceValues(instance)) {
    if (attributes !== 'all' && attributes?.includes(value.name) !== true) continue;
    const of = { name: value.name, type: value.dominance };
    nodes.push(element('resource', valueText(value, 'plain'), of));
  }
  const inside = nodes.map((node) => xmlText(node, 3)).join('');
  const texts = jobs.flatMap((facts) => {
    const here = facts.places.find((place) => instanceName(place) === name) ?? null;
    return [...jobTexts(facts, sources, call, here, 3)];
  });
  return `    <Queue-List>\n${inside}${texts.join('')}    </Queue-List>\n`;
}

const SECTION_NAMES: Readonly<Record<Section, string>> = {
  running: 'running',
  pending: 'pending',
  finished: 'zombie',
};

function* jobTexts(
  facts: JobFacts,
  sources: LineSources,
  call: QstatCall,
  here: Place | null,
  depth: number,
): Generator<string> {
  const state = { state: SECTION_NAMES[facts.section] };
  for (const each of call.perTask ? eachTask(facts) : [facts]) {
    const before = leadingNodes(each, sources, call);
    const after = [
      ...(each.tasks === null ? [] : [element('tasks', taskText(each.tasks))]),
      ...(call.withRequests ? requestNodes(each, sources, call.withBinding) : []),
    ];
    for (const middle of middles(each, call, here)) {
      yield xmlText(element('job_list', [...before, ...middle, ...after], state), depth);
    }
  }
}

/** Where it is and with how many slots; for each slot by itself when that is asked for. */
function middles(facts: JobFacts, { full, perSlot }: QstatCall, here: Place | null): readonly XmlNode[][] {
  const queue = (place: Place | undefined) =>
    full ? [] : [element('queue_name', place === undefined ? '' : instanceName(place))];
  if (!perSlot || facts.section !== 'running') {
    const slots = here === null ? facts.slots : here.slots;
    const master = perSlot ? [element('master', '')] : [];
    return [[...queue(facts.places[0]), ...master, element('slots', slots)]];
  }
  return eachSlot(facts, here).map(({ place, isMaster }) => [
    ...queue(place),
    element('master', isMaster ? 'MASTER' : 'SLAVE'),
    element('slots', 1),
  ]);
}

function leadingNodes(facts: JobFacts, sources: LineSources, { columns }: QstatCall): readonly XmlNode[] {
  const { scene, breakdowns } = sources;
  const { extended, urgency, priority } = columns;
  const { job, section, since, state } = facts;
  const numbers = scene.priority(facts);
  const nodes = [element('JB_job_number', facts.number), element('JAT_prio', numbers.prior.toFixed(5))];
  if (extended || priority) nodes.push(element('JAT_ntix', numbers.tickets.toFixed(5)));
  if (priority) nodes.push(element('JB_nppri', numbers.asked.toFixed(5)));
  if (urgency || priority) nodes.push(element('JB_nurg', numbers.urgency.toFixed(5)));
  if (urgency) {
    const { request, waiting } = urgencyOf(breakdowns.get(job.id));
    nodes.push(element('JB_rrcontr', request), element('JB_wtcontr', waiting), element('JB_dlcontr', 0));
  }
  if (priority) nodes.push(element('JB_priority', askedPriority(facts)));
  nodes.push(element('JB_name', job.spec.name), element('JB_owner', job.spec.user));
  if (extended) {
    nodes.push(element('JB_project', wordOf(job, 'project') ?? ''), element('JB_department', DEPARTMENT));
  }
  nodes.push(element('state', state));
  const time = section === 'running' ? 'JAT_start_time' : 'JB_submission_time';
  if (!extended || urgency || priority) nodes.push(element(time, scene.xml(since)));
  return extended ? [...nodes, ...usageNodes(facts, sources)] : nodes;
}

function usageNodes(facts: JobFacts, { measured }: LineSources): readonly XmlNode[] {
  const use = measured.get(facts);
  const measuredNodes =
    use === undefined
      ? []
      : [
          element('cpu_usage', (use.cpuMs / 1000).toFixed(5)),
          element('mem_usage', use.memoryGbSeconds.toFixed(5)),
          element('io_usage', '0.00000'),
        ];
  return [
    ...measuredNodes,
    ...['tickets', 'JB_override_tickets', 'JB_jobshare', 'otickets', 'ftickets', 'stickets'].map((name) =>
      element(name, 0),
    ),
    element('JAT_share', '0.00000'),
  ];
}

function requestNodes(facts: JobFacts, { scene }: LineSources, withBinding: boolean): readonly XmlNode[] {
  const { job, section, slots } = facts;
  const nodes = [element('full_job_name', job.spec.name)];
  const environment = askedEnvironment(job);
  if (environment !== null) {
    const { name } = environment;
    nodes.push(element('requested_pe', slotRangeText(environment), { name }));
    if (section === 'running') nodes.push(element('granted_pe', slots, { name }));
  }
  for (const { name, value } of hardResources(job)) {
    nodes.push(element('hard_request', value, { name, resource_contribution: '0.000000' }));
  }
  for (const { name, value } of softResources(job)) nodes.push(element('soft_request', value, { name }));
  const whole = predecessorsOf(job, 'whole', scene.isLive);
  const taskByTask = predecessorsOf(job, 'taskByTask', scene.isLive);
  const lists: readonly (readonly [string, readonly (string | number)[]])[] = [
    ['hard_req_queue', askedQueues(job, 'queues')],
    ['soft_req_queue', askedQueues(job, 'softQueues')],
    ['master_hard_req_queue', askedQueues(job, 'masterQueues')],
    ['predecessor_jobs_req', whole.asked],
    ['predecessor_jobs', whole.left],
    ['ad_predecessor_jobs_req', taskByTask.asked],
    ['ad_predecessor_jobs', taskByTask.left],
  ];
  for (const [name, values] of lists) nodes.push(...values.map((value) => element(name, value)));
  if (withBinding) nodes.push(element('binding', bindingText(job)));
  return nodes;
}
