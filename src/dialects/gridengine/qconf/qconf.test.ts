import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { PLAIN_POLICY } from '../../../model/plain.ts';
import { fakeYard, HOUR, runDialect } from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { gridEngineProgram } from '../run.ts';
import { qconf } from './qconf.ts';

const CAPTURES = new URL('../../../../test/golden/gridengine/captures/', import.meta.url);

function capture(name: string): string {
  const text = readFileSync(new URL(`sge-${name}.txt`, CAPTURES), 'utf8');
  return text.replace(/^\$ .*\n/, '').replace(/--- exit \d+\n$/, '');
}

/** One like that of the captures, with another host. */
const YARD = {
  policy: {
    ...PLAIN_POLICY,
    graceMs: 5000,
    layouts: [{ name: 'smp', spread: 'oneNode' as const, maxRanks: null }],
  },
  queues: [aQueueView('gpu'), aQueueView('cpu')],
  nodes: [aNodeView('vm')],
  shares: [{ user: 'ada', shares: 3, usedSeconds: 0, factor: 1 }],
};

function run(argv: readonly string[], changes: Partial<Parameters<typeof fakeYard>[0]> = {}, variables = '') {
  const environment = bytesFromText(variables);
  return runDialect(gridEngineProgram(qconf), fakeYard({ ...YARD, ...changes }), ['qconf', ...argv], {
    environment,
  });
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/^[a-z_]+ +(?=\S)/gm)].map(([name]) => name);
}

describe('qconf -sq', () => {
  it('shows a queue as the original does', () => {
    expect(run(['-sq', 'cpu'])).toEqual({ code: 0, stdout: capture('qconf-sq'), stderr: '' });
  });

  it('says what the config decides', () => {
    const queue = aQueueView('long', {
      nodes: ['n1', 'n2'],
      maxLimitMs: 30 * HOUR,
      graceMs: 90_000,
      open: false,
    });
    const nodes = [aNodeView('n1'), aNodeView('n2', { cpus: 8 }), aNodeView('n3')];
    const { stdout } = run(['-sq', 'long'], { queues: [queue], nodes });
    expect(stdout).toContain('\nhostlist              n1 n2\n');
    expect(stdout).toContain('\nslots                 4,[n2=8]\n');
    expect(stdout).toContain('\nh_rt                  30:00:00\n');
    expect(stdout).toContain('\nnotify                00:01:30\n');
    expect(stdout).toContain('\ninitial_state         disabled\n');
  });

  it('shows a queue on one host', () => {
    const nodes = [aNodeView('n1'), aNodeView('n2', { cpus: 8 })];
    const { stdout } = run(['-sq', 'cpu@n2'], { nodes });
    expect(stdout).toContain('qname                 cpu\nhostname              n2\n');
    expect(stdout).toContain('\nslots                 8\n');
    expect(run(['-sq', '*@n2'], { nodes }).stdout).toContain(
      'INFINITY\n\nqname                 gpu\nhostname ',
    );
  });

  it('takes several, and patterns, and complains of what is not there', () => {
    expect(run(['-sq', '?pu']).stdout.match(/^qname.*$/gm)).toHaveLength(2);
    expect(run(['-sq', 'cpu,gpu']).stdout).toBe(run(['-sq', 'cpu', 'gpu']).stdout);
    expect(run(['-sq', 'nope', 'cpu'])).toEqual({
      code: 0,
      stdout: capture('qconf-sq'),
      stderr: 'error: No cluster queue or queue instance matches the phrase "nope"\n',
    });
    expect(run(['-sq', 'nope'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No cluster queue or queue instance matches the phrase "nope"\n',
    });
  });

  it('shows what a new one begins with', () => {
    expect(run(['-sq']).stdout).toMatch(/^qname {17}template\nhostlist {14}NONE\n/);
  });
});

describe('qconf', () => {
  it('lists names', () => {
    expect(run(['-sql', '-sel', '-spl']).stdout).toBe('cpu\ngpu\nvm\nsmp\n');
    expect(run(['-shgrpl']).stdout).toBe('@allhosts\n');
    expect(run(['-sm']).stdout).toBe('ada\nroot\n');
    expect(run(['-sul']).stdout).toBe('arusers\ndeadlineusers\ndefaultdepartment\n');
    expect(run(['-sss', '-sh']).stdout).toBe('box.example.org\nbox.example.org\n');
  });

  it.each([
    ['-so', 'no operator defined'],
    ['-scall', 'no calendar defined'],
    ['-sckptl', 'no ckpt interface definition defined'],
    ['-sprjl', 'no project list defined'],
    ['-srqsl', 'no resource quota set list defined'],
    ['-sconfl', 'no config defined'],
    ['-sstree', 'no sharetree element'],
  ])('says that there is nothing: %s', (flag, sentence) => {
    expect(run([flag])).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });

  it('says that there is no parallel environment', () => {
    const policy = { ...YARD.policy, layouts: [] };
    expect(run(['-spl'], { policy })).toMatchObject({ code: 1, stderr: 'no parallel environment defined\n' });
    expect(run(['-sq', 'cpu'], { policy }).stdout).toContain('pe_list               NONE\n');
  });

  it('shows the settings of the original, in its columns', () => {
    const { stdout } = run(['-sconf']);
    expect(namesIn(stdout)).toEqual(namesIn(capture('qconf-sconf')));
    expect(stdout).toMatch(/^#global:\n/);
    expect(stdout).toContain(
      'reporting_params             accounting=true reporting=false \\\n                             flush_time=00:00:01 \\\n',
    );
    expect(namesIn(run(['-ssconf']).stdout)).toEqual(namesIn(capture('qconf-ssconf')));
  });

  it('keeps what is long in one line for those who ask for it', () => {
    const { stdout } = run(['-sconf'], {}, 'SGE_SINGLE_LINE=1\0');
    expect(stdout).toMatch(/^reporting_params .*joblog=false sharelog=00:00:00$/m);
  });

  it('shows a parallel environment', () => {
    expect(run(['-sp', 'smp']).stdout).toMatch(/^pe_name {12}smp\nslots {14}9999999\n[\s\S]*\$pe_slots\n/);
    const layouts = [{ name: 'two', spread: 2, maxRanks: 16 }];
    expect(run(['-sp', 'two'], { policy: { ...YARD.policy, layouts } }).stdout).toMatch(
      /slots {14}16\n[\s\S]*allocation_rule {4}2\n/,
    );
    expect(run(['-sp', 'nope'])).toMatchObject({ code: 1, stderr: 'nope is not a parallel environment\n' });
  });

  it('shows a host', () => {
    const { stdout } = run(['-se', 'vm']);
    expect(stdout).toContain('load_values           load_avg=0.500000,load_short=1.500000, \\\n');
    expect(stdout).toContain('num_proc=4,');
    expect(stdout).toContain('mem_total=16384.000000M');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(run(['-se', 'global']).stdout).toMatch(/^hostname {14}global\n[\s\S]*^processors {12}0$/m);
    expect(run(['-se', 'nope'])).toMatchObject({ code: 1, stderr: 'can\'t resolve hostname "nope"\n' });
  });

  it('shows the group of all hosts', () => {
    const nodes = [aNodeView('n1'), aNodeView('n2')];
    expect(run(['-shgrp', '@allhosts'], { nodes }).stdout).toBe('group_name @allhosts\nhostlist n1 n2\n');
    expect(run(['-shgrp_tree', '@allhosts'], { nodes }).stdout).toBe('@allhosts\n   n1\n   n2\n');
    expect(run(['-shgrp_resolved', '@allhosts'], { nodes }).stdout).toBe('n1 n2\n');
    expect(run(['-shgrp', '@x'])).toMatchObject({ code: 1, stderr: 'Host group "@x" does not exist\n' });
  });

  it('breaks a long list of hosts', () => {
    const nodes = Array.from({ length: 40 }, (_, n) => aNodeView(`node${n}`));
    const lines = run(['-shgrp', '@allhosts'], { nodes }).stdout.split('\n');
    expect(lines[1]).toMatch(/^hostlist node0 .*[^ ] \\$/);
    expect(lines[2]).toMatch(/^ {9}node\d/);
    expect(lines.join(' ').match(/node\d+/g)).toHaveLength(40);
  });

  it('shows the attributes', () => {
    const lines = run(['-sc']).stdout.split('\n');
    expect(lines[0]).toBe(
      '#name               shortcut   type      relop requestable consumable default  urgency ',
    );
    expect(lines).toContain(
      'h_rt                h_rt       TIME      <=    YES         NO         0:0:0    0',
    );
    expect(lines).toContain(
      'slots               s          INT       <=    YES         YES        1        1000',
    );
    expect(lines).toContain(
      'gpu                 gpu        INT       <=    YES         JOB        0        0',
    );
  });

  it('shows users', () => {
    expect(run(['-suser', 'ada']).stdout).toContain('name ada\noticket 0\nfshare 3\n');
    expect(run(['-suser', 'eve'])).toEqual({ code: 0, stdout: '', stderr: 'eve is not known as a user\n' });
    expect(run(['-su', 'arusers']).stdout).toContain('name    arusers\ntype    ACL\n');
    expect(run(['-su', 'x'])).toMatchObject({ code: 1, stderr: 'denied: access list "x" does not exist\n' });
  });

  it('shows the projects that jobs may name', () => {
    const accounts = [{ name: 'vision', description: '', users: ['ada', 'bob'], parent: null }];
    const policy = { ...YARD.policy, accounts };
    expect(run(['-sprjl'], { policy }).stdout).toBe('vision\n');
    expect(run(['-sprj', 'vision'], { policy }).stdout).toContain('name vision\n');
    expect(run(['-sprj', 'vision'], { policy }).stdout).toContain('acl ada bob\n');
    expect(run(['-sprj', 'x'])).toMatchObject({ code: 1, stderr: 'x is not known as a project\n' });
  });

  it('finds what has a value', () => {
    expect(run(['-sobjl', 'queue', 'slots', '4']).stdout).toBe('cpu\ngpu\n');
    expect(run(['-sobjl', 'queue_instance', 'hostname', 'v*']).stdout).toBe('cpu@vm\ngpu@vm\n');
    expect(run(['-sobjl', 'exechost', 'processors', '9']).stdout).toBe('');
  });

  it.each(['-aq', '-Aq', '-mq', '-dq', '-mattr', '-ahgrp', '-ap', '-msconf', '-am', '-km', '-ke', '-cq'])(
    'changes nothing: %s',
    (flag) => {
      const { stdout, stderr, code } = run([flag, 'x']);
      expect([stdout, code, stderr.split('\n').length]).toEqual(['', 1, 2]);
      expect(stderr).toContain('/home/ada/.trainyard/trainyard.toml');
    },
  );

  it('refuses what there is not', () => {
    expect(run(['-zzz'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: invalid option argument "-zzz"\nUsage: qconf -help\n',
    });
    expect(run(['-sql', 'extra'])).toEqual({
      code: 1,
      stdout: 'cpu\ngpu\n',
      stderr: 'error: invalid option argument "extra"\nUsage: qconf -help\n',
    });
    const lonely = run(['-sp']);
    expect(lonely.code).toBe(1);
    expect(lonely.stderr).toMatch(/^error: no option argument provided to "-sp"\nSGE 8\.1\.9\nusage: qconf /);
    expect(run([])).toMatchObject({ code: 1, stdout: '' });
    expect(run([]).stderr).toMatch(/^SGE 8\.1\.9\nusage: qconf [\s\S]*\nERROR! no option argument\n$/);
  });

  it('helps', () => {
    expect(run(['-help'])).toMatchObject({ code: 0, stderr: '' });
  });
});
