import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DeviceUse } from '../../model/device-use.ts';
import type { Event, EventBody } from '../../model/event.ts';
import type { Answer } from '../../model/query.ts';
import { specOfLease } from '../../server/leases/lease.ts';
import { banner, logLine } from './log-lines.ts';
import { requestLog } from './request-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wish = {
  kind: 'train.py::job',
  gpus: 1,
  name: 'job',
  queue: null,
  memoryLimited: false,
  devices: null,
};
const spec = specOfLease(wish, { user: 'ada', uid: 1000, process: null }, '');
const at = 0;
const submitted = (job: number): Event => ({ at, type: 'jobSubmitted', job, spec, phase: 'pending' });
const assigned = (job: number, ...indices: number[]): Event => ({
  at,
  type: 'attemptAssigned',
  job,
  attempt: `${job}.1`,
  placement: {
    nodes: [
      {
        node: 'here',
        ranks: 1,
        cpus: 0,
        cpuIds: [],
        memoryBytes: 0,
        devices: indices.map((index) => ({ index, millis: 1000 })),
      },
    ],
  },
});
const ended = (job: number, outcome: 'completed' | 'failed' | 'cancelled'): Event => ({
  at,
  type: 'jobEnded',
  job,
  outcome,
  note: null,
  by: null,
});

function logOf(reason: object | null = null) {
  const said: string[] = [];
  const whyOf = async () => ({ explanation: { reason } }) as unknown as Answer<'explain'>;
  return { said, log: requestLog({ say: (text) => said.push(text), whyOf, known: [] }) };
}

test('one that is served at once', async () => {
  const { said, log } = logOf({ kind: 'notLookedAt' });
  log(submitted(1));
  log(assigned(1, 0));
  await vi.runAllTimersAsync();
  expect(said.join('')).toBe(
    '[RequestGPU] request  jobstr: "train.py::job"\n\n[RequestGPU] serving GPU ID 0\n',
  );
});

test('one that waits for the first of its kind', async () => {
  const { said, log } = logOf({ kind: 'learning', job: 1, label: 'train.py::job', device: 'v100' });
  log(submitted(2));
  await vi.runAllTimersAsync();
  expect(said[1]).toMatch(
    /^ServiceErrorCodes\.WAITING_FOR_JOB_PROFILE: waiting\.\.\.\n {4}job 2 waits for job 1, /,
  );
  log(ended(2, 'cancelled'));
  expect(said[2]).toBe('[RequestGPU] withdrawn  jobstr: "train.py::job"\n');
});

test('what one has used', () => {
  const use: DeviceUse = {
    node: 'here',
    index: 0,
    kind: 'v100',
    memoryBytes: { peak: 1157890048, p95: 1, mean: 1 },
    loadMillis: { peak: 204, p95: 1, mean: 1 },
    samples: 9,
  };
  const { said, log } = logOf();
  const usage = { peakMemoryBytes: null, cpuMs: null, devices: [use] };
  const exit = { code: 0, signal: null, outOfMemory: false };
  const over: EventBody = { type: 'attemptEnded', job: 1, attempt: '1.1', exit, usage, fault: null };
  for (const event of [submitted(1), assigned(1, 0), { at, ...over }, ended(1, 'completed')]) log(event);
  expect(said.at(-1)).toBe(`[CompleteJob] request
jobtype {
    jobstr: "train.py::job"
}
gpu {
    gpu_id: 0
}
succeeded: true
max_gpu_memory_used: 1157890048
max_gpu_load: 20
`);
});

test('other jobs are nobody here', () => {
  const { said, log } = logOf();
  const other = { ...spec, origin: { dialect: 'slurm', words: {} } };
  log({ at, type: 'jobSubmitted', job: 1, spec: other, phase: 'pending' });
  log(assigned(1, 0));
  log(ended(1, 'failed'));
  expect(said).toEqual([]);
});

test('a line of the log has the time in front, and the banner fits a terminal', () => {
  const line = logLine('INFO', 'Managing GPUs {0, 1}', new Date(2021, 10, 12, 20, 6, 5));
  expect(line).toBe('[11/12/21 20:06:05] INFO     Managing GPUs {0, 1}\n');
  expect(
    Math.max(
      ...banner()
        .split('\n')
        .map(({ length }) => length),
    ),
  ).toBeLessThan(100);
});
