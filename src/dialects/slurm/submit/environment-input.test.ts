import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { INPUT_VARIABLES, optionsFromEnvironment } from './environment-input.ts';
import { SUBMIT_OPTIONS, type Submitter } from './options.ts';

function read(command: Submitter, variables: string): Record<string, string | null> {
  const given = optionsFromEnvironment(command, bytesFromText(variables));
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

describe('variables that are options', () => {
  it('are options of their command', () => {
    const strays = Object.entries(INPUT_VARIABLES).flatMap(([command, variables]) =>
      Object.entries(variables).filter(
        ([, name]) =>
          !SUBMIT_OPTIONS.some((option) => option.name === name && option.by.includes(command as Submitter)),
      ),
    );
    expect(strays).toEqual([]);
  });

  it('give a value', () => {
    expect(read('sbatch', 'PATH=/bin\0SBATCH_PARTITION=gpu\0SBATCH_JOB_NAME=\0SLURM_PARTITION=x\0')).toEqual({
      partition: 'gpu',
      'job-name': '',
    });
    expect(read('srun', 'SLURM_PARTITION=gpu\0SLURM_NPROCS=2\0SLURM_NTASKS=4\0SBATCH_PARTITION=x\0')).toEqual(
      {
        partition: 'gpu',
        ntasks: '4',
      },
    );
    expect(read('salloc', 'SALLOC_TIMELIMIT=5\0SLURM_CLUSTERS=a\0SALLOC_CLUSTERS=b\0')).toEqual({
      time: '5',
      clusters: 'b',
    });
  });

  it('switch flags on by nothing, yes and numbers, and by nothing else', () => {
    for (const text of ['', 'yes', '1', '2']) {
      expect(read('sbatch', `SBATCH_NO_REQUEUE=${text}\0`)).toEqual({ 'no-requeue': null });
    }
    for (const text of ['0', 'no', 'x', '-1'])
      expect(read('sbatch', `SBATCH_NO_REQUEUE=${text}\0`)).toEqual({});
  });

  it('may leave a value out where it can be left out', () => {
    expect(read('sbatch', 'SBATCH_EXCLUSIVE=\0')).toEqual({ exclusive: null });
    expect(read('sbatch', 'SBATCH_EXCLUSIVE=user\0')).toEqual({ exclusive: 'user' });
  });
});
