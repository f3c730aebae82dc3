import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Device } from '../../model/node.ts';
import { type Refusal, RefusalError } from '../../model/refusal.ts';
import { type Config, loadConfig } from './load.ts';
import type { Machine } from './machine.ts';

const GIB = 1024 ** 3;
const device = (index: number): Device => ({ index, kind: 'A100', memoryBytes: 40 * GIB, simulated: false });
const machine: Machine = {
  hostname: 'box.example.org',
  cpus: 8,
  cpuIds: [0, 1, 2, 3, 4, 5, 6, 7],
  memoryBytes: 32 * GIB,
  devices: [device(0), device(1), device(2)],
  mailProgram: '/usr/bin/mail',
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const path = () => join(directory, 'trainyard.toml');

function load(text: string): Config {
  writeFileSync(path(), text);
  return loadConfig({ directory, file: null, machine });
}

function refusalFrom(action: () => unknown): Refusal {
  let thrown: unknown = null;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(RefusalError);
  return (thrown as RefusalError).refusal;
}

const refused = (text: string) => refusalFrom(() => load(text));

function fromOf(config: Config, key: string): string | undefined {
  const value = config.view.values.find((entry) => entry.key === key);
  return value === undefined ? undefined : `${value.value} (${value.from})`;
}

describe('without a file', () => {
  test('the machine is one node, with one queue without limits', () => {
    const config = loadConfig({ directory, file: null, machine });
    expect(config.nodes).toEqual([
      {
        name: 'box',
        cpus: 8,
        cpuIds: machine.cpuIds,
        memoryBytes: 32 * GIB,
        devices: machine.devices,
        features: [],
        state: 'up',
        reason: null,
      },
    ]);
    expect(config.policy.queues).toEqual(
      ['main', 'cpu', 'gpu'].map((name) => ({
        name,
        isDefault: name === 'main',
        priority: 0,
        nodes: null,
        defaultLimitMs: null,
        maxLimitMs: null,
        defaultMemoryBytes: null,
        defaultMemoryPerCpuBytes: null,
        preempt: 'off',
        graceMs: null,
        open: true,
        limits: {
          maxRunning: null,
          maxRunningPerUser: null,
          maxQueued: null,
          maxCpus: null,
          maxCpusPerUser: null,
          maxGpus: null,
          maxGpusPerUser: null,
        },
      })),
    );
    expect(config.policy.layouts).toEqual([
      { name: 'smp', spread: 'oneNode', maxRanks: null },
      { name: 'mpi', spread: 'fill', maxRanks: null },
    ]);
    expect(config.policy).toMatchObject({ graceMs: 30_000, backfill: true, maxArraySize: 100_000 });
    expect(config.policy).toMatchObject({
      unknownQueue: 'useDefault',
      qos: [{ name: 'normal', isDefault: true, maxLimitMs: null }],
      unknownQos: 'accept',
      accounts: null,
      requeueExitCodes: [3],
      requeueHoldExitCodes: [],
      fruitlessUnderMs: 1000,
      maxFruitless: 10,
    });
    expect(config.retention).toEqual({
      historyMs: 90 * 86_400_000,
      logBytes: 10 * 1024 ** 2,
    });
  });

  test('the view tells defaults from what was detected', () => {
    const config = loadConfig({ directory, file: null, machine });
    expect(config.view.file).toBeNull();
    expect(fromOf(config, 'node.cpus')).toBe('8 (detected)');
    expect(fromOf(config, 'node.gpus')).toBe('3 × A100 40G (detected)');
    expect(fromOf(config, 'stop.grace')).toBe('30s (default)');
    expect(fromOf(config, 'queues.main.max_running')).toBe('no limit (default)');
    expect(fromOf(config, 'retention.history')).toBe('90d (default)');
  });

  test('an empty file is the same', () => {
    const without = loadConfig({ directory, file: null, machine });
    expect(load('\uFEFF# nothing\n').policy).toEqual(without.policy);
  });
});

describe('the example in docs/config.md', () => {
  const docs = readFileSync(resolve(import.meta.dirname, '../../../docs/config.md'), 'utf8');
  const example = /```toml\n([\s\S]*?)```/.exec(docs)?.[1] as string;

  test('loads, and every value in it is in force', () => {
    const config = load(example);
    expect(config.name).toBe('vision-lab');
    expect(config.nodes.map((node) => node.name)).toEqual(['box-1', 'box-2', 'box-3', 'box-4']);
    expect(config.nodes[3]).toMatchObject({
      cpus: 16,
      memoryBytes: 64 * GIB,
      cpuIds: [],
      features: ['nvme'],
    });
    expect(config.nodes[3]?.devices).toHaveLength(4);
    expect(config.policy.queues.map((queue) => [queue.name, queue.isDefault, queue.preempt])).toEqual([
      ['main', true, 'requeue'],
      ['urgent', false, 'off'],
    ]);
    expect(config.policy.queues[1]).toMatchObject({
      priority: 10,
      nodes: ['box-1', 'box-2'],
      maxLimitMs: 4 * 3_600_000,
      limits: { maxGpusPerUser: 2 },
    });
    expect(config.policy).toMatchObject({
      shares: { alice: 2, bob: 0.5 },
      requeueExitCodes: [99],
      graceMs: 60_000,
      perUser: { maxRunning: 50, maxQueued: 5000, maxCpus: 32, maxGpus: 8 },
    });
  });

  test('names every setting there is, and every one that it names comes from the file', () => {
    const config = load(example);
    const elsewhere = config.view.values.filter(({ from }) => !from.startsWith('trainyard.toml:'));
    const partly = ['queues.urgent.', 'qos.long.', 'accounts.university.'];
    const missing = elsewhere
      .map(({ key }) => key)
      .filter((key) => !partly.some((table) => key.startsWith(table)));
    expect(missing).toEqual([]);
    for (const { key } of config.view.values) expect(docs).toContain(key.split('.').at(-1));
  });
});

describe('layouts', () => {
  test('are added to those that are always there, or change them', () => {
    const { policy } = load(
      '[layouts.orte]\nspread = "round_robin"\nmax_ranks = 64\n[layouts.two]\nspread = 2\n[layouts.smp]\nmax_ranks = 8\n[layouts.plain]\n',
    );
    expect(policy.layouts).toEqual([
      { name: 'smp', spread: 'oneNode', maxRanks: 8 },
      { name: 'mpi', spread: 'fill', maxRanks: null },
      { name: 'orte', spread: 'roundRobin', maxRanks: 64 },
      { name: 'two', spread: 2, maxRanks: null },
      { name: 'plain', spread: 'fill', maxRanks: null },
    ]);
  });

  test('the view says them as the file does', () => {
    const config = load('[layouts.orte]\nspread = "round_robin"\n');
    expect(fromOf(config, 'layouts.orte.spread')).toBe('round_robin (trainyard.toml:2)');
    expect(fromOf(config, 'layouts.smp.spread')).toBe('one_node (default)');
    expect(fromOf(config, 'layouts.mpi.max_ranks')).toBe('no limit (default)');
  });
});

describe('QOS and accounts', () => {
  test('are those of the file, and others are refused then', () => {
    const { policy } = load(`
[queues.gpu]
default_memory_per_cpu = "2G"
[qos.high]
priority = 10
max_time = "2h"
[qos.low]
default = true
max_gpus_per_user = 2
[accounts.lab]
users = ["ann"]
[accounts.vision]
description = "pictures"
parent = "lab"
[requeue]
exit_codes = []
fruitless_under = "5s"
`);
    expect(policy).toMatchObject({
      unknownQueue: 'refuse',
      unknownQos: 'refuse',
      requeueExitCodes: [],
      fruitlessUnderMs: 5000,
    });
    expect(policy.queues[0]?.defaultMemoryPerCpuBytes).toBe(2 * 1024 ** 3);
    expect(policy.qos.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['high', false],
      ['low', true],
    ]);
    expect(policy.qos[0]).toMatchObject({ priority: 10, maxLimitMs: 7_200_000 });
    expect(policy.accounts).toEqual([
      { name: 'lab', description: 'lab', users: ['ann'], parent: null },
      { name: 'vision', description: 'pictures', users: null, parent: 'lab' },
    ]);
  });

  test.each([
    [
      '[qos.a]\ndefault = true\n[qos.b]\ndefault = true',
      /:4: qos\.b\.default is true, but qos\.a\.default on line 2/,
    ],
    ['[qos."a b"]', /:1: "a b" is not a name for a QOS/],
    ['[qos.a]\nmax_tim = "1h"', /:2: qos\.a\.max_tim is not a setting/],
    ['[accounts."x y"]', /"x y" is not a name for an account/],
    [
      '[accounts.a]\nparent = "bb"\n[accounts.b]',
      /:2: accounts\.a\.parent is "bb", which is no account; choose from a, b/,
    ],
    [
      '[accounts.a]\nparent = "b"\n[accounts.b]\nparent = "a"',
      /:2: accounts\.a\.parent makes the account an ancestor/,
    ],
    ['[requeue]\nhold_exit_codes = [0]', /:2: requeue\.hold_exit_codes\[0\] is 0; write an exit code/],
  ])('%j is refused', (text, message) => {
    expect(() => load(text)).toThrow(message);
  });
});

describe('where a value came from', () => {
  test('is its line, with the value as it was written', () => {
    const config = load('[stop]\ngrace = "1h30m20s"\n\n[queues.gpu]\nopen = false\nnodes = ["box"]\n');
    expect(config.view.file).toBe(path());
    expect(fromOf(config, 'stop.grace')).toBe('1h30m20s (trainyard.toml:2)');
    expect(fromOf(config, 'queues.gpu.open')).toBe('false (trainyard.toml:5)');
    expect(fromOf(config, 'queues.gpu.nodes')).toBe('box (trainyard.toml:6)');
    expect(fromOf(config, 'queues.gpu.default')).toBe('true (default)');
  });

  test('is found in dotted keys, inline tables and tables out of order', () => {
    const config = load(
      'stop.grace = "5s"\nnode = { cpus = 2, memory = "4G" }\n[priority.shares]\n"a b" = 3\n[priority]\nage = 1\n',
    );
    expect(fromOf(config, 'stop.grace')).toBe('5s (trainyard.toml:1)');
    expect(fromOf(config, 'node.memory')).toBe('4G (trainyard.toml:2)');
    expect(fromOf(config, 'priority.shares."a b"')).toBe('3 (trainyard.toml:4)');
    expect(fromOf(config, 'priority.age')).toBe('1 (trainyard.toml:6)');
  });

  test('names a file as it was named', () => {
    const named = join(directory, 'other.toml');
    writeFileSync(named, '[stop]\ngrace = "5s"\n');
    const config = loadConfig({ directory, file: named, machine });
    expect(fromOf(config, 'stop.grace')).toBe(`5s (${named}:2)`);
  });
});

describe('mail', () => {
  test('is sent with what there is, with what the file names, or not at all', () => {
    expect(load('').mailProgram).toBe('/usr/bin/mail');
    expect(fromOf(load(''), 'mail.program')).toBe('/usr/bin/mail (detected)');
    expect(load('[mail]\nprogram = "/opt/post"\n').mailProgram).toBe('/opt/post');
    expect(load('[mail]\nprogram = "none"\n').mailProgram).toBeNull();
    const without = { ...machine, mailProgram: null };
    expect(loadConfig({ directory, file: null, machine: without }).mailProgram).toBeNull();
  });

  test('is not sent with something that is no path', () => {
    const { message } = refused('[mail]\nprogram = "mail"\n');
    expect(message).toContain('write the whole path of a program, such as "/usr/bin/mail", or "none"');
  });
});

describe('nodes', () => {
  test('virtual nodes share the machine out', () => {
    const { nodes } = load('[node]\nnodes = 3\n');
    expect(nodes.map((node) => [node.name, node.cpus, node.cpuIds])).toEqual([
      ['box-1', 2, [0, 1]],
      ['box-2', 2, [2, 3]],
      ['box-3', 2, [4, 5]],
    ]);
    expect(nodes.map((node) => node.memoryBytes)).toEqual(Array(3).fill(Math.floor((32 * GIB) / 3)));
    expect(nodes.map((node) => node.devices.map(({ index }) => index))).toEqual([[0], [1], [2]]);
  });

  test('every device belongs to one virtual node', () => {
    const { nodes } = load('[node]\nnodes = 2\n');
    expect(nodes.flatMap((node) => node.devices)).toEqual(machine.devices);
  });

  test('more nodes than CPUs: one each, and none pinned', () => {
    const { nodes } = load('[node]\nnodes = 20\n');
    expect(nodes).toHaveLength(20);
    expect(new Set(nodes.map((node) => node.cpus))).toEqual(new Set([1]));
    expect(nodes.flatMap((node) => node.cpuIds)).toEqual([]);
  });

  test('what is said is per node; CPUs are pinned only when the machine has them all', () => {
    expect(load('[node]\nnodes = 2\ncpus = 3\n').nodes.map((node) => node.cpuIds)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    const { nodes } = load('[node]\nnodes = 4\ncpus = 64\nmemory = "256G"\n');
    expect(nodes[0]).toMatchObject({ cpus: 64, cpuIds: [], memoryBytes: 256 * GIB });
  });

  test('simulated GPUs take the place of real ones', () => {
    const { nodes } = load('[node]\ngpus = "2x16G"\n');
    expect(nodes[0]?.devices).toEqual([
      { index: 0, kind: 'simulated', memoryBytes: 16 * GIB, simulated: true },
      { index: 1, kind: 'simulated', memoryBytes: 16 * GIB, simulated: true },
    ]);
    const table = load('[node]\ngpus = { count = 1, kind = "H100", memory = "80G" }\n');
    expect(table.nodes[0]?.devices).toEqual([
      { index: 0, kind: 'H100', memoryBytes: 80 * GIB, simulated: true },
    ]);
    expect(load('[node]\ngpus = "none"\n').nodes[0]?.devices).toEqual([]);
  });

  test('names are a pattern', () => {
    expect(load('[node]\nname = "n%n-lab"\nnodes = 2\n').nodes.map((node) => node.name)).toEqual([
      'n1-lab',
      'n2-lab',
    ]);
    expect(load('[node]\nname = "alone"\n').nodes[0]?.name).toBe('alone');
  });
});

describe('queues', () => {
  test('the default is the one that says so, then main, then the first', () => {
    const defaults = (text: string) =>
      load(text)
        .policy.queues.filter((queue) => queue.isDefault)
        .map((queue) => queue.name);
    expect(defaults('[queues.a]\n[queues.main]\n[queues.b]\ndefault = true\n')).toEqual(['b']);
    expect(defaults('[queues.a]\n[queues.main]\n')).toEqual(['main']);
    expect(defaults('[queues.b]\n[queues.a]\n')).toEqual(['b']);
  });

  test('shares may belong to a user of any name', () => {
    const { shares } = load('[priority.shares]\nconstructor = 2\n').policy;
    expect(shares.constructor).toBe(2);
    expect(load('').policy.shares.constructor).toBeUndefined();
  });
});

describe('mistakes', () => {
  const here = (sentence: string) => `trainyard.toml:${sentence}`;

  test.each([
    [
      '[queues.gpu]\npreempt = "requeu"\n',
      '2: queues.gpu.preempt is "requeu"; choose one of off, requeue, cancel',
    ],
    ['[stop]\ngrace = 30\n', '2: stop.grace is 30; write a duration such as "90s", "1h30m" or "7d"'],
    ['[stop]\ngrace = "soon"\n', '2: stop.grace is "soon"; write a duration such as "90s", "1h30m" or "7d"'],
    [
      '[priority]\nhalf_life = "0s"\n',
      '2: priority.half_life is "0s"; write a duration of a second or more, such as "90s", "1h30m" or "7d"',
    ],
    [
      '[node]\nmemory = "lots"\n',
      '2: node.memory is "lots"; write a size of 1M or more, such as "512M" or "16G"',
    ],
    ['[node]\nmemory = 64\n', '2: node.memory is 64; write a size of 1M or more, such as "512M" or "16G"'],
    ['[node]\ncpus = "four"\n', '2: node.cpus is "four"; write a whole number from 1 to 100000'],
    ['[node]\ncpus = 1.5\n', '2: node.cpus is 1.5; write a whole number from 1 to 100000'],
    ['[node]\nnodes = 0\n', '2: node.nodes is 0; write a whole number from 1 to 10000'],
    ['[node]\nfeatures = "fast"\n', '2: node.features is "fast"; write a list: [ … ]'],
    [
      '[node]\nfeatures = [\n "ok",\n "a b" ]\n',
      '4: node.features[1] is "a b"; write one word, such as "fast"',
    ],
    [
      '[node]\ngpus = "many"\n',
      '2: node.gpus is "many"; write "4x16G" (four of 16G), "none", or { count = 4, kind = "A100", memory = "16G" }',
    ],
    [
      '[node]\ngpus = "4xbig"\n',
      '2: node.gpus is "4xbig"; write a size of 1M or more, such as "512M" or "16G"',
    ],
    ['[node]\ngpus = { count = -1 }\n', '2: node.gpus.count is -1; write a whole number from 0 to 1024'],
    ['node = 3\n', '1: node is 3; write a table: [node]'],
    ['[[queues]]\nname = "a"\n', '1: queues is a list; write a table for each queue: [queues.NAME]'],
    ['[queues]\ngpu = 1\n', '2: queues.gpu is 1; write a table for each queue: [queues.NAME]'],
    [
      '[queues.gpu]\nmax_running = 0\n',
      '2: queues.gpu.max_running is 0; write a whole number of 1 or more, or leave it out for no limit',
    ],
    ['[queues.gpu]\nopen = "yes"\n', '2: queues.gpu.open is "yes"; write true or false'],
    ['[queues."a b"]\n', '1: "a b" is not a name for a queue; use letters, digits, ".", "_" and "-"'],
    ['[layouts."a b"]\n', '1: "a b" is not a name for a layout; use letters, digits, ".", "_" and "-"'],
    [
      '[layouts.a]\nspread = "around"\n',
      '2: layouts.a.spread is "around"; write "one_node", "fill", "round_robin", or how many ranks each node gets',
    ],
    [
      '[layouts.a]\nspread = 0\n',
      '2: layouts.a.spread is 0; write "one_node", "fill", "round_robin", or how many ranks each node gets',
    ],
    ['[queues.gpu]\n[queues.gpu]\n', '2: [queues.gpu] is there for the second time'],
    ['[stop]\ngrace = "1s"\ngrace = "2s"\n', '3: grace is there for the second time'],
    [
      '[queues.a]\ndefault = true\n[queues.b]\ndefault = true\n',
      '4: queues.b.default is true, but queues.a.default on line 2 is too; one queue is the default',
    ],
    [
      '[node]\nnodes = 2\n[queues.a]\nnodes = ["box-1", "box-3"]\n',
      '4: queues.a.nodes[1] is "box-3", which is no node; choose from box-1, box-2',
    ],
    [
      '[queues.a]\nmax_time = "1h"\ndefault_time = "2h"\n',
      '3: queues.a.default_time is "2h", more than its max_time of "1h"',
    ],
    ['[requeue]\nexit_codes = [99, 0]\n', '2: requeue.exit_codes[1] is 0; write an exit code from 1 to 255'],
    ['[priority]\nage = inf\n', '2: priority.age is Infinity; write a number from 0 to 1000000000'],
    [
      '[priority.shares]\nalice = 0\n',
      '2: priority.shares.alice is 0; write a number above 0, up to 1000000',
    ],
    ['[yard]\nname = 1979-05-27\n', '2: yard.name is a date; write a name of 1 to 64 characters'],
    ['[stop\n', '1: this is not TOML: unterminated table-key'],
    [
      '[stop]\ngrace\n[node]\n',
      '2: this is not TOML: the key, equals sign, and value must be on the same line',
    ],
    ['[stop]\ngrace = 30s\n', '2: this is not TOML: must be a newline'],
    ['[stop]\n__proto__ = 1\n', '2: stop.__proto__ is not a setting'],
    ['[stop]\ngrac = "1s"\n', '2: stop.grac is not a setting; stop has grace'],
  ])('%j', (text, message) => {
    expect(refused(text).message).toBe(here(message));
    expect(refused(text).code).toBe('badRequest');
  });

  test('come with what was probably meant, and the choices', () => {
    const word = refused('[queues.gpu]\npreempt = "requeu"\n');
    expect(word.hint).toBe(`did you mean "requeue"?\nthe file is ${path()}`);
    expect(word.choices).toEqual(['off', 'requeue', 'cancel']);
    const key = refused('[queues.gpu]\nmax_runing = 1\n');
    expect(key.hint).toContain('did you mean queues.gpu.max_running?');
    expect(key.choices).toContain('max_running');
    expect(refused('[nodes]\ncpus = 4\n').hint).toContain('did you mean node?');
    expect(refused('cpus = 4\n').hint).toContain('did you mean node.cpus?');
    expect(refused('[node.gpus]\nnumber = 4\n').message).toBe(
      here('2: node.gpus.number is not a setting; node.gpus has count, kind, memory'),
    );
    expect(refused('[stop]\ngrace = 30s # soon\n').hint).toContain('texts stand in quotes: grace = "30s"');
    expect(refused('[node]\nnodes = 2\n[queues.a]\nnodes = ["box1"]\n').hint).toContain(
      'did you mean "box-1"?',
    );
  });

  test('are all told, the first in the message', () => {
    const several = refused('[stop]\ngrace = 1\n[node]\ncpu = 4\n[queues.gpu]\npreempt = "on"\n');
    expect(several.message).toBe(here('2: stop.grace is 1; write a duration such as "90s", "1h30m" or "7d"'));
    expect(several.hint?.split('\n')).toEqual([
      'also trainyard.toml:4: node.cpu is not a setting; node has name, nodes, cpus, memory, gpus, features (did you mean node.cpus?)',
      'also trainyard.toml:6: queues.gpu.preempt is "on"; choose one of off, requeue, cancel',
      `the file is ${path()}`,
    ]);
  });

  test('a long value is cut short', () => {
    expect(refused(`[stop]\ngrace = "${'x'.repeat(500)}"\n`).message.length).toBeLessThan(160);
  });
});

describe('a file that cannot be read', () => {
  test('is refused when it was named and is not there', () => {
    const missing = join(directory, 'none.toml');
    expect(refusalFrom(() => loadConfig({ directory, file: missing, machine }))).toMatchObject({
      code: 'noSuchFile',
      message: `there is no config file ${missing}`,
    });
  });

  test('is refused when it is a directory, no text, or enormous', () => {
    writeFileSync(path(), Buffer.from([0x61, 0xff, 0xfe]));
    const loading = () => loadConfig({ directory, file: null, machine });
    expect(refusalFrom(loading).message).toBe(`the config file ${path()} is not text in UTF-8`);
    writeFileSync(path(), '#'.repeat(1024 * 1024 + 1));
    expect(refusalFrom(loading)).toMatchObject({ code: 'tooLarge' });
    rmSync(path());
    mkdirSync(path());
    expect(refusalFrom(loading).message).toBe(`the config file ${path()} cannot be read: it is a directory`);
  });

  test('is refused without permission', ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may read everything');
    writeFileSync(path(), '');
    chmodSync(path(), 0);
    expect(refusalFrom(() => loadConfig({ directory, file: null, machine })).message).toBe(
      `the config file ${path()} cannot be read: you have no permission`,
    );
  });

  test('is refused when it is nested without end', () => {
    expect(refused(`a = ${'['.repeat(50_000)}`).message).toContain('trainyard.toml');
    expect(refused(`a = ${'['.repeat(5000)}${']'.repeat(5000)}`).message).toContain('trainyard.toml');
  });
});

test('whatever is done to a file, it loads or is refused', () => {
  const docs = readFileSync(resolve(import.meta.dirname, '../../../docs/config.md'), 'utf8');
  const example = /```toml\n([\s\S]*?)```/.exec(docs)?.[1] as string;
  const scraps = [
    '"',
    "'",
    '[',
    ']',
    '=',
    '\n',
    '.',
    '0',
    '-1',
    '1e400',
    'nan',
    '{',
    '}',
    ',',
    '\0',
    '\ud800',
  ];
  const words = [...scraps, '__proto__', 'constructor', 'true', '[[queues]]', '2020-01-01', 'toString.x=1\n'];
  let state = 12345;
  const random = (n: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % n;
  };
  let accepted = 0;
  const unexpected: unknown[] = [];
  for (let round = 0; round < 250; round++) {
    let text = example;
    for (let change = 1 + random(3); change > 0; change--) {
      const at = random(text.length);
      const length = random(3) === 0 ? random(40) : random(3);
      text =
        text.slice(0, at) + (random(3) === 0 ? '' : words[random(words.length)]) + text.slice(at + length);
    }
    try {
      load(text);
      accepted += 1;
    } catch (error) {
      const told = error instanceof RefusalError && /^trainyard\.toml(:\d+)?: ./.test(error.message);
      if (!told) unexpected.push([text, error]);
    }
  }
  expect(unexpected).toEqual([]);
  expect(accepted).toBeGreaterThan(20);
  expect(accepted).toBeLessThan(230);
});
