import { describe, expect, it } from 'vitest';
import { capturedNode, capturedYard, QUEUES } from '../../../../test/golden/slurm/captured-yard.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import { PLAIN_QUEUE_STATE } from '../../../model/plain.ts';
import type { NodeView } from '../../../model/query.ts';
import { aJob, anAttempt, aView, CALLER_GONE, type FakeYard, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sinfo } from './sinfo.ts';

const MEBIBYTE = 1024 ** 2;

function run(line: string | readonly string[], yard: FakeYard = busyYard(), variables = '') {
  const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
  return runDialect(slurmProgram(sinfo), yard, ['sinfo', ...words], {
    environment: bytesFromText(variables),
  });
}

function lines(line: string | readonly string[], yard?: FakeYard): string[] {
  return run(line, yard).stdout.trimEnd().split('\n');
}

function busy(name: string, cpusUsed: number, changes: Partial<NodeView['node']> = {}): NodeView {
  return { ...capturedNode(name, changes), cpusUsed, memoryUsedBytes: 200 * MEBIBYTE, jobs: [17] };
}

/** n1 is full, n2 half full, n3 idle, n4 drains with a job on it. */
function busyYard(changes: Partial<FakeYard> = {}): FakeYard {
  const taken = [{ index: 0, usedMillis: 500, jobs: [17] }];
  return capturedYard({
    views: [],
    nodes: [
      busy('n1', 2),
      { ...busy('n2', 1), devices: taken },
      capturedNode('n3'),
      busy('n4', 1, { state: 'draining', reason: 'disk full' }),
    ],
    ...changes,
  });
}

describe('lines', () => {
  it('are for nodes of a partition in the same state', () => {
    expect(lines('-p cpu')).toEqual([
      'PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST',
      'cpu*         up   infinite      1   drng n4',
      'cpu*         up   infinite      1    mix n2',
      'cpu*         up   infinite      1  alloc n1',
      'cpu*         up   infinite      1   idle n3',
    ]);
  });

  it('are for a node each, or for a partition each', () => {
    expect(run('-h -N -p gpu').stdout).toBe(
      [
        'n1             1       gpu alloc ',
        'n2             1       gpu mix   ',
        'n3             1       gpu idle  ',
        'n4             1       gpu drng  ',
        '',
      ].join('\n'),
    );
    expect(lines('-h -s -p gpu')).toEqual(['gpu          up   infinite          2/1/1/4 n[1-4]']);
  });

  it('tell nothing twice where partitions are not told apart', () => {
    expect(lines(['-h', '-o', '%N %C'])).toEqual(['n[1-4] 4/3/1/8']);
    expect(lines(['-h', '-o', '%l %D'])).toEqual(['infinite 4', '5:00 4']);
    expect(lines(['-h', '-o', 'plain'])).toEqual(['plain']);
    expect(lines(['-h', '-N', '-p', 'cpu,gpu', '-o', '%N'])).toEqual('n1 n1 n2 n2 n3 n3 n4 n4'.split(' '));
  });

  it('keep nodes apart that differ in what is told', () => {
    const big = { ...capturedNode('n2', { memoryBytes: 8000 * MEBIBYTE, features: ['a100'] }) };
    const yard = busyYard({ nodes: [capturedNode('n1'), big] });
    expect(lines(['-h', '-o', '%N %m'], yard)).toEqual(['n[1-2] 4000+']);
    expect(lines(['-h', '-e', '-o', '%N %m'], yard)).toEqual(['n1 4000', 'n2 8000']);
    expect(lines(['-h', '-o', '%N %f'], yard)).toEqual(['n1 (null)', 'n2 a100']);
  });

  it('are there for partitions without any of the nodes', () => {
    expect(lines('-h -d -p cpu')).toEqual(['cpu*         up   infinite      0    n/a']);
    expect(lines('-h -s -n bogus -p short')).toEqual(['short        up       5:00          0/0/0/0']);
    expect(run('-h -N -n bogus').stdout).toBe('');
    expect(run(['-h', '-d', '-o', '%N %t']).stdout).toBe('');
    expect(run('-h -p bogus').stdout).toBe('');
  });

  it('leave room for long names', () => {
    const [cpu] = QUEUES;
    const queue = { ...(cpu as (typeof QUEUES)[0]), name: 'a-long-partition' };
    const yard = busyYard({
      queues: [{ queue, state: PLAIN_QUEUE_STATE, waiting: 0, running: 0 }],
      nodes: [capturedNode('a-long-node')],
    });
    expect(lines('', yard)).toEqual([
      'PARTITION         AVAIL  TIMELIMIT  NODES  STATE NODELIST',
      'a-long-partition*    up   infinite      1   idle a-long-node',
    ]);
    expect(lines('-N', yard)).toEqual([
      'NODELIST     NODES         PARTITION STATE ',
      'a-long-node      1 a-long-partition* idle',
    ]);
  });
});

describe('states', () => {
  it('are those of Slurm, short and long and with every flag', () => {
    expect(lines(['-h', '-S', 'N', '-o', '%N %t %T'])).toEqual([
      'n1 alloc allocated',
      'n2 mix mixed',
      'n3 idle idle',
      'n4 drng draining',
    ]);
    expect(lines('-h -N -p cpu -O statecomplete:0')).toEqual(['allocated', 'mixed', 'idle', 'mixed+drain']);
    const away = busyYard({
      nodes: [capturedNode('n1', { state: 'lost' }), capturedNode('n2', { state: 'draining' })],
    });
    expect(lines(['-h', '-N', '-p', 'cpu', '-o', '%t %T'], away)).toEqual(['down* down*', 'drain drained']);
  });

  it('tell when jobs are leaving a node', () => {
    const stopping = aJob({ id: 17, phase: 'active', attempt: anAttempt({ phase: 'stopping' }) });
    const other = { ...busy('n2', 2), jobs: [17, 18] };
    const half = { ...busy('n3', 1), jobs: [17, 18] };
    const yard = busyYard({ views: [aView(stopping)], nodes: [busy('n1', 2), other, half] });
    expect(lines(['-h', '-N', '-p', 'cpu', '-o', '%N %t %T'], yard)).toEqual([
      'n1 comp completing',
      'n2 alloc+ allocated+',
      'n3 comp completing',
    ]);
    expect(lines(['-h', '-N', '-p', 'cpu', '-t', 'comp', '-o', '%N'], yard)).toEqual(['n1', 'n2', 'n3']);
  });

  it('choose nodes', () => {
    const nodesIn = (states: string) =>
      run(['-h', '-N', '-p', 'cpu', '-t', states, '-o', '%N']).stdout.split('\n').join(' ').trim();
    expect(nodesIn('idle')).toBe('n3');
    expect(nodesIn('alloc')).toBe('n1 n2');
    expect(nodesIn('MIX,idle')).toBe('n2 n3');
    expect(nodesIn('drain')).toBe('n4');
    expect(nodesIn('drained')).toBe('');
    expect(nodesIn('draining')).toBe('n4');
    expect(nodesIn('drain&idle')).toBe('');
    expect(nodesIn('all')).toBe('n1 n2 n3 n4');
    expect(nodesIn('')).toBe('');
    expect(nodesIn('maint')).toBe('');
  });

  it('that there are not are refused with those that there are', () => {
    const { code, stdout, stderr } = run('-t bogus');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      [
        'sinfo: error: Bad state string: "bogus"',
        'sinfo: error: valid states: unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,no_respond,reserved,perfctrs,cloud,completing,powering_down,powered_down,power_down,powering_up,fail,maint,reboot,reboot^,unknown',
        '',
      ].join('\n'),
    );
  });

  it('that need a reason are listed with it', () => {
    expect(lines('-R')).toEqual([
      'REASON               USER      TIMESTAMP           NODELIST',
      'disk full            Unknown   Unknown             n4',
    ]);
    expect(lines('-R -l -h')).toEqual(['disk full            Unknown      Unknown             drng   n4']);
  });

  it('tell answering nodes from others', () => {
    const yard = busyYard({ nodes: [capturedNode('n1'), capturedNode('n2', { state: 'lost' })] });
    expect(lines(['-h', '-d', '-o', '%N'], yard)).toEqual(['n2']);
    expect(lines(['-h', '-r', '-o', '%N'], yard)).toEqual(['n1']);
  });
});

describe('columns', () => {
  it('tell of devices and memory in use', () => {
    expect(lines('-h -N -p cpu -n n[2-3] -O nodelist:0|,gres:0|,gresused:0|,allocmem:0')).toEqual([
      'n2|gpu:2|gpu:1|200',
      'n3|gpu:2|gpu:0|0',
    ]);
    const devices = [0, 1].map((index) => ({ index, kind: 'v100', memoryBytes: 0, simulated: false }));
    const yard = busyYard({ nodes: [capturedNode('n1', { devices }), capturedNode('n2', { devices: [] })] });
    expect(lines('-h -N -p cpu -O gres:0|,gresused:0', yard)).toEqual([
      'gpu:v100:2|gpu:v100:0',
      '(null)|(null)',
    ]);
  });

  it('tell of partitions', () => {
    expect(lines(['-h', '-p', 'low,short', '-o', '%P %R %a %l %L %p %M'])).toEqual([
      'low low up infinite n/a 1 REQUEUE',
      'short short up 5:00 1:00 10 OFF',
    ]);
    const closed = QUEUES.map((queue) => ({
      queue: { ...queue, open: false },
      state: PLAIN_QUEUE_STATE,
      waiting: 0,
      running: 0,
    }));
    expect(lines(['-h', '-p', 'cpu', '-o', '%P %a'], busyYard({ queues: closed }))).toEqual(['cpu* down']);
  });

  it('say that nobody measures load and free memory', () => {
    expect(lines(['-h', '-o', '%O %e'])).toEqual(['N/A N/A']);
  });

  it('exist for every letter', () => {
    const { stdout, stderr } = run('-o %all');
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^AVAIL\|ACTIVE_FEATURES\|CPUS\|.*\|S:C:T\|NODES\(A\/I\) \|MAX_CPUS_PER_NODE \|.*\|THREADS \n/,
    );
    for (const line of stdout.trimEnd().split('\n')) expect(line.split('|')).toHaveLength(42);
    expect(run('-O all').stdout).toBe(stdout);
  });

  it('that there are not are told of and left as they are', () => {
    expect(run(['-h', '-p', 'cpu', '-o', '%P %q x'])).toEqual({
      code: 0,
      stdout: 'cpu* %q x\n',
      stderr: 'Invalid node format specification: q\n',
    });
    expect(run('-h -p cpu -O partition:5,x')).toEqual({
      code: 0,
      stdout: 'cpu* \n',
      stderr: 'sinfo: error: Invalid job format specification: x\n',
    });
  });
});

describe('order', () => {
  function order(...options: readonly string[]): string {
    return lines(['-h', ...options]).join(' ');
  }

  it('is that of the config, or any other', () => {
    expect(order('-o', '%P')).toBe('cpu* gpu low high short');
    expect(order('-S', 'P', '-o', '%P')).toBe('cpu* gpu high low short');
    expect(order('-S', '-P', '-o', '%P')).toBe('short low high gpu cpu*');
    expect(order('-S', '-#P', '-o', '%P')).toBe('cpu* gpu low high short');
    expect(order('-S', '#-P', '-o', '%P')).toBe('short low high gpu cpu*');
    expect(order('-S', 't', '-o', '%t')).toBe('idle alloc mix drng');
    expect(order('-N', '-S', '-N', '-p', 'cpu', '-o', '%N')).toBe('n4 n3 n2 n1');
    expect(order('-S', 'bogus', '-p', 'cpu', '-o', '%P')).toBe('cpu*');
  });
});

describe('the command line', () => {
  it('is refused where the original refuses it', () => {
    const refused = (line: string) => run(line).stderr.split('\n')[0];
    expect(refused('--bogus')).toBe("sinfo: unrecognized option '--bogus'");
    expect(refused('-a -p cpu')).toBe(
      'sinfo: error: Conflicting options, -a and -p, specified. Please choose one or the other.',
    );
    expect(refused('-l -o %P')).toBe(
      'sinfo: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.',
    );
    expect(refused('-i 0')).toBe('sinfo: error: Error: invalid entry for --iterate=0');
    expect(refused('-M elsewhere')).toBe("sinfo: error: No cluster 'elsewhere' known by database.");
  });

  it('goes before the environment', () => {
    expect(run('-h', busyYard(), 'SINFO_FORMAT=%P\0SINFO_PARTITION=gpu\0').stdout).toBe('gpu\n');
    expect(run('-h -s', busyYard(), 'SINFO_FORMAT=%P\0SINFO_PARTITION=gpu\0').stdout).toContain('2/1/1/4');
    expect(run('-h -a -o %P', busyYard(), 'SINFO_PARTITION=gpu\0').stdout).toContain('cpu*');
    expect(run('-h -o %P', busyYard(), 'SINFO_SORT=-P\0').stdout).toMatch(/^short\n/);
    expect(run('', busyYard(), 'SINFO_ALL=1\0SINFO_PARTITION=gpu\0').code).toBe(1);
  });

  it('knows no reservations, and passes over other words', () => {
    expect(run('-T').stdout).toBe('No reservations in the system\n');
    expect(run('foo -h -p cpu -o %P').stdout).toBe('cpu*\n');
  });

  it('tells its version and its options', () => {
    expect(run('--version').stdout).toBe('slurm 22.05.8\n');
    expect(run('--help')).toMatchObject({ code: 0, stderr: '' });
  });

  it('runs again and again', () => {
    const yard = busyYard();
    yard.meanwhile = [() => undefined];
    const { code, stdout } = run('-i 1 -h -p cpu -o %P', yard);
    expect({ code, stdout }).toEqual({ code: CALLER_GONE, stdout: 'cpu*\n\ncpu*\n\n' });
  });
});

describe('for programs', () => {
  it('tells of nodes that were asked for', () => {
    const told = JSON.parse(run('--json -n n4').stdout).nodes;
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      name: 'n4',
      state: 'mixed',
      state_flags: ['DRAIN'],
      reason: 'disk full',
      alloc_cpus: 1,
      idle_cpus: 0,
      tres_used: 'cpu=1,mem=200M',
    });
    expect(run('--yaml').stdout).toMatch(/^%YAML 1\.1\n/);
  });
});
