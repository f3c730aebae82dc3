import { describe, expect, it } from 'vitest';
import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { JobView } from '../../../model/query.ts';
import { aJob, anAttempt, aView, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { A_MACHINE, aNodeView, aQueueView } from '../fake-hosts.ts';
import { inWords } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { qhost } from './qhost.ts';

/** 2026-11-16T18:59:17Z. */
const STARTED = 1_794_855_557_000;

function running(id: number, ranks: number, spec: Partial<JobSpec>, job: Partial<Job> = {}): JobView {
  const nodes = [{ node: 'vm', ranks, cpus: ranks, cpuIds: [], memoryBytes: 0, devices: [] }];
  const attempt = anAttempt({ startedAt: STARTED, placement: { nodes } });
  const of = { user: 'root', queue: 'gpu', ...inWords({}), ...spec };
  return aView(aJob({ id, phase: 'active', attempt, ...job }, of));
}

function aYard(changes: Partial<FakeYard> = {}): FakeYard {
  const machine = {
    ...A_MACHINE,
    loadOver5Minutes: 0.342_285,
    freeMemoryBytes: 25_276_977_152 - 234_041_344,
    swapBytes: 0,
    freeSwapBytes: 0,
    topology: { sockets: 1, cores: 2, threads: 2 },
  };
  const vm = { cpus: 2, cpuIds: [0, 1], memoryBytes: 25_276_977_152 };
  return fakeYard({
    nodes: [aNodeView('vm', vm, { machine, cpusUsed: 2 })],
    queues: [aQueueView('cpu', {}, { disabled: true }), aQueueView('gpu')],
    views: [
      running(250, 1, { name: 'q3' }, { element: { array: 241, index: 1 } }),
      running(396, 2, { name: 'x1' }),
    ],
    ...changes,
  });
}

function ran(argv: readonly string[], yard = aYard()) {
  return runDialect(gridEngineProgram(qhost), yard, ['qhost', ...argv]);
}

const HEADING = `HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS
----------------------------------------------------------------------------------------------
`;
const GLOBAL =
  'global                  -               -    -    -    -     -       -       -       -       -\n';
const VM = 'vm                      lx-amd64        2    1    2    2  0.34   23.5G  223.2M     0.0     0.0\n';

describe('qhost', () => {
  it('lists hosts', () => {
    expect(ran([])).toEqual({ code: 0, stdout: HEADING + GLOBAL + VM, stderr: '' });
  });

  it('leaves out the topology', () => {
    expect(
      ran(['-ncb']).stdout,
    ).toBe(`HOSTNAME                ARCH         NCPU  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS
-------------------------------------------------------------------------------
global                  -               -     -       -       -       -       -
vm                      lx-amd64        2  0.34   23.5G  223.2M     0.0     0.0
`);
  });

  it('adds jobs', () => {
    expect(
      ran(['-j']).stdout,
    ).toBe(`${HEADING}${GLOBAL}${VM}   job-ID  prior   name       user         state submit/start at     queue      master ja-task-ID 
   ----------------------------------------------------------------------------------------------
       241 0.50000 q3         root         r     11/16/2026 18:59:17 gpu@vm     MASTER 1
       396 0.50000 x1         root         r     11/16/2026 18:59:17 gpu@vm     MASTER        
                                                                     gpu@vm     SLAVE         
`);
    expect(ran(['-u', 'nosuch']).stdout).toBe(HEADING + GLOBAL + VM);
    expect(ran(['-u', 'roo*']).stdout).toBe(ran(['-j']).stdout);
  });

  it('adds queues, and jobs to them', () => {
    expect(
      ran(['-q', '-j', '-F', 'arch']).stdout,
    ).toBe(`${HEADING}${GLOBAL}${VM}    Host Resource(s):      hl:arch=lx-amd64
   cpu                  BIP   0/0/2         d
   gpu                  BIP   0/3/2         
       241 0.50000 q3         root         r     11/16/2026 18:59:17 MASTER 1
       396 0.50000 x1         root         r     11/16/2026 18:59:17 MASTER        
                                                                     SLAVE         
`);
  });

  it('adds attributes, whole numbers with a fraction', () => {
    const { stdout } = ran(['-F']);
    expect(stdout.startsWith(`${HEADING}${GLOBAL}${VM}   hl:load_avg=0.342285\n`)).toBe(true);
    expect(stdout).toContain('   hl:num_proc=2.000000\n');
    expect(stdout).toContain('   hl:mem_total=23.541G\n');
    expect(ran(['-F', 'nosuch']).stdout).toBe(HEADING + GLOBAL + VM);
  });

  it('chooses by name and by what hosts have', () => {
    expect(ran(['-h', 'VM']).stdout).toBe(HEADING + GLOBAL + VM);
    expect(ran(['-l', 'num_proc=2,hostname=vm']).stdout).toBe(HEADING + VM);
    expect(ran(['-l', 'num_proc=4'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('shows what nobody can know as -', () => {
    const lost = aYard({ nodes: [aNodeView('n9', { state: 'lost' })] });
    expect(ran([], lost).stdout.split('\n')[3]).toBe(
      'n9                      lx-amd64        4    1    2    4     -   16.0G       -    2.0G       -',
    );
    const { machine: _, ...unseen } = aNodeView('n9');
    expect(ran([], aYard({ nodes: [unseen] })).stdout.split('\n')[3]).toBe(
      'n9                      -               4    1    4    4     -   16.0G       -       -       -',
    );
  });

  it('refuses in the words of the original', () => {
    expect(ran(['-h'])).toEqual({ code: 1, stdout: '', stderr: 'error: -h option must have argument\n' });
    expect(ran(['-l', 'foo=1']).stderr).toBe('error: unknown resource "foo"\n');
    expect(ran(['-l', 'num_proc=x']).stderr).toBe('error: attribute "num_proc" is not a integer value\n');
    expect(ran(['-h', 'nosuch,vm']).stderr).toMatch(
      /^SGE 8\.1\.9\nusage: qhost [\s\S]*\nerror: can't resolve hostname "nosuch"\n$/,
    );
    expect(ran(['-x']).stderr).toMatch(/\nerror: invalid option argument "-x"\n$/);
    expect(ran(['-help'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('speaks XML', () => {
    const strange = running(7, 1, { name: `<&>"'\u0001` });
    const { stdout } = ran(['-j', '-q', '-ncb', '-F', 'arch', '-xml'], aYard({ views: [strange] }));
    const [, host = ''] = /( <host name='vm'>[\s\S]*)/.exec(stdout) ?? [];
    expect(host).toBe(` <host name='vm'>
   <hostvalue name='arch_string'>lx-amd64</hostvalue>
   <hostvalue name='num_proc'>2</hostvalue>
   <hostvalue name='load_avg'>0.34</hostvalue>
   <hostvalue name='mem_total'>23.5G</hostvalue>
   <hostvalue name='mem_used'>223.2M</hostvalue>
   <hostvalue name='swap_total'>0.0</hostvalue>
   <hostvalue name='swap_used'>0.0</hostvalue>
   <resourcevalue name='arch' dominance='hl'>lx-amd64</resourcevalue>
 <queue name='cpu'>
   <queuevalue qname='cpu' name='qtype_string'>BIP</queuevalue>
   <queuevalue qname='cpu' name='slots_used'>0</queuevalue>
   <queuevalue qname='cpu' name='slots'>2</queuevalue>
   <queuevalue qname='cpu' name='slots_resv'>0</queuevalue>
   <queuevalue qname='cpu' name='state_string'>d</queuevalue>
 </queue>
 <queue name='gpu'>
   <queuevalue qname='gpu' name='qtype_string'>BIP</queuevalue>
   <queuevalue qname='gpu' name='slots_used'>1</queuevalue>
   <queuevalue qname='gpu' name='slots'>2</queuevalue>
   <queuevalue qname='gpu' name='slots_resv'>0</queuevalue>
   <queuevalue qname='gpu' name='state_string'></queuevalue>
 </queue>
 <job name='7'>
   <jobvalue jobid='7' name='priority'>'0.500000'</jobvalue>
   <jobvalue jobid='7' name='qinstance_name'>gpu@vm</jobvalue>
   <jobvalue jobid='7' name='job_name'>&lt;&amp;&gt;&quot;&apos;\\x01</jobvalue>
   <jobvalue jobid='7' name='job_owner'>root</jobvalue>
   <jobvalue jobid='7' name='job_state'>r</jobvalue>
   <jobvalue jobid='7' name='start_time'>1794855557</jobvalue>
   <jobvalue jobid='7' name='pe_master'>MASTER</jobvalue>
 </job>
 </host>
</qhost>
`);
  });
});
