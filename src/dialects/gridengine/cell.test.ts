import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { architectureName, binaryDirectory, cellRoot, commonDirectory, commonFiles } from './cell.ts';

const FACTS = {
  yardDirectory: '/home/ada/.trainyard',
  yardName: 'lab',
  host: 'box',
  commands: '/home/ada/.trainyard/commands/gridengine',
};

test('where things are', () => {
  expect(cellRoot('/y')).toBe('/y/sge');
  expect(commonDirectory('/y')).toBe('/y/sge/default/common');
  expect(binaryDirectory('/y', architectureName('x86_64'))).toBe('/y/sge/bin/lx-amd64');
  expect(architectureName('riscv64')).toBe('lx-riscv64');
});

test('what a cluster tells of itself', () => {
  const files = commonFiles(FACTS);
  expect(Object.keys(files).sort()).toEqual([
    'act_qmaster',
    'bootstrap',
    'cluster_name',
    'settings.csh',
    'settings.sh',
  ]);
  expect(files.act_qmaster).toBe('box\n');
  expect(files.cluster_name).toBe('lab\n');
  expect(files.bootstrap).toMatch(/^admin_user {14}none\n/);
  expect(files['settings.sh']).toBe(
    [
      'SGE_ROOT=/home/ada/.trainyard/sge; export SGE_ROOT',
      'SGE_CELL=default; export SGE_CELL',
      'SGE_CLUSTER_NAME=lab; export SGE_CLUSTER_NAME',
      'TRAINYARD_DIR=/home/ada/.trainyard; export TRAINYARD_DIR',
      'unset SGE_QMASTER_PORT SGE_EXECD_PORT',
      'PATH=/home/ada/.trainyard/commands/gridengine:$PATH; export PATH',
      '',
    ].join('\n'),
  );
  expect(files['settings.csh']).toContain('setenv SGE_CELL default\n');
});

test('a shell reads odd paths as they are', () => {
  const yardDirectory = "/it's a\n$yard";
  const settings = commonFiles({ ...FACTS, yardDirectory, commands: `${yardDirectory}/c` })['settings.sh'];
  const said = execFileSync('/bin/sh', ['-c', `${settings}printf %s "$SGE_ROOT|$PATH"`], {
    env: { PATH: '/bin' },
    encoding: 'utf8',
  });
  expect(said).toBe(`${yardDirectory}/sge|${yardDirectory}/c:/bin`);
});
