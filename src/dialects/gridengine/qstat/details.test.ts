import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../model/ranges.ts';
import { aView, endedJob, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { arrayOf, held, inError, inWords, running, waiting } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { shellCommand } from '../submit/shells.ts';
import { qstat } from './qstat.ts';

function aYard(changes: Partial<FakeYard> = {}): FakeYard {
  return fakeYard({
    nodes: [aNodeView('node1'), aNodeView('node2')],
    queues: [aQueueView('main'), aQueueView('gpu', { nodes: ['node2'] })],
    ...changes,
  });
}

function ran(argv: readonly string[], yard = aYard()) {
  return runDialect(gridEngineProgram(qstat), yard, ['qstat', ...argv]);
}

describe('a job in full', () => {
  it('says why it is in error', () => {
    const { stdout } = ran(['-j', '4'], aYard({ views: [inError(4)] }));
    expect(stdout).toMatch(
      /^error reason {10}1: {6}\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d \[1000:0\]: exit_status of job start = 100$/m,
    );
    expect(stdout).toMatch(/^scheduling info: {12}Job is in error state$/m);
  });

  it('is gone when it has ended', () => {
    expect(ran(['-j', '10,nosuch'], aYard({ views: [aView(endedJob(10))] }))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Following jobs do not exist: \n10, nosuch\n',
    });
  });

  it('is found by number, name and pattern; what is not there is passed over', () => {
    const views = [waiting(1, { name: 'one' }), waiting(2, { name: 'two' }), waiting(3, { name: 'two' })];
    const found = (list: string) =>
      [...ran(['-j', list], aYard({ views })).stdout.matchAll(/^job_number: +(\d+)$/gm)].map(([, id]) => id);
    expect([found('1'), found('two'), found('o*,3'), found('99,2'), found('2.1')]).toEqual([
      ['1'],
      ['2', '3'],
      ['1', '3'],
      ['2'],
      ['2'],
    ]);
  });

  it('is the last one that is named where several words name some', () => {
    const yard = aYard({ views: [waiting(1), waiting(2)] });
    for (const argv of [
      ['-j', '1', '2'],
      ['-j', '1', '-j', '2'],
    ]) {
      expect(ran(argv, yard).stdout.match(/^job_number.*$/gm)).toEqual(['job_number:                 2']);
    }
  });

  it('is its array, whichever of its tasks has a record', () => {
    const views = arrayOf(4, rangeOf(1, 3), { 1: running(5), 2: inError(6), 3: running(7) });
    const { stdout } = ran(['-j', '4'], aYard({ views: [...views] }));
    expect(stdout).toMatch(/^job-array tasks: {12}1-3:1$/m);
    expect(stdout).toMatch(/^error reason {10}2:/m);
    expect(stdout.match(/^usage .*(?=:)/gm)?.map((line) => line.slice(0, 16))).toEqual([
      'usage         1:',
      'usage         3:',
    ]);
    expect(ran(['-j', '5'], aYard({ views: [...views] })).code).toBe(1);
  });

  it('tells what it uses', () => {
    const part = { step: null, rank: 0, pids: [1], virtualBytes: 9e9, userCpuMs: 61_000, systemCpuMs: 1000 };
    const usage = new Map([
      [1, { parts: [{ ...part, memoryBytes: 2 ** 30 }], peakMemoryBytes: 3 * 2 ** 30 }],
    ]);
    const { stdout } = ran(['-j', '1'], aYard({ views: [running(1)], usage }));
    expect(stdout).toContain(
      'usage         1:            cpu=00:01:02, mem=300.00000 GB s, io=0.00000 GB, vmem=1.000G, maxvmem=3.000G\n',
    );
    expect(ran(['-ext'], aYard({ views: [running(1)], usage })).stdout).toContain(
      ' r     0:00:01:02 300.000 0.00000     0     0     0     0     0 0.00  main@node1 ',
    );
  });

  it('says what a command is called with, whether or not a shell runs it', () => {
    const { program } = waiting(1).job.spec;
    const called = (argv: readonly string[]) => {
      const words = inWords({ script: 'sleep', isBinary: 'y' });
      const view = waiting(1, { ...words, program: { ...program, script: null, argv } });
      const { stdout } = ran(['-j', '1'], aYard({ views: [view] }));
      return /^job_args: +(.*)\nscript_file: +(.*)$[\s\S]*^job_type: +(.*)$/m.exec(stdout)?.slice(1);
    };
    expect(called(['/bin/sh', '-c', 'sleep 60 1'])).toEqual(['60,1', 'sleep', 'binary']);
    expect(called(shellCommand('/bin/sh', ['sleep', '60 1'], true))).toEqual(['60,1', 'sleep', 'binary']);
    expect(called(['sleep', '60'])).toEqual(['60', 'sleep', 'binary,noshell']);
  });

  it('has in XML what it was submitted with, under the names of the original', () => {
    const words = inWords({
      mailOptions: 'be',
      mailList: 'a@b,c',
      directivePrefix: '#X',
      shell: '/bin/bash',
      variables: 'A=1',
      holdJobs: 'nosuch',
    });
    const { stdout } = ran(['-xml', '-j', '1'], aYard({ views: [waiting(1, words)] }));
    const flat = stdout.replaceAll(/\n */g, '');
    expect(flat).toContain(
      '<mail_list><MR_user>a</MR_user><MR_host>b</MR_host></mail_list>' +
        '<mail_list><MR_user>c</MR_user><MR_host></MR_host></mail_list>',
    );
    expect(flat).toContain('<JB_directive_prefix>#X</JB_directive_prefix><JB_reserve>');
    expect(flat).toContain('<JB_mail_options>1572864</JB_mail_options>');
    expect(flat).toContain(
      '<JB_shell_list><path_list><PN_path>/bin/bash</PN_path><PN_host></PN_host><PN_file_host></PN_file_host>' +
        '<PN_file_staging>false</PN_file_staging></path_list></JB_shell_list>',
    );
    expect(flat).toContain(
      '</job_sublist><job_sublist><VA_variable>A</VA_variable><VA_value>1</VA_value></job_sublist></JB_env_list>',
    );
    expect(flat.split('<JRE_job_name>nosuch</JRE_job_name>')).toHaveLength(3);
  });

  it('says in XML why it is in error', () => {
    const { stdout } = ran(['-xml', '-j', '4'], aYard({ views: [inError(4)] }));
    expect(stdout.replaceAll(/\n */g, '')).toMatch(
      /<JAT_status>0<\/JAT_status><JAT_task_number>1<\/JAT_task_number><JAT_message_list><ulong_sublist><QIM_type>1<\/QIM_type><QIM_message>[^<]* \[1000:0\]: exit_status of job start = 100<\/QIM_message>/,
    );
  });

  it('of another dialect is put into these words', () => {
    const job = waiting(1, {
      origin: { dialect: 'slurm', words: {} },
      limitMs: 60_000,
      program: { ...waiting(1).job.spec.program, script: null, argv: ['python', 'train.py'] },
    });
    const { stdout } = ran(['-j', '1'], aYard({ views: [job] }));
    expect(stdout).toMatch(/^hard resource_list: {9}h_rt=60$/m);
    expect(stdout).toMatch(/^hard_queue_list: {12}main$/m);
    expect(stdout).toMatch(/^stdout_path_list: {11}NONE:NONE:\/home\/ada\/work\/trainyard-1.out$/m);
    expect(stdout).toMatch(/^job_args: {19}train.py\nscript_file: {16}python$/m);
  });
});

describe('why jobs wait', () => {
  it('is told of all of them', () => {
    const views = [...[11, 12, 13, 14, 15, 16, 17, 18, 19].map((id) => held(id)), inError(4)];
    expect(ran(['-j'], aYard({ views })).stdout).toBe(
      'Jobs dropped because of error state\n\t4\n\nJobs dropped because of hold state\n' +
        '\t11,\t12,\t13,\t14,\t15,\t16,\t17,\t18,\n\t19\n',
    );
    expect(ran(['-j']).stdout).toBe('scheduling info:            There are no messages available\n\n');
  });

  it('begins with what is the matter with the queues', () => {
    const queues = [aQueueView('main', {}, { disabled: true })];
    const yard = aYard({ queues, views: [held(1)], nodes: [aNodeView('node1')] });
    expect(ran(['-j'], yard).stdout).toBe(
      `scheduling info:            queue instance "main@node1" dropped because it is disabled
                            All queues dropped because of overload or full

Jobs dropped because of hold state
\t1
`,
    );
  });
});
