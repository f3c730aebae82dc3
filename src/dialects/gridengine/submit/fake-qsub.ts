/** For tests: a yard with two queues on two nodes, and what `qsub` submits to it. Nothing here runs in the product. */

import { bytesFromText } from '../../../model/bytes.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { PLAIN_QUEUE } from '../../../model/plain.ts';
import type { Policy } from '../../../model/policy.ts';
import { type FakeYard, fakeYard, type Ran, runDialect } from '../../fake-yard.ts';
import type { Invocation } from '../../program.ts';
import { aNodeView } from '../fake-hosts.ts';
import { qsub } from '../qsub.ts';
import { gridEngineProgram } from '../run.ts';

export const SCRIPT = '#!/bin/sh\nsleep 300\n';
export const HERE = '/home/ada/work';

const QUEUES: Policy['queues'] = [
  { ...PLAIN_QUEUE, name: 'cpu', isDefault: true },
  { ...PLAIN_QUEUE, name: 'gpu' },
];

export function aYard(
  files: Readonly<Record<string, string>> = {},
  changes: Partial<FakeYard> = {},
): FakeYard {
  const all = { 'sleep.sh': SCRIPT, ...files };
  return fakeYard({
    files: new Map(
      Object.entries(all).map(([name, text]) => [
        name.startsWith('/') ? name : `${HERE}/${name}`,
        bytesFromText(text),
      ]),
    ),
    policy: { ...fakeYard().policy, queues: QUEUES, maxArraySize: 75_000 },
    nodes: [aNodeView('n1'), aNodeView('n2')],
    ...changes,
  });
}

/** Where no queue was configured. */
export function lenient(yard: FakeYard = aYard()): FakeYard {
  return { ...yard, policy: { ...yard.policy, unknownQueue: 'useDefault' } };
}

export function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  return runDialect(gridEngineProgram(qsub), yard, ['qsub', ...argv], changes);
}

export function submitted(yard: FakeYard): JobSpec {
  const last = yard.commands.findLast(({ type }) => type === 'submit');
  if (last?.type !== 'submit') throw new Error('nothing was submitted');
  return last.spec;
}

/** What was submitted without a word of complaint. */
export function specOf(argv: readonly string[], yard = aYard(), changes: Partial<Invocation> = {}): JobSpec {
  const ran = run(yard, argv, changes);
  if (ran.code !== 0 || ran.stderr !== '') throw new Error(`${argv.join(' ')}: ${ran.code} ${ran.stderr}`);
  return submitted(yard);
}

/** What is said, once it is sure that nothing was left behind. */
export function refused(argv: readonly string[], yard = aYard()): Ran {
  const ran = run(yard, argv);
  if (yard.commands.length > 0 || yard.blobs.length > 0) throw new Error(`${argv.join(' ')} left something`);
  return ran;
}

/** What the master's refusals look like. */
export const rejection = (text: string) => ({
  code: 1,
  stdout: '',
  stderr: `Unable to run job: ${text}\nExiting.\n`,
});
