import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownHardUlimits } from '../../src/platform/ulimits.ts';
import { PLAIN_ENVIRONMENT } from './builders.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

test('nodes are reported first, then that a job runs, then that it ended', async () => {
  await yard.run({ argv: ['/bin/true'] });
  expect(yard.reports.seen.map((one) => one.type)).toEqual(['nodesSeen', 'attemptRunning', 'attemptEnded']);
});

test('success, a code, a signal', async () => {
  expect(await yard.run({ id: 1, argv: ['true'] })).toMatchObject({
    exit: { code: 0, signal: null, outOfMemory: false },
    fault: null,
  });
  expect((await yard.run({ id: 2, argv: ['sh', '-c', 'exit 3'] })).exit.code).toBe(3);
  expect((await yard.run({ id: 3, argv: ['sh', '-c', 'kill -9 $$'] })).exit).toMatchObject({
    code: null,
    signal: 9,
  });
});

test('a script that says 143 means 143', async () => {
  expect((await yard.run({ script: '#!/bin/sh\nexit 143\n' })).exit).toMatchObject({
    code: 143,
    signal: null,
  });
});

test('CPU time is counted', async () => {
  const { usage } = await yard.run({
    argv: ['sh', '-c', 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'],
  });
  expect(usage?.cpuMs).toBeGreaterThan(5);
});

test('the peak is that of the job, or nothing, but never that of the yard', async () => {
  expect((await yard.run({ id: 1, argv: ['true'] })).usage?.peakMemoryBytes).toBeNull();
  const bytes = process.resourceUsage().maxRSS * 1024 + 64 * 1024 * 1024;
  const fill = `import time; b = b'x' * ${bytes}; time.sleep(0.3)`;
  const { usage } = await yard.run({ id: 2, argv: ['python3', '-c', fill] });
  expect(usage?.peakMemoryBytes).toBeGreaterThan(bytes);
});

test('a script runs with its arguments, whatever they are', async () => {
  const argv = ['-n', 'two words', '', "it's", 'line\nline', '$HOME'];
  await yard.run({ script: '#!/bin/sh -e\nfor a in "$@"; do printf "<%s>" "$a"; done\n', argv });
  expect(yard.output()).toBe("<-n><two words><><it's><line\nline><$HOME>");
});

test('a script may be run by something else than its first line says', async () => {
  const script = '#!/no/such/python\necho "$0" | sed "s:.*/::"; echo "$1"\n';
  const { exit } = await yard.run({ script, argv: ['one'], program: { interpreter: ['/bin/sh'] } });
  expect(exit.code).toBe(0);
  expect(yard.output()).toMatch(/^[0-9a-f]{64}\none\n$/);
});

test('odd paths are just paths', async () => {
  const workDir = join(yard.workDir, "-a b'c\nd");
  mkdirSync(workDir);
  await yard.run({ argv: ['pwd'], workDir, streams: { stdout: '-o "x\ny' } });
  expect(yard.output('-a b\'c\nd/-o "x\ny')).toBe(`${workDir}\n`);
});

test('the environment is the one submitted, byte for byte', async () => {
  const environment = Buffer.concat([
    Buffer.from(`${PLAIN_ENVIRONMENT}OLDPWD=/old\0`),
    Buffer.from('BYTES=\xff\xfe\0', 'latin1'),
    Buffer.from('BASH_FUNC_greet%%=() {  echo hello\n}\0IFS=:\0'),
  ]);
  await yard.run({ environment, argv: ['cat', '/proc/self/environ'] });
  const entries = yard.output().split('\0').filter(Boolean);
  expect(entries).toContain('BYTES=\xff\xfe');
  expect(entries).toContain('OLDPWD=/old');
  expect(entries).toContain(`PWD=${yard.workDir}`);
  expect(entries).toContain('BASH_FUNC_greet%%=() {  echo hello\n}');
  expect(entries).toContain('IFS=:');
  const names = entries.map((entry) => entry.slice(0, entry.indexOf('=')));
  const added = names.filter((name) => !name.startsWith('TRAINYARD_') && name !== 'PYTHONPATH');
  expect(added.sort()).toEqual(['BASH_FUNC_greet%%', 'BYTES', 'HOME', 'IFS', 'OLDPWD', 'PATH', 'PWD'].sort());
});

test('nothing of ours is open in a job, and its signals are as they should be', async () => {
  await yard.run({ id: 1, argv: ['ls', '/proc/self/fd'] });
  expect(yard.output().trim().split('\n')).toEqual(['0', '1', '2', '3']);
  await yard.run({ id: 2, argv: ['grep', '-E', '^Sig(Blk|Ign)', '/proc/self/status'] });
  const [blocked, ignored] = [...yard.output().matchAll(/\t(.*)/g)].map(([, mask]) => BigInt(`0x${mask}`));
  // Signals 32 and 33 are the C library's own, and it has its ways with them.
  expect([blocked, ignored! & ~(3n << 31n)]).toEqual([0n, 0n]);
});

test('umask and limits are those of the submitter', async () => {
  await yard.run({
    argv: ['sh', '-c', 'umask; ulimit -n; ulimit -c; : > made'],
    program: { umask: 0o027, ulimits: { n: '77', c: '0' } },
  });
  expect(yard.output()).toMatch(/^0?027\n77\n0\n$/);
});

test('even a limit of no file at all does not lose the exit status', async () => {
  const { exit } = await yard.run({ argv: ['sh', '-c', 'exit 5'], program: { ulimits: { f: '0' } } });
  expect(exit.code).toBe(5);
});

test('input and the two outputs go where they should', async () => {
  writeFileSync(join(yard.workDir, 'in'), 'hello');
  const streams = { stdin: 'in', stdout: '%x-%j.out', stderr: '%x-%j.err' };
  await yard.run({ argv: ['sh', '-c', 'cat; echo oops >&2'], streams });
  expect([yard.output('test-17.out'), yard.output('test-17.err')]).toEqual(['hello', 'oops\n']);
});

test('without an input there is nothing to read, and both outputs share a file', async () => {
  await yard.run({ argv: ['sh', '-c', 'cat; echo out; echo err >&2; echo out'] });
  expect(yard.output()).toBe('out\nerr\nout\n');
});

test('a first attempt empties its files, a second one adds to them', async () => {
  writeFileSync(join(yard.workDir, 'out'), 'old and long\n');
  await yard.run({ n: 1, argv: ['echo', 'one'] });
  await yard.run({ n: 2, argv: ['echo', 'two'] });
  expect(yard.output()).toBe('one\ntwo\n');
  await yard.run({ n: 3, argv: ['echo', 'three'], streams: { openMode: 'truncateAlways' } });
  expect(yard.output()).toBe('three\n');
});

test('directories for output are made when that was asked for', async () => {
  await yard.run({ argv: ['echo', 'hi'], streams: { stdout: 'a/b/%j', makeDirectories: true } });
  expect(yard.output('a/b/17')).toBe('hi\n');
});

test('a command that is not there is told as a shell would', async () => {
  expect((await yard.run({ id: 1, argv: ['no-such-program'] })).exit.code).toBe(127);
  expect(yard.output()).toBe('trainyard: no-such-program: command not found\n');
  expect((await yard.run({ id: 2, script: '#!/no/such/python\nx' })).exit.code).toBe(127);
  expect(yard.output()).toBe('trainyard: /no/such/python: no such file\n');
  writeFileSync(join(yard.workDir, 'plain'), 'x');
  expect((await yard.run({ id: 3, argv: ['./plain'] })).exit.code).toBe(126);
});

test('for a job whose faults are to be looked at, a program that is not there is one', async () => {
  const aftermath = { againExitCodes: [], errorExitCodes: [], faultsAreErrors: true };
  const none = { code: null, signal: null, outOfMemory: false };
  writeFileSync(join(yard.workDir, 'plain'), 'x');
  for (const [id, [wish, sentence]] of [
    [{ script: '#!/no/such/python\nx' }, 'cannot execute /no/such/python: no such file or directory'],
    [{ argv: ['no-such-program'] }, 'cannot execute no-such-program: no such file or directory'],
    [{ argv: ['./plain'] }, 'cannot execute ./plain: permission denied'],
    [{ argv: ['/'] }, 'cannot execute /: it is a directory'],
  ].entries() as Iterable<[number, [object, string]]>) {
    expect(await yard.run({ id: id + 1, ...wish, spec: { aftermath } })).toMatchObject({
      exit: none,
      fault: sentence,
    });
  }
  const { exit, fault } = await yard.run({ id: 9, argv: ['sh', '-c', 'exit 127'], spec: { aftermath } });
  expect([exit.code, fault]).toEqual([127, null]);
});

test('a limit beyond those of the yard becomes as much as can be had, and that is reported', async () => {
  yard.start({ argv: ['sh', '-c', 'ulimit -S -n'], program: { ulimits: { n: '99999999999', c: '0' } } });
  const { n: given } = ownHardUlimits();
  const { loweredLimits } = await yard.reports.next('attemptRunning');
  expect(loweredLimits).toEqual([{ letter: 'n', wanted: '99999999999', given }]);
  const { exit, fault } = await yard.reports.next('attemptEnded');
  expect([exit.code, fault]).toEqual([0, null]);
  expect(readFileSync(join(yard.workDir, 'out'), 'utf8')).toBe(`${given}\n`);
});

test('what cannot be set up is a fault, and the job does not run', async () => {
  const argv = ['touch', join(yard.workDir, 'ran')];
  const none = { code: null, signal: null, outOfMemory: false };
  const faults = [];
  for (const [id, wish] of [
    { workDir: join(yard.workDir, 'gone') },
    { streams: { stdout: 'gone/out' } },
    { streams: { stdout: '.' } },
    { streams: { stderr: 'gone/err' } },
    { streams: { stdin: 'gone' } },
    { argv: ['a\0b'] },
    { argv: [...argv, 'x'.repeat(3_000_000)] },
    { program: { script: 'f00d' } },
  ].entries()) {
    const ended = await yard.run({ id: id + 1, argv, ...wish });
    expect(ended.exit).toEqual(none);
    faults.push(ended.fault?.replaceAll(yard.workDir, '~'));
  }
  expect(faults).toEqual([
    'cannot enter the working directory ~/gone: no such file or directory',
    'cannot open its output file ~/gone/out: its directory does not exist',
    'cannot open its output file ~: it is a directory',
    'cannot open its error file ~/gone/err: its directory does not exist',
    'cannot open its standard input ~/gone: no such file or directory',
    'its shim cannot be started (an argument or a path holds a NUL)',
    'its arguments and environment together are longer than the system takes',
    'its script is gone from the store',
  ]);
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
});

test.skipIf(process.getuid?.() === 0)('an output file that may not be written is a fault', async () => {
  writeFileSync(join(yard.workDir, 'out'), '');
  chmodSync(join(yard.workDir, 'out'), 0o400);
  expect((await yard.run({ argv: ['true'] })).fault).toContain('permission denied');
});

test('a job that signals its whole group does not take the exit status along', async () => {
  const { exit } = await yard.run({ argv: ['sh', '-c', 'trap : TERM; kill 0; exit 4'] });
  expect(exit.code).toBe(4);
});

test('many at once all end well', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => i + 1);
  const ends = await Promise.all(ids.map((id) => yard.run({ id, argv: ['sh', '-c', `exit ${id}`] })));
  expect(ends.map(({ exit }) => exit.code)).toEqual(ids);
});

test('what ended and is forgotten leaves no file but one to use again', async () => {
  const inYard = (name: string) => readdirSync(join(yard.directory, 'yard', name));
  for (const id of [1, 2, 3]) {
    const { attempt, exit } = await yard.run({ id, script: `exit ${id}` });
    expect(exit.code).toBe(id);
    yard.engine.forget(attempt);
    const files = () => [inYard('ranks').length, inYard('spares').length, inYard('groups').length];
    await expect.poll(files, { interval: 20 }).toEqual([0, 1, 0]);
  }
  await yard.reopen();
  expect((await yard.run({ id: 4, argv: ['false'] })).exit.code).toBe(1);
  expect(inYard('spares')).toEqual([]);
});

test('CPUs that were asked for are the ones it runs on', async () => {
  await yard.run({
    argv: ['grep', 'Cpus_allowed_list', '/proc/self/status'],
    resources: { cpusAsked: true },
    nodes: [{ cpuIds: [0] }],
  });
  expect(yard.output()).toMatch(/\t0\n$/);
});

test('the output of a command that is killed is its own: no remark on it, and no file that it did not open', async () => {
  await yard.run({
    argv: ['sh', '-c', 'echo said >&2; ls -l /proc/$$/fd >fds; grep " 3 ->" fds; kill -9 $$'],
  });
  expect(yard.output()).toBe('said\n');
});
