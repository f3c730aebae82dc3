/** `qhost -xml`, which is laid out in a way of its own. */

import { valueText } from '../host-values.ts';
import { instanceName, type JobFacts, taskText } from '../job-facts.ts';
import { eachSlot } from '../qstat/job-line.ts';
import { QUEUE_TYPE } from '../qstat/listing.ts';
import { escaped, XML_DECLARATION } from '../qstat/xml.ts';
import type { HostColumn, HostQueue, HostRecord } from './host-record.ts';
import type { QhostCall } from './options.ts';
import type { JobWriter } from './text.ts';

const SCHEMA = 'http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qhost/qhost.xsd';

const COLUMNS: readonly (readonly [of: HostColumn, name: string, isTopology: boolean])[] = [
  ['arch', 'arch_string', false],
  ['cpus', 'num_proc', false],
  ['sockets', 'm_socket', true],
  ['cores', 'm_core', true],
  ['threads', 'm_thread', true],
  ['load', 'load_avg', false],
  ['memory', 'mem_total', false],
  ['memoryUsed', 'mem_used', false],
  ['swap', 'swap_total', false],
  ['swapUsed', 'swap_used', false],
];

export function* hostXml(
  hosts: readonly HostRecord[],
  writer: JobWriter,
  call: QhostCall,
): Generator<string> {
  yield `${XML_DECLARATION}<qhost xmlns:xsd="${SCHEMA}">\n`;
  for (const host of hosts) {
    yield ` <host name='${escaped(host.name)}'>\n`;
    for (const [of, name, isTopology] of COLUMNS) {
      if (isTopology && !call.withTopology) continue;
      yield `   <hostvalue name='${name}'>${escaped(host.columns[of])}</hostvalue>\n`;
    }
    for (const value of call.attributes === null ? [] : host.values) {
      if (call.attributes !== 'all' && call.attributes?.includes(value.name) !== true) continue;
      const text = escaped(valueText(value, 'withFraction'));
      yield `   <resourcevalue name='${value.name}' dominance='${value.dominance}'>${text}</resourcevalue>\n`;
    }
    for (const queue of host.queues) yield* queueXml(queue, writer, call);
    yield ' </host>\n';
  }
  yield '</qhost>\n';
}

function* queueXml({ instance, jobs }: HostQueue, writer: JobWriter, call: QhostCall): Generator<string> {
  if (call.withQueues) {
    const queue = escaped(instance.queue);
    const values: readonly (readonly [string, string | number])[] = [
      ['qtype_string', QUEUE_TYPE],
      ['slots_used', instance.used],
      ['slots', instance.slots],
      ['slots_resv', 0],
      ['state_string', instance.states],
    ];
    yield ` <queue name='${queue}'>\n`;
    for (const [name, value] of values) {
      yield `   <queuevalue qname='${queue}' name='${name}'>${value}</queuevalue>\n`;
    }
    yield ' </queue>\n';
  }
  for (const facts of jobs) yield* jobXml(facts, instance.name, writer, call);
}

function* jobXml(
  facts: JobFacts,
  instance: string,
  { priority }: JobWriter,
  { withQueues }: QhostCall,
): Generator<string> {
  const { number, job, state, since, tasks } = facts;
  const here = facts.places.find((place) => instanceName(place) === instance) ?? null;
  for (const { isMaster } of eachSlot(facts, here)) {
    const values: readonly (readonly [string, string | number])[] = [
      ['priority', `'${priority(facts).prior.toFixed(6)}'`],
      ['qinstance_name', escaped(instance)],
      ['job_name', escaped(job.spec.name)],
      ['job_owner', escaped(job.spec.user)],
      ['job_state', state],
      ['start_time', Math.floor(since / 1000)],
      ...(withQueues ? [] : [['queue_name', escaped(instance)] as const]),
      ['pe_master', isMaster ? 'MASTER' : 'SLAVE'],
      ...(tasks === null ? [] : [['taskid', taskText(tasks)] as const]),
    ];
    yield ` <job name='${number}'>\n`;
    for (const [name, value] of values) {
      yield `   <jobvalue jobid='${number}' name='${name}'>${value}</jobvalue>\n`;
    }
    yield ' </job>\n';
  }
}
