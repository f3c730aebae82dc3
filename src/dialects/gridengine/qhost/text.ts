/** `qhost` as text. Widths are the original's. */

import { cell, right } from '../cells.ts';
import { valueText } from '../host-values.ts';
import { instanceName, type JobFacts, taskText } from '../job-facts.ts';
import type { Priority } from '../priorities.ts';
import { eachSlot } from '../qstat/job-line.ts';
import { QUEUE_TYPE } from '../qstat/listing.ts';
import type { HostColumn, HostQueue, HostRecord } from './host-record.ts';
import type { QhostCall } from './options.ts';

export interface JobWriter {
  readonly priority: (facts: JobFacts) => Priority;
  readonly listed: (at: number) => string;
}

const TOPOLOGY: readonly HostColumn[] = ['sockets', 'cores', 'threads'];

const COLUMNS: readonly (readonly [of: HostColumn, heading: string, width: number])[] = [
  ['cpus', 'NCPU', 4],
  ['sockets', 'NSOC', 4],
  ['cores', 'NCOR', 4],
  ['threads', 'NTHR', 4],
  ['load', 'LOAD', 5],
  ['memory', 'MEMTOT', 7],
  ['memoryUsed', 'MEMUSE', 7],
  ['swap', 'SWAPTO', 7],
  ['swapUsed', 'SWAPUS', 7],
];

export function* hostLines(
  hosts: readonly HostRecord[],
  writer: JobWriter,
  call: QhostCall,
): Generator<string> {
  if (hosts.length === 0) return;
  const columns = COLUMNS.filter(([of]) => call.withTopology || !TOPOLOGY.includes(of));
  const line = (name: string, arch: string, text: (column: (typeof COLUMNS)[number]) => string) =>
    [cell(name, 23), cell(arch, 12), ...columns.map((column) => right(text(column), column[2]))].join(' ');
  const heading = line('HOSTNAME', 'ARCH', ([, title]) => title);
  yield `${heading}\n${'-'.repeat(heading.length)}\n`;
  for (const host of hosts) {
    yield `${line(host.name, host.columns.arch, ([of]) => host.columns[of])}\n`;
    yield attributeLines(host, call.attributes);
    yield queueLines(host.queues, writer, call);
  }
}

/** The original puts a title before the first of those that somebody chose, on the same line. */
function attributeLines({ values }: HostRecord, wanted: QhostCall['attributes']): string {
  if (wanted === null) return '';
  const lines = values
    .filter(({ name }) => wanted === 'all' || wanted.includes(name))
    .map((value) => `   ${value.dominance}:${value.name}=${valueText(value, 'withFraction')}\n`);
  if (lines.length === 0) return '';
  return `${wanted === 'all' ? '' : '    Host Resource(s):   '}${lines.join('')}`;
}

const JOB_HEADING =
  'job-ID  prior   name       user         state submit/start at     queue      master ja-task-ID ';
const INDENT = '   ';

function queueLines(queues: readonly HostQueue[], writer: JobWriter, call: QhostCall): string {
  let text = '';
  for (const { instance, jobs } of queues) {
    if (call.withQueues) {
      const { queue, used, slots, states } = instance;
      const counts = cell(`0/${used}/${slots}`, 14);
      text += `${INDENT}${cell(queue, 20)} ${cell(QUEUE_TYPE, 5)} ${counts}${states}\n`;
    } else if (text === '' && jobs.length > 0) {
      text += `${INDENT}${JOB_HEADING}\n${INDENT}${'-'.repeat(JOB_HEADING.length - 1)}\n`;
    }
    for (const facts of jobs) text += jobLines(facts, instance.name, writer, call);
  }
  return text;
}

function jobLines(
  facts: JobFacts,
  instance: string,
  { priority, listed }: JobWriter,
  call: QhostCall,
): string {
  const { job, number, state, since, tasks } = facts;
  const lead = [
    right(number, 7),
    priority(facts).prior.toFixed(5),
    cell(job.spec.name, 10),
    cell(job.spec.user, 12),
    cell(state, 5),
    listed(since),
    '',
  ].join(' ');
  const here = facts.places.find((place) => instanceName(place) === instance) ?? null;
  const queue = call.withQueues ? '' : `${cell(instance, 10)} `;
  const end = tasks === null ? ' '.repeat(7) : taskText(tasks);
  return eachSlot(facts, here)
    .map(({ isMaster }, i) => {
      const first = i === 0 ? lead : ' '.repeat(lead.length);
      return `${INDENT}${first}${queue}${isMaster ? 'MASTER' : 'SLAVE '} ${end}\n`;
    })
    .join('');
}
