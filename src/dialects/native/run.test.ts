import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/refusal.ts';
import { seededRandom } from '../../sim/random.ts';
import { aJob, aView, CALLER_GONE, fakeYard, invocationOf } from '../fake-yard.ts';
import { COMMANDS } from './commands.ts';
import { run } from './fake-yard.ts';
import { runNative } from './run.ts';
import { VERSION } from './version.ts';

describe('help', () => {
  it('lists every command, and is what comes without arguments', () => {
    const { stdout, code } = run(fakeYard(), []);
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) expect(stdout).toContain(`  ${name.padEnd(11)}  ${summary}\n`);
    for (const argv of [['help'], ['--help'], ['-h'], ['help', '-q']])
      expect(run(fakeYard(), argv).stdout).toBe(stdout);
  });

  it('of a command names its options and has examples that it understands', () => {
    for (const { name, options, examples, aliases } of COMMANDS) {
      const { stdout, code } = run(fakeYard(), [name, '--help']);
      expect(code).toBe(0);
      expect(run(fakeYard(), ['help', name]).stdout).toBe(stdout);
      for (const alias of aliases) expect(run(fakeYard(), ['help', alias]).stdout).toBe(stdout);
      for (const option of options) expect(stdout).toContain(`--${option.name}`);
      expect(examples.length).toBeGreaterThan(0);
      for (const { line } of examples) expect(line).toContain(`trainyard ${name}`);
    }
  });

  it('fits a screen of 100 columns', () => {
    for (const { name } of COMMANDS) {
      for (const line of run(fakeYard(), ['help', name]).stdout.split('\n')) {
        expect([line, line.length <= 100]).toEqual([line, true]);
      }
    }
  });

  it('reads like this', () => {
    expect(run(fakeYard(), ['help', 'logs']).stdout).toBe(
      [
        'Usage: trainyard logs [options] JOB',
        '',
        'What a job has written.',
        'With -f it goes on until the job has ended, through restarts as well.',
        'Also called: log, output',
        '',
        'Options:',
        '  -f, --follow     show what comes until the job ends',
        '  -e, --stderr     its stderr, where that is a file of its own',
        '      --attempt N  an earlier attempt; default: the last one',
        '  -n, --lines N    only the last N lines; default: all',
        '      --json       answer with one JSON value, errors too',
        '  -q, --quiet      only what a script needs',
        '  -h, --help       this',
        '',
        'Examples:',
        '  trainyard logs -f 17              # watch it',
        '  trainyard logs -n 20 --stderr 17  # the last lines of its stderr',
        '  trainyard logs 20_3               # one element of an array',
        '',
      ].join('\n'),
    );
  });

  it('names no two commands or options alike', () => {
    const words = COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(words).size).toBe(words.length);
    for (const { options } of COMMANDS) {
      const names = [...options.map(({ name }) => name), 'json', 'quiet', 'help'];
      const letters = [...options.flatMap(({ short }) => short ?? []), 'q', 'h'];
      expect(new Set(names).size).toBe(names.length);
      expect(new Set(letters).size).toBe(letters.length);
    }
  });
});

describe('version', () => {
  it('is that of the package', () => {
    const file = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(VERSION).toBe(file.version);
    expect(run(fakeYard(), ['--version'])).toEqual({ code: 0, stdout: `trainyard ${VERSION}\n`, stderr: '' });
    expect(JSON.parse(run(fakeYard(), ['--json', '--version']).stdout)).toEqual({ version: VERSION });
  });
});

describe('mistakes on the command line', () => {
  it('end with 2, a sentence and a hint', () => {
    expect(run(fakeYard(), ['qeue'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'trainyard: there is no command "qeue"\n  hint: did you mean queue?\n',
    });
    expect(run(fakeYard(), ['queue', '--stat', 'x', '--usr', 'y']).stderr).toBe(
      'trainyard: unknown option --usr\n  hint: did you mean --user?\n',
    );
    expect(run(fakeYard(), ['-q']).stderr).toContain('a command is missing');
    expect(run(fakeYard(), ['status', 'x']).stderr).toContain('status takes no arguments');
    expect(run(fakeYard(), ['up']).stderr).toContain('up cannot be asked of a running yard');
    expect(run(fakeYard(), ['queue', '--q']).stderr).toBe(
      'trainyard: --q could be --queue or --quiet\n  hint: write more of it\n  choices: --queue and --quiet\n',
    );
  });

  it('show control characters and bad bytes instead of sending them', () => {
    const { stderr } = run(fakeYard(), ['\x1b[2J\n\udcff']);
    expect(stderr).toBe('trainyard: there is no command "\\x1b[2J\\n\\xff"\n  hint: see `trainyard help`\n');
  });
});

describe('global options', () => {
  it('may stand before or after the command', () => {
    const yard = fakeYard({ views: [aView(aJob())] });
    const after = run(yard, ['queue', '--json']).stdout;
    expect(run(yard, ['--json', 'queue']).stdout).toBe(after);
    expect(run(yard, ['-q', 'queue']).stdout).toBe('17\n');
    expect(run(yard, ['cancel', '--', '17']).stdout).toBe('cancelled job 17\n');
  });

  it('that belong to a script do not change how errors are said', () => {
    expect(run(fakeYard(), ['submit', 'missing.sh', '--json'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('colour only what goes to a terminal that has colours', () => {
    const terminal = { stdin: true, stdout: true, stderr: true, columns: 80, colour: true };
    const yard = fakeYard({ views: [aView(aJob())] });
    expect(run(yard, ['queue'], { terminal }).stdout).toContain('\x1b[33mqueued\x1b[0m');
    expect(run(yard, ['queue']).stdout).not.toContain('\x1b');
    expect(run(yard, ['nope'], { terminal }).stderr).toContain('\x1b[31mtrainyard:\x1b[0m');
  });
});

describe('JSON', () => {
  it('is exactly one value for every command, errors too', () => {
    const lines = [
      'status', 'queue', 'show 17', 'show 99', 'why 17', 'why x', 'logs 17', 'wait 99', 'cancel 17 99',
      'hold 17', 'release 17', 'suspend 17', 'resume 17', 'requeue 17', 'history', 'nodes', 'nodes nope', 'queues', 'events', 'events -f',
      'config', 'config nope', 'down', 'submit nope.sh', 'submit -- true', 'submit --bad', 'help', 'help submit',
      'cancel', 'nope', 'history --since never', 'queue --state odd', 'top', 'up', 'logs -f 17',
    ]; // biome-ignore format: a list to read
    for (const line of lines) {
      const yard = fakeYard({ views: [aView(aJob())] });
      const ran = run(yard, ['--json', ...line.split(' ')]);
      expect([line, ran.stderr]).toEqual([line, '']);
      const value = JSON.parse(ran.stdout);
      const keys = Object.keys(value.error ?? {});
      const expected = ran.code === 0 ? [] : ['code', 'message', 'hint', 'choices'];
      expect([line, keys]).toEqual([line, expected]);
    }
  });
});

describe('a fault of the world', () => {
  it('is told, and a defect is not hidden', () => {
    const failing = (error: Error, argv: readonly string[]) => {
      const program = runNative(invocationOf(['trainyard', ...argv]));
      program.next();
      return program.throw(error).value;
    };
    expect(failing(new Fault('the disk is full', false), ['status'])).toEqual({
      kind: 'print',
      stream: 'stderr',
      data: 'trainyard: the disk is full\n',
    });
    expect(failing(new Fault('the disk is full', false), ['status', '--json'])).toMatchObject({
      stream: 'stdout',
    });
    expect(() => failing(new TypeError('ours'), ['status'])).toThrow('ours');
  });
});

describe('arbitrary arguments', () => {
  it('never throw, and always end with a small exit code', () => {
    const random = seededRandom(7);
    const pieces = [
      ...COMMANDS.flatMap(({ name, options }) => [name, ...options.map((option) => `--${option.name}`)]),
      '17', '17_3', '17_[1-3]', '99', '-', '--', '-n', '-f', '-x', '=', '\udc80', '\ud83d', 'a\nb', '', '0', '-1',
      '1e9', 'é', '日本', '\0', '%s', '__proto__', 'constructor', '9'.repeat(40), '--json', '-qh', '--=', '2h', '0-9%3',
    ]; // biome-ignore format: a list to read
    for (let round = 0; round < 4000; round++) {
      const argv = Array.from({ length: 1 + random.below(6) }, () => {
        const piece = random.pick(pieces);
        return random.chance(0.2) ? `${piece}=${random.pick(pieces)}` : piece;
      });
      const yard = fakeYard({ views: [aView(aJob({ phase: 'ended', outcome: 'completed' }))] });
      yard.meanwhile = Array.from({ length: 3 }, () => () => {});
      const ran = runUnlessItWaits(yard, argv);
      if (ran === null) continue;
      expect([0, 1, 2, CALLER_GONE]).toContain(ran.code);
      expect(ran.stderr).not.toMatch(/[\0-\x09\x0b-\x1f]|at .*\.ts:/);
      expect(argv[0] !== '--json' || isOneValue(ran.stdout)).toBe(true);
    }
  });
});

/** Null for a command line that waits for ever, as some should. */
function runUnlessItWaits(yard: ReturnType<typeof fakeYard>, argv: readonly string[]) {
  try {
    return run(yard, argv);
  } catch (error) {
    if (String(error).includes('nothing more happens')) return null;
    throw error;
  }
}

function isOneValue(text: string): boolean {
  JSON.parse(text);
  return true;
}
