import { expect, test } from 'vitest';
import { glbPlaces } from './glb-places.ts';
import { yardPlaces } from './places.ts';

const HOME = '/home/ada';
const places = (environment: Record<string, string>) =>
  glbPlaces({ environment: { HOME, ...environment }, workDir: '/work', uid: 1000 });
const paths = (environment: Record<string, string>) =>
  places(environment).directories.map(({ path }) => path);

test('without anything, where every yard is looked for', () => {
  const usual = yardPlaces({ environment: { HOME }, workDir: '/work', uid: 1000 });
  expect(places({})).toEqual({ ...usual, ownOfJob: false });
  expect(paths({ TRAINYARD_DIR: '/yard' })).toEqual(['/yard']);
});

test('what somebody named counts, and nothing else', () => {
  expect(paths({ TRAINYARD_GLB_DIR: 'glb', TRAINYARD_DIR: '/yard', SLURM_JOB_ID: '3' })).toEqual([
    '/work/glb',
  ]);
  expect(paths({ TRAINYARD_GLB_DIR: '', TRAINYARD_DIR: '/yard' })).toEqual(['/yard']);
});

test.each([
  [{ TRAINYARD_JOB_ID: '17', CUDA_VISIBLE_DEVICES: '0,1' }, 'job-17'],
  [{ TRAINYARD_JOB_ID: '17', TRAINYARD_YARD: '0a1b', CUDA_VISIBLE_DEVICES: '0,1' }, 'job-0a1b-17'],
  [{ TRAINYARD_JOB_ID: '17', CUDA_VISIBLE_DEVICES: '0', SLURM_JOB_ID: '17' }, 'job-17'],
  [{ SLURM_JOB_ID: '42' }, 'slurm-42'],
  [{ JOB_ID: '7', SGE_ROOT: '/opt/sge' }, 'sge-7'],
  [{ SLURM_JOB_ID: '../../etc' }, 'slurm-etc'],
])('a batch job has one of its own: %j', (environment, name) => {
  expect(places(environment)).toEqual({
    uid: 1000,
    explicit: true,
    ownOfJob: true,
    directories: [{ path: `/tmp/trainyard-glb-1000/${name}`, inSharedDirectory: true }],
  });
});

test.each([
  [{ TRAINYARD_JOB_ID: '17' }],
  [{ TRAINYARD_JOB_ID: '17', CUDA_VISIBLE_DEVICES: '' }],
  [{ TRAINYARD_JOB_ID: '17', SLURM_JOB_ID: '17' }],
  [{ JOB_ID: '7' }],
])('a job without GPUs of its own asks the usual one: %j', (environment) => {
  expect(places(environment).ownOfJob).toBe(false);
  expect(paths(environment)[0]).toBe('/home/ada/.local/state/trainyard');
});
