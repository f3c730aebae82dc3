/** For tests of `qalter`: yards, jobs as `qsub` submits them, and what is asked of the yard. */

import { bytesFromText } from '../../../model/bytes.ts';
import type { JobChanges } from '../../../model/command.ts';
import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { JobView } from '../../../model/query.ts';
import { aView, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { waiting } from '../fake-jobs.ts';
import { qsub } from '../qsub.ts';
import { gridEngineProgram } from '../run.ts';
import { qalter } from './qalter.ts';

/** A yard with queues of its own, so that nothing is put up with. */
export function yardOf(...views: readonly (JobView | readonly JobView[])[]): FakeYard {
  const yard = fakeYard();
  const queues = ['main', 'cpu', 'gpu'].map((name) => aQueueView(name, { isDefault: name === 'main' }));
  return {
    ...yard,
    views: views.flat(),
    nodes: [aNodeView('vm')],
    queues,
    policy: { ...yard.policy, queues: queues.map(({ queue }) => queue), unknownQueue: 'refuse' },
  };
}

function split(line: string): readonly string[] {
  return line.split(' ').filter((word) => word !== '');
}

/** `ada` runs the yard of these tests; `eve` only uses it. */
export function ran(yard: FakeYard, line: string, user = 'ada') {
  return runDialect(gridEngineProgram(qalter), yard, ['qalter', ...split(line)], { user });
}

/** What `qsub` makes of the same flags. */
export function specOf(line: string): JobSpec {
  const yard = yardOf();
  yard.files.set('/home/ada/work/train.sh', bytesFromText('echo hello\n'));
  const { stderr, code } = runDialect(gridEngineProgram(qsub), yard, ['qsub', ...split(line), 'train.sh']);
  const [submit] = yard.commands;
  if (submit?.type !== 'submit') throw new Error(`${code}: ${stderr}`);
  return submit.spec;
}

export function submitted(id: number, line = '', changes: Partial<Job> = {}): JobView {
  const spec = specOf(line);
  return aView({
    ...waiting(id).job,
    spec: { ...spec, queue: spec.queue === '' ? 'main' : spec.queue },
    ...changes,
  });
}

export function changesOf(yard: FakeYard): JobChanges {
  const [update, ...others] = yard.commands;
  if (update?.type !== 'update' || others.length > 0) throw new Error(JSON.stringify(yard.commands));
  return update.changes;
}

export const wordsOf = (yard: FakeYard) => changesOf(yard).origin?.words ?? {};
