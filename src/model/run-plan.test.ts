import { expect, test } from 'vitest';
import { textFromBytes } from './bytes.ts';
import type { HereRank, RunHere } from './run-here.ts';
import { encodePlan, type RunPlan } from './run-plan.ts';

const RANK: HereRank = {
  argv: ['echo', ''],
  workDir: '/work dir',
  variables: {},
  unset: [],
  node: 'box',
  nodeNumber: 0,
  rank: 0,
  cpuIds: [],
  stdout: { kind: 'caller' },
  stderr: null,
};

const RUN: RunHere = {
  attempt: '17.1',
  step: 0,
  holdsJob: false,
  ranks: [RANK],
  input: { kind: 'all' },
  manner: {
    name: 'srun',
    stepName: '17.0',
    label: false,
    unbuffered: false,
    terminal: false,
    killOnBadExit: false,
    waitMs: null,
    limitMs: null,
    graceMs: 30_000,
    quiet: false,
    quitOnInterrupt: false,
    pidVariable: null,
    farewell: null,
  },
};

function wordsOf(changes: Partial<RunPlan>): readonly string[] {
  const plan: RunPlan = {
    run: RUN,
    jobRecord: null,
    stepRecord: '/y/steps/17.1.0',
    variables: [],
    cgroupFiles: new Map(),
    commands: null,
    python: null,
    ...changes,
  };
  const strings = textFromBytes(encodePlan(plan)).split('\0');
  expect(strings.pop()).toBe('');
  return strings.flatMap((word, at) => (at % 2 === 0 ? [`${word} ${strings[at + 1]}`] : []));
}

test('a plain step', () => {
  expect(wordsOf({})).toEqual([
    'attempt 17.1',
    'step 0',
    'stepRecord /y/steps/17.1.0',
    'input all',
    'name srun',
    'stepName 17.0',
    'graceMs 30000',
    'rank 0',
    'node box',
    'directory /work dir',
    'argument echo',
    'argument ',
    'stdout caller',
  ]);
});

test('what all ranks are told is said once, and the dialect has the last word', () => {
  const rank = (number: number, variables: Record<string, string>): HereRank => ({
    ...RANK,
    rank: number,
    variables,
  });
  const words = wordsOf({
    run: { ...RUN, ranks: [rank(0, { ID: '0', N: '2', GPU: '1' }), rank(1, { ID: '1', N: '2', GPU: '1' })] },
    variables: [new Map([['GPU', '0,1']]), new Map([['GPU', '0,1']])],
  });
  const sets = words.filter((word) => /^(?:set|rank) /.test(word));
  expect(sets).toEqual(['set GPU=1', 'set N=2', 'rank 0', 'set ID=0', 'rank 1', 'set ID=1']);
});

test('where ranks read and write, what they join and are bound to', () => {
  const rank: HereRank = {
    ...RANK,
    nodeNumber: 1,
    cpuIds: [2, 3],
    stdout: { kind: 'file', path: '/a b', append: false },
    stderr: { kind: 'file', path: '/c', append: true },
    unset: ['OLD'],
  };
  const words = wordsOf({
    run: { ...RUN, ranks: [rank], input: { kind: 'rank', rank: 1 } },
    cgroupFiles: new Map([[1, ['/cg/cgroup.procs']]]),
    jobRecord: '/y/ranks/17.1.0',
    commands: '/y/commands/slurm',
    python: '/y/python',
  });
  expect(words).toEqual(
    expect.arrayContaining([
      'input rank 1',
      'jobRecord /y/ranks/17.1.0',
      'pathEnd /y/commands/slurm',
      'pythonEnd /y/python',
      'cpus 2,3',
      'stdout truncate /a b',
      'stderr append /c',
      'cgroup /cg/cgroup.procs',
      'unset OLD',
    ]),
  );
});

test('bytes that are no text go through; a NUL does not', () => {
  const bytes = encodePlan({
    run: { ...RUN, ranks: [{ ...RANK, argv: ['a\udcff'] }] },
    jobRecord: null,
    stepRecord: null,
    variables: [],
    cgroupFiles: new Map(),
    commands: null,
    python: null,
  });
  expect(Buffer.from(bytes).includes(Buffer.from([0x61, 0xff, 0]))).toBe(true);
  expect(() => wordsOf({ run: { ...RUN, ranks: [{ ...RANK, argv: ['a\0b'] }] } })).toThrow(/NUL/);
});

test('with the environment of its job the caller keeps its own, and a plain run is not spoken of', () => {
  const words = wordsOf({ run: { ...RUN, environment: 'job', manner: { ...RUN.manner, plain: true } } });
  expect(words).toEqual(expect.arrayContaining(['alone 1', 'plain 1']));
  expect(wordsOf({}).filter((word) => /^(?:alone|plain) /.test(word))).toEqual([]);
});
