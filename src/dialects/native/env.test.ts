import { expect, test } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import { fakeYard, runDialect } from '../fake-yard.ts';
import { runNative } from './run.ts';

const COMMANDS = '/home/ada/.trainyard/commands/slurm';

function run(words: readonly string[], path: string | null, programs: Record<string, string> = {}) {
  const yard = fakeYard({ programs: new Map(Object.entries(programs)) });
  const environment = bytesFromText(path === null ? 'HOME=/\0' : `HOME=/\0PATH=${path}\0`);
  return runDialect(runNative, yard, ['trainyard', 'env', ...words], { environment });
}

test('the commands go first, once', () => {
  expect(run([], '/usr/bin:/bin')).toEqual({
    code: 0,
    stdout: `export PATH=${COMMANDS}:/usr/bin:/bin\n`,
    stderr: '',
  });
  expect(run([], `/bin:${COMMANDS}:/usr/bin`).stdout).toBe(`export PATH=${COMMANDS}:/bin:/usr/bin\n`);
  expect(run([], null).stdout).toBe(`export PATH=${COMMANDS}\n`);
});

test('an installed Slurm stays in front unless somebody says otherwise', () => {
  const slurm = { '/usr/bin/sbatch': '/usr/bin/sbatch' };
  const careful = run([], '/usr/bin:/bin', slurm);
  expect(careful.stdout).toBe(`export PATH=/usr/bin:/bin:${COMMANDS}\n`);
  expect(careful.stderr).toMatch(/^# \/usr\/bin\/sbatch is there: .*--first.*\n$/);
  expect(run(['--first'], '/usr/bin:/bin', slurm)).toMatchObject({
    stdout: `export PATH=${COMMANDS}:/usr/bin:/bin\n`,
    stderr: '',
  });
  expect(run(['-q'], '/usr/bin', slurm).stderr).toBe('');
  expect(JSON.parse(run(['--json'], '/usr/bin', slurm).stdout)).toEqual({
    path: `/usr/bin:${COMMANDS}`,
    commands: COMMANDS,
    installed: '/usr/bin/sbatch',
  });
});

test('the sbatch of another Trainyard is no Slurm', () => {
  const ours = { '/opt/links/sbatch': '/opt/trainyard/bin/trainyard' };
  expect(run([], '/opt/links:/bin', ours).stdout).toBe(`export PATH=${COMMANDS}:/opt/links:/bin\n`);
});

test('a PATH with anything in it reaches the shell as it was', () => {
  expect(run([], "/a b:/it's:/$HOME").stdout).toBe(`export PATH='${COMMANDS}:/a b:/it'\\''s:/$HOME'\n`);
});

test('wrong words', () => {
  expect(run(['now'], '/bin').code).toBe(2);
  expect(run(['--last'], '/bin').code).toBe(2);
});
