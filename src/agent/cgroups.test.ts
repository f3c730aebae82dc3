import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cgroups, createCgroup, killCgroup, prepareCgroups, readCgroup } from './cgroups.ts';

/** A made-up hierarchy: a plain directory takes writes like the real one, but makes no files by itself. */
let own: string;
beforeEach(() => {
  own = mkdtempSync(join(tmpdir(), 'trainyard-cgroup-'));
});
afterEach(() => rmSync(own, { recursive: true }));

const put = (path: string, text: string) => writeFileSync(join(own, path), text);
const get = (path: string) => readFileSync(join(own, path), 'utf8');

function delegate(controllers: string, handedOn: string, members: readonly number[]) {
  put('cgroup.controllers', `${controllers}\n`);
  put('cgroup.subtree_control', `${handedOn}\n`);
  put('cgroup.procs', members.map((pid) => `${pid}\n`).join(''));
}

test('version 2 hands on memory where it is handed down to us', () => {
  delegate('cpu memory', 'memory', [1, process.pid]);
  prepareCgroups(2, own, 'y/1');
  expect(get('trainyard-y_1/cgroup.subtree_control')).toBe('+memory');
  expect(existsSync(join(own, 'trainyard-daemon'))).toBe(false);
});

test('alone in its group, the yard steps down to make room', () => {
  delegate('memory', '', [process.pid]);
  mkdirSync(join(own, 'trainyard-daemon'));
  prepareCgroups(2, own, 'y');
  expect(get('trainyard-daemon/cgroup.procs')).toBe(`${process.pid}`);
  expect(get('cgroup.subtree_control')).toBe('+memory');
});

test('started again from where it stepped down to, it finds the same place', () => {
  delegate('memory', 'memory', []);
  mkdirSync(join(own, 'trainyard-daemon'));
  prepareCgroups(2, join(own, 'trainyard-daemon'), 'y');
  expect(existsSync(join(own, 'trainyard-y'))).toBe(true);
});

test('why there are no groups is said', () => {
  delegate('cpu', '', [process.pid]);
  expect(prepareCgroups(2, own, 'y').obstacle).toContain('not handed down');
  delegate('memory', '', [1, process.pid]);
  expect(prepareCgroups(2, own, 'y').obstacle).toContain('other processes');
  expect(prepareCgroups(1, join(own, 'none'), 'y').obstacle).toBe('no such file or directory');
});

test('a limit is on memory and swap together', () => {
  const v2: Cgroups = { version: 2, base: own };
  mkdirSync(join(own, '17.1.0'));
  put('17.1.0/memory.swap.max', 'max');
  createCgroup(v2, '17.1.0', 1000);
  expect([get('17.1.0/memory.max'), get('17.1.0/memory.swap.max')]).toEqual(['1000', '0']);

  const v1: Cgroups = { version: 1, base: own };
  mkdirSync(join(own, '18.1.0'));
  put('18.1.0/memory.memsw.limit_in_bytes', '0');
  createCgroup(v1, '18.1.0', 2000);
  expect(get('18.1.0/memory.limit_in_bytes')).toBe('2000');
  expect(get('18.1.0/memory.memsw.limit_in_bytes')).toBe('2000');
});

test('peak and kills are read in either version', () => {
  mkdirSync(join(own, 'two'));
  put('two/memory.peak', '4096\n');
  put('two/memory.events', 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n');
  expect(readCgroup(join(own, 'two'))).toEqual({ peakBytes: 4096, oomKills: 2 });

  mkdirSync(join(own, 'one'));
  put('one/memory.max_usage_in_bytes', '8192\n');
  put('one/memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n');
  expect(readCgroup(join(own, 'one'))).toEqual({ peakBytes: 8192, oomKills: 1 });

  mkdirSync(join(own, 'old'));
  expect(readCgroup(join(own, 'old'))).toEqual({ peakBytes: null, oomKills: 0 });
  expect(readCgroup(join(own, 'gone'))).toBeNull();
});

test('all at once is killed where the kernel can', () => {
  mkdirSync(join(own, 'g'));
  expect(killCgroup(join(own, 'g'))).toBe(false);
  put('g/cgroup.kill', '');
  expect(killCgroup(join(own, 'g'))).toBe(true);
  expect(get('g/cgroup.kill')).toBe('1');
});
