import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { anAttempt, aView, endedJob, type FakeYard, fakeYard, NOW, runDialect } from '../../fake-yard.ts';
import type { Invocation } from '../../program.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { held, inError, inWords, running, waiting } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { qstat } from './qstat.ts';

const HEADING = `job-ID  prior   name       user         state submit/start at     queue                          slots ja-task-ID 
-----------------------------------------------------------------------------------------------------------------
`;

function aYard(changes: Partial<FakeYard> = {}): FakeYard {
  return fakeYard({
    nodes: [aNodeView('node1'), aNodeView('node2')],
    queues: [aQueueView('main'), aQueueView('gpu', { nodes: ['node2'] })],
    ...changes,
  });
}

function ran(argv: readonly string[], yard = aYard(), changes: Partial<Invocation> = {}) {
  return runDialect(gridEngineProgram(qstat), yard, ['qstat', ...argv], changes);
}

/** What is left of a listing: the numbers of its jobs. */
function listed(argv: readonly string[], yard: FakeYard): readonly number[] {
  const { stdout } = ran(argv, yard);
  return [...stdout.matchAll(/^ *(\d+) [01]\.\d{5} /gm)].map(([, number]) => Number(number));
}

describe('a listing', () => {
  it('is empty when there is nothing', () => {
    expect(ran([])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ran(['-u', 'nobody'], aYard({ views: [waiting(1)] })).stdout).toBe('');
  });

  it('cuts names and users, and makes room for long numbers', () => {
    const spec = { name: 'a_very_long_name', user: 'an_even_longer_user' };
    const { stdout } = ran(['-u', '*'], aYard({ views: [waiting(123_456_789, spec)] }));
    expect(stdout).toBe(
      `${HEADING}123456789 0.50000 a_very_lon an_even_long qw    03/10/2026 14:10:00                                    1        \n`,
    );
  });

  it('shows control characters of a name, and does not send them', () => {
    const { stdout } = ran([], aYard({ views: [waiting(1, { name: 'a\u001b[2J\n' })] }));
    expect(stdout.split('\n')[2]).toContain(' a\\x1b[2J\\n ada ');
  });

  it('has jobs of other dialects', () => {
    const job = running(3, { origin: { dialect: 'slurm', words: {} } });
    expect(ran([], aYard({ views: [job] })).stdout).toContain(
      '      3 0.50000 train.sh   ada          r     03/10/2026 14:15:00 main@node1                         1        ',
    );
  });

  it('is as wide as SGE_LONG_QNAMES says', () => {
    const environment = bytesFromText('SGE_LONG_QNAMES=-1\0');
    const [heading, rule, line] = ran([], aYard({ views: [running(1)] }), { environment }).stdout.split('\n');
    expect(heading).toMatch(/ queue {6}slots /);
    expect(rule).toHaveLength(93);
    expect(line).toMatch(/ main@node1 {5}1 {8}$/);
  });

  it('takes defaults from files, unless the command line says otherwise', () => {
    const views = [waiting(1), waiting(2, { user: 'bob' })];
    const yard = aYard({ views });
    yard.files.set('/home/ada/.trainyard/sge/default/common/sge_qstat', bytesFromText('-u "*"\n'));
    expect(listed([], yard)).toEqual([1, 2]);
    yard.files.set('/home/ada/.sge_qstat', bytesFromText('# mine\n-u bob\n'));
    expect(listed([], yard)).toEqual([2]);
    expect(listed(['-u', '$user'], yard)).toEqual([1]);
  });
});

describe('jobs are chosen', () => {
  const dependencies = { need: 'all', terms: [{ kind: 'afterany', job: 9, index: null }] } as const;
  const pairwise = { need: 'all', terms: [{ kind: 'aftercorrany', job: 9, index: null }] } as const;
  const views = [
    waiting(1),
    held(2),
    held(3, inWords({ holds: 'os' })),
    inError(4),
    aView({ ...waiting(5, { dependencies }).job, phase: 'waiting' }),
    aView({ ...waiting(6, { dependencies: pairwise }).job, phase: 'waiting' }),
    aView({ ...waiting(7, { beginAt: NOW + 1000 }).job, phase: 'waiting' }),
    running(8),
    running(9, {}, { suspendedAt: NOW }),
    aView(endedJob(10)),
  ];

  it.each([
    ['p', [1, 4, 2, 3, 5, 6, 7]],
    ['r', [8]],
    ['s', [9]],
    ['rs', [8, 9]],
    ['z', [10]],
    ['zr', [8, 10]],
    ['a', [8, 9, 1, 4, 2, 3, 5, 6, 7]],
    ['hu', [2]],
    ['ho', [3]],
    ['hs', [3]],
    ['huho', [2, 3]],
    ['hj', [5]],
    ['hd', [6]],
    ['ha', [7]],
    ['h', [2, 3, 5, 6, 7]],
    ['h+', [2, 3, 5, 6, 7]],
  ])('-s %s: %j', (states, numbers) => {
    expect(listed(['-s', states], aYard({ views }))).toEqual(numbers);
  });

  it('by the queue instances that they are in, or could be', () => {
    const more = [
      running(1, {}, { placement: anAttempt().placement }),
      waiting(2, { queue: 'gpu' }),
      waiting(3, { queueChoices: ['gpu', 'main'] }),
      waiting(4),
    ];
    const yard = aYard({ views: more });
    expect(listed(['-q', 'gpu'], yard)).toEqual([2, 3]);
    expect(listed(['-q', 'main@node1'], yard)).toEqual([1, 3, 4]);
    expect(listed(['-q', '*@node2'], yard)).toEqual([2, 3, 4]);
    expect(listed(['-l', 'hostname=node2'], yard)).toEqual([2, 3, 4]);
    expect(listed(['-qs', 'd'], yard)).toEqual([2, 3, 4]);
    expect(ran(['-q', 'nosuch'], yard)).toEqual({ code: 1, stdout: '', stderr: '' });
    expect(ran(['-l', 'arch=nope'], yard)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('queue instances', () => {
  it('are listed with those of their attributes that are asked for', () => {
    const yard = aYard({ views: [running(1)] });
    expect(ran(['-F', 'slots,arch', '-q', '*@node1'], yard).stdout).toBe(
      `queuename                      qtype resv/used/tot. load_avg arch          states
---------------------------------------------------------------------------------
main@node1                     BIP   0/1/4          0.50     lx-amd64      
\thl:arch=lx-amd64
\tqc:slots=3
      1 0.50000 train.sh   ada          r     03/10/2026 14:15:00     1        
`,
    );
  });

  it('are left out when nothing runs in them, if somebody says so', () => {
    const yard = aYard({ views: [running(1)] });
    expect(ran(['-f', '-ne'], yard).stdout).not.toContain('node2');
    expect(ran(['-f', '-ne', '-xml'], yard).stdout).not.toContain('node2');
    expect(ran(['-f', '-u', 'nobody'], yard).stdout).toContain('main@node1                     BIP   0/1/4 ');
  });

  it('say that their host does not answer', () => {
    const nodes = [aNodeView('node1', { state: 'lost' })];
    expect(ran(['-f', '-q', 'main'], aYard({ nodes })).stdout).toContain(
      'main@node1                     BIP   0/0/4          -NA-     lx-amd64      u\n',
    );
    expect(ran(['-g', 'c', '-q', 'main'], aYard({ nodes })).stdout).toContain(
      'main                              -NA-      0      0      0      4      0      4 \n',
    );
  });

  it('have the slots that a job has in each of them', () => {
    const share = (node: string, ranks: number) => ({
      node,
      ranks,
      cpus: ranks,
      cpuIds: [],
      memoryBytes: 0,
      devices: [],
    });
    const placement = { nodes: [share('node1', 2), share('node2', 1)] };
    const yard = aYard({ views: [running(1, {}, { placement })] });
    const slots = [...ran(['-f'], yard).stdout.matchAll(/14:15:00 +(\d)/g)].map(([, count]) => count);
    expect(slots).toEqual(['2', '1']);
    expect(ran(['-f', '-g', 't'], yard).stdout.match(/MASTER|SLAVE/g)).toEqual(['MASTER', 'SLAVE', 'SLAVE']);
  });
});

describe('XML', () => {
  it('holds whatever a name may be', () => {
    const views = [waiting(1, { name: `<a>&'"\u0001\udc80`, user: 'ada' })];
    for (const argv of [['-xml'], ['-f', '-xml'], ['-j', '1', '-xml'], ['-r', '-xml']]) {
      const { stdout } = ran(argv, aYard({ views }));
      expect(stdout).toContain(`&lt;a&gt;&amp;&apos;&quot;\\x01\\x80<`);
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    }
  });

  it('says which jobs are not there, and that nothing went wrong', () => {
    expect(ran(['-j', 'nosuch', '-xml'])).toEqual({
      code: 0,
      stdout: `<?xml version='1.0'?>\n<unknown_jobs >\n    <ST_name>nosuch</ST_name>\n</unknown_jobs>\n`,
      stderr: '',
    });
  });

  it('-t leaves the place of a job that waits empty', () => {
    const { stdout } = ran(['-xml', '-t'], aYard({ views: [waiting(1)] }));
    expect(stdout.replaceAll(/\n */g, '')).toContain(
      '<queue_name></queue_name><master></master><slots>1</slots>',
    );
  });

  it('has times with -ext only where urgencies or priorities are asked for, too', () => {
    const has = (...argv: string[]) =>
      ran(['-xml', '-ext', ...argv], aYard({ views: [waiting(1)] })).stdout.includes('<JB_submission_time>');
    expect([has(), has('-urg'), has('-pri')]).toEqual([false, true, true]);
  });

  it('tells why jobs wait', () => {
    expect(ran(['-j', '-xml'], aYard({ views: [held(3)] })).stdout).toBe(`<?xml version='1.0'?>
<message  xmlns:xsd="http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qstat/message.xsd">
  <element>
    <SME_message_list>
      <element>
        <MES_job_number_list>
          <ulong_sublist>
            <ULNG_value>3</ULNG_value>
          </ulong_sublist>
        </MES_job_number_list>
        <MES_message_number>33</MES_message_number>
        <MES_message>Jobs dropped because of hold state</MES_message>
      </element>
    </SME_message_list>
  </element>
</message>
`);
  });

  it('has queues in short', () => {
    expect(ran(['-g', 'c', '-xml', '-q', 'gpu']).stdout).toContain(`  <cluster_queue_summary>
    <name>gpu</name>
    <load>0.12500</load>
    <used>0</used>
    <resv>0</resv>
    <available>4</available>
    <total>4</total>
    <temp_disabled>0</temp_disabled>
    <manual_intervention>0</manual_intervention>
  </cluster_queue_summary>
</job_info>
`);
  });
});

describe('what is refused', () => {
  it.each([
    [['-u'], '-u option must have argument\n'],
    [['-s', '-f'], '-s option must have argument\n'],
    [['-g', 'x'], "wrong character 'x' for -g option\n"],
    [['-pe', 'nosuch'], 'error: no such parallel environment\n'],
    [['-l', 'foo=1'], ''],
    [
      ['-explain', 'x'],
      'error: unknown queue state: x found in string: x\nunknown queue state: x found in string: x\n',
    ],
  ])('%j', (argv, stderr) => {
    expect(ran(argv)).toEqual({ code: 1, stdout: '', stderr });
  });

  it.each([
    [['-bogus'], 'invalid option argument "-bogus"'],
    [['foo'], 'invalid option argument "foo"'],
    [['-s', 'x'], 'ERROR! wrong argument to -s option'],
    [['-u', ''], '-u option must have argument\ninvalid option argument ""'],
  ])('%j, after what -help says', (argv, sentence) => {
    const { code, stdout, stderr } = ran(argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`${ran(['-help']).stdout}${sentence}\n`);
  });

  it('helps', () => {
    expect(ran(['-help'])).toMatchObject({ code: 0, stderr: '' });
    expect(ran(['-help']).stdout).toMatch(/^SGE 8\.1\.9\nusage: qstat \[options\]\n/);
  });
});
