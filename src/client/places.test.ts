import { expect, test } from 'vitest';
import { type PlaceFacts, yardPlaces } from './places.ts';

function places(environment: PlaceFacts['environment']): string[] {
  return yardPlaces({ environment, workDir: '/work dir', uid: 1000 }).directories.map(({ path }) => path);
}

const SHARED = ['/var/tmp/trainyard-1000', '/tmp/trainyard-1000'];

test.each([
  ['a home', { HOME: '/home/ada' }, ['/home/ada/.local/state/trainyard', ...SHARED]],
  ['XDG_STATE_HOME', { HOME: '/home/ada', XDG_STATE_HOME: '/s' }, ['/s/trainyard', ...SHARED]],
  [
    'a relative XDG_STATE_HOME',
    { HOME: '/h', XDG_STATE_HOME: 's' },
    ['/h/.local/state/trainyard', ...SHARED],
  ],
  ['no home', {}, SHARED],
  ['a relative home', { HOME: 'ada' }, SHARED],
  ['TRAINYARD_DIR', { HOME: '/home/ada', TRAINYARD_DIR: '/data' }, ['/data']],
  ['a relative TRAINYARD_DIR', { TRAINYARD_DIR: 'yard' }, ['/work dir/yard']],
  ['an empty TRAINYARD_DIR', { TRAINYARD_DIR: '' }, SHARED],
])('%s', (_, environment, expected) => {
  expect(places(environment)).toEqual(expected);
});

test('only a named directory is explicit', () => {
  const facts = { workDir: '/', uid: 0 };
  expect(yardPlaces({ ...facts, environment: { TRAINYARD_DIR: '/y' } }).explicit).toBe(true);
  expect(yardPlaces({ ...facts, environment: { HOME: '/root' } }).explicit).toBe(false);
});
