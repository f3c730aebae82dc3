import { describe, expect, it, test } from 'vitest';
import { findingsOf, gridEngineScript, said, slurmScript } from '../fake-world.ts';

const RUN = 'srun python train.py';
const slurm = (directive: string) => said(slurmScript([directive], RUN));
const grid = (directive: string) => said(gridEngineScript([directive], 'python train.py'));

function advice(script: string): string {
  return findingsOf(script)
    .map((finding) => finding.advice)
    .join('; ');
}

describe('#SBATCH lines', () => {
  it.each([
    ['--job-name=a'],
    ['-J a --time=10:00 # ten minutes'],
    ['--mem  10GB'],
    ['--mem=0'],
    ['--time=24:0:00'],
    ['--time=1-12'],
    ['--time=30'],
    ['--constrain "a|b"'],
    ['--mail-type=All'],
    ['--array=0-15%4'],
    ['--nodes=1-4'],
    ['--gres=gpu:v100:8'],
    ['--signal=USR1@90'],
    ['--dependency=afterok:17'],
    ['--comment=$5'],
    [''],
  ])('%s is fine', (directive) => expect(slurm(directive)).toEqual([]));

  it.each([
    ['--tme=1:00:00', 'directive'],
    ['-Z 4', 'directive'],
    ['--ntasks', 'directive'],
    ['--requeue=yes', 'directive'],
    ['--cpus-per=4', 'directive'],
    ['--time = 1:00:00', 'directive'],
    ['job-name=a', 'directive'],
    ['--job-name="a', 'directive'],
    [': --mem=4G', 'directive'],
    ['-—mem=16G', 'directive'],
    ['--time=24h', 'value'],
    ['--time=1.5', 'value'],
    ['--mem=4 G', 'directive'],
    ['--mem=4.5G', 'value'],
    ['--mem-per-cpu=lots', 'value'],
    ['--ntasks=four', 'value'],
    ['--array=1..5', 'value'],
    ['--nodes=4-2', 'value'],
    ['--mail-type=FINISHED', 'value'],
    ['--signal=B:NOSUCH@60', 'value'],
  ])('%s is refused', (directive, rule) => expect(slurm(directive)).toEqual([`2 error ${rule}`]));

  it('says what may have been meant', () => {
    expect(advice(slurmScript(['--tme=5'], RUN))).toBe('did you mean --time or --tmp?');
    expect(advice(slurmScript(['ntasks=5'], RUN))).toBe('did you mean --ntasks=5?');
    expect(advice(slurmScript(['--time = 5'], RUN))).toBe('leave no space around =');
    expect(advice(slurmScript(['-—mem=16G'], RUN))).toBe('write --');
  });

  it('has amounts that are read as something else', () => {
    expect(slurm('--mem=16')).toEqual(['2 warning value']);
    expect(slurm('--mem=16G')).toEqual([]);
    expect(slurm('--mem=1000')).toEqual([]);
    expect(slurm('--time=24:00')).toEqual(['2 hint value']);
    expect(slurm('--time=15:00')).toEqual([]);
  });

  it('are read up to the first command', () => {
    const script = '#!/bin/bash\n#SBATCH -J a\n\n# more\nset -e\n#SBATCH --mem=4G\nsrun a\n';
    expect(said(script)).toEqual(['6 warning directive-place']);
    expect(findingsOf(script)[0]?.sentence).toContain('line 5');
  });

  it('that a script writes into another are not its own', () => {
    const script =
      "#!/bin/bash\n#SBATCH -J a\ncat > b.sh <<'END'\n#!/bin/bash\n#SBATCH --nope\nEND\nsbatch b.sh\n";
    expect(said(script)).toEqual([]);
  });

  it.each([
    ['# SBATCH --mem=4G'],
    ['#sbatch --mem=4G'],
    [' #SBATCH --mem=4G'],
    ['#SBACTH --mem=4G'],
    ['#SBTACH -n 4'],
    ['# $ -l h_rt=10'],
  ])('%s is a comment', (line) => {
    expect(said(`#!/bin/bash\n${line}\n#SBATCH -J a\nsrun a\n`)).toEqual(['2 warning directive-place']);
  });

  it.each([
    ['##SBATCH --mem=4G'],
    ['# sbatch this from home'],
    ['# --mem=4G'],
    ['# batch - of files'],
    ['#SBATCH-J b'],
  ])('%s may be meant so', (line) =>
    expect(said(`#!/bin/bash\n${line}\n#SBATCH -J a\nsrun a\n`)).toEqual([]),
  );
});

describe('#$ lines', () => {
  it.each([
    ['-cwd -V'],
    ['-pe smp 4'],
    ['-l h_rt=1:00:00,h_vmem=4G'],
    ['-l f_node=2'],
    ['-l mem=8G,tmpfs=10G,scratch=1G'],
    ['-t 1-10'],
    ['-N a # a name'],
    ['-o $HOME/$JOB_NAME.o$JOB_ID.$TASK_ID'],
    ['-v A=$HOME'],
    ['-S /bin/bash'],
    [''],
  ])('%s is fine', (directive) => expect(grid(directive)).toEqual([]));

  it.each([
    ['-cwwd', 'directive'],
    ['-pe smp', 'directive'],
    ['-j maybe', 'directive'],
    ['-cwd yes', 'directive'],
    ['-t 1,2,4', 'directive'],
    ['-l h_rt=soon', 'value'],
    ['-l h_vmem=lots', 'value'],
  ])('%s is refused', (directive, rule) => expect(grid(directive)).toEqual([`2 error ${rule}`]));

  it('has amounts that are read as something else', () => {
    expect(grid('-l h_vmem=4')).toEqual(['2 warning value']);
    expect(grid('-l h_rt=24')).toEqual(['2 hint value']);
    expect(grid('-l h_vmen=4G')).toEqual(['2 warning value']);
    expect(advice(gridEngineScript(['-l h_vmen=4G'], 'a'))).toMatch(/h_vmem/);
    expect(advice(gridEngineScript(['-notfy'], 'a'))).toBe('did you mean -notify?');
  });

  it('are read after commands too', () => {
    expect(said('#!/bin/bash\n#$ -cwd\npython a.py\n#$ -nope\n')).toEqual(['4 error directive']);
  });
});

test('lines of both systems are to be kept in step', () => {
  expect(said('#!/bin/bash\n#SBATCH -J a\n#$ -N a\nsrun a\n')).toEqual(['3 hint directive-place']);
});

describe('variables in directives', () => {
  it.each([
    ['-o $HOME/a.out'],
    [`-o \${HOME}/a.out`],
    ['--chdir=$SCRATCH'],
    ['-o ~/a.out'],
    ['-J $(date)'],
    ['-o `pwd`/x'],
  ])('%s is not expanded by Slurm', (directive) =>
    expect(slurm(directive)).toEqual(['2 warning directive-variable']),
  );

  it('says how Slurm writes it', () => {
    expect(advice(slurmScript(['-o a-$SLURM_JOB_ID.out'], RUN))).toBe('write %j');
    expect(advice(slurmScript(['-J $USER'], RUN))).toMatch(/sbatch --job-name=/);
  });

  it('are expanded by Grid Engine if it knows them', () => {
    expect(grid('-o $HOME/a')).toEqual([]);
    expect(grid('-e a.$SGE_TASK_ID')).toEqual(['2 warning directive-variable']);
    expect(advice(gridEngineScript(['-e a.$SGE_TASK_ID'], 'a'))).toBe('write $TASK_ID');
  });
});

describe('directories of output', () => {
  const made = ['/home/ada/work/logs', '/home/ada'];
  const missing = ['2 warning output-directory'];
  it.each([
    ['-o logs/%j.out', []],
    ['-o ./logs/%j.out', []],
    ['-o %j.out', []],
    ['-o /nosuch/%j.out', missing],
    ['-o out/%j.out', missing],
    ['-o ../results/%x/slurm-%j.out', []],
    ['-J a -o ../results/%x/slurm-%j.out', missing],
    ['-o out/%j.out -e out/%j.err', missing],
    ['-D /data -o logs/a', missing],
  ])('%s of Slurm', (directive, expected) => {
    expect(said(slurmScript([directive], RUN), { directories: made })).toEqual(expected);
  });

  it.each([
    ['-cwd -o logs/', []],
    ['-cwd -o out/', missing],
    ['-o a.out', []],
    ['-o logs/', missing],
    ['-o $HOME/', []],
    ['-o $HOME/nosuch/a', missing],
    ['-o logs/$JOB_ID/a', []],
    ['-o node1:/nosuch/a', missing],
  ])('%s of Grid Engine', (directive, expected) => {
    expect(said(gridEngineScript([directive], 'python a.py'), { directories: made })).toEqual(expected);
  });

  it('that the script makes come too late', () => {
    const [finding] = findingsOf(slurmScript(['-o out/%j.out'], `mkdir -p out\n${RUN}`));
    expect(finding?.advice).toMatch(/too late/);
  });
});

describe('partitions', () => {
  const queues = ['main', 'gpu'];
  it.each([
    ['-p gpu', []],
    ['-p gpu,main', []],
    ['-p gpux', ['2 error partition']],
    ['-p main,batch', ['2 error partition']],
  ])('%s', (directive, expected) => {
    expect(said(slurmScript([directive], RUN), { queues })).toEqual(expected);
  });

  it('are anything where nobody named them', () => expect(slurm('-p anything')).toEqual([]));
});
