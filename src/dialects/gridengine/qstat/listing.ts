/** The listings of `qstat` as text: jobs alone, or queue instances with the jobs in them and then what waits. */

import { printable } from '../../../model/bytes.ts';
import { cell } from '../cells.ts';
import { hostFacts, instanceValues, valueText } from '../host-values.ts';
import { eachTask, instanceName, type JobFacts } from '../job-facts.ts';
import type { QueueInstance } from '../queue-instances.ts';
import { headingLines, jobLines, type LineLayout, type LineSources } from './job-line.ts';
import type { QstatCall } from './options.ts';
import { requestLines } from './requests.ts';

/** Jobs that are wanted, by where they stand in a listing. */
export interface Wanted {
  readonly running: readonly JobFacts[];
  readonly pending: readonly JobFacts[];
  readonly finished: readonly JobFacts[];
}

export function* plainListing(
  wanted: Wanted,
  sources: LineSources,
  call: QstatCall,
  queueWidth: number,
): Generator<string> {
  const layout: LineLayout = { columns: call.columns, perSlot: call.perSlot, queueWidth };
  let isFirst = true;
  for (const facts of [...wanted.running, ...wanted.pending, ...wanted.finished]) {
    if (isFirst) yield headingLines(layout);
    isFirst = false;
    yield* linesOf(facts, sources, call, layout);
  }
}

/** How much longer the lines between queues are when more is said of each job. */
const EXTENDED_RULE = 108;
const EXTENDED_HASHES = 110;

export function* fullListing(
  instances: readonly QueueInstance[],
  wanted: Wanted,
  sources: LineSources,
  call: QstatCall,
): Generator<string> {
  const layout: LineLayout = { columns: call.columns, perSlot: call.perSlot, queueWidth: null };
  const byInstance = placed(wanted.running);
  const rule = `${'-'.repeat(81 + (call.columns.extended ? EXTENDED_RULE : 0))}\n`;
  let isFirst = true;
  for (const instance of instances) {
    const jobs = byInstance.get(instance.name) ?? [];
    if (call.hideEmpty && instance.used === 0) continue;
    if (isFirst) yield `${HEADING}\n`;
    isFirst = false;
    yield rule;
    yield instanceLine(instance);
    yield* attributeLines(instance, call.attributes);
    for (const facts of jobs) {
      const here = facts.places.find((place) => instanceName(place) === instance.name) ?? null;
      yield withRequests(jobLines(facts, sources, layout, here), facts, sources, call);
    }
  }
  const hashes = '#'.repeat(76 + (call.columns.extended ? EXTENDED_HASHES : 0));
  for (const [title, jobs] of [
    [PENDING, wanted.pending],
    [FINISHED, wanted.finished],
  ] as const) {
    if (jobs.length > 0) yield `\n${hashes}\n${title}\n${hashes}\n`;
    for (const facts of jobs) yield* linesOf(facts, sources, call, layout);
  }
}

const HEADING = 'queuename                      qtype resv/used/tot. load_avg arch          states';
const PENDING = ' - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS';
const FINISHED = ' --  FINISHED JOBS  -  FINISHED JOBS  -  FINISHED JOBS  -  FINISHED JOBS  --  ';

/** Batch, interactive and parallel: every queue takes all of them. */
export const QUEUE_TYPE = 'BIP';

function instanceLine({ name, nodeView, used, slots, states }: QueueInstance): string {
  const host = nodeView === null ? null : hostFacts(nodeView);
  const load = host?.load === null || host === null ? '-NA-' : host.load.medium.toFixed(2);
  const cells = [
    cell(name, 30),
    cell(QUEUE_TYPE, 5),
    cell(`0/${used}/${slots}`, 14),
    cell(load, 8),
    cell(host?.arch ?? '-NA-', 13),
  ];
  return `${cells.join(' ')} ${states}\n`;
}

function* attributeLines(instance: QueueInstance, wanted: QstatCall['attributes']): Generator<string> {
  if (wanted === null) return;
  for (const value of instanceValues(instance)) {
    if (wanted !== 'all' && !wanted.includes(value.name)) continue;
    yield `\t${value.dominance}:${value.name}=${printable(valueText(value, 'plain'))}\n`;
  }
}

/** Running jobs by the queue instances that they are in. */
export function placed(running: readonly JobFacts[]): ReadonlyMap<string, readonly JobFacts[]> {
  const byInstance = new Map<string, JobFacts[]>();
  for (const facts of running) {
    for (const place of facts.places) {
      const name = instanceName(place);
      const jobs = byInstance.get(name);
      if (jobs === undefined) byInstance.set(name, [facts]);
      else jobs.push(facts);
    }
  }
  return byInstance;
}

function* linesOf(
  facts: JobFacts,
  sources: LineSources,
  call: QstatCall,
  layout: LineLayout,
): Generator<string> {
  for (const each of call.perTask ? eachTask(facts) : [facts]) {
    yield withRequests(jobLines(each, sources, layout), each, sources, call);
  }
}

/** What the job asked for, below each of its lines. */
function withRequests(lines: string, facts: JobFacts, { scene }: LineSources, call: QstatCall): string {
  if (!call.withRequests) return lines;
  const requests = requestLines(facts, scene, call.withBinding);
  return lines.replaceAll('\n', () => `\n${requests}`);
}
