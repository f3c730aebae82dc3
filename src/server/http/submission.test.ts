import { describe, expect, test } from 'vitest';
import type { JobSpec } from '../../model/job-spec.ts';
import { HttpError } from './reply.ts';
import { submission } from './shapes/request.ts';
import { specOf } from './submission.ts';

const BASIS = { workDir: '/work', command: ['python', 'train.py'] };
const kept: string[] = [];

function spec(wish: object): JobSpec {
  kept.length = 0;
  return specOf(submission.parse(wish), {
    user: 'alice',
    environment: { PATH: '/bin', LANG: 'C' },
    keepBlob: (bytes) => `#${kept.push(Buffer.from(bytes).toString())}`,
  });
}

function mistake(wish: object): string {
  try {
    spec(wish);
  } catch (error) {
    if (error instanceof HttpError) return error.message;
    throw error;
  }
  return 'no mistake';
}

describe('what is executed', () => {
  test('a script keeps its text and takes arguments', () => {
    const { program, name } = spec({
      workDir: '/w',
      script: '#!/bin/sh\necho $1\n',
      arguments: ['a'],
      umask: '077',
    });
    expect(program).toMatchObject({
      script: '#1',
      argv: ['a'],
      environment: '#2',
      umask: 0o077,
      spread: 'once',
    });
    expect(kept[0]).toBe('#!/bin/sh\necho $1\n');
    expect(name).toBe('script');
  });

  test('the environment is laid over the basis', () => {
    spec({ ...BASIS, environment: { LANG: 'de_DE', SEED: '1' } });
    expect(kept[0]).toBe('PATH=/bin\0LANG=de_DE\0SEED=1\0');
  });

  test('a command with several ranks runs in each, unless told otherwise', () => {
    expect(spec({ ...BASIS, resources: { ranks: 4 } }).program.spread).toBe('everyRank');
    expect(spec({ ...BASIS, resources: { ranks: 4 }, spread: 'once' }).program.spread).toBe('once');
  });

  test.each([
    [{ workDir: '/w' }, 'command: missing; give a command or a script'],
    [{ ...BASIS, arguments: ['x'] }, 'arguments: these belong to a script; a command carries its own'],
    [{ workDir: '/w', command: [''] }, 'command[0]: the program has no name'],
    [{ workDir: '/w', script: ' \n' }, 'script: it is empty'],
    [{ workDir: '/w', script: 'a\0b' }, 'script: it has NUL characters in it, so it is no script'],
    [{ workDir: '/w', script: 'x'.repeat(4 * 1024 * 1024 + 1) }, 'script: larger than 4194304 bytes'],
  ])('mistake %#', (wish, sentence) => {
    expect(mistake(wish)).toBe(sentence);
    expect(kept).toEqual([]);
  });
});

describe('resources', () => {
  test('few words are enough', () => {
    expect(
      spec({ ...BASIS, resources: { gpus: 2, memory: { bytes: 2 ** 30 }, cpusPerRank: 4 } }).resources,
    ).toEqual({
      nodes: { min: 1, max: 1 },
      ranks: 1,
      ranksPerNode: null,
      cpusPerRank: 4,
      cpusAsked: true,
      memory: { bytes: 2 ** 30, per: 'node' },
      gpus: { count: 2, per: 'job', kind: null, shareMillis: 1000 },
      exclusive: false,
      constraint: null,
      onlyNodes: [],
      exceptNodes: [],
    });
  });

  test('nodes and ranks agree', () => {
    const nodesAndRanks = (resources: object) => {
      const { nodes, ranks } = spec({ ...BASIS, resources }).resources;
      return [nodes.min, nodes.max, ranks];
    };
    expect(nodesAndRanks({ nodes: 2 })).toEqual([2, 2, 2]);
    expect(nodesAndRanks({ nodes: 2, ranksPerNode: 4 })).toEqual([2, 2, 8]);
    expect(nodesAndRanks({ ranks: 8, ranksPerNode: 4 })).toEqual([2, 2, 8]);
    expect(nodesAndRanks({ nodes: { min: 2, max: 9 }, ranks: 4 })).toEqual([2, 4, 4]);
    expect(mistake({ ...BASIS, resources: { nodes: { min: 3, max: 2 } } })).toContain('min is larger');
    expect(mistake({ ...BASIS, resources: { nodes: 4, ranks: 2 } })).toContain('cannot cover 4 nodes');
    expect(mistake({ ...BASIS, resources: { nodes: 1, ranks: 8, ranksPerNode: 4 } })).toContain('do not fit');
  });
});

test('arrays', () => {
  const { array, streams } = spec({ ...BASIS, array: '0-9:3,20%2' });
  expect(array).toEqual({
    indices: [
      [0, 9, 3],
      [20, 20, 1],
    ],
    throttle: 2,
  });
  expect(streams.stdout).toBe('trainyard-%A_%a.out');
  for (const bad of ['', 'x', '3-1', '0-9%', '0-9%0', '0-9%%2', '0-99999999']) {
    expect(mistake({ ...BASIS, array: bad }), `array ${bad}`).toContain('is not a set of indices');
  }
});

test('one file for both streams is opened once', () => {
  expect(spec({ ...BASIS, streams: { stdout: 'o', stderr: 'o' } }).streams.stderr).toBeNull();
});

test('dependencies and warnings', () => {
  const { dependencies, warning } = spec({
    ...BASIS,
    limitMs: 60_000,
    warning: { signal: 'USR1', beforeMs: 10_000 },
    dependencies: {
      terms: [{ kind: 'afterok', job: 17, index: 3 }, { kind: 'after', job: 4 }, { kind: 'singleton' }],
    },
  });
  expect(warning).toEqual({ signal: 10, beforeMs: 10_000, scope: 'all' });
  expect(dependencies).toEqual({
    need: 'all',
    terms: [
      { kind: 'afterok', job: 17, index: 3 },
      { kind: 'after', job: 4, index: null },
      { kind: 'singleton' },
    ],
  });
});

describe('how GPUs are shared', () => {
  test('is taken as it is said', () => {
    const gpus = { count: 1, sharing: 'auto', isLimited: true };
    const made = spec({ ...BASIS, kind: 'resnet', gpuLog: 'gpu-%j.log', resources: { gpus } });
    expect(made).toMatchObject({ kind: 'resnet', gpuLog: '/work/gpu-%j.log' });
    expect(made.resources.gpus).toEqual({ ...gpus, per: 'job', kind: null, shareMillis: 1000 });
    expect(spec(BASIS)).not.toHaveProperty('kind');
  });

  test('is not said twice, and its log is a file that lasts', () => {
    const gpus = { count: 1, sharing: 'auto', shareMillis: 500 };
    expect(mistake({ ...BASIS, resources: { gpus } })).toContain('resources.gpus.sharing');
    expect(mistake({ ...BASIS, gpuLog: '$SCRATCH/x' })).toContain('gpuLog "$SCRATCH/x": that is removed');
    expect(() => spec({ ...BASIS, resources: { gpus: { count: 1, sharing: 'half' } } })).toThrow('sharing');
  });
});

describe('what is kept', () => {
  test('is said in the same words as in a script', () => {
    const keeping = {
      checkpoints: '$SCRATCH/out',
      persist: '~/results/%x',
      keepCount: 3,
      keepForMs: 30 * 86_400_000,
      logs: [{ from: 'tb', to: '/data/tb' }],
      scratch: { maxBytes: 2 ** 30 },
    };
    expect(spec({ ...BASIS, keeping, chain: true, environment: { HOME: '/home/alice' } })).toMatchObject({
      keeping: {
        checkpoints: '$SCRATCH/out',
        persist: '/home/alice/results/%x',
        keepCount: 3,
        keepForMs: 30 * 86_400_000,
        logs: [{ from: '/work/tb', to: '/data/tb' }],
        scratch: { maxBytes: 2 ** 30 },
        snapshot: null,
      },
      chain: true,
    });
    expect(spec({ ...BASIS, keeping: { scratch: {} } }).keeping?.scratch).toEqual({ maxBytes: null });
    expect(spec(BASIS)).not.toHaveProperty('keeping');
    expect(spec({ ...BASIS, keeping: { checkpoints: 'out' }, requeue: true }).chain).toBe(true);
  });

  test.each([
    [{ keeping: { persist: '/p' } }, 'keeping.persist says what becomes of checkpoints'],
    [{ keeping: { checkpoints: '$RUN/out' } }, 'keeping.checkpoints "$RUN/out": no shell reads this'],
    [{ chain: true, requeue: false }, 'chain starts the job again'],
  ])('%j is a mistake', (wish, said) => expect(mistake({ ...BASIS, ...wish })).toContain(said));
});
