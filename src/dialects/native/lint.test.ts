import { describe, expect, it, test } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import { type FakeYard, fakeYard, runDialect } from '../fake-yard.ts';
import { runNative } from './run.ts';

const WRAPPER = "#!/bin/sh\n\nMLP_DATA_DIR='/disk/scratch/mlp/data'\npython3 train.py\n";
const GOOD = '#!/bin/sh\npython3 train.py\n';
const HINTED = '#!/bin/sh\npython3 train.py\necho done\n';
const PROGRAMS = new Map([
  ['/bin/sh', '/usr/bin/dash'],
  ['/bin/bash', '/usr/bin/bash'],
]);

function yardWith(files: Readonly<Record<string, string>>, changes: Partial<FakeYard> = {}): FakeYard {
  const entries = Object.entries(files).map(
    ([path, text]) => [`/home/ada/work/${path}`, bytesFromText(text)] as const,
  );
  return fakeYard({
    files: new Map<string, Uint8Array | 'directory' | 'denied'>(entries),
    programs: PROGRAMS,
    ...changes,
  });
}

function lint(yard: FakeYard, ...words: readonly string[]) {
  return runDialect(runNative, yard, ['trainyard', 'lint', ...words]);
}

describe('lint', () => {
  it('says where, how badly, what, and what to do', () => {
    expect(lint(yardWith({ 'mlp-job.sh': WRAPPER }), 'mlp-job.sh')).toEqual({
      code: 1,
      stdout: [
        'mlp-job.sh:3: warning: MLP_DATA_DIR is set but not exported: python3 in line 4 does not see it',
        '                       write export MLP_DATA_DIR=…',
        '1 script: 1 warning',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('aligns what it says of several, in the order they were named', () => {
    const yard = yardWith({ 'long-name.sh': WRAPPER, 'b.sh': HINTED, 'c.sh': GOOD });
    const { code, stdout } = lint(yard, 'long-name.sh', 'b.sh', 'c.sh');
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^long-name\.sh:3: warning: /);
    expect(lines[2]).toMatch(/^b\.sh:2: {9}hint: {4}If python3 fails/);
    expect(lines.at(-2)).toBe('3 scripts: 1 warning and 1 hint');
  });

  it('is content with hints, and with nothing', () => {
    expect(lint(yardWith({ 'a.sh': HINTED }), 'a.sh').code).toBe(0);
    expect(lint(yardWith({ 'a.sh': GOOD }), 'a.sh')).toEqual({
      code: 0,
      stdout: '1 script: nothing found\n',
      stderr: '',
    });
  });

  it('reads stdin, and the variables of its caller', () => {
    const yard = yardWith({}, { stdin: bytesFromText(WRAPPER) });
    expect(lint(yard, '-').stdout).toMatch(/^stdin:3: warning:/);
    const environment = bytesFromText('MLP_DATA_DIR=/x\0PATH=/bin\0');
    expect(runDialect(runNative, yard, ['trainyard', 'lint', '-'], { environment }).code).toBe(0);
  });

  it('takes a script for what it is told to', () => {
    const yard = yardWith({ 'a.sh': '#!/bin/bash\nsrun echo $SGE_TASK_ID\n' });
    expect(lint(yard, 'a.sh').code).toBe(0);
    expect(lint(yard, '--dialect', 'auto', 'a.sh').code).toBe(0);
    expect(lint(yard, '--dialect=slurm', 'a.sh').stdout).toMatch(/Slurm sets no SGE_TASK_ID/);
    expect(lint(yard, '--dialect=gridengine', 'a.sh').stdout).toMatch(/unless the job is an array/);
  });

  it('looks for directories and interpreters on the machine', () => {
    const script = '#!/opt/py/bin/python\n#SBATCH -o logs/%j.out\nprint(1)\n';
    const yard = yardWith({ 'a.py': script });
    expect(lint(yard, '-q', 'a.py').stdout).toBe(
      [
        'a.py:1: warning: There is no /opt/py/bin/python on this machine, and the script is run with it',
        'a.py:2: warning: -o: there is no directory /home/ada/work/logs, and the job fails without it',
        '',
      ].join('\n'),
    );
    yard.files.set('/home/ada/work/logs', 'directory');
    yard.programs.set('/opt/py/bin/python', '/opt/py/bin/python3');
    expect(lint(yard, '-q', 'a.py')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('partitions are those of the yard, where it minds', () => {
  const files = { 'a.sh': '#!/bin/bash\n#SBATCH -p nosuch\nsrun a\n' };
  const { policy } = fakeYard();
  const lenient = yardWith(files, { policy: { ...policy, unknownQueue: 'useDefault' } });
  expect(lint(lenient, 'a.sh').code).toBe(0);
  const yard = yardWith(files, { policy: { ...policy, unknownQueue: 'refuse' } });
  expect(lint(yard, 'a.sh').stdout).toMatch(
    /^a\.sh:2: error: {3}There is no partition "nosuch" in this yard/,
  );
});

test('--quiet leaves out hints, advice and the sum', () => {
  expect(lint(yardWith({ 'a.sh': HINTED }), '-q', 'a.sh')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(lint(yardWith({ 'a.sh': WRAPPER }), '-q', 'a.sh').stdout.split('\n')).toHaveLength(2);
});

test('--json is one value', () => {
  const { code, stdout } = lint(yardWith({ 'a.sh': WRAPPER, 'b.sh': GOOD }), '--json', 'a.sh', 'b.sh');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    scripts: [
      {
        script: 'a.sh',
        dialect: null,
        findings: [
          {
            line: 3,
            level: 'warning',
            rule: 'not-exported',
            sentence: 'MLP_DATA_DIR is set but not exported: python3 in line 4 does not see it',
            advice: 'write export MLP_DATA_DIR=…',
          },
        ],
      },
      { script: 'b.sh', dialect: null, findings: [] },
    ],
    errors: 0,
    warnings: 1,
    hints: 0,
  });
});

test('colours are for terminals', () => {
  const terminal = { stdin: false, stdout: true, stderr: true, columns: 80, colour: true };
  const yard = yardWith({ 'a.sh': WRAPPER });
  expect(runDialect(runNative, yard, ['trainyard', 'lint', 'a.sh'], { terminal }).stdout).toContain(
    '\x1b[33mwarning:',
  );
});

test('what cannot be looked at is said, with another exit code', () => {
  const yard = yardWith({});
  yard.files.set('/home/ada/work/dir', 'directory');
  yard.files.set('/home/ada/work/secret', 'denied');
  for (const words of [[], ['nosuch.sh'], ['dir'], ['secret'], ['--dialect=pbs', 'x'], ['--nope', 'x']]) {
    const { code, stdout, stderr } = lint(yard, ...words);
    expect({ code, stdout }, words.join(' ')).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^trainyard: /);
  }
  expect(lint(yard, '--dialect=pbs', 'x').stderr).toMatch(/slurm, gridengine or auto/);
});
