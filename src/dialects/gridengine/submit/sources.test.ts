import { describe, expect, it } from 'vitest';
import { aYard, refused, run, specOf } from './fake-qsub.ts';

describe('where flags come from', () => {
  it('the command line wins over the script, which wins over request files', () => {
    const yard = aYard({
      'j.sh': '#!/bin/sh\n#$ -N script -p -2\n#$ -l mf=1G,h_rt=10 -q cpu -soft -q gpu\necho\n#$ -A late\n',
      '.sge_request': '# c\n-N request -p -1 -j y\n',
      '/home/ada/.sge_request': '-r y -N home\n',
      '/home/ada/.trainyard/sge/default/common/sge_request': '-notify\n',
    });
    const spec = specOf(['-N', 'line', '-l', 'h_rt=20', 'j.sh'], yard);
    expect(spec).toMatchObject({
      name: 'line',
      priority: -20_000,
      limitMs: 20_000,
      requeue: true,
      stopSignal: 12,
      suspendSignal: 10,
      streams: { stderr: null },
    });
    expect(spec.origin.words).toMatchObject({
      resources: 'mf=1G,h_rt=20',
      account: 'late',
      queues: 'cpu',
      softQueues: 'gpu',
    });
    expect(specOf(['-q', 'gpu', 'j.sh'], yard).origin.words).toMatchObject({ queues: 'gpu' });
    expect(specOf(['-q', 'gpu', 'j.sh'], yard).origin.words.softQueues).toBeUndefined();
  });

  it('-clear forgets all of it, in a script what came before', () => {
    const yard = aYard({
      'j.sh': '#!/bin/sh\n#$ -N script\n#$ -clear\n#$ -A kept\n',
      '.sge_request': '-j y\n',
    });
    const spec = specOf(['j.sh'], yard);
    expect(spec).toMatchObject({ name: 'j.sh', streams: { stderr: '%x.e%A' } });
    expect(spec.origin.words.account).toBe('kept');
    expect(specOf(['-N', 'x', '-clear', 'j.sh'], yard).origin.words.account).toBeUndefined();
  });

  it('directives may begin otherwise, or not be read at all', () => {
    const yard = aYard({ 'p.sh': '#!/bin/sh\n#PBS -N pbs\n#$ -N sge -b y -C x\n' });
    expect(specOf(['-C', '#PBS', 'p.sh'], yard).name).toBe('pbs');
    expect(specOf(['-C', '', 'p.sh'], yard).name).toBe('p.sh');
    expect(specOf(['p.sh'], yard).name).toBe('sge');
  });

  it('files named by -@, which may name others', () => {
    const yard = aYard({ o1: '# c\n-N from1\n-@ o2', o2: '-j y -A "a" ' });
    const spec = specOf(['-@', 'o1', 'sleep.sh'], yard);
    expect(spec).toMatchObject({ name: 'from1', streams: { stderr: null } });
    const other = aYard({ loop: '-@ loop' });
    expect(refused(['-@', 'nosuch', 'sleep.sh'], other)).toMatchObject({
      code: 14,
      stderr: expect.stringContaining('error opening nosuch: No such file or directory'),
    });
    expect(refused(['-@', 'loop', 'sleep.sh'], other).stderr).toContain('without end');
  });

  it('a mistake is said to be where it is', () => {
    const yard = aYard({
      'b.sh': '#!/bin/sh\n#$ -bogus\n',
      'm.sh': '#$ -j maybe\n',
      'x.sh': '#$ -cwd other.sh\n',
    });
    expect(refused(['b.sh'], yard)).toMatchObject({
      code: 2,
      stderr: 'Unable to read script file because of error: invalid option argument "-bogus"\n',
    });
    expect(refused(['m.sh'], yard)).toMatchObject({
      code: 7,
      stderr: 'Unable to read script file because of error: invalid option argument "-j maybe"\n',
    });
    expect(refused(['x.sh'], yard)).toMatchObject({ code: 5, stderr: 'qsub: Unknown option \n\n' });
    const inFile = aYard({ '.sge_request': '-bogus' });
    expect(refused(['sleep.sh'], inFile)).toMatchObject({
      code: 2,
      stderr: 'invalid option argument "-bogus"\n',
    });
    expect(refused(['sleep.sh'], aYard({ '.sge_request': '-help' })).stderr).toBe(
      'qsub: -help not allowed in this context\n',
    );
  });

  it('what is there twice is said', () => {
    expect(run(aYard(), ['-N', 'a', '-N', 'b', '-p', '1', '-p', '2', 'sleep.sh']).stdout).toBe(
      'qsub: warning: "-N" option has already been set, overriding previous setting\n' +
        'Your job 17 ("b") has been submitted\n',
    );
  });
});
