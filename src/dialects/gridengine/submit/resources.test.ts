import { describe, expect, it } from 'vitest';
import { lenient, refused, rejection, run, specOf, submitted } from './fake-qsub.ts';

describe('resources', () => {
  const spec = (...argv: string[]) => specOf([...argv, 'sleep.sh']);

  it('times, memory and GPUs', () => {
    expect(spec('-l', 'h_rt=1:0:0,s_rt=3000,h_vmem=2G,gpu=2')).toMatchObject({
      limitMs: 3_600_000,
      warning: { signal: 10, afterMs: 3_000_000, scope: 'all' },
      resources: {
        memory: { bytes: 2 ** 31, per: 'rank' },
        gpus: { count: 2, per: 'job', shareMillis: 1000 },
      },
    });
    expect(spec('-l', 'mem_free=1G', '-l', 'mf=2G').resources.memory).toEqual({
      bytes: 2 ** 31,
      per: 'node',
      isUnlimited: true,
    });
    expect(spec('-l', 'h_rt=INFINITY').limitMs).toBeNull();
    expect(spec('-l', 'h_cpu=60,h_fsize=1K,h_stack=1M').program.ulimits).toEqual({
      t: '60',
      f: '2',
      s: '1024',
    });
  });

  it('hosts, by name or by what they are', () => {
    expect(spec('-l', 'h=n1').resources.onlyNodes).toEqual(['n1']);
    expect(spec('-l', 'hostname=n*|x').resources.onlyNodes).toEqual([]);
    expect(spec('-l', 'num_proc=4').resources.onlyNodes).toEqual([]);
    expect(refused(['-l', 'h=far', 'sleep.sh'])).toEqual(rejection(`can't resolve hostname "far"`));
  });

  it.each([
    ['nosuch=1', 'unknown resource "nosuch"'],
    ['h_rt=banana', 'attribute "h_rt" is not a time value'],
    ['h_rt=-5', 'attribute "h_rt" is not a time value'],
    ['h_rt=', 'denied: missing value for resource "h_rt"'],
    ['h_vmem=1GB', 'attribute "h_vmem" is not a memory value'],
    ['dwg=y', 'attribute "display_win_gui" is not a boolean value'],
    ['num_proc=x', 'attribute "num_proc" is not a integer value'],
    ['cpu=x', 'attribute "cpu" is not a double value'],
    ['load_avg=1', 'resource "load_avg" configured as non requestable'],
    ['h_rt>10', 'unknown resource "h_rt>10"'],
  ])('-l %s is rejected', (list, text) => {
    expect(refused(['-l', list, 'sleep.sh'])).toEqual(rejection(text));
  });

  it('parallel environments give ranks', () => {
    const resources = (...argv: string[]) => spec(...argv).resources;
    expect(resources('-pe', 'smp', '4')).toMatchObject({
      ranks: 4,
      nodes: { min: 1, max: 1 },
      cpusPerRank: 1,
    });
    expect(resources('-pe', 'smp', '2-4')).toMatchObject({ ranks: 2, ranksMax: 4 });
    expect(resources('-pe', 'smp', '-4')).toMatchObject({ ranks: 1, ranksMax: 4 });
    expect(resources('-pe', 'mpi', '2,8')).toMatchObject({
      ranks: 2,
      ranksMax: 8,
      nodes: { min: 1, max: 8 },
    });
    expect(spec('-pe', 's*', '4-').origin.words).toMatchObject({ pe: 'smp', slotRange: '4-9999999' });
    expect(resources('-l', 'slots=3')).toMatchObject({ ranks: 3, nodes: { min: 1, max: 1 } });
    expect(refused(['-pe', 'nope', '2', 'sleep.sh'])).toEqual(
      rejection('job rejected: the requested parallel environment "nope" does not exist'),
    );
    expect(refused(['-pe', 'smp', '0', 'sleep.sh'])).toEqual(
      rejection('"job" rejected: pe range must be greater than zero'),
    );
    expect(refused(['-pe', 'smp', '2', '-l', 'slots=2', 'sleep.sh'])).toEqual(
      rejection('"job" denied: use parallel environments instead of requesting slots explicitly'),
    );
  });

  it('queues by name, by pattern and on hosts', () => {
    expect(spec('-q', 'gpu')).toMatchObject({ queue: 'gpu' });
    expect(spec('-q', 'gpu').queueChoices).toBeUndefined();
    expect(spec('-q', 'gpu,cpu')).toMatchObject({ queue: 'gpu', queueChoices: ['gpu', 'cpu'] });
    expect(spec('-q', '*pu')).toMatchObject({ queueChoices: ['cpu', 'gpu'] });
    expect(spec('-q', '!cpu')).toMatchObject({ queue: 'gpu' });
    expect(spec('-soft', '-q', 'gpu')).toMatchObject({ queueChoices: ['gpu', 'cpu'] });
    expect(spec('-q', 'cpu@n1').resources.onlyNodes).toEqual(['n1']);
    expect(spec('-q', '*@@allhosts').resources.onlyNodes).toEqual([]);
    expect(spec('-q', 'cpu,gpu', '-l', 'q=gpu').queue).toBe('gpu');
    for (const unknown of ['nope', 'zz*', 'cpu@far', 'cpu@@nogroup']) {
      expect(refused(['-q', `cpu,${unknown}`, 'sleep.sh'])).toEqual(
        rejection(`Job was rejected because job requests unknown queue "${unknown}"`),
      );
    }
  });

  it('where nothing was configured, what is not there is left out with a warning each', () => {
    const yard = lenient();
    const ran = run(yard, [
      ...['-q', 'long.q', '-l', 'nosuch=1,h_rt=60', '-pe', 'orte', '4', '-P', 'proj', '-ckpt', 'blcr'],
      ...['-ar', '7', '-l', 'h=far', 'sleep.sh'],
    ]);
    expect(ran.code).toBe(0);
    expect(ran.stderr.split('\n').filter((line) => line !== '')).toEqual([
      'qsub: warning: there is no checkpointing environment blcr here; the job runs without',
      'qsub: warning: there is no advance reservation 7 here; the job runs without',
      'qsub: warning: there is no resource nosuch here, and nothing is asked of it',
      'qsub: warning: no node here has hostname=far, and it is not looked at',
      'qsub: warning: there is no parallel environment orte here; its slots are on one node, as with smp',
      'qsub: warning: there is no queue long.q here; using cpu',
    ]);
    expect(submitted(yard)).toMatchObject({
      queue: '',
      account: 'proj',
      limitMs: 60_000,
      resources: { ranks: 4, nodes: { max: 1 }, onlyNodes: [] },
    });
  });
});
