/** Yards for tests in which jobs of lower queues lend their CPUs to those of higher ones. */

import type { Command } from '../src/model/command.ts';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  GIB,
  HOUR,
  type JobBuilder,
  MINUTE,
  type TestYard,
} from './builders.ts';

export const lendingPolicy = aPolicy({
  queues: [
    aQueue('highest', { priority: 20 }),
    aQueue('high', { priority: 10, preempt: 'suspend' }),
    aQueue('low', { isDefault: true, preempt: 'suspend' }),
    aQueue('lower', { priority: -1, preempt: 'requeue' }),
  ],
});

export const high = () => aJob().by('boss').inQueue('high');
export const low = () => aJob();

export function telling(type: 'suspend' | 'resume' | 'cancel', job = 1): Command {
  return { type, target: { job, index: null }, by: 'root' };
}

/** One node with numbered CPUs, 8 GiB and a GPU. */
export function yardOf(cpus: number): TestYard {
  const ids = Array.from({ length: cpus }, (_, id) => id);
  return aYard(lendingPolicy).withNodes(
    aNode('n1')
      .withNumberedCpus(...ids)
      .withMemory(8 * GIB)
      .withGpus(1),
  );
}

/** What a pass starts is reported to run. */
export function go(yard: TestYard): void {
  for (const { job } of yard.schedule().starts) yard.runs(job);
}

export function start(yard: TestYard, job: JobBuilder): number {
  const id = yard.submit(job);
  go(yard);
  return id;
}

/** Job 1 of four CPUs makes room for job 2 of two, for which there is none beside it. */
export function lendingYard(job: JobBuilder = low()): TestYard {
  const yard = yardOf(4);
  start(yard, job.wanting({ cpus: 4 }).limitedTo(HOUR));
  yard.pass(10 * MINUTE);
  start(yard, high().wanting({ cpus: 2 }));
  return yard;
}

export const isSuspended = (yard: TestYard, job: number) => yard.job(job).attempt?.suspendedAt !== null;
export const freeOn = (yard: TestYard) => yard.state.ledgers.get('n1')?.free;
