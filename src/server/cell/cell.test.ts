import { chmodSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepCell } from './cell.ts';

let yard: string;
let logged: string[];
beforeEach(() => {
  yard = mkdtempSync(join(tmpdir(), 'yard-cell-'));
  logged = [];
});
afterEach(() => rmSync(yard, { recursive: true }));

const keep = (host = 'box') =>
  keepCell({
    yardDirectory: yard,
    yardName: 'lab',
    host,
    commands: join(yard, 'commands'),
    machine: 'x86_64',
    log: (line) => logged.push(line),
  });
const common = (name: string) => join(yard, 'sge/default/common', name);

test('the cell is there, however often it is asked for, and says what is true now', () => {
  keep('old');
  const settings = statSync(common('settings.sh')).mtimeMs;
  keep();
  expect(readFileSync(common('act_qmaster'), 'utf8')).toBe('box\n');
  expect(statSync(common('settings.sh')).mtimeMs).toBe(settings);
  expect(readlinkSync(join(yard, 'sge/bin/lx-amd64'))).toBe(join(yard, 'commands'));
  expect(logged).toEqual([]);
});

test('what cannot be written is said, and is no reason not to start', () => {
  writeFileSync(join(yard, 'sge'), 'in the way');
  chmodSync(join(yard, 'sge'), 0o400);
  keep();
  expect(logged).toEqual([expect.stringMatching(/sge\/default\/common cannot be kept up to date: /)]);
});
