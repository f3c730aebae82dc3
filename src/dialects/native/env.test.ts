import { expect, test } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import { fakeYard, runDialect } from '../fake-yard.ts';
import { runNative } from './run.ts';

const YARD = '/home/ada/.trainyard';
const SLURM = `${YARD}/commands/slurm`;
const GRID_ENGINE = `${YARD}/commands/gridengine`;
const GLB = `${YARD}/commands/glb`;
const CELL_LINES = `export SGE_ROOT=${YARD}/sge\nexport SGE_CELL=default\n`;

function run(words: readonly string[], path: string | null, programs: Record<string, string> = {}) {
  const yard = fakeYard({ programs: new Map(Object.entries(programs)) });
  const environment = bytesFromText(path === null ? 'HOME=/\0' : `HOME=/\0PATH=${path}\0`);
  return runDialect(runNative, yard, ['trainyard', 'env', ...words], { environment });
}

test('the commands of all systems go first, once, and say where their cell is', () => {
  expect(run([], '/usr/bin:/bin')).toEqual({
    code: 0,
    stdout: `export PATH=${SLURM}:${GRID_ENGINE}:${GLB}:/usr/bin:/bin\n${CELL_LINES}`,
    stderr: '',
  });
  expect(run([], `/bin:${GRID_ENGINE}:${SLURM}:/usr/bin`).stdout).toBe(
    `export PATH=${SLURM}:${GRID_ENGINE}:${GLB}:/bin:/usr/bin\n${CELL_LINES}`,
  );
  expect(run([], null).stdout).toBe(`export PATH=${SLURM}:${GRID_ENGINE}:${GLB}\n${CELL_LINES}`);
});

test('or those of one', () => {
  expect(run(['slurm'], '/bin').stdout).toBe(`export PATH=${SLURM}:/bin\n`);
  expect(run(['glb'], '/bin').stdout).toBe(`export PATH=${GLB}:/bin\n`);
  expect(run(['gridengine'], `${SLURM}:/bin`).stdout).toBe(
    `export PATH=${GRID_ENGINE}:${SLURM}:/bin\n${CELL_LINES}`,
  );
  expect(run(['gridengine', 'slurm', 'glb'], '/bin').stdout).toBe(run([], '/bin').stdout);
});

test('an installed Slurm stays in front unless somebody says otherwise', () => {
  const slurm = { '/usr/bin/sbatch': '/usr/bin/sbatch' };
  const careful = run([], '/usr/bin:/bin', slurm);
  expect(careful.stdout).toBe(`export PATH=${GRID_ENGINE}:${GLB}:/usr/bin:/bin:${SLURM}\n${CELL_LINES}`);
  expect(careful.stderr).toMatch(/^# \/usr\/bin\/sbatch is there: .*--first.*\n$/);
  expect(run(['--first'], '/usr/bin:/bin', slurm)).toMatchObject({
    stdout: `export PATH=${SLURM}:${GRID_ENGINE}:${GLB}:/usr/bin:/bin\n${CELL_LINES}`,
    stderr: '',
  });
  expect(run(['-q'], '/usr/bin', slurm).stderr).toBe('');
});

test('an installed Grid Engine stays in front as well, with its own cell', () => {
  const installed = { '/opt/sge/bin/qsub': '/opt/sge/bin/qsub', '/usr/bin/sbatch': '/usr/bin/sbatch' };
  const careful = run([], '/opt/sge/bin:/usr/bin', installed);
  expect(careful.stdout).toBe(`export PATH=${GLB}:/opt/sge/bin:/usr/bin:${SLURM}:${GRID_ENGINE}\n`);
  expect(careful.stderr.match(/is there: it stays in front/g)).toHaveLength(2);
  expect(run(['slurm', '--first'], '/opt/sge/bin:/usr/bin', installed).stdout).toBe(
    `export PATH=${SLURM}:/opt/sge/bin:/usr/bin\n`,
  );
  expect(run(['gridengine', '--first'], '/opt/sge/bin', installed).stdout).toBe(
    `export PATH=${GRID_ENGINE}:/opt/sge/bin\n${CELL_LINES}`,
  );
});

test('for programs', () => {
  const slurm = { '/usr/bin/sbatch': '/usr/bin/sbatch' };
  expect(JSON.parse(run(['--json'], '/usr/bin', slurm).stdout)).toEqual({
    path: `${GRID_ENGINE}:${GLB}:/usr/bin:${SLURM}`,
    commands: SLURM,
    installed: '/usr/bin/sbatch',
    systems: [
      { name: 'slurm', commands: SLURM, installed: '/usr/bin/sbatch' },
      { name: 'gridengine', commands: GRID_ENGINE, installed: null },
      { name: 'glb', commands: GLB, installed: null },
    ],
    variables: { SGE_ROOT: `${YARD}/sge`, SGE_CELL: 'default' },
  });
});

test('the commands of another Trainyard are no Slurm and no Grid Engine', () => {
  const launcher = '/opt/trainyard/bin/trainyard';
  const ours = { '/opt/links/sbatch': launcher, '/opt/links/qsub': launcher };
  expect(run([], '/opt/links:/bin', ours).stdout).toBe(
    `export PATH=${SLURM}:${GRID_ENGINE}:${GLB}:/opt/links:/bin\n${CELL_LINES}`,
  );
});

test('a PATH with anything in it reaches the shell as it was', () => {
  expect(run(['slurm'], "/a b:/it's:/$HOME").stdout).toBe(`export PATH='${SLURM}:/a b:/it'\\''s:/$HOME'\n`);
});

test('wrong words', () => {
  const wrong = run(['pbs'], '/bin');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('there are no commands of "pbs"');
  expect(run(['--last'], '/bin').code).toBe(2);
});
