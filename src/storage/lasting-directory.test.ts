import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeLastingDirectory } from './lasting-directory.ts';
import { createLogsMirror } from './mirror-logs.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-lasting-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const modeOf = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8);

test('what is made has the permissions that the job would have given it, what is there keeps its own', async () => {
  mkdirSync(join(directory, 'there'), { mode: 0o700 });
  await makeLastingDirectory(join(directory, 'there', 'a', 'b'), 0o027);
  expect(['there', 'there/a', 'there/a/b'].map(modeOf)).toEqual(['700', '750', '750']);
  await makeLastingDirectory(join(directory, 'there', 'a', 'b'), 0o077);
  expect(modeOf('there/a/b')).toBe('750');
});

test('what is in the way is said', async () => {
  writeFileSync(join(directory, 'file'), '');
  await expect(makeLastingDirectory(join(directory, 'file', 'a'), 0o022)).rejects.toMatchObject({
    code: 'ENOTDIR',
  });
});

test('copies of logs can be read by whom the logs could', async () => {
  const from = join(directory, 'from');
  mkdirSync(join(from, 'run'), { recursive: true });
  writeFileSync(join(from, 'run', 'events'), 'x');
  chmodSync(join(from, 'run'), 0o775);
  chmodSync(join(from, 'run', 'events'), 0o664);
  const logs = { from, to: join(directory, 'lasting', 'logs') };
  const mirror = createLogsMirror({
    logs,
    umask: 0o022,
    attempt: '1.1',
    yardId: 'cafe',
    now: () => Date.now(),
    inTurn: (work) => work(),
    isOver: () => false,
  });
  expect(await mirror.copy()).toBeNull();
  expect(['lasting', 'lasting/logs', 'lasting/logs/run', 'lasting/logs/run/events'].map(modeOf)).toEqual([
    '755',
    '755',
    '775',
    '664',
  ]);
});
