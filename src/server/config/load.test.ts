import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configDirectory, GIB, machine } from './fake-config.ts';
import { type Config, loadConfig } from './load.ts';

const { directory, path, load, refused } = configDirectory();

function fromOf(config: Config, key: string): string | undefined {
  const value = config.view.values.find((entry) => entry.key === key);
  return value === undefined ? undefined : `${value.value} (${value.from})`;
}

describe('without a file', () => {
  test('the machine is one node, with one queue without limits', () => {
    const config = loadConfig({ directory: directory(), file: null, machine });
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
      fruitlessUnderMs: 10_000,
      maxFruitless: 3,
      maxStagnant: 3,
    });
    expect(config.retention).toEqual({
      historyMs: 90 * 86_400_000,
      logBytes: 10 * 1024 ** 2,
    });
    expect(config).toMatchObject({ flushLimitMs: 600_000, scratchDirectories: null });
    expect(fromOf(config, 'scratch.directories')).toBe('the fastest local disk (default)');
  });

  test('the view tells defaults from what was detected', () => {
    const config = loadConfig({ directory: directory(), file: null, machine });
    expect(config.view.file).toBeNull();
    expect(fromOf(config, 'node.cpus')).toBe('8 (detected)');
    expect(fromOf(config, 'node.gpus')).toBe('3 × A100 40G (detected)');
    expect(fromOf(config, 'stop.grace')).toBe('30s (default)');
    expect(fromOf(config, 'queues.main.max_running')).toBe('no limit (default)');
    expect(fromOf(config, 'retention.history')).toBe('90d (default)');
  });

  test('an empty file is the same', () => {
    const without = loadConfig({ directory: directory(), file: null, machine });
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

describe('how GPUs are shared', () => {
  test('is by whole devices unless somebody says so', () => {
    const config = load('');
    expect(config.policy.gpu).toEqual({
      share: 'whole',
      arrange: 'pack',
      maxLoadMillis: 1000,
      learnAfterMs: 600_000,
      foreignToleranceMillis: 100,
      outOfMemoryExitCodes: [],
    });
    expect(config.samplesPerSecond).toBe(4);
    expect(config.policy.queues[0]).not.toHaveProperty('gpuShare');
    expect(fromOf(config, 'gpu.max_load')).toBe('100 (default)');
  });

  test('is as the file says, for the yard and for a queue', () => {
    const config = load(
      [
        '[gpu]\nshare = "auto"\narrange = "spread"\nmax_load = 120\nlearn_after = "90s"',
        'foreign_tolerance = 0\nsamples_per_second = 10\noom_exit_codes = [86, 87]',
        '[queues.night]\ngpu.share = "whole"\n',
      ].join('\n'),
    );
    expect(config.policy.gpu).toEqual({
      share: 'auto',
      arrange: 'spread',
      maxLoadMillis: 1200,
      learnAfterMs: 90_000,
      foreignToleranceMillis: 0,
      outOfMemoryExitCodes: [86, 87],
    });
    expect(config.samplesPerSecond).toBe(10);
    expect(config.policy.queues[0]).toMatchObject({ name: 'night', gpuShare: 'whole' });
    expect(fromOf(config, 'queues.night.gpu.share')).toBe('whole (trainyard.toml:10)');
  });
});

describe('what is kept', () => {
  test('is copied within the time given, and scratch is where it is wanted', () => {
    const config = load('[checkpoints]\nflush_limit = "30m"\n[scratch]\ndirectories = ["/nvme", "/local"]\n');
    expect(config).toMatchObject({ flushLimitMs: 1_800_000, scratchDirectories: ['/nvme', '/local'] });
    expect(fromOf(config, 'scratch.directories')).toBe('/nvme, /local (trainyard.toml:4)');
  });

  test('wants whole paths and a time', () => {
    expect(refused('[scratch]\ndirectories = ["here"]\n').message).toContain(
      'write the whole path of a directory',
    );
    expect(refused('[checkpoints]\nflush_limit = 0\n').message).toContain('write a duration');
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
preempts = ["low"]
max_time = "2h"
[qos.low]
preempt = "suspend"
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
    expect(policy.qos[0]).toMatchObject({ priority: 10, preempts: ['low'], maxLimitMs: 7_200_000 });
    expect(policy.qos.map(({ preempt }) => preempt)).toEqual([undefined, 'suspend']);
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
    ['[qos.a]\npreempt = "off"', /:2: qos\.a\.preempt is "off"; choose one of requeue, suspend, cancel/],
    ['[qos.a]\npreempts = "b"\n[qos.b]', /:2: qos\.a\.preempts is "b"; write a list/],
    [
      '[qos.a]\npreempts = ["b", "cc"]\n[qos.b]\n[qos.c]',
      /:2: qos\.a\.preempts\[1\] is "cc", which is no QOS; choose from a, b, c/,
    ],
    [
      '[qos.a]\npreempts = ["constructor"]',
      /:2: qos\.a\.preempts\[0\] is "constructor", which is no QOS; choose from a/,
    ],
    ['[qos.a]\npreempts = ["a"]', /:2: qos\.a\.preempts\[0\] is "a", the QOS itself; name others/],
    [
      '[qos.a]\npreempts = ["b"]\n[qos.b]\npreempts = ["c"]\n[qos.c]\npreempts = ["a"]',
      /:2: qos\.a\.preempts\[0\] is "b", which may preempt "a" in turn; let one of them go first/,
    ],
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
    const named = join(directory(), 'other.toml');
    writeFileSync(named, '[stop]\ngrace = "5s"\n');
    const config = loadConfig({ directory: directory(), file: named, machine });
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
    expect(loadConfig({ directory: directory(), file: null, machine: without }).mailProgram).toBeNull();
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
