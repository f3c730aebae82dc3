import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RefusalError } from '../../model/refusal.ts';
import { configDirectory, machine, refusalFrom } from './fake-config.ts';
import { loadConfig } from './load.ts';

const { directory, path, load, refused } = configDirectory();

describe('mistakes', () => {
  const here = (sentence: string) => `trainyard.toml:${sentence}`;

  test.each([
    [
      '[queues.gpu]\npreempt = "requeu"\n',
      '2: queues.gpu.preempt is "requeu"; choose one of off, requeue, suspend, cancel',
    ],
    ['[gpu]\nshare = "half"\n', '2: gpu.share is "half"; choose one of whole, auto'],
    ['[gpu]\narrange = "heap"\n', '2: gpu.arrange is "heap"; choose one of pack, spread'],
    ['[gpu]\nmax_load = 0\n', '2: gpu.max_load is 0; write a whole number of percent from 1 to 400'],
    [
      '[gpu]\nlearn_after = "0s"\n',
      '2: gpu.learn_after is "0s"; write a duration of a second or more, such as "90s", "1h30m" or "7d"',
    ],
    [
      '[gpu]\nforeign_tolerance = 101\n',
      '2: gpu.foreign_tolerance is 101; write a whole number of percent from 0 to 100',
    ],
    [
      '[gpu]\nsamples_per_second = 11\n',
      '2: gpu.samples_per_second is 11; write a whole number from 1 to 10',
    ],
    ['[gpu]\noom_exit_codes = [0]\n', '2: gpu.oom_exit_codes[0] is 0; write an exit code from 1 to 255'],
    ['[queues.a]\ngpu.share = true\n', '2: queues.a.gpu.share is true; choose one of whole, auto'],
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
    expect(word.choices).toEqual(['off', 'requeue', 'suspend', 'cancel']);
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
      'also trainyard.toml:6: queues.gpu.preempt is "on"; choose one of off, requeue, suspend, cancel',
      `the file is ${path()}`,
    ]);
  });

  test('a long value is cut short', () => {
    expect(refused(`[stop]\ngrace = "${'x'.repeat(500)}"\n`).message.length).toBeLessThan(160);
  });
});

describe('a file that cannot be read', () => {
  test('is refused when it was named and is not there', () => {
    const missing = join(directory(), 'none.toml');
    expect(refusalFrom(() => loadConfig({ directory: directory(), file: missing, machine }))).toMatchObject({
      code: 'noSuchFile',
      message: `there is no config file ${missing}`,
    });
  });

  test('is refused when it is a directory, no text, or enormous', () => {
    writeFileSync(path(), Buffer.from([0x61, 0xff, 0xfe]));
    const loading = () => loadConfig({ directory: directory(), file: null, machine });
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
    expect(refusalFrom(() => loadConfig({ directory: directory(), file: null, machine })).message).toBe(
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
