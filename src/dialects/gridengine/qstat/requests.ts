/** What jobs asked for: the lines that `qstat -r` adds below each. */

import { printable } from '../../../model/bytes.ts';
import { instanceName, type JobFacts } from '../job-facts.ts';
import {
  askedEnvironment,
  askedQueues,
  bindingText,
  hardResources,
  predecessorsOf,
  slotRangeText,
  softResources,
} from '../requested.ts';
import { wordOf } from '../words.ts';
import type { Scene } from './scene.ts';

export function requestLines(facts: JobFacts, { isLive }: Scene, withBinding: boolean): string {
  const { job, places, slots } = facts;
  const lines: string[] = [];
  const add = (label: string, value: string) => lines.push(`       ${label.padEnd(18)}${printable(value)}`);
  const list = (label: string, values: readonly (string | number)[]) => {
    if (values.length > 0) lines.push(`       ${label} ${printable(values.join(', '))}`);
  };
  add('Full jobname:', job.spec.name);
  const [master] = places;
  if (master !== undefined) add('Master Queue:', instanceName(master));
  const environment = askedEnvironment(job);
  if (environment !== null) {
    add('Requested PE:', `${environment.name} ${slotRangeText(environment)}`);
    if (master !== undefined) add('Granted PE:', `${environment.name} ${slots}`);
  }
  const checkpoint = wordOf(job, 'checkpoint');
  if (checkpoint !== null) add('Checkpoint Env.:', checkpoint);
  const hard = hardResources(job).map(({ name, value }) => `${name}=${value} (0.000000)`);
  const soft = softResources(job).map(({ name, value }) => `${name}=${value}`);
  for (const [label, values] of [
    ['Hard Resources:', hard],
    ['Soft Resources:', soft],
  ] as const) {
    add(label, values[0] ?? '');
    for (const value of values.slice(1)) add('', value);
  }
  list('Hard requested queues:', askedQueues(job, 'queues'));
  list('Soft requested queues:', askedQueues(job, 'softQueues'));
  list('Master task hard requested queues:', askedQueues(job, 'masterQueues'));
  const whole = predecessorsOf(job, 'whole', isLive);
  list('Predecessor Jobs (request):', whole.asked);
  list('Predecessor Jobs:', whole.left);
  const taskByTask = predecessorsOf(job, 'taskByTask', isLive);
  list('Predecessor Array Jobs (request):', taskByTask.asked);
  list('Predecessor Array Jobs:', taskByTask.left);
  if (withBinding) add('Binding:', bindingText(job));
  return lines.map((line) => `${line}\n`).join('');
}
