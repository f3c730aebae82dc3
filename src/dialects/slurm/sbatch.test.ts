import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../model/bytes.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import {
  aJob,
  anAttempt,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  NOW,
  type Ran,
  runDialect,
} from '../fake-yard.ts';
import type { Invocation } from '../program.ts';
import { slurmProgram } from './run.ts';
import { sbatch } from './sbatch.ts';

const SCRIPT = '#!/bin/sh\nsleep 300\n';

function yardWith(files: Record<string, string | Uint8Array>, changes: Partial<FakeYard> = {}): FakeYard {
  const entries = Object.entries(files).map(([path, content]): [string, Uint8Array] => [
    path.startsWith('/') ? path : `/home/ada/work/${path}`,
    typeof content === 'string' ? bytesFromText(content) : content,
  ]);
  return fakeYard({ files: new Map(entries), ...changes });
}

function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  return runDialect(slurmProgram(sbatch), yard, ['sbatch', ...argv], changes);
}

function sleepYard(changes: Partial<FakeYard> = {}): FakeYard {
  return yardWith({ 'sleep.sh': SCRIPT }, changes);
}

function spec(yard: FakeYard): JobSpec {
  const [command] = yard.commands;
  if (command?.type !== 'submit') throw new Error('nothing was submitted');
  return command.spec;
}

function submitted(script: string, argv: readonly string[] = [], variables = ''): JobSpec {
  const yard = yardWith({ 'd.sh': script });
  const ran = run(yard, [...argv, 'd.sh'], { environment: bytesFromText(variables) });
  if (ran.code !== 0) throw new Error(ran.stderr);
  return spec(yard);
}

function refusing(reason: Refusal): FakeYard {
  return sleepYard({ answer: () => ({ ok: false, refusal: reason }) });
}

const error = (...lines: readonly string[]) => lines.map((line) => `sbatch: error: ${line}\n`).join('');
const fails = (stderr: string, code: number): Ran => ({ code, stdout: '', stderr });

describe('what it answers', () => {
  it.each([
    [['-t', '10', 'sleep.sh'], 'Submitted batch job 17\n'],
    [['--parsable', '-J', 'par', 'sleep.sh'], '17\n'],
    [['--parsable', '-M', 'yard', 'sleep.sh'], '17;yard\n'],
    [['-M', 'all', 'sleep.sh'], 'Submitted batch job 17 on cluster yard\n'],
    [['-Q', '--parsable', 'sleep.sh'], ''],
    [['--version'], 'slurm 22.05.8\n'],
    [['-V', 'nosuch.sh'], 'slurm 22.05.8\n'],
    [['--gres=help'], 'Valid gres options are:\ngpu[[:type]:count]\n'],
  ])('%j', (argv, stdout) => {
    expect(run(sleepYard(), argv)).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('to those who ask for help', () => {
    for (const argv of [['--help'], ['-h'], ['--usage']]) {
      expect(run(sleepYard(), argv)).toMatchObject({ code: 0, stderr: '' });
      expect(run(sleepYard(), argv).stdout).toMatch(/^Usage: sbatch /);
    }
    const lines = run(sleepYard(), ['--help']).stdout.split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  it('with -v: what is in force', () => {
    expect(run(sleepYard(), ['-vv', '-H', '-J', 'x', 'sleep.sh']).stderr).toBe(
      [
        'defined options',
        '-------------------- --------------------',
        'hold                : set',
        'job-name            : x',
        'verbose             : 2',
        '-------------------- --------------------',
        'end of defined options',
      ]
        .map((line) => `sbatch: ${line}\n`)
        .join(''),
    );
  });
});

// Texts and exit codes are those of the original.
describe('complaints', () => {
  it.each([
    [
      ['--bogus', 'sleep.sh'],
      `sbatch: unrecognized option '--bogus'\nTry "sbatch --help" for more information\n`,
      255,
    ],
    [['-J'], `sbatch: option requires an argument -- 'J'\nTry "sbatch --help" for more information\n`, 255],
    [['-t', 'banana', 'sleep.sh'], error('Invalid --time specification'), 255],
    [['-a', 'x', 'sleep.sh'], error('Batch job submission failed: Invalid job array specification'), 1],
    [
      ['-a', '1-99999999', 'sleep.sh'],
      error('Batch job submission failed: Invalid job array specification'),
      1,
    ],
    [['-d', 'after:xyz:9', 'sleep.sh'], error('Batch job submission failed: Job dependency problem'), 1],
    [['--gres=fpga:1', 'sleep.sh'], error('Invalid generic resource (gres) specification'), 1],
    [
      ['-p', 'nope', 'sleep.sh'],
      error(
        'invalid partition specified: nope',
        'Batch job submission failed: Invalid partition name specified',
      ),
      1,
    ],
    [['nosuch.sh'], error('Unable to open file nosuch.sh'), 1],
    [['-'], error('Unable to open file -'), 1],
    [[], error('Batch script is empty!'), 1],
    [['--wrap', 'x', 'sleep.sh'], error('Script arguments not permitted with --wrap option'), 1],
    [['--container=/x', 'sleep.sh'], expect.stringMatching(/^sbatch: error: --container: /), 1],
    [
      ['-M', 'nope', 'sleep.sh'],
      error(
        `No cluster 'nope' known by database.`,
        `'nope' can't be reached now, or it is an invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available clusters.`,
      ),
      1,
    ],
  ])('%j', (argv, stderr, code) => {
    const yard = sleepYard();
    expect(run(yard, argv)).toEqual(fails(stderr, code));
    expect(yard.commands.length + yard.blobs.length).toBe(0);
  });

  it.each([
    ['', ['Batch script is empty!']],
    ['\n \n', ['Batch script contains only whitespace!']],
    [
      'echo\n',
      [
        'This does not look like a batch script.  The first',
        'line must start with #! followed by the path to an interpreter.',
        'For instance: #!/bin/sh',
      ],
    ],
    [
      '#!/bin/sh\necho a\r\n',
      ['Batch script contains DOS line breaks (\\r\\n)', 'instead of expected UNIX line breaks (\\n).'],
    ],
    [
      '#!/bin/sh\0\n',
      ['The Slurm controller does not allow scripts that', `contain a NULL character '\\0'.`],
    ],
    ['#!/bin/sh\n#SBATCH stray\n', ['Invalid directive found in batch script: stray']],
  ])('about the script %j', (script, lines) => {
    const ran = run(yardWith({ 'x.sh': script }), ['x.sh']);
    expect(ran.stderr).toBe(error(...lines));
    expect(ran.code).not.toBe(0);
  });

  it('about directories, files that may not be read, and too much', () => {
    const yard = fakeYard({
      files: new Map<string, Uint8Array | 'directory' | 'denied'>([
        ['/home/ada/work/dir', 'directory'],
        ['/home/ada/work/secret', 'denied'],
        ['/home/ada/work/big', new Uint8Array(4 * 1024 * 1024 + 1)],
      ]),
    });
    expect(run(yard, ['dir'])).toEqual(fails(error('Batch script is empty!'), 1));
    expect(run(yard, ['secret'])).toEqual(fails(error('Unable to open file secret'), 1));
    expect(run(yard, ['big']).stderr).toBe(
      error('Batch job submission failed: Pathname of a file, directory or other parameter too long'),
    );
  });

  it.each<[Refusal, string[]]>([
    [
      { ...refusal('neverPossible', 'x'), about: 'memory' },
      [
        'Memory specification can not be satisfied',
        'Batch job submission failed: Requested node configuration is not available',
      ],
    ],
    [
      { ...refusal('neverPossible', 'x'), about: 'cpus' },
      ['Batch job submission failed: More processors requested than permitted'],
    ],
    [
      { ...refusal('neverPossible', 'x'), about: 'nodes' },
      ['Batch job submission failed: More processors requested than permitted'],
    ],
    [
      { ...refusal('neverPossible', 'x'), about: 'gpus' },
      ['Batch job submission failed: Requested node configuration is not available'],
    ],
    [
      { ...refusal('limitReached', 'x'), about: 'timeLimit' },
      ['Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)'],
    ],
    [
      { ...refusal('neverPossible', 'x'), about: 'nodeName' },
      ['Batch job submission failed: Invalid node name specified'],
    ],
    [refusal('noSuchQos', 'x'), ['Batch job submission failed: Invalid qos specification']],
    [
      refusal('noSuchAccount', 'x'),
      ['Batch job submission failed: Invalid account or account/partition combination specified'],
    ],
    [refusal('badRequest', 'the yard says so'), ['Batch job submission failed: the yard says so']],
  ])('of the yard: %j', (reason, lines) => {
    expect(run(refusing(reason), ['sleep.sh'])).toEqual(fails(error(...lines), 1));
  });

  it('have the exit code that SLURM_EXIT_ERROR names', () => {
    const environment = bytesFromText('SLURM_EXIT_ERROR=9\0');
    expect(run(sleepYard(), ['-p', 'nope', 'sleep.sh'], { environment }).code).toBe(9);
    expect(run(sleepYard(), ['-t', 'x', 'sleep.sh'], { environment }).code).toBe(255);
  });
});

describe('where the script comes from', () => {
  it('a file, byte for byte, with its arguments', () => {
    const yard = yardWith({ 'sub/t.sh': '#!/bin/sh\necho \udcff\n' });
    run(yard, ['-J', 'x', 'sub/t.sh', '-a', 'b c', '--', '-d']);
    expect(spec(yard)).toMatchObject({
      name: 'x',
      program: { script: 'blob-0', environment: 'blob-1', argv: ['-a', 'b c', '--', '-d'], spread: 'once' },
      origin: {
        words: {
          command: '/home/ada/work/sub/t.sh -a b c -- -d',
          submitLine: 'sbatch -J x sub/t.sh -a b c -- -d',
        },
      },
    });
    expect(yard.blobs[0]).toEqual(bytesFromText('#!/bin/sh\necho \udcff\n'));
  });

  it.each([
    [['sleep.sh'], 'sleep.sh'],
    [['./sleep.sh'], 'sleep.sh'],
    [['/opt/run.sh'], 'run.sh'],
    [['tool.sh'], 'tool.sh'],
    [['-D', 'sub', 'inner.sh'], 'inner.sh'],
    [['-D', 'sub', 'sleep.sh'], 'sleep.sh'],
    [['--wrap', 'echo "a  b"'], 'wrap'],
    [[], 'sbatch'],
  ])('%j is called %s', (argv, name) => {
    const yard = yardWith(
      {
        'sleep.sh': SCRIPT,
        'sub/inner.sh': SCRIPT,
        '/opt/run.sh': SCRIPT,
        '/usr/bin/tool.sh': SCRIPT,
      },
      { stdin: bytesFromText(SCRIPT) },
    );
    expect(run(yard, argv)).toMatchObject({ code: 0 });
    expect(spec(yard).name).toBe(name);
  });

  it('text on the command line becomes a script of the shell', () => {
    const yard = sleepYard();
    run(yard, ['--wrap', 'echo "a  b"']);
    expect(textFromBytes(yard.blobs[0] as Uint8Array)).toBe(
      '#!/bin/sh\n# This script was created by sbatch --wrap.\n\necho "a  b"\n',
    );
    expect(spec(yard).origin.words).not.toHaveProperty('command');
  });

  it('a script for any interpreter has directives', () => {
    const { name, limitMs } = submitted('#!/usr/bin/python3\n#SBATCH -J py --time=5\nimport os\n');
    expect({ name, limitMs }).toEqual({ name: 'py', limitMs: 300_000 });
  });
});

describe('who wins', () => {
  it('the command line over the environment over the script', () => {
    const script = '#!/bin/sh\n#SBATCH -J script --comment=c -t 3\n';
    expect(submitted(script)).toMatchObject({ name: 'script', comment: 'c' });
    expect(submitted(script, [], 'SBATCH_JOB_NAME=env\0SBATCH_TIMELIMIT=7\0')).toMatchObject({
      name: 'env',
      limitMs: 420_000,
    });
    expect(submitted(script, ['-J', 'argv'], 'SBATCH_JOB_NAME=env\0')).toMatchObject({ name: 'argv' });
  });

  it('ways to ask for memory overrule each other, or are one too many', () => {
    const script = '#!/bin/sh\n#SBATCH --mem=10\n';
    expect(submitted(script, [], 'SBATCH_MEM_PER_CPU=20\0').resources.memory).toMatchObject({ per: 'node' });
    const ran = run(yardWith({ 'd.sh': script }), ['--mem-per-cpu=20', 'd.sh']);
    expect(ran.stderr).toBe(
      'sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n',
    );
  });
});

describe('the environment of the job', () => {
  it('is that of the caller, or what --export and --export-file say', () => {
    const yard = yardWith({ 'sleep.sh': SCRIPT, vars: 'X=1\0' });
    run(yard, ['sleep.sh']);
    expect(textFromBytes(yard.blobs[1] as Uint8Array)).toBe('HOME=/home/ada\0PATH=/usr/bin\0SECRET=a=b\0');
    run(yard, ['--export=NONE', '--export-file=vars', 'sleep.sh']);
    const text = textFromBytes(yard.blobs[3] as Uint8Array);
    expect(text).not.toContain('SECRET');
    expect(text).toMatch(/SLURM_EXPORT_ENV=NONE\0.*X=1\0$/);
  });

  it('comes with a umask that may be said in it', () => {
    const environment = bytesFromText('SLURM_UMASK=0077\0');
    const yard = sleepYard();
    run(yard, ['sleep.sh'], { environment });
    expect(spec(yard).program.umask).toBe(0o077);
  });
});

describe('what is not kept to', () => {
  it('is said on stderr, and the job is submitted', () => {
    const policy = { ...fakeYard().policy, unknownQueue: 'useDefault' } as const;
    expect(run(sleepYard({ policy }), ['-p', 'gpu', '-C', 'v100', '--cpu-freq=high', 'sleep.sh'])).toEqual({
      code: 0,
      stdout: 'Submitted batch job 17\n',
      stderr:
        'sbatch: warning: --cpu-freq has no effect here: frequencies are not changed\n' +
        'sbatch: warning: no node has features here, so --constraint=v100 is not looked at\n' +
        'sbatch: warning: there is no partition gpu here; using main\n',
    });
  });

  it('is not said to those who want to hear errors only', () => {
    const script = '#!/bin/sh\n#PBS -N x\n#SBATCH --cpu-freq=high\n';
    expect(run(yardWith({ 'd.sh': script }), ['-Q', 'd.sh'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('are the directives of others', () => {
    const script = '#!/bin/sh\n#PBS -N x\n#SBATCH -J y\n';
    const warning = 'sbatch: warning: #PBS lines are not read here, only #SBATCH lines are\n';
    expect(run(yardWith({ 'd.sh': script }), ['d.sh']).stderr).toBe(warning);
    expect(run(yardWith({ 'd.sh': script }), ['--ignore-pbs', 'd.sh']).stderr).toBe('');
  });
});

describe('hosts in files', () => {
  it('are read from wherever they are named', () => {
    const yard = yardWith({ 'sleep.sh': SCRIPT, hosts: 'n1\nn2,n3\n', 'lists/others': 'n7\n' });
    run(yard, ['-F', 'hosts', '-x', 'lists/others', 'sleep.sh']);
    expect(spec(yard).resources).toMatchObject({ onlyNodes: ['n1', 'n2', 'n3'], exceptNodes: ['n7'] });
    expect(run(yard, ['-F', 'nope', 'sleep.sh'])).toEqual(
      fails(
        error(
          'slurm_allocate_resources error opening file nope, No such file or directory',
          'Invalid --nodefile node file',
        ),
        255,
      ),
    );
  });
});

describe('jobs to depend on that are not there', () => {
  const answer =
    (yard: () => FakeYard): FakeYard['answer'] =>
    (command) => {
      const terms = command.type === 'submit' ? (command.spec.dependencies?.terms ?? []) : [];
      const isThere = terms.every(
        (term) => term.kind === 'singleton' || yard().views.some(({ job }) => job.id === term.job),
      );
      if (isThere) return { ok: true, job: 17, step: null, changed: true };
      return { ok: false, refusal: refusal('noSuchJob', 'there is no such job') };
    };

  it.each([
    ['afterok:999999', null],
    ['afterok:5:999999', { need: 'all', terms: [{ kind: 'afterok', job: 5, index: null }] }],
    ['afterok:5?afterok:999999', null],
    ['afterok:999999,singleton', { need: 'all', terms: [{ kind: 'singleton' }] }],
  ])('count as done: %s', (text, dependencies) => {
    const yard: FakeYard = sleepYard({ views: [aView(aJob({ id: 5 }))], answer: answer(() => yard) });
    expect(run(yard, ['-d', text, 'sleep.sh']).stdout).toBe('Submitted batch job 17\n');
    const last = yard.commands.at(-1);
    expect(last?.type === 'submit' && last.spec.dependencies).toEqual(dependencies);
  });
});

describe('--test-only', () => {
  it('says when and where, and submits nothing', () => {
    const node = (name: string) => ({
      node: name,
      ranks: 1,
      cpus: 2,
      cpuIds: [],
      memoryBytes: 0,
      devices: [],
    });
    const placement = { nodes: ['n1', 'n2', 'n3', 'n4'].map(node) };
    const yard = sleepYard({ trial: { ok: true, job: 10, queue: 'cpu', startAt: NOW, placement } });
    expect(run(yard, ['--test-only', '-N4', '--exclusive', 'sleep.sh'])).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'sbatch: Job 10 to start at 2026-03-10T14:20:00 using 8 processors on nodes n[1-4] in partition cpu\n',
    });
    expect(yard.commands).toEqual([]);
  });

  it('says in other words what is refused', () => {
    const reason = { ...refusal('neverPossible', 'x'), about: 'cpus' } as const;
    const yard = sleepYard({ trial: { ok: false, refusal: reason } });
    expect(run(yard, ['--test-only', '-c', '64', 'sleep.sh'])).toEqual(
      fails('allocation failure: More processors requested than permitted\n', 1),
    );
  });
});

describe('--wait', () => {
  const ended = (code: number | null, signal: number | null) => ({
    exit: { code, signal, outOfMemory: false },
  });

  it.each([
    ['a job that failed', endedJob(17, { outcome: 'failed' }, ended(3, null)), 3],
    ['one that went well', endedJob(17), 0],
    ['one that a signal ended', endedJob(17, { outcome: 'failed' }, ended(null, 9)), 1],
    ['one that took too long', endedJob(17, { outcome: 'timeout' }, ended(null, 15)), 1],
    ['one cancelled before it began', endedJob(17, { outcome: 'cancelled', attempt: null }), 0],
  ])('has the exit code of %s', (_, job, code) => {
    const yard = sleepYard({ views: [aView(aJob({ id: 17 }))] });
    yard.meanwhile = [
      () => (yard.views = [aView(aJob({ id: 17, phase: 'active', attempt: anAttempt() }))]),
      () => (yard.views = [aView(job)]),
    ];
    expect(run(yard, ['-W', 'sleep.sh'])).toEqual({ code, stdout: 'Submitted batch job 17\n', stderr: '' });
  });

  it('goes on at the next yard, and hands in nothing again', () => {
    const first = sleepYard({ views: [aView(endedJob(17))] });
    run(first, ['-W', 'sleep.sh']);
    expect(first.tickets).toEqual(['waits 17']);
    const next = sleepYard({ views: [aView(endedJob(17, { outcome: 'failed' }, ended(3, null)))] });
    const [ticket] = first.tickets as [string];
    expect(run(next, ['-W', 'sleep.sh'], { ticket })).toEqual({
      code: 3,
      stdout: '',
      stderr: '',
    });
    expect(next.commands).toEqual([]);
  });

  it('of an array it is the highest', () => {
    const element = (index: number) =>
      aView(endedJob(17 + index, { outcome: 'failed', element: { array: 17, index } }, ended(index, null)));
    const array = endedJob(17, {
      attempt: null,
      array: { unstarted: [], dropped: [], live: 0, ended: { failed: 2 } },
    });
    const yard = sleepYard({ views: [aView(array), element(2), element(5)] });
    expect(run(yard, ['-W', '-Q', '-a', '2,5', 'sleep.sh']).code).toBe(5);
  });
});
