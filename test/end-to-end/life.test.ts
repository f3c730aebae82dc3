/** What a person does in the first hour, on a real yard. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { yardAtHand } from './yard-at-hand.ts';

const yard = yardAtHand();
afterAll(() => yard.close());

const output = (name: string) => readFileSync(join(yard.workDir, name), 'utf8');

describe('a first job', () => {
  test('the first command starts a yard; the job runs and its exit code comes back', async () => {
    const submitted = await yard.run('submit', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3');
    expect(submitted).toEqual({ stdout: 'submitted job 1\n', stderr: '', code: 0 });
    const waited = await yard.run('wait', '1');
    expect([waited.code, waited.stdout]).toEqual([3, 'job 1 failed with exit code 3\n']);
    expect(output('trainyard-1.out')).toBe('out\nerr\n');
    expect((await yard.run('logs', '1')).stdout).toBe('out\nerr\n');
  });

  test('a script with directives, from stdin, runs with its arguments', async () => {
    writeFileSync(
      join(yard.workDir, 'job.sh'),
      '#!/bin/sh\n#YARD --name named --output here-%x.txt\necho "$0 has $#: $*" | sed "s,.*/,,"\n',
    );
    expect((await yard.run('submit', '--wait', 'job.sh', 'a b', 'c')).code).toBe(0);
    expect(output('here-named.txt')).toMatch(/has 2: a b c\n$/);
    expect((await yard.shell('echo "echo from stdin" | trainyard submit --wait -o stdin.txt -')).code).toBe(
      0,
    );
    expect(output('stdin.txt')).toBe('from stdin\n');
  });

  test('umask, limits, directory and environment are those of the shell it was submitted from', async () => {
    const line = `umask 027; ulimit -n 200; ODD="$(printf 'a\\nb\\377')" trainyard submit --wait -o facts.txt -- sh -c 'umask; ulimit -n; pwd; printf "%s" "$ODD" | od -An -c | tr -d " \\n"'`;
    expect((await yard.shell(line)).code).toBe(0);
    expect(output('facts.txt').split('\n')).toEqual(['0027', '200', yard.workDir, 'a\\nb377']);
  });

  test('a name with a newline and bad bytes neither breaks the terminal nor gets lost', async () => {
    const said = await yard.shell(
      `trainyard submit --wait -o /dev/null --name "$(printf 'two\\nlines \\033[31m \\377')" -- true; trainyard history -n 1`,
    );
    expect(said.stdout).toContain('two\\nlines \\x1b[31m \\xff');
  });
});

describe('control', () => {
  test('hold, release, requeue and cancel', async () => {
    const id = (
      await yard.run('submit', '-q', '--hold', '-o', 'runs.txt', '--', 'sh', '-c', 'echo run')
    ).stdout.trim();
    expect((await yard.run('release', id)).code).toBe(0);
    await yard.run('wait', id);
    expect((await yard.run('requeue', id)).code).toBe(0);
    await yard.run('wait', id);
    expect(output('runs.txt')).toBe('run\nrun\n');
    const sleeper = (await yard.run('submit', '-q', '-o', '/dev/null', '--', 'sleep', '600')).stdout.trim();
    expect((await yard.run('cancel', sleeper)).code).toBe(0);
    expect((await yard.run('wait', sleeper)).stdout).toContain('cancelled');
  });

  test('an array is one line until its elements start', async () => {
    await yard.run('submit', '--array', '0-9999%1', '--hold', '-o', '/dev/null', '--', 'true');
    const queue = (await yard.run('queue')).stdout;
    expect(queue).toContain('_[0-9999%1]');
    expect(queue.split('\n').length).toBeLessThan(6);
    expect((await yard.run('cancel', '--all')).code).toBe(0);
  });

  test('mistakes get a sentence, a hint and a non-zero exit', async () => {
    for (const [words, code, text] of [
      [['sumbit'], 2, 'did you mean submit?'],
      [['queue', '--sate', 'x'], 2, 'did you mean --state?'],
      [['submit', 'missing.sh'], 1, 'there is no file "missing.sh"'],
      [['submit', '--gpus', '1', '--', 'true'], 1, 'it wants 1 GPU and no node of queue main has any'],
      [['show', '999999'], 1, 'there is no job 999999'],
    ] as const) {
      const said = await yard.run(...words);
      expect([said.code, said.stdout]).toEqual([code, '']);
      expect(said.stderr).toContain(text);
      expect(said.stderr).not.toMatch(/^\s+at /m);
    }
  });
});

describe('the daemon dies', () => {
  test('kill -9 while a job runs, then any command: it still runs, then ends with its true status', async () => {
    const id = (
      await yard.run(
        'submit',
        '-q',
        '-o',
        'survivor.txt',
        '--',
        'sh',
        '-c',
        'echo begin; while [ ! -e go ]; do sleep 0.05; done; echo end; exit 42',
      )
    ).stdout.trim();
    await yard.shell('while [ ! -s survivor.txt ]; do sleep 0.02; done');
    const before = await yard.daemonPid();
    process.kill(before, 'SIGKILL');
    expect((await yard.run('queue')).stdout).toMatch(new RegExp(`^${id} .* running `, 'm'));
    expect(await yard.daemonPid()).not.toBe(before);
    writeFileSync(join(yard.workDir, 'go'), '');
    expect((await yard.run('wait', id)).code).toBe(42);
    expect(output('survivor.txt')).toBe('begin\nend\n');
  });

  test('a job that ends while nobody is there is found ended', async () => {
    const id = (
      await yard.run(
        'submit',
        '-q',
        '-o',
        'alone.txt',
        '--',
        'sh',
        '-c',
        'while [ ! -e gone ]; do sleep 0.02; done; echo done; exit 9',
      )
    ).stdout.trim();
    process.kill(await yard.daemonPid(), 'SIGKILL');
    await yard.shell('touch gone; while [ ! -s alone.txt ]; do sleep 0.02; done');
    expect((await yard.run('wait', id)).code).toBe(9);
  });

  test('down leaves jobs running, and up finds them', async () => {
    const id = (await yard.run('submit', '-q', '-o', '/dev/null', '--', 'sleep', '600')).stdout.trim();
    expect((await yard.run('down')).code).toBe(0);
    expect((await yard.run('up')).stdout).toContain('The yard is up');
    const { phase } = await yard.json<{ phase: string }>('show', id);
    expect(phase).toBe('active');
    await yard.run('cancel', id);
  });
});
