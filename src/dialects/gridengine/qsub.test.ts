import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../model/bytes.ts';
import { rangeOf } from '../../model/ranges.ts';
import { refusal } from '../../model/refusal.ts';
import { aJob, anAttempt, aView, type FakeYard } from '../fake-yard.ts';
import { aYard, HERE, refused, rejection, run, SCRIPT, specOf, submitted } from './submit/fake-qsub.ts';

describe('what is submitted', () => {
  it('a script from its path, in the home directory', () => {
    const yard = aYard();
    expect(run(yard, ['-q', 'cpu', 'sleep.sh', 'a', 'b c'])).toEqual({
      code: 0,
      stdout: 'Your job 17 ("sleep.sh") has been submitted\n',
      stderr: '',
    });
    const spec = submitted(yard);
    expect(spec).toMatchObject({
      name: 'sleep.sh',
      user: 'ada',
      queue: 'cpu',
      workDir: '/home/ada',
      streams: {
        stdin: null,
        stdout: '%x.o%A',
        stderr: '%x.e%A',
        openMode: 'append',
        makeDirectories: false,
      },
      requeue: false,
      stopSignal: 9,
      aftermath: { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true },
      program: { script: 'blob-0', argv: ['a', 'b c'], spread: 'once', umask: 0o022 },
    });
    expect(spec.program.interpreter).toBeUndefined();
    expect(textFromBytes(yard.blobs[0]!)).toBe(SCRIPT);
    // Nothing of the submitter's environment.
    expect(yard.blobs[1]).toHaveLength(0);
  });

  it('a script without a first line is run by the shell of the queue, or of -S', () => {
    const yard = aYard({ 'plain.sh': 'echo hi\n' });
    expect(specOf(['plain.sh'], yard).program.interpreter).toEqual(['/bin/sh']);
    expect(specOf(['-S', '/bin/bash', 'plain.sh'], yard).program.interpreter).toEqual(['/bin/bash']);
    expect(specOf(['-S', '/bin/bash', 'sleep.sh'], yard).program.interpreter).toBeUndefined();
  });

  it('a script from standard input', () => {
    const yard = aYard({}, { stdin: bytesFromText('#$ -p -5\ntrue\n') });
    expect(run(yard, []).stdout).toBe('Your job 17 ("STDIN") has been submitted\n');
    expect(submitted(yard).origin.words).toMatchObject({ script: 'STDIN', priority: '-5' });
    expect(specOf(['-', 'x'], yard).program.argv).toEqual(['x']);
    expect(specOf(['-N', 'n', '--', '-y'], yard).program.argv).toEqual(['-y']);
    expect(run(aYard(), [])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'Unable to read script file because of error: no input read from stdin\n',
    });
  });

  it('with -b y a command line, through a login shell or directly', () => {
    const program = (...argv: string[]) => specOf(['-b', 'y', ...argv]).program;
    expect(program('/bin/sleep', '200')).toMatchObject({
      script: null,
      argv: ['/bin/sh', '-l', '-c', expect.stringMatching(/^PATH=\S+SGE_BINARY_PATH\S+; \/bin\/sleep 200$/)],
    });
    expect(program('-V', '-S', '/bin/bash', 'sleep', '2').argv).toEqual(['/bin/bash', '-c', 'sleep 2']);
    expect(program('-shell', 'n', 'echo', 'a  b').argv).toEqual(['echo', 'a  b']);
    expect(refused(['-b', 'y'])).toMatchObject({
      code: 2,
      stderr: 'qsub: command required for a binary job\n',
    });
  });

  it('an array, with its range as it was written', () => {
    const yard = aYard();
    expect(run(yard, ['-t', '1-4', '-tc', '1', '-N', 'arr', 'sleep.sh']).stdout).toBe(
      'Your job-array 17.1-4:1 ("arr") has been submitted\n',
    );
    expect(submitted(yard)).toMatchObject({
      array: { indices: [[1, 4, 1]], throttle: 1 },
      streams: { stdout: '%x.o%A.%a' },
    });
    expect(run(yard, ['-terse', '-t', '2-9:2', 'sleep.sh']).stdout).toBe('17.2-9:2\n');
    expect(run(yard, ['-t', '5', '-terse', 'sleep.sh']).stdout).toBe('17.5-5:1\n');
    expect(run(yard, ['-terse', 'sleep.sh']).stdout).toBe('17\n');
  });
});

describe('refusals', () => {
  it.each([
    [['-t', '0-3'], 'job rejected: 0 is an invalid task id'],
    [['-t', '1-9999999'], 'job rejected: you tried to submit a job with more than 75000 tasks'],
    [['-tc', '2'], 'invalid "task concurrency" value in job request'],
    [['-masterq', 'cpu'], 'job rejected: specification of master queue is not allowed for non-parallel jobs'],
    [['-ckpt', 'x'], 'job rejected: the requested checkpointing environment "x" does not exist'],
    [['-c', 'sx'], 'checkpointing denied'],
    [['-ar', '5'], 'the advance reservation id 5 is invalid'],
    [['-A', 'a/b'], `Slash ('/') not allowed in objectname`],
  ])('%j is rejected', (argv, text) => {
    expect(refused([...argv, 'sleep.sh'])).toEqual(rejection(text));
  });

  it.each([
    [['--bogus'], 2, 'qsub: invalid option argument "--bogus"\n'],
    [['-bogus'], 2, 'qsub: invalid option argument "-bogus"\n'],
    [['-he', 'y'], 5, 'qsub: Unknown option -he y\n\n'],
    [['-verbose'], 5, 'qsub: Unknown option -verbose\n\n'],
    [['-b', 'maybe'], 7, 'qsub: invalid option argument "-b maybe"\n'],
    [['-p', '2000'], 7, 'qsub: invalid priority "2000".  Must be an integer from -1023 to 1024\n'],
    [['-js', 'x'], 2, 'qsub: invalid jobshare, must be an unsigned integer\n'],
    [['-m', 'b,e'], 7, 'qsub: Wrong mail options list format "b,e" specified to -m option\n'],
    [['-q', ''], 7, 'qsub: Wrong queue list format "" specified to -q option\n'],
    [['-hold_jid', ','], 7, 'qsub: Wrong jid_hold list format "," specified to -hold_jid option\n'],
    [['-v', '=1'], 7, 'qsub: Wrong variable list format -v "=1" or environment variable not set\n'],
    [['-c', 'banana'], 2, 'qsub: -c specifier invalid\n'],
  ])('%j is noticed as it is read', (argv, code, stderr) => {
    expect(refused([...argv, 'sleep.sh'])).toEqual({ code, stdout: '', stderr });
  });

  it.each([
    [['-pe'], 'qsub: -pe option must have pe_name argument\n'],
    [['-pe', 'smp'], 'qsub: -pe option must have range as 2nd argument\n'],
    [['-q'], 'qsub: -q option must have queue list argument\n'],
    [['-N'], 'qsub: -N option must have argument\n'],
  ])('%j lacks something', (argv, stderr) => {
    expect(refused(argv)).toEqual({ code: 2, stdout: '', stderr });
  });

  it('a script that is not there, or cannot be one', () => {
    const yard = aYard({ 'empty.sh': '' });
    yard.files.set(`${HERE}/dir`, 'directory');
    yard.files.set(`${HERE}/mine`, 'denied');
    expect(refused(['nosuch.sh'], yard)).toEqual({
      code: 14,
      stdout: '',
      stderr:
        'Unable to read script file because of error: error opening nosuch.sh: No such file or directory\n',
    });
    expect(refused(['mine'], yard).stderr).toContain('error opening mine: Permission denied\n');
    expect(refused(['dir'], yard)).toMatchObject({ code: 4 });
    expect(refused(['empty.sh'], yard)).toEqual(rejection('job rejected: no script in your request'));
  });

  it('what can never run is refused, and without -w e told why', () => {
    const yard = aYard(
      {},
      { answer: () => ({ ok: false, refusal: refusal('neverPossible', 'no node has 9999 CPUs') }) },
    );
    const argv = ['-pe', 'smp', '9999', '-q', 'cpu', 'sleep.sh'];
    expect(run(yard, ['-w', 'e', ...argv])).toEqual(rejection('error: no suitable queues'));
    expect(run(yard, argv)).toEqual(rejection('error: no suitable queues\nno node has 9999 CPUs'));
  });
});

describe('without submitting', () => {
  it('-w v says whether it could run', () => {
    const yard = aYard();
    expect(run(yard, ['-w', 'v', 'sleep.sh'])).toEqual({
      code: 0,
      stdout: 'verification: found suitable queue(s)\n',
      stderr: '',
    });
    yard.trial = { ok: false, refusal: refusal('neverPossible', 'no node is so large') };
    expect(run(yard, ['-w', 'v', 'sleep.sh'])).toEqual(
      rejection('no node is so large\nverification: no suitable queues'),
    );
    expect(yard.commands).toEqual([]);
  });

  it('-verify prints the request', () => {
    const yard = aYard();
    const environment = bytesFromText('HOME=/home/ada\0PATH=/bin\0SHELL=/bin/bash\0');
    const ran = run(yard, ['-verify', '-q', 'cpu', '-cwd', 'sleep.sh'], { environment });
    expect(ran.stdout).toBe(`job_number:                 unassigned
owner:                      
uid:                        0
group:                      
gid:                        0
sge_o_home:                 /home/ada
sge_o_path:                 /bin
sge_o_shell:                /bin/bash
sge_o_workdir:              /home/ada/work
sge_o_host:                 box.example.org
cwd:                        /home/ada/work
mail_list:                  ada@box.example.org
notify:                     FALSE
job_name:                   sleep.sh
jobshare:                   0
hard_queue_list:            cpu
verify:                     -verify
env_list:                   TERM
script_size:                20
script_file:                sleep.sh
script_ptr:            
#!/bin/sh
sleep 300

job_type:                   NONE
`);
    expect(yard.commands).toEqual([]);
    expect(run(yard, ['-verify', '-b', 'y', '-shell', 'n', 'true', 'x']).stdout).toMatch(
      /job_args: {19}x\nscript_file: {16}true\njob_type: {19}binary,noshell\n$/,
    );
  });

  it('-help is whole lines and says whom one talks to', () => {
    expect(run(aYard(), ['-help']).stdout).toMatch(/^SGE 8\.1\.9\nusage: qsub /);
  });
});

it('what stands twice is said, in whosever name the original says it', () => {
  const yard = aYard();
  yard.files.set(`${HERE}/twice.sh`, bytesFromText('#!/bin/sh\n#$ -N a -N b\n'));
  const twice = 'option has already been set, overriding previous setting\n';
  expect(run(yard, ['-terse', '-N', 'c', '-N', 'd', 'twice.sh']).stdout).toBe(
    `warning: "-N" ${twice}qsub: warning: "-N" ${twice}17\n`,
  );
});

describe('staying', () => {
  function ending(job: Parameters<typeof aJob>[0]): FakeYard {
    const yard = aYard();
    yard.meanwhile.push(() => yard.views.splice(0, 1, aView(aJob({ id: 17, ...job }))));
    yard.views.push(aView(aJob({ id: 17, phase: 'active' })));
    return yard;
  }
  const exit = (code: number | null, signal: number | null) => ({ code, signal, outOfMemory: false });
  const ended = (outcome: 'completed' | 'failed' | 'cancelled', how: ReturnType<typeof exit>) =>
    ending({ phase: 'ended', outcome, attempt: anAttempt({ phase: 'ended', exit: how }) });
  const SUBMITTED = 'Your job 17 ("true") has been submitted\n';
  const sync = (yard: FakeYard, ...argv: string[]) => run(yard, ['-sync', 'y', ...argv, '-b', 'y', 'true']);

  it('-sync y ends with the exit code of the job', () => {
    expect(sync(ended('completed', exit(0, null)))).toEqual({
      code: 0,
      stdout: `${SUBMITTED}Job 17 exited with exit code 0.\n`,
      stderr: '',
    });
    expect(sync(ended('failed', exit(3, null)))).toEqual({
      code: 3,
      stdout: SUBMITTED,
      stderr: 'Job 17 exited with exit code 3.\n',
    });
    expect(sync(ended('failed', exit(null, 9)))).toEqual({
      code: 1,
      stdout: SUBMITTED,
      stderr: 'Job 17 exited because of signal SIGKILL\n',
    });
    expect(sync(ended('cancelled', exit(null, 9)))).toMatchObject({
      code: 1,
      stderr: 'Unable to run job 17\n',
    });
    expect(sync(ended('completed', exit(0, null)), '-terse').stdout).toBe('17\n');
  });

  it('-sync y names each task that never began', () => {
    const array = { unstarted: [], dropped: rangeOf(1, 2), live: 0, ended: {} };
    const { code, stderr } = sync(ending({ phase: 'ended', outcome: 'cancelled', array }), '-t', '1-2');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Unable to run job 17.1\nUnable to run job 17.2\n' });
  });

  it('whoever interrupts it deletes the job', () => {
    const yard = ending({ phase: 'active' });
    yard.signal = 2;
    expect(sync(yard)).toEqual({
      code: 1,
      stdout: SUBMITTED,
      stderr: '\nInterrupted!\nPlease wait while qsub shuts down.\n',
    });
    expect(yard.commands.at(-1)).toEqual({ type: 'cancel', target: { job: 17, index: null }, by: 'ada' });
  });

  it('another yard is waited at for the same job', () => {
    const yard = ended('completed', exit(0, null));
    sync(yard);
    const ticket = yard.tickets.at(-1)!;
    const next = ended('failed', exit(4, null));
    expect(run(next, ['-sync', 'y', '-b', 'y', 'true'], { ticket })).toEqual({
      code: 4,
      stdout: '',
      stderr: 'Job 17 exited with exit code 4.\n',
    });
    expect(next.commands).toEqual([]);
  });

  it('-now y starts at once or not at all', () => {
    const yard = aYard();
    yard.views.push(aView(aJob({ id: 17, phase: 'active' })));
    const now = ['-now', 'y', '-b', 'y', 'true'];
    expect(run(yard, now)).toEqual({
      code: 0,
      stdout: SUBMITTED,
      stderr:
        'Waiting for immediate job to be scheduled.\n\nYour immediate job 17 has been successfully scheduled.\n',
    });
    yard.views.splice(0, 1, aView(aJob({ id: 17, phase: 'pending' })));
    expect(run(yard, now)).toMatchObject({
      code: 1,
      stderr:
        'Waiting for immediate job to be scheduled.\n\nYour qsub request could not be scheduled; try again later.\n',
    });
    expect(yard.commands.at(-1)?.type).toBe('cancel');
  });
});
