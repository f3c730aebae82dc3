import { expect, test } from 'vitest';
import { aJob } from '../../../test/builders.ts';
import { displayWidth } from '../../dialects/text/width.ts';
import type { Attempt, Job } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { JobView, NodeView } from '../../model/query.ts';
import { parseRanges } from '../../model/ranges.ts';
import { drawScreen, type ScreenSize } from './draw.ts';
import { EMPTY_SCREEN, type ScreenState } from './state.ts';

const NOW = Date.UTC(2026, 0, 2, 12, 0, 0);
const PLAIN = { colour: false, unicode: true };
const SIZE: ScreenSize = { columns: 80, rows: 24 };

function job(id: number, spec: JobSpec, changes: Partial<Job> = {}): JobView {
  return {
    job: {
      id,
      spec,
      submittedAt: NOW - 60_000,
      phase: 'pending',
      hold: null,
      eligibleAt: null,
      array: null,
      element: null,
      restarts: 0,
      fruitless: 0,
      attempt: null,
      outcome: null,
      endedAt: null,
      note: null,
      endedBy: null,
      ...changes,
    },
    priority: null,
    reason: null,
    stdoutPath: '/home/ann/1.out',
    stderrPath: null,
  };
}

function running(id: number, spec: JobSpec, forMs: number): JobView {
  const attempt = {
    suspendedAt: null,
    id: `${id}.1`,
    phase: 'running',
    startedAt: NOW - forMs,
    clockFrom: NOW - forMs,
    endedAt: null,
  };
  return job(id, spec, { phase: 'active', attempt: attempt as unknown as Attempt });
}

const NODE: NodeView = {
  node: {
    name: 'gpubox',
    cpus: 8,
    cpuIds: [],
    memoryBytes: 64 * 1024 ** 3,
    devices: [0, 1].map((index) => ({ index, kind: 'a100', memoryBytes: 40 * 1024 ** 3, simulated: false })),
    features: [],
    state: 'up',
    reason: null,
  },
  cpusUsed: 4,
  memoryUsedBytes: 16 * 1024 ** 3,
  devices: [
    { index: 0, usedMillis: 1000, jobs: [1] },
    { index: 1, usedMillis: 0, jobs: [] },
  ],
  jobs: [1],
};

function screen(changes: Partial<ScreenState>): ScreenState {
  return { ...EMPTY_SCREEN, now: NOW, nodes: [NODE], ...changes };
}

function draw(state: ScreenState, size = SIZE): string[] {
  return drawScreen(state, size, PLAIN);
}

test('nodes, running and waiting jobs on 80 by 24', () => {
  const lines = draw(
    screen({
      running: [running(1, aJob().named('resnet').limitedTo(120_000).spec, 60_000)],
      waiting: [
        {
          ...job(2, aJob().named('bert').spec),
          reason: {
            kind: 'resources',
            short: [{ resource: 'gpus', wanted: 2, free: 1, total: 2 }],
            waitsFor: [1],
          },
        },
      ],
      lastLines: new Map([[1, 'epoch 3 loss 0.41']]),
      selected: 1,
    }),
  );
  expect(lines.slice(1, 6)).toEqual([
    'gpubox  cpu ████░░░░ 4/8  mem ██░░░░░░ 16G/64G  gpu █░ 1/2',
    '',
    'Running 1 job',
    '> 1         resnet         ann      1m       ████░░░░ epoch 3 loss 0.41',
    'Waiting 1 job',
  ]);
  expect(lines[6]).toBe('  2         bert           ann      1m       needs 2 GPUs, 1 free');
  expect(lines[23]).toMatch(/q quit$/);
});

test('every size gives exactly its rows, and no line is too wide', () => {
  const odd = aJob().named('日本語\x1b[2J\nname '.repeat(5)).by('u'.repeat(40)).spec;
  const state = screen({
    nodes: Array.from({ length: 30 }, (_, i) => ({ ...NODE, node: { ...NODE.node, name: `node-${i}` } })),
    running: Array.from({ length: 40 }, (_, i) => running(i + 1, odd, 1000)),
    waiting: Array.from({ length: 40 }, (_, i) => job(i + 100, odd)),
    lastLines: new Map([[1, '進捗 \x07'.repeat(50)]]),
    selected: 120,
    notice: 'n'.repeat(300),
  });
  for (const mode of [
    { kind: 'list' },
    { kind: 'help' },
    { kind: 'confirmCancel', job: 120 },
    { kind: 'log', job: 1, lines: Array(100).fill('x'.repeat(300)) },
  ] as const) {
    for (const [columns, rows] of [
      [80, 24],
      [40, 8],
      [200, 60],
      [20, 5],
      [1, 1],
      [83, 9],
    ] as const) {
      const lines = draw({ ...state, mode }, { columns, rows });
      expect(lines).toHaveLength(rows);
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/[\x00-\x1f]/);
      }
    }
  }
});

test('the selected job is in sight however far down it is', () => {
  const waiting = Array.from({ length: 300 }, (_, i) => job(i + 1, aJob().spec));
  for (const selected of [1, 150, 300]) {
    expect(draw(screen({ waiting, selected })).some((line) => line.startsWith(`> ${selected} `))).toBe(true);
  }
});

test('an array is one line that counts as its elements', () => {
  const spec = aJob().asArray('0-99%4').spec;
  const array = { unstarted: parseRanges('5-99') ?? [], live: 5, ended: {}, dropped: [] };
  const lines = draw(screen({ waiting: [job(7, spec, { array })] }));
  expect(lines).toContain('Waiting 95 jobs');
  expect(lines.some((line) => line.startsWith('  7_[5-99'))).toBe(true);
});

test('a question before a job is cancelled', () => {
  const state = screen({
    waiting: [job(3, aJob().named('bert').spec)],
    mode: { kind: 'confirmCancel', job: 3 },
  });
  expect(draw(state).at(-1)).toBe('cancel job 3 (bert)? y cancels, any other key does not');
});

test('without UTF-8 everything of ours is ASCII', () => {
  const state = screen({ running: [running(1, aJob().limitedTo(2000).named('n'.repeat(99)).spec, 1000)] });
  for (const mode of [{ kind: 'list' }, { kind: 'help' }] as const) {
    const text = drawScreen({ ...state, mode }, SIZE, { colour: false, unicode: false }).join('\n');
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  }
});

test('a lost node says why', () => {
  const lost = { ...NODE, node: { ...NODE.node, state: 'lost' as const, reason: 'no answer' } };
  expect(draw(screen({ nodes: [lost] }))[1]).toBe('gpubox lost: no answer');
});
