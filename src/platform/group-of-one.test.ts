import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isAloneInGroup } from './group-of-one.ts';

/** A shell that leads a group and says a word when it has got so far. */
async function leader(script: string) {
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { pid: child.pid as number, end: () => child.kill('SIGKILL') };
}

test('a process without company is alone, however often one asks', async () => {
  const { pid, end } = await leader('echo ready; read -r word');
  expect([isAloneInGroup(pid), isAloneInGroup(pid)]).toEqual([true, true]);
  end();
});

test('a process in the background is company until it is gone', async () => {
  const { pid, end } = await leader('sleep 60 & echo ready; read -r word');
  expect(isAloneInGroup(pid)).toBe(false);
  end();
  process.kill(-pid, 'SIGKILL');
});

test('what is no group has nobody in it', () => {
  expect(isAloneInGroup(2 ** 30)).toBe(false);
});
