import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../model/bytes.ts';
import { refusal } from '../../model/refusal.ts';
import { aJob, anAttempt, aView, endedJob, fakeYard } from '../fake-yard.ts';
import { complaint, SCRIPT, submitted, yardWith } from './fake-submit.ts';
import { run } from './fake-yard.ts';

describe('what is submitted', () => {
  it('is a script with its arguments, byte for byte', () => {
    const yard = yardWith('#!/bin/sh\necho \udcff\n');
    expect(run(yard, ['submit', 'train.sh', '--lr', '0.1', '--', '-x'])).toEqual({
      code: 0,
      stdout: 'submitted job 17\n',
      stderr: '',
    });
    const [command] = yard.commands;
    expect(command).toMatchObject({
      type: 'submit',
      spec: {
        name: 'train.sh',
        user: 'ada',
        queue: '',
        workDir: '/home/ada/work',
        program: {
          script: 'blob-0',
          argv: ['--lr', '0.1', '--', '-x'],
          environment: 'blob-1',
          spread: 'once',
        },
        streams: { stdout: 'trainyard-%j.out', stderr: null, openMode: 'truncate', makeDirectories: true },
        limitMs: null,
        requeue: true,
        origin: { dialect: 'native', words: { script: '/home/ada/work/train.sh' } },
      },
    });
    expect(yard.blobs[0]).toEqual(bytesFromText('#!/bin/sh\necho \udcff\n'));
  });

  it('is a command after --', () => {
    const spec = submitted(['-J', 'x', '--', '/opt/bin/python', 'train.py', '--json']);
    expect(spec.name).toBe('x');
    expect(spec.program).toMatchObject({ script: null, argv: ['/opt/bin/python', 'train.py', '--json'] });
    expect(submitted(['--', '/opt/bin/python']).name).toBe('python');
  });

  it('is shell text with --wrap', () => {
    const yard = yardWith();
    run(yard, ['submit', '--wrap', 'echo a | wc']);
    expect(textFromBytes(yard.blobs[0] as Uint8Array)).toBe('#!/bin/sh\necho a | wc\n');
  });

  it('is stdin with - or without arguments', () => {
    for (const argv of [['submit', '-', 'a'], ['submit']]) {
      const yard = fakeYard({ stdin: bytesFromText(SCRIPT) });
      expect(run(yard, argv).stdout).toBe('submitted job 17\n');
      expect(yard.blobs[0]).toEqual(bytesFromText(SCRIPT));
    }
  });

  it('is not waited for on a terminal', () => {
    const terminal = { stdin: true, stdout: true, stderr: true, columns: 80, colour: false };
    const ran = run(fakeYard(), ['submit'], { terminal });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('there is nothing to submit');
  });
});

describe('the answer', () => {
  it('is the bare number when quiet, and a value in JSON', () => {
    expect(run(yardWith(), ['submit', '-q', 'train.sh']).stdout).toBe('17\n');
    expect(JSON.parse(run(yardWith(), ['submit', '--json', '-a', '0-9', 'train.sh']).stdout)).toEqual({
      id: 17,
      ref: '17',
      name: 'train.sh',
      elements: 10,
    });
    expect(run(yardWith(), ['submit', '-a', '0-9%2', 'train.sh']).stdout).toBe(
      'submitted job 17, an array of 10 elements\n',
    );
  });

  it('passes on what the yard refuses', () => {
    const yard = yardWith();
    yard.answer = () => ({
      ok: false,
      refusal: refusal('noSuchQueue', 'there is no queue "gpu"', 'see `trainyard queues`', ['main']),
    });
    expect(run(yard, ['submit', '-p', 'gpu', 'train.sh'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'trainyard: there is no queue "gpu"\n  hint: see `trainyard queues`\n  choices: main\n',
    });
  });
});

describe('scripts that are none', () => {
  it('are refused in words, and nothing is kept', () => {
    expect(complaint(['nope.sh'])).toBe(
      'trainyard: there is no file "nope.sh" in /home/ada/work\n  hint: to run a command, put it after --: trainyard submit -- nope.sh\n',
    );
    expect(complaint(['./nope.sh'])).toBe('trainyard: there is no file "./nope.sh" in /home/ada/work\n');
    expect(complaint(['train.sh'], '')).toContain('"train.sh" is empty');
    expect(complaint(['train.sh'], ' \n\t\n')).toContain('"train.sh" is empty');
    expect(complaint(['train.sh'], 'echo a\r\necho b\r\n')).toBe(
      'trainyard: "train.sh" has DOS line endings (\\r\\n), which a shell takes as part of each line\n' +
        "  hint: convert it first: sed -i 's/\\r$//' ./train.sh\n",
    );
    expect(complaint(['train.sh'], '\x7fELF\u0002\u0001')).toBe(
      'trainyard: "train.sh" is a compiled program, not a script\n  hint: run it as a command: trainyard submit -- ./train.sh\n',
    );
    expect(complaint(['train.sh'], 'echo\0')).toContain('has NUL bytes in it');
  });

  it('names directories and files that may not be read', () => {
    const yard = fakeYard({
      files: new Map([
        ['/home/ada/work/dir', 'directory'],
        ['/home/ada/work/secret', 'denied'],
      ]),
    });
    expect(run(yard, ['submit', 'dir']).stderr).toBe('trainyard: "dir" is a directory, not a script\n');
    expect(run(yard, ['submit', 'secret']).stderr).toContain('"secret" may not be read');
  });

  it('takes 4M, and says the size of what is larger', () => {
    const whole = new Uint8Array(4 * 1024 * 1024).fill(0x61);
    whole[whole.length - 1] = 0x0a;
    const yard = yardWith(whole);
    expect(run(yard, ['submit', 'train.sh']).code).toBe(0);
    expect(yard.blobs[0]?.length).toBe(whole.length);
    const larger = new Uint8Array(12 * 1024 * 1024).fill(0x61);
    expect(complaint(['train.sh'], larger)).toContain('"train.sh" has 12M; a script may have 4M at most');
  });

  it('leaves one way to say what to run', () => {
    expect(complaint(['--wrap', 'x', 'train.sh'])).toContain('--wrap takes the place of a script');
    expect(complaint(['--wrap', 'x', '--', 'y'])).toContain('only one of them');
    expect(complaint(['--'])).toContain('a command must follow --');
    expect(complaint(['--wrap', ' '])).toContain('--wrap must not be empty');
  });
});

describe('staying with the job', () => {
  it('waits with --wait and returns its exit code', () => {
    const yard = yardWith();
    yard.views = [aView(aJob({ id: 17 }))];
    const failed = endedJob(
      17,
      { outcome: 'failed' },
      { exit: { code: 3, signal: null, outOfMemory: false } },
    );
    yard.meanwhile = [() => (yard.views = [aView(failed)])];
    expect(run(yard, ['submit', '-W', 'train.sh'])).toEqual({
      code: 3,
      stdout: 'submitted job 17\njob 17 failed with exit code 3\n',
      stderr: '',
    });
  });

  it('gives one JSON value with --wait --json', () => {
    const yard = yardWith();
    yard.views = [aView(endedJob(17))];
    const ran = run(yard, ['submit', '--wait', '--json', 'train.sh']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 0, jobs: [{ id: 17, outcome: 'completed' }] });
  });

  it('shows the output with --follow, both streams, and ends as the job does', () => {
    const yard = yardWith();
    const streams = { stderrPath: '/home/ada/work/err' };
    const running = aJob({ id: 17, phase: 'active', attempt: anAttempt() });
    const killed = endedJob(
      17,
      { outcome: 'failed' },
      { exit: { code: null, signal: 9, outOfMemory: false } },
    );
    const write = (path: string, text: string) =>
      yard.files.set(`/home/ada/work/${path}`, bytesFromText(text));
    yard.views = [aView(aJob(), { ...streams, reason: { kind: 'notLookedAt' } })];
    yard.meanwhile = [
      () => (yard.views = [aView(running, streams)]),
      () => write('trainyard-17.out', 'one\n'),
      () => {
        write('trainyard-17.out', 'one\ntwo');
        write('err', 'bad\n');
        yard.views = [aView(killed, streams)];
      },
    ];
    expect(run(yard, ['submit', '--follow', 'train.sh'])).toEqual({
      code: 137,
      stdout: 'one\ntwo',
      stderr:
        'submitted job 17\ntrainyard: note: job 17 waits: not looked at yet\nbad\ntrainyard: job 17 was ended by SIGKILL\n',
    });
  });

  it('does not follow arrays, nor in JSON', () => {
    expect(complaint(['-f', '-a', '0-9', 'train.sh'])).toContain('--follow shows one job');
    const ran = run(yardWith(), ['submit', '-f', '--json', 'train.sh']);
    expect(JSON.parse(ran.stdout)).toHaveProperty('error.code', 'badRequest');
  });
});
