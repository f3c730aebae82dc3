/** What `scancel` asks of the yard, and what it says. The real one was asked the same. */

import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import type { UserCommand } from '../../../model/command.ts';
import type { Job, StopCause } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { type RefusalCode, refusal } from '../../../model/refusal.ts';
import { aJob, anAttempt, aView, type FakeYard, fakeYard, runDialect, runningJob } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { scancel } from './scancel.ts';

function run(yard: FakeYard, line: string, variables = '') {
  const words = line.split(' ').filter((word) => word !== '');
  const environment = bytesFromText(variables);
  return runDialect(slurmProgram(scancel), yard, ['scancel', ...words], { environment });
}

function yardWith(...jobs: readonly Job[]): FakeYard {
  const yard = fakeYard({ views: jobs.map((job) => aView(job)) });
  yard.users = [...yard.users, { name: 'bob', uid: 1001, gid: 1001, group: 'bob' }];
  return yard;
}

function refusing(yard: FakeYard, code: RefusalCode): FakeYard {
  return { ...yard, answer: () => ({ ok: false, refusal: refusal(code, 'no') }) };
}

const words = (spec: Partial<JobSpec>, said: Readonly<Record<string, string>>): Partial<JobSpec> => ({
  ...spec,
  origin: { dialect: 'slurm', words: said },
});

const running = runningJob(17, { name: 'rr' });
const waiting = aJob({ id: 18 }, { name: 'ww' });
const array = aJob(
  { id: 4, phase: 'pending', array: { unstarted: rangeOf(2, 6), dropped: [], live: 1, ended: {} } },
  { name: 'arr', array: { indices: rangeOf(1, 6), throttle: null } },
);
const element = { ...runningJob(5, { name: 'arr' }), element: { array: 4, index: 1 } };

const DONE = { code: 0, stdout: '', stderr: '' };

function asked(line: string, yard = yardWith(running, waiting, array, element)): readonly string[] {
  expect([line, run(yard, line)]).toEqual([line, DONE]);
  return yard.commands.map(deedText);
}

function deedText(command: UserCommand): string {
  if (!('target' in command)) return command.type;
  const { job, index } = command.target;
  const target = index === null ? `${job}` : `${job}_${index}`;
  if (command.type === 'signal') return `signal ${command.signal} ${JSON.stringify(command.scope)} ${target}`;
  return command.type === 'stopStep' ? `stopStep ${target}.${command.step}` : `${command.type} ${target}`;
}

describe('what is asked of the yard', () => {
  it.each<[string, readonly string[]]>([
    ['17', ['cancel 17']],
    ['17 18', ['cancel 17', 'cancel 18']],
    ['17,18', ['cancel 17', 'cancel 18']],
    ['4', ['cancel 4']],
    ['4_1', ['cancel 4_1']],
    ['4_[2-3,5]', ['cancel 4_2', 'cancel 4_3', 'cancel 4_5']],
    ['4_2,4_3', ['cancel 4_2', 'cancel 4_3']],
    ['-s USR1 17', ['signal 10 "steps" 17']],
    ['-s SIGUSR1 17', ['signal 10 "steps" 17']],
    ['--signal=10 17', ['signal 10 "steps" 17']],
    ['-b -s usr1 17', ['signal 10 "main" 17']],
    ['-f -s USR1 17', ['signal 10 "all" 17']],
    ['-f -b -s USR1 17', ['signal 10 "all" 17']],
    ['-s KILL 17', ['cancel 17']],
    ['-f -s KILL 17', ['cancel 17']],
    ['-b -s KILL 17', ['signal 9 "main" 17']],
    ['-b 17', ['cancel 17']],
    ['-s USR1 4_1', ['signal 10 "steps" 4_1']],
    ['17.0', ['stopStep 17.0']],
    ['-s TERM 17.0', ['signal 15 {"step":0} 17']],
    ['-s KILL 17.0', ['signal 9 {"step":0} 17']],
    ['-s USR1 17.batch', ['signal 10 "main" 17']],
    ['17.batch', ['cancel 17']],
    ['-n ww', ['cancel 18']],
    ['-n rr 17 ', ['cancel 17']],
    ['-t PENDING', ['cancel 18', 'cancel 4_2', 'cancel 4_3', 'cancel 4_4', 'cancel 4_5', 'cancel 4_6']],
    ['-t R', ['cancel 17', 'cancel 4_1']],
    ['-n arr', ['cancel 4', 'cancel 4_1']],
    ['-t pd -n arr 4_[3-4]', ['cancel 4_3', 'cancel 4_4']],
    ['-u ada -t RUNNING -n rr', ['cancel 17']],
    ['--me -n rr', ['cancel 17']],
    ['-w node1 -n rr', ['cancel 17']],
    ['-w node2', []],
    ['-p main -n ww', ['cancel 18']],
    ['-p nope', []],
    ['-q normal -n ww', ['cancel 18']],
    ['-q nope', []],
    ['-A nope', []],
    ['-R nope', []],
    ['--wckey=nope', []],
    ['--ctld 17', ['cancel 17']],
    ['-M yard 17', ['cancel 17']],
  ])('%s', (line, deeds) => {
    expect(asked(line)).toEqual(deeds);
  });

  it('by account, reservation and key, as they were submitted', () => {
    const yard = () =>
      yardWith(
        aJob({ id: 1 }, { account: 'lab' }),
        aJob({ id: 2 }, words({}, { reservation: 'r' })),
        aJob({ id: 3 }, words({}, { wckey: 'k' })),
      );
    expect(asked('-A lab', yard())).toEqual(['cancel 1']);
    expect(asked('-R r', yard())).toEqual(['cancel 2']);
    expect(asked('--wckey k', yard())).toEqual(['cancel 3']);
  });

  it('by variables, which options overrule', () => {
    const yard = yardWith(running, waiting);
    run(yard, '17 18', 'SCANCEL_NAME=ww\0');
    run(yard, '-n rr', 'SCANCEL_NAME=ww\0');
    run(yard, '-s USR1 17', 'SCANCEL_BATCH=true\0');
    run(yard, '-s USR1 17', 'SCANCEL_BATCH=false\0');
    run(yard, '', 'SCANCEL_STATE=RUNNING\0SCANCEL_USER=ada\0');
    expect(yard.commands.map(deedText)).toEqual([
      'cancel 18',
      'cancel 17',
      'signal 10 "main" 17',
      'signal 10 "steps" 17',
      'cancel 17',
    ]);
  });

  it('a state that a job is in only for a while', () => {
    const suspended = { ...running, attempt: anAttempt({ suspendedAt: 5 }) };
    expect(asked('-t SUSPENDED', yardWith(suspended, waiting))).toEqual(['cancel 17']);
  });
});

describe('a job that is ending', () => {
  const stopping = (cause: StopCause) => ({
    ...running,
    attempt: anAttempt({
      phase: 'stopping',
      stop: { cause, by: 'ada', requestedAt: 5, killAt: 9, step: 'term' },
    }),
  });

  it.each(['-s USR1 17', '-b -s KILL 17', '-n rr 17'])('%s does not find it', (line) => {
    const yard = yardWith(stopping('cancelled'));
    expect(run(yard, line)).toMatchObject({
      code: 1,
      stderr: 'scancel: error: Kill job error on job id 17: Invalid job id specified\n',
    });
    expect(yard.commands).toEqual([]);
  });

  it('is found where it would run again', () => {
    expect(asked('-n rr', yardWith(stopping('requeued')))).toEqual(['cancel 17']);
    expect(asked('-n rr', yardWith(stopping('timeLimit')))).toEqual([]);
  });
});

describe('what is said', () => {
  const said = (stderr: string, code = 1) => ({ code, stdout: '', stderr: `${stderr}\n` });

  it.each<[string, string]>([
    ['', 'scancel: error: No job identification provided'],
    ['abc', 'scancel: error: Invalid job id abc'],
    ['17 abc', 'scancel: error: Invalid job id abc'],
    ['4_[2-3', 'scancel: error: Invalid job id 4_[2-3'],
    ['4_', 'scancel: error: Invalid job id 4_'],
    ['17.x', 'scancel: error: Invalid job id 17.x'],
    ['0', 'scancel: error: Invalid job id 0'],
    ['-s FOO 17', 'Unknown job signal: FOO'],
    ['-s 0 17', 'Unknown job signal: 0'],
    ['-u nobodyx', 'scancel: error: Invalid user name: nobodyx'],
    ['-t FOO', 'Invalid job state specified: FOO\nValid job states are PENDING, RUNNING, and SUSPENDED'],
    ['-Z', `scancel: invalid option -- 'Z'\nTry "scancel --help" for more information`],
    ['-s', `scancel: option requires an argument -- 's'\nTry "scancel --help" for more information`],
    ['-s USR1 99', 'scancel: error: Kill job error on job id 99: Invalid job id specified'],
    ['-n nope 17', 'scancel: error: Kill job error on job id 17: Invalid job id specified'],
    ['99.0', 'scancel: error: Kill job error on job step id 99.0: Invalid job id specified'],
    [
      '-v -n nope 17',
      'scancel: error: Kill job error on job id 17: Invalid job id specified\nscancel: error: No active jobs match ALL job filters, including: job_name=nope ',
    ],
    [
      '-M foo 17',
      "scancel: error: No cluster 'foo' known by database.\nscancel: error: 'foo' can't be reached now, or it is an invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available clusters.",
    ],
  ])('%s', (line, stderr) => {
    const yard = yardWith(running, waiting);
    expect(run(yard, line)).toEqual(said(stderr));
    expect(yard.commands).toEqual([]);
  });

  it('when nothing fits, only to those who want to know', () => {
    const yard = yardWith(running);
    expect(run(yard, '-n nope')).toEqual(DONE);
    expect(run(yard, '-v -p nope -u ada -n nope')).toEqual(
      said(
        'scancel: error: No active jobs match ALL job filters, including: job_name=nope partition=nope user_name=ada ',
        0,
      ),
    );
    expect(run(yard, '-Q -s USR1 99')).toEqual({ ...DONE, code: 1 });
  });

  it.each([
    ['-v 17', 'scancel: Terminating job 17'],
    ['-v 4_[2-3]', 'scancel: Terminating job 4_[2-3]'],
    ['-v -s USR1 17', 'scancel: Signal 10 to job 17'],
    ['-v -b -s USR1 17', 'scancel: Signal 10 to batch job 17'],
    ['-v -s USR1 17.0', 'scancel: Signal 10 to step 17.0'],
    ['-v 17.0', 'scancel: Terminating step 17.0'],
  ])('%s', (line, stderr) => {
    expect(run(yardWith(running, array), line)).toEqual(said(stderr, 0));
  });

  it('why it could not be done', () => {
    const yard = yardWith(running, waiting, array, element);
    const denied = 'scancel: error: Kill job error on job id 17: Access/permission denied';
    expect(run(refusing(yard, 'notAllowed'), '17')).toEqual(said(denied, 210));
    expect(run(refusing(yard, 'notAllowed'), '-Q 17')).toEqual(said(denied, 210));
    expect(run(refusing(yard, 'notAllowed'), '-n rr')).toEqual(said(denied, 210));
    expect(run(refusing(yard, 'wrongState'), '-s USR1 18')).toEqual(
      said('scancel: error: Kill job error on job id 18: Job can not be altered now, try again later', 228),
    );
    expect(run(refusing(yard, 'noSuchStep'), '17.7')).toEqual(
      said('scancel: error: Kill job error on job step id 17: Invalid job id specified', 225),
    );
  });

  it('elements that have not begun get no signal, and those that have get it once', () => {
    const yard = yardWith(array, element);
    expect(run(yard, '-s USR1 4')).toMatchObject({
      code: 228,
      stderr:
        'scancel: error: Kill job error on job id 4_[2-6]: Job can not be altered now, try again later\n',
    });
    expect(yard.commands.map(deedText)).toEqual(['signal 10 "steps" 4_1']);
  });

  it('variables that make no sense', () => {
    const yard = yardWith(running);
    expect(run(yard, '17', 'SCANCEL_VERBOSE=1\0')).toEqual(
      said('scancel: error: Unrecognized SCANCEL_VERBOSE value: 1', 0),
    );
    expect(run(yard, '-t RUNNING 17', 'SCANCEL_STATE=foo\0')).toEqual(
      said('Unrecognized SCANCEL_STATE value: foo\nValid job states are PENDING, RUNNING, and SUSPENDED'),
    );
  });

  it('that an option has no effect', () => {
    expect(run(yardWith(running), '-H 17').stderr).toBe(
      'scancel: warning: --hurry has no effect: nothing is staged out\n',
    );
    expect(run(yardWith(running), '--sibling=x -v 17')).toEqual(
      said(
        'scancel: Terminating job 17\nscancel: error: Kill job error on job id 17: Not a valid federated job',
        191,
      ),
    );
  });

  it('its version and how it is used', () => {
    expect(run(fakeYard(), '-V').stdout).toBe('slurm 22.05.8\n');
    expect(run(fakeYard(), '--help').stdout).toMatch(/^Usage: scancel \[OPTIONS\]/);
    expect(run(fakeYard(), '--usage').stdout).toMatch(/^Usage: scancel \[-A/);
  });
});

describe('asking first', () => {
  function answering(line: string, typed: string) {
    const yard = yardWith(running, waiting, array, element);
    yard.stdin = bytesFromText(typed);
    const { stdout, code } = run(yard, line);
    return { deeds: yard.commands.map(deedText), stdout, code };
  }

  it('names each job, and takes yes for an answer', () => {
    expect(answering('-i 17 18', 'n\ny\n')).toEqual({
      deeds: ['cancel 18'],
      stdout:
        'Cancel job_id=17 name=rr partition=main [y/n]? Cancel job_id=18 name=ww partition=main [y/n]? ',
      code: 0,
    });
  });

  it('asks again when it is not answered, and not for ever', () => {
    expect(answering('-i 17', 'what?\ny\n').deeds).toEqual(['cancel 17']);
    expect(answering('-i 17', '')).toMatchObject({ deeds: [], code: 0 });
  });

  it('leaves running elements alone when only the others may go', () => {
    const { deeds, stdout } = answering('-i -n arr', 'y\nn\n');
    expect(deeds).toEqual(['cancel 4_2', 'cancel 4_3', 'cancel 4_4', 'cancel 4_5', 'cancel 4_6']);
    expect(stdout).toContain('Cancel job_id=4_[2-6] name=arr ');
  });

  it('names steps', () => {
    expect(answering('-i 17.0', 'y\n').stdout).toBe('Cancel step_id=17.0 name=rr partition=main [y/n]? ');
  });
});
