import { describe, expect, it } from 'vitest';
import type { Footprint, FootprintKey } from '../../model/footprint.ts';
import type { FootprintView } from '../../model/query.ts';
import { refusal } from '../../model/refusal.ts';
import { aFootprint, type FakeYard, fakeYard, NOW } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const GIB = 2 ** 30;

function aKey(level: FootprintKey['level'], label: string, digest = '0011'): FootprintKey {
  return { level, label, text: `${level}:${label}#${digest}` };
}

function known(changes: Partial<Footprint> = {}): FootprintView {
  const footprint = aFootprint(changes);
  const basis = footprint.setBytes !== undefined ? 'set' : footprint.isProvisional ? 'provisional' : 'seen';
  return {
    footprint,
    estimate: {
      key: footprint.key,
      device: footprint.device,
      runs: footprint.isProvisional ? 0 : footprint.memory.count,
      seenBytes: footprint.memory.max,
      memoryBytes: footprint.setBytes ?? 3.5 * GIB,
      marginMillis: 177,
      loadMillis: 220,
      basis,
    },
  };
}

const TRAIN = known({ key: aKey('command', 'train.py --lr 0.1', 'aa') });
const SCRIPT = known({ key: aKey('script', 'train.py', 'bb') });
const NAME = known({ key: aKey('name', 'train.py', 'cc'), device: 'v100' });

function yardWith(...footprints: FootprintView[]): FakeYard {
  return fakeYard({ footprints });
}

describe('footprints', () => {
  it('shows what is known, and the marks of what is not just seen', () => {
    const first = known({ key: aKey('kind', 'bert'), isProvisional: true, lastSeenAt: NOW });
    const said = known({ key: aKey('name', 'gpt'), setBytes: 8 * GIB, setLoadMillis: 500 });
    expect(run(yardWith(TRAIN, first, said), ['footprints']).stdout).toBe(
      [
        'KIND               LEVEL    GPU   RUNS  SEEN  SPREAD  GIVEN  LOAD  HOST  TIME  AGE  NOTE',
        'train.py --lr 0.1  command  a100     2    3G   ±724M   3.5G  22 %     -    1h   1h',
        'bert               kind     a100     0    3G   ±724M   3.5G  22 %     -    1h   0s  its first run goes on',
        'gpt                name     a100     2    3G   ±724M     8G  22 %     -    1h   1h  memory set, load set',
        '',
      ].join('\n'),
    );
  });

  it('shows as much of a key as tells it from others', () => {
    const other = known({ key: aKey('script', 'train.py', 'dd') });
    const { stdout } = run(yardWith(SCRIPT, other, NAME), ['footprints']);
    expect(stdout).toMatch(/^train\.py#bb +script/m);
    expect(stdout).toMatch(/^train\.py#dd +script/m);
    expect(stdout).toMatch(/^train\.py +name/m);
  });

  it('says so when nothing is known', () => {
    expect(run(yardWith(), ['footprints']).stdout).toContain('nothing is known yet');
    expect(run(yardWith(), ['footprints', 'x']).stdout).toBe('nothing is known of a kind of job like "x"\n');
  });

  it('answers in JSON and with keys alone', () => {
    const answer = JSON.parse(run(yardWith(TRAIN), ['footprints', '--json']).stdout);
    expect(answer.footprints[0]).toMatchObject({
      footprint: { device: 'a100', lastSeenAt: '2026-03-10T13:20:00.000Z' },
      estimate: { memoryBytes: 3.5 * GIB },
    });
    expect(run(yardWith(TRAIN, SCRIPT), ['footprints', '-q']).stdout).toBe(
      'command:train.py --lr 0.1#aa\nscript:train.py#bb\n',
    );
  });
});

describe('footprints set', () => {
  const told = (...argv: readonly string[]) => {
    const yard = yardWith(TRAIN, SCRIPT, NAME);
    const ran = run(yard, ['footprints', 'set', ...argv]);
    return { ...ran, command: yard.commands[0] };
  };

  it.each([
    [['script:train.py', '--memory', '3G'], { key: 'script:train.py#bb', memoryBytes: 3 * GIB }],
    [['train.py#bb', '--load', '20%'], { key: 'script:train.py#bb', loadMillis: 200 }],
    [['name:train.py#cc', '--memory', 'auto', '--load=auto'], { memoryBytes: null, loadMillis: null }],
    [['train.py --lr 0.1', '--memory=2G', '--gpu', 'a100'], { device: 'a100', memoryBytes: 2 * GIB }],
  ])('%j', (argv, command) => {
    const done = told(...argv);
    expect(done).toMatchObject({
      code: 0,
      stderr: '',
      command: { type: 'setFootprint', by: 'ada', ...command },
    });
    expect(done.stdout).toContain('GIVEN');
  });

  it.each([
    [[], 2, 'set takes one kind of job'],
    [['train.py', 'x', '--load', '1'], 2, 'set takes one kind of job'],
    [['script:train.py'], 2, 'what does it use?'],
    [['script:train.py', '--memory', '3'], 2, 'a size with its unit is wanted'],
    [['script:train.py', '--load', '101'], 2, 'a percentage from 0 to 100 is wanted'],
    [['script:train.py', '--load', '1', '--all'], 2, '--all goes with forget'],
    [['nope', '--load', '1'], 1, 'nothing is known of a kind of job called "nope"'],
    [['train.py', '--load', '1'], 1, '"train.py" may be any of 2 kinds of jobs'],
    [['train.py', '--load', '1'], 1, 'choices: script:train.py and name:train.py'],
    [['script:train.py', '--load', '1', '--gpu', 'v100'], 1, 'it was not seen on a GPU "v100"'],
  ])('%j is refused', (argv, code, sentence) => {
    const done = told(...argv);
    expect(done).toMatchObject({ code, stdout: '', command: undefined });
    expect(done.stderr).toContain(sentence);
  });

  it('passes on what the yard says', () => {
    const yard = yardWith(TRAIN);
    yard.answer = () => ({ ok: false, refusal: refusal('badRequest', 'no') });
    const argv = ['footprints', 'set', 'train.py --lr 0.1', '--memory', '3G'];
    expect(run(yard, argv)).toMatchObject({ code: 1, stderr: 'trainyard: no\n' });
  });
});

describe('footprints forget', () => {
  it('forgets kinds, or everything', () => {
    const yard = yardWith(TRAIN, SCRIPT, NAME);
    expect(run(yard, ['footprints', 'forget', 'script:train.py', 'train.py --lr 0.1']).stdout).toBe(
      'forgot what train.py and train.py --lr 0.1 used\n',
    );
    expect(run(yard, ['footprints', 'forget', '--all', '--gpu', 'v100']).stdout).toBe(
      'forgot what 3 kinds of jobs used on a GPU v100\n',
    );
    expect(yard.commands).toEqual([
      {
        type: 'forgetFootprints',
        keys: ['script:train.py#bb', 'command:train.py --lr 0.1#aa'],
        device: null,
        by: 'ada',
      },
      { type: 'forgetFootprints', keys: null, device: 'v100', by: 'ada' },
    ]);
    expect(run(yard, ['footprints', 'forget', '-q', 'name:train.py']).stdout).toBe('');
  });

  it('wants to know which', () => {
    expect(run(yardWith(TRAIN), ['footprints', 'forget'])).toMatchObject({ code: 2 });
    expect(run(yardWith(TRAIN), ['footprints', 'forget', 'x', '--all'])).toMatchObject({ code: 2 });
    expect(run(yardWith(TRAIN), ['footprints', '--all'])).toMatchObject({ code: 2 });
  });
});
