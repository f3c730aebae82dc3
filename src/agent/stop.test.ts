import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { SIGSTOP, SIGTERM } from '../model/signals.ts';
import { processInfo, sendSignal } from '../platform/processes.ts';
import { askToEnd } from './stop.ts';

test('a process that was seen going, and stopped since, ends when it is asked to', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const pid = child.pid!;
    const seen = processInfo(pid)!;
    expect(seen.state).not.toBe('T');
    sendSignal(pid, SIGSTOP);
    await expect.poll(() => processInfo(pid)?.state, { interval: 5 }).toBe('T');
    askToEnd([seen], SIGTERM);
    expect(await ended).toEqual([null, 'SIGTERM']);
  } finally {
    child.kill('SIGKILL');
  }
});
