/** What the original printed, ids aside, on a yard like the cluster it ran on. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aNode, aPolicy, aQueue, aYard, GIB, MINUTE, type TestYard } from '../../../test/builders.ts';
import { trial } from '../../core/decide/trial.ts';
import { bytesFromText } from '../../model/bytes.ts';
import { aView, endedJob, fakeYard, type Ran, runDialect } from '../fake-yard.ts';
import { slurmProgram } from './run.ts';
import { sbatch } from './sbatch.ts';

const CAPTURES = new URL('../../../test/golden/slurm/captures/', import.meta.url);

/** What a yard refuses at once, as the original does where it is told to enforce its limits. */
const ENFORCED: Readonly<Record<string, string>> = {
  'sbatch-err-account': 'enforce-account',
  'sbatch-err-cpus': 'enforce-cpus',
  'sbatch-err-nodes': 'enforce-nodes',
  'sbatch-err-qos': 'enforce-qos',
  'sbatch-err-time-over': 'enforce-time-over',
};

/** Lines of a shell, and what is about an installation. */
const ELSEWHERE = ['sbatch-as-user-noassoc', 'sbatch-as-user', 'sbatch-default-out', 'sbatch-err-noconf'];

interface Capture extends Ran {
  readonly argv: readonly string[];
}

function read(name: string): Capture {
  const text = readFileSync(new URL(`slurm-${name}.txt`, CAPTURES), 'utf8');
  const [, line = '', stdout = '', stderr = '', code = ''] =
    /^\$ (.*)\n([\s\S]*?)(?:--- stderr\n([\s\S]*?))?--- exit (\d+)\n$/.exec(text) ?? [];
  const words = line.replace(/\$\(.*?\)/, '6').match(/"[^"]*"|\S+/g) ?? [];
  return { argv: words.map((word) => word.replace(/^"|"$/g, '')), stdout, stderr, code: Number(code) };
}

function cluster(): TestYard {
  const node = (name: string) =>
    aNode(name)
      .withCpus(2)
      .withMemory(4 * GIB)
      .withGpus(2, 'gpu');
  const policy = aPolicy({
    queues: [aQueue('cpu', { isDefault: true }), aQueue('gpu'), aQueue('short', { maxLimitMs: 2 * MINUTE })],
    accounts: [{ name: 'root', description: '', users: null, parent: null }],
    unknownQos: 'refuse',
  });
  return aYard(policy).withNodes(...['n1', 'n2', 'n3', 'n4'].map(node));
}

function run(argv: readonly string[]): Ran {
  const { state, policy, now } = cluster();
  const failed = endedJob(17, { outcome: 'failed' }, { exit: { code: 3, signal: null, outOfMemory: false } });
  const yard = fakeYard({
    now,
    policy,
    views: [aView(failed)],
    files: new Map(
      Object.entries({
        'sleep.sh': '#!/bin/sh\nsleep 300\n',
        'dos.sh': '#!/bin/sh\r\necho\r\n',
        'nosb.sh': 'echo\n',
      }).map(([name, text]) => [`/home/ada/work/${name}`, bytesFromText(text)]),
    ),
    answer: (command) => {
      if (command.type !== 'submit') throw new Error('only jobs are submitted here');
      const tried = trial({ state, policy, now }, { ...command.spec, dependencies: null });
      return tried.ok ? { ok: true, job: 17, step: null, changed: true } : tried;
    },
  });
  yard.trial = {
    ok: true,
    job: 10,
    queue: 'cpu',
    startAt: now,
    placement: {
      nodes: ['n1', 'n2', 'n3', 'n4'].map((node) => ({
        node,
        ranks: 1,
        cpus: 2,
        cpuIds: [],
        memoryBytes: 0,
        devices: [],
      })),
    },
  };
  return runDialect(slurmProgram(sbatch), yard, argv);
}

function withoutIds({ code, stdout, stderr }: Ran): Ran {
  const plain = (text: string) =>
    text.replace(/\d{4}-\d\d-\d\dT[\d:]+/g, 'TIME').replace(/^(Submitted batch job )?\d+$/gm, '$1ID');
  return { code, stdout: plain(stdout), stderr: plain(stderr) };
}

const names = readdirSync(CAPTURES)
  .map((file) => file.replace(/^slurm-|\.txt$/g, ''))
  .filter((name) => /^(?:sbatch|enforce)-/.test(name) && !ELSEWHERE.includes(name));

describe('as the original', () => {
  it.each(names)('%s', (name) => {
    const capture = read(name);
    const expected = read(ENFORCED[name] ?? name);
    expect(withoutIds(run(capture.argv))).toEqual(
      withoutIds({ code: expected.code, stdout: expected.stdout, stderr: expected.stderr }),
    );
  });

  it('covers what there is', () => expect(names.length).toBeGreaterThan(30));
});
