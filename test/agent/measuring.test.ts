import { afterEach, beforeEach, expect, test } from 'vitest';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

const MIB = 1024 ** 2;

/** Uses some CPU, and says when it has; then waits to be ended. */
const BUSY = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';

test('tells what a running attempt uses, its steps apart', async () => {
  const script = `#!/bin/sh\n${BUSY}\nTRAINYARD_STEP=3 TRAINYARD_RANK=5 sh -c '${BUSY}; echo $$ >step; : >ready; sleep 60' &\necho $$ >main\nsleep 60\n`;
  const { attempt } = yard.start({ id: 1, script });
  await yard.made('ready');
  const usage = yard.engine.measure(attempt.id);
  expect(usage?.parts.map(({ step, rank }) => [step, rank])).toEqual([
    [null, 0],
    [3, 5],
  ]);
  const [rest, step] = usage?.parts ?? [];
  expect(rest?.pids).toContain(Number(yard.output('main')));
  expect(step?.pids).toContain(Number(yard.output('step')));
  expect(rest?.pids).not.toContain(Number(yard.output('step')));
  for (const part of [rest, step]) {
    expect(part?.memoryBytes).toBeGreaterThan(0);
    expect(part?.memoryBytes).toBeLessThan(100 * MIB);
    expect(part?.virtualBytes).toBeGreaterThan(part?.memoryBytes ?? 0);
    expect((part?.userCpuMs ?? 0) + (part?.systemCpuMs ?? 0)).toBeGreaterThan(0);
  }
});

test('remembers the most where memory is measured', async () => {
  const { attempt } = yard.start({
    script: '#!/bin/sh\n: >ready\nsleep 60\n',
    resources: { memory: { bytes: 512 * MIB, per: 'node' } },
    nodes: [{ memoryBytes: 512 * MIB }],
  });
  await yard.made('ready');
  await expect.poll(() => yard.engine.measure(attempt.id)?.peakMemoryBytes ?? 0).toBeGreaterThan(0);
});

test('has nothing to tell of what does not run', async () => {
  const { attempt } = yard.start({ id: 1, argv: ['true'] });
  await yard.reports.next('attemptEnded', attempt.id);
  expect(yard.engine.measure(attempt.id)).toBeNull();
  expect(yard.engine.measure('7.1')).toBeNull();
});
