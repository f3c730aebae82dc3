import { describe, expect, it } from 'vitest';
import { begin, placingYard, shares, withRunningJob } from '../../../../test/placing-yard.ts';
import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { RunHere } from '../../../model/run-here.ts';
import { type FakeYard, type Ran, runDialect } from '../../fake-yard.ts';
import type { Invocation } from '../../program.ts';
import { aNodeView } from '../fake-hosts.ts';
import { inWords } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { aYard } from '../submit/fake-qsub.ts';
import { shellToWorkIn } from '../submit/shells.ts';
import { qlogin, qrsh } from './qrsh.ts';

function environment(variables: Readonly<Record<string, string>>): Partial<Invocation> {
  const entries = Object.entries({ HOME: '/home/ada', PATH: '/usr/bin', ...variables });
  return { environment: bytesFromText(entries.map(([name, value]) => `${name}=${value}\0`).join('')) };
}

function aPlacingYard(isFree = true): FakeYard {
  const { policy } = aYard();
  return placingYard({ isFree }, { policy, nodes: [aNodeView('n1'), aNodeView('n2')] });
}

function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  const [name = '', ...rest] = argv;
  return runDialect(gridEngineProgram(name === 'qlogin' ? qlogin : qrsh), yard, [name, ...rest], {
    ...environment({}),
    ...changes,
  });
}

interface Handed {
  readonly ran: Ran;
  readonly spec: JobSpec;
  readonly here: RunHere;
  readonly yard: FakeYard;
}

/** What comes of a call that has its place at once. */
function handed(argv: readonly string[], changes: Partial<Invocation> = {}): Handed {
  const yard = aPlacingYard();
  const ran = run(yard, argv, changes);
  const submitted = yard.commands.find(({ type }) => type === 'submit');
  const here = yard.runs[0];
  if (submitted?.type !== 'submit' || here === undefined)
    throw new Error(`${argv.join(' ')}: ${ran.code} ${ran.stderr}`);
  return { ran, spec: submitted.spec, here, yard };
}

const fails = (...lines: readonly string[]): Ran => ({
  code: 1,
  stdout: '',
  stderr: lines.map((line) => `${line}\n`).join(''),
});

describe('qrsh with a command', () => {
  it('runs it through a shell, where it was called, as a job of its own', () => {
    const { ran, spec, here } = handed(['qrsh', 'echo', 'a  b', '$HOME']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(spec).toMatchObject({
      name: 'echo',
      workDir: '/home/ada',
      requeue: false,
      stopSignal: 9,
      program: { spread: 'caller', script: null, caller: { pid: 4711 } },
      streams: { stdin: null, stdout: '/dev/null', stderr: null },
      origin: { dialect: 'gridengine', words: { by: 'qrsh', script: 'QRSH', isImmediate: 'y' } },
    });
    expect(spec.aftermath).toBeUndefined();
    expect(here).toMatchObject({
      attempt: '17.1',
      step: null,
      holdsJob: true,
      environment: 'job',
      input: { kind: 'rank', rank: 0 },
      manner: { name: 'qrsh', plain: true, terminal: false, farewell: null },
      ranks: [{ argv: ['/bin/sh', '-c', 'echo a  b $HOME'], workDir: '/home/ada', node: 'n1', rank: 0 }],
    });
  });

  it('uses the shell that the caller has, or none', () => {
    const argv = (words: readonly string[]) =>
      handed(['qrsh', ...words], environment({ SHELL: '/bin/bash' })).here.ranks[0]?.argv;
    expect(argv(['true'])).toEqual(['/bin/bash', '-c', 'true']);
    expect(argv(['-noshell', '/bin/echo', 'a  b'])).toEqual(['/bin/echo', 'a  b']);
  });

  it('takes along what it is told to', () => {
    const { yard, here } = handed(
      ['qrsh', '-v', 'X=1', '-display', ':7', 'true', 'x'],
      environment({ TERM: 'vt100' }),
    );
    expect(yard.blobs.map(textFromBytes)).toEqual(['X=1\0']);
    expect(here.ranks[0]?.variables).toEqual({
      ENVIRONMENT: 'BATCH',
      TERM: 'vt100',
      DISPLAY: ':7',
      QRSH_COMMAND: 'true\udcffx',
    });
    const all = handed(['qrsh', '-V', 'true'], environment({ FOO: 'bar' }));
    expect(textFromBytes(all.yard.blobs[0] as Uint8Array)).toContain('FOO=bar\0');
  });

  it('has what it asks for', () => {
    const { spec, here } = handed([
      ...['qrsh', '-cwd', '-q', 'gpu', '-pe', 'smp', '2', '-l', 'h_rt=60', '-N', 'my', '-nostdin'],
      ...['-pty', 'y', 'true'],
    ]);
    expect(spec).toMatchObject({
      name: 'my',
      queue: 'gpu',
      workDir: '/home/ada/work',
      limitMs: 60_000,
      resources: { ranks: 2 },
    });
    expect(here).toMatchObject({ input: { kind: 'none' }, manner: { terminal: true } });
  });

  it.each([
    ['pwd; exit 3', 'pwd'],
    ['/opt/tools/run me', 'run'],
    ['2fast', 'QRSH'],
    ['$X', 'QRSH'],
  ])('is named after its program: %s', (line, name) => {
    expect(handed(['qrsh', line]).spec.name).toBe(name);
  });

  it('says what it does when it is asked to', () => {
    expect(handed(['qrsh', '-verbose', 'true']).ran).toEqual({
      code: 0,
      stdout: 'Your job 17 ("true") has been submitted\n',
      stderr:
        'waiting for interactive job to be scheduled ...\nYour interactive job 17 has been successfully scheduled.\nEstablishing builtin session to host n1 ...\n',
    });
  });

  it('warns of what has no effect', () => {
    expect(handed(['qrsh', '-o', 'x', '-j', 'y', '-b', 'n', 'true']).ran.stderr).toBe(
      [
        'qrsh: warning: -o has no effect here: output goes to where it was called\n',
        'qrsh: warning: -j has no effect here: output goes to where it was called\n',
        'qrsh: warning: -b n has no effect here: what is named is run where it is\n',
      ].join(''),
    );
  });

  it('takes default flags from files, as far as it knows them', () => {
    const yard = aPlacingYard();
    yard.files.set('/home/ada/.sge_request', bytesFromText('-q gpu\n-S /bin/bash\n'));
    expect(run(yard, ['qrsh', 'true'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.commands[0]).toMatchObject({ spec: { queue: 'gpu' } });
  });
});

describe('a place that is not there', () => {
  it('is not waited for', () => {
    const yard = aPlacingYard(false);
    expect(run(yard, ['qrsh', 'true'])).toEqual(
      fails('Your "qrsh" request could not be scheduled, try again later.'),
    );
    expect(yard.commands.map(({ type }) => type)).toEqual(['submit', 'cancel']);
    expect(run(aPlacingYard(false), ['qlogin']).stderr).toContain(
      'Your "qlogin" request could not be scheduled, try again later.\n',
    );
  });

  it('is waited for with -now n, without a word', () => {
    const yard = aPlacingYard(false);
    yard.meanwhile = [() => begin(yard)];
    expect(run(yard, ['qrsh', '-now', 'n', 'true'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.runs).toHaveLength(1);
    expect(yard.tickets.at(-1)).toBe('17 told');
    expect(yard.whenCallerGoes).toMatchObject({ type: 'cancel', target: { job: 17 } });
  });

  it('is waited for at the next yard as well', () => {
    const yard = aPlacingYard();
    withRunningJob(yard, 17, shares(1));
    run(yard, ['qrsh', '-now', 'n', 'true'], { ticket: '17 told' });
    expect(yard.commands).toEqual([]);
    expect(yard.runs).toMatchObject([{ attempt: '17.1' }]);
  });

  it('is given up when the caller is interrupted, or the job is deleted', () => {
    const interrupted = aPlacingYard(false);
    interrupted.meanwhile = [
      () => {
        interrupted.signal = 2;
      },
    ];
    expect(run(interrupted, ['qrsh', '-now', 'n', 'true'])).toEqual(fails());
    expect(interrupted.commands.at(-1)).toMatchObject({ type: 'cancel' });
    const deleted = aPlacingYard(false);
    deleted.meanwhile = [() => deleted.views.splice(0)];
    expect(run(deleted, ['qrsh', '-now', 'n', 'true'])).toEqual(fails('error: job 17 has been deleted'));
  });
});

describe('without a command', () => {
  it('qrsh is a shell on the terminal of the caller', () => {
    const { spec, here, ran } = handed(['qrsh'], environment({ SHELL: '/bin/bash' }));
    expect(ran.stdout).toBe('');
    expect(spec).toMatchObject({ name: 'QRLOGIN', origin: { words: { script: 'QRLOGIN' } } });
    expect(here).toMatchObject({ manner: { terminal: true }, ranks: [{ argv: shellToWorkIn('/bin/bash') }] });
    expect(here.ranks[0]?.variables).not.toHaveProperty('QRSH_COMMAND');
  });

  it('qlogin is the same, and says what it does', () => {
    const { spec, here, ran } = handed(['qlogin']);
    expect(spec).toMatchObject({ name: 'QLOGIN', origin: { words: { by: 'qlogin' } } });
    expect(here.manner.terminal).toBe(true);
    expect(ran.stdout).toBe('Your job 17 ("QLOGIN") has been submitted\n');
  });
});

describe('refusals', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['qrsh', '-zz'], ['error: invalid option argument "-zz"']],
    [['qrsh', '-l'], ['error: -l option must have argument']],
    [['qrsh', '-q'], ['error: -q option must have queue list argument']],
    [['qrsh', '-now', 'x', 'true'], ['error: invalid option argument "-now x"']],
    [['qrsh', '-t', '1-2', 'true'], ['error: Unknown option -t']],
    [['qrsh', '-S', '/bin/sh', 'true'], ['error: Unknown option -S']],
    [['qrsh', '-N', 'a/b', 'true'], ['error: argument to -N option must not contain / ']],
    [['qrsh', '-q', 'nope', 'true'], ['Job was rejected because job requests unknown queue "nope"']],
    [['qlogin', '-zz'], ['error: invalid option argument "-zz"']],
    [['qlogin', 'ls'], ['error: Unknown option script']],
  ])('%j', (argv, lines) => {
    expect(run(aPlacingYard(), argv)).toEqual(fails(...lines));
  });

  it('-verify and -w v submit nothing', () => {
    const yard = aPlacingYard();
    expect(run(yard, ['qrsh', '-verify', 'true']).stdout).toMatch(/^job_number: +unassigned\n/);
    run(yard, ['qrsh', '-w', 'v', 'true']);
    expect(yard.commands).toEqual([]);
  });

  it('helps', () => {
    for (const name of ['qrsh', 'qlogin']) {
      const { code, stdout } = run(aPlacingYard(), [name, '-help']);
      expect([code, stdout.split(' ').slice(0, 3).join(' ')]).toEqual([0, `SGE 8.1.9\nusage: ${name}`]);
    }
  });
});

describe('qrsh -inherit', () => {
  const IN_JOB = { JOB_ID: '5', TRAINYARD_JOB_ID: '5', HOSTNAME: 'n1', FOO: 'bar' };

  function inside(argv: readonly string[], changes: Partial<Invocation> = environment(IN_JOB)) {
    const yard = aPlacingYard();
    yard.nodes = [...yard.nodes, aNodeView('n3')];
    withRunningJob(yard, 5, shares(2, { ranks: 2, cpus: 2 }), {
      ...inWords({ pe: 'mpi' }),
      workDir: '/scratch/run',
    });
    const ran = run(yard, ['qrsh', '-inherit', ...argv], changes);
    return { ran, yard, here: yard.runs[0], command: yard.commands[0] };
  }

  it('runs a command on a host of the job, with all that the job has there', () => {
    const { ran, here, command } = inside(['n2', 'orted', '--daemonize']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(command).toMatchObject({
      type: 'startStep',
      target: { job: 5 },
      request: { name: 'orted', onlyNodes: ['n2'], overlap: true, wholeNodes: true },
    });
    expect(here).toMatchObject({
      attempt: '5.1',
      step: 0,
      holdsJob: false,
      environment: 'job',
      manner: { plain: true, stepName: '5.0' },
      ranks: [
        {
          argv: ['/bin/sh', '-c', 'orted --daemonize'],
          workDir: '/scratch/run',
          node: 'n2',
          nodeNumber: 1,
          variables: { HOSTNAME: 'n2' },
        },
      ],
    });
  });

  it('exports the environment of its caller, as mpirun asks for', () => {
    const { here } = inside(['-nostdin', '-V', 'n2', 'orted']);
    expect(here).toMatchObject({ input: { kind: 'none' }, ranks: [{ variables: { HOSTNAME: 'n2' } }] });
    expect(here).not.toHaveProperty('environment');
    expect(inside(['-v', 'X=1,FOO', 'n1', 'true']).here?.ranks[0]?.variables).toMatchObject({
      X: '1',
      FOO: 'bar',
    });
  });

  it('has the directory of the job on that host, as if it were a machine of its own', () => {
    const on = (node: string, TMPDIR: string, host: string) =>
      inside(['-V', host, 'orted'], environment({ ...IN_JOB, TRAINYARD_NODE: node, TMP: TMPDIR, TMPDIR }))
        .here?.ranks[0]?.variables.TMPDIR;
    expect(on('n1', '/tmp/y/5.1.cpu', 'n2')).toBe('/tmp/y/5.1.cpu.1');
    expect(on('n1', '/tmp/y/5.1.cpu', 'n1')).toBe('/tmp/y/5.1.cpu');
    expect(on('n2', '/tmp/y/5.1.cpu.1', 'n1')).toBe('/tmp/y/5.1.cpu');
    // What somebody has set is theirs.
    const own = environment({ ...IN_JOB, TRAINYARD_NODE: 'n1', TMP: '/tmp/y/5.1.cpu', TMPDIR: '/mine' });
    expect(inside(['-V', 'n2', 'orted'], own).here?.ranks[0]?.variables).not.toHaveProperty('TMPDIR');
  });

  it('goes where it is told to', () => {
    expect(inside(['-cwd', 'n1', 'true']).here?.ranks[0]?.workDir).toBe('/home/ada/work');
    expect(inside(['-wd', 'sub', 'n1', 'true']).here?.ranks[0]?.workDir).toBe('/home/ada/work/sub');
  });

  it.each<[readonly string[], string]>([
    [
      ['nohost', 'true'],
      "error: executing task of job 5 failed: failed sending task to execd@nohost: can't resolve host name",
    ],
    [
      ['n3', 'true'],
      'error: executing task of job 5 failed: execution daemon on host "n3" didn\'t accept task',
    ],
    [['n1'], 'error: usage with "-inherit" option: "qrsh -inherit ... <host> <command> [args]"'],
    [[], 'error: usage with "-inherit" option: "qrsh -inherit ... <host> <command> [args]"'],
  ])('refuses %j', (argv, sentence) => {
    expect(inside(argv).ran).toEqual(fails(sentence));
  });

  it('is for the inside of a job', () => {
    expect(inside(['n1', 'true'], environment({})).ran).toEqual(
      fails('error: "qrsh" called with option "-inherit", but "JOB_ID" not set in environment'),
    );
    expect(inside(['n1', 'true'], environment({ JOB_ID: '99' })).ran).toEqual(
      fails('error: executing task of job 99 failed: execution daemon on host "n1" didn\'t accept task'),
    );
  });

  it('goes on at the next yard with the step it had', () => {
    const yard = aPlacingYard();
    withRunningJob(yard, 5, shares(2, { ranks: 2, cpus: 2 }));
    run(yard, ['qrsh', '-inherit', 'n1', 'true'], environment(IN_JOB));
    run(yard, ['qrsh', '-inherit', 'n1', 'true'], { ...environment(IN_JOB), ticket: 'step 0' });
    expect(yard.commands).toHaveLength(1);
    expect(yard.runs.map(({ step }) => step)).toEqual([0, 0]);
  });
});
