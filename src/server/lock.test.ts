import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockExclusively } from '../platform/libc.ts';
import { acquireLock, type LockHolder } from './lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const ADA: LockHolder = { pid: 41, host: 'gpubox', startedAt: '2026-01-02T03:04:05.000Z' };
const acquire = (holder: LockHolder) => acquireLock({ directory, holder, lockExclusively });

test('the second is told who has it, and gets it when the first lets go', () => {
  const first = acquire(ADA);
  expect(first.ok).toBe(true);
  const second = acquire({ ...ADA, pid: 42 });
  expect(second.ok === false && second.sentence).toBe(
    `a yard already runs in ${directory} (process 41, since 2026-01-02T03:04:05.000Z)`,
  );
  if (first.ok) first.release();
  const third = acquire({ ...ADA, pid: 43 });
  expect(third.ok).toBe(true);
  expect(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8'))).toMatchObject({ pid: 43 });
  if (third.ok) third.release();
});

test('a holder on another host is named with it', () => {
  const first = acquire({ ...ADA, host: 'elsewhere' });
  const second = acquire(ADA);
  expect(second.ok === false && second.sentence).toMatch(/process 41 on elsewhere.*use it from there/);
  if (first.ok) first.release();
});

test('a holder that was killed holds nothing', async () => {
  const holder = spawn(
    'flock',
    ['--nonblock', join(directory, 'lock'), 'sh', '-c', 'echo held; exec sleep 60'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    },
  );
  await once(holder.stdout, 'data');
  expect(acquire(ADA).ok).toBe(false);
  process.kill(-(holder.pid as number), 'SIGKILL');
  await once(holder, 'close');
  const after = acquire(ADA);
  expect(after.ok).toBe(true);
  if (after.ok) after.release();
});
