import { expect, test } from 'vitest';
import { parseManifest } from './manifest.ts';

const DIGEST = 'a'.repeat(64);

const file = (path: string, more: object = {}) => ({
  path,
  mode: 0o644,
  mtimeMs: 1.5,
  size: 3,
  sha256: DIGEST,
  ...more,
});
const entry = (more: object = {}) => ({
  id: 'lx3k-0a1b2c',
  name: 'step_1.pt',
  kind: 'file',
  step: 1,
  family: 'step_#.pt',
  isBest: false,
  bytes: 3,
  writtenAt: 1,
  keptAt: 2,
  clockShiftMs: 0,
  attempt: '12.1',
  files: [file('step_1.pt')],
  directories: [],
  sources: ['abc_-9'],
  previous: null,
  ...more,
});
const directory = (more: object = {}) =>
  entry({
    name: 'a',
    kind: 'directory',
    files: [file('a/b/c')],
    directories: ['a', 'a/b'].map((path) => ({ path, mode: 0o755, mtimeMs: 1 })),
    ...more,
  });
const apart = (more: object = {}) => ({
  state: 'unproven',
  name: 'x.pt',
  kind: 'file',
  step: null,
  isBest: false,
  bytes: 1,
  fileCount: 1,
  writtenAt: 1,
  at: 1,
  attempt: null,
  path: '.trainyard/unproven/x.pt',
  sources: [],
  ...more,
});
const put = (more: object = {}) => ({
  what: 'put',
  id: 'lx3k-0a1b2c',
  name: 'step_1.pt',
  tops: ['step_1.pt'],
  exchangedInos: { 'step_1.pt': 7 },
  before: [{ top: 'step_1.pt', aside: '.trainyard/replaced/step_1.pt' }],
  keepsPrevious: true,
  ...more,
});
const aside = (more: object = {}) => ({
  what: 'setAside',
  id: 'lx3k-0a1b2c',
  name: 'gone',
  tops: ['gone'],
  to: '.trainyard/damaged/gone',
  promoted: [],
  ...more,
});
const manifest = (more: object = {}) => ({
  format: 'trainyard checkpoints',
  version: 1,
  kept: [entry(), directory({ previous: directory() })],
  apart: [apart(), apart({ path: 'x.pt' })],
  retired: [{ name: 'y', at: 1, sources: ['s'] }],
  leaving: [],
  settling: null,
  ...more,
});

const isRead = (value: unknown) => parseManifest(JSON.stringify(value)).ok;

test.each([
  ['all kinds', manifest()],
  ['a change', manifest({ settling: put() })],
  ['one that is set aside', manifest({ settling: aside() })],
  [
    'a link',
    manifest({ kept: [entry({ kind: 'pointer', name: 'l', files: [file('l', { link: '../x' })] })] }),
  ],
  ['odd bytes', manifest({ kept: [entry({ name: 'a\udcff\n', files: [file('a\udcff\n')] })] })],
])('a manifest with %s is read', (_what, value) => expect(isRead(value)).toBe(true));

const NO_NAMES = [
  '',
  '.',
  '..',
  '../x',
  'a/b',
  '/x',
  'a\0',
  '.trainyard',
  'x'.repeat(256),
  5,
  null,
  ['x'],
  {},
];
const NO_NUMBERS = [-1, 1.5, '1', 1e300, null, [], true];

const WRONG: readonly (readonly [string, object])[] = [
  ...NO_NAMES.map((name) => ['an entry', { kept: [entry({ name, files: [file(String(name))] })] }]),
  ...NO_NAMES.map((name) => ['what was removed', { retired: [{ name, at: 1, sources: [] }] }]),
  ...NO_NAMES.map((top) => ['a change', { settling: put({ tops: [top] }) }]),
  ...NO_NAMES.map((top) => ['what is moved', { settling: aside({ tops: [top] }) }]),
  ...NO_NAMES.filter((name) => typeof name === 'string').map((name) => [
    'what is set apart',
    { apart: [apart({ path: `.trainyard/unproven/${name}` })] },
  ]),
  ...['../x', '../../x', 'x/y', '', '.', 'LX3K-0a', 'lx3k', 'a'.repeat(99), 5, null].map((id) => [
    'an id',
    { kept: [entry({ id })] },
  ]),
  ...['../x', 'b', 'a/../b', 'a//b', 'a/./b', '/a', 'a/', 'a/b\0', `a/${'x/'.repeat(3000)}`, 3].map(
    (path) => ['a file', { kept: [directory({ files: [file(path as string)] })] }],
  ),
  ...['../x', 'b', '.trainyard', 'a/..'].map((path) => [
    'a directory',
    {
      kept: [
        directory({
          directories: [
            { path: 'a', mode: 0, mtimeMs: 0 },
            { path, mode: 0, mtimeMs: 0 },
          ],
        }),
      ],
    },
  ]),
  ...['.trainyard/damaged', '.trainyard/damaged/', '.trainyard/damaged/..', '.trainyard/x', '/tmp', 'x'].map(
    (to) => ['a place aside', { settling: aside({ to }) }],
  ),
  ...['.trainyard/replaced/../x', '.trainyard/previous/x', '../x', 'mine.txt'].map((place) => [
    'what was before',
    { settling: put({ before: [{ top: 'step_1.pt', aside: place }] }) },
  ]),
  ...NO_NUMBERS.map((bytes) => ['bytes', { kept: [entry({ bytes })] }]),
  ...NO_NUMBERS.map((mode) => ['a mode', { kept: [entry({ files: [file('step_1.pt', { mode })] })] }]),
  ...NO_NUMBERS.map((size) => ['a size', { kept: [entry({ files: [file('step_1.pt', { size })] })] }]),
  ...['1', null, 1e300, []].map((writtenAt) => ['a time', { kept: [entry({ writtenAt })] }]),
  ['a change of others', { settling: put({ before: [{ top: 'mine.txt', aside: null }] }) }],
  [
    'a change of what is not kept',
    { settling: put({ name: 'mine.txt', tops: ['mine.txt'], before: [], exchangedInos: {} }) },
  ],
  ['a change of another id', { settling: put({ id: 'other-00' }) }],
  ['a promotion of others', { settling: aside({ promoted: ['mine.txt'] }) }],
  ['one name twice', { kept: [entry(), entry()] }],
  ['one path twice', { kept: [directory({ files: [file('a/b/c'), file('a/b/c')] })] }],
  ['a version before the one before', { kept: [entry({ previous: entry({ previous: entry() }) })] }],
  ['an unknown field', { more: 1 }],
  ['an unknown field of an entry', { kept: [entry({ more: 1 })] }],
  ['a missing field', { kept: [{ name: 'x' }] }],
  ['a digest that is none', { kept: [entry({ files: [file('step_1.pt', { sha256: '..' })] })] }],
  ['a link with a NUL', { kept: [entry({ files: [file('step_1.pt', { link: 'a\0b' })] })] }],
  ['an attempt that is none', { kept: [entry({ attempt: '../1' })] }],
  ['a version that is none', { version: 0.5 }],
] as (readonly [string, object])[];

test.each(WRONG)('a manifest with a wrong value for %s is not: %j', (_what, more) => {
  expect(isRead(manifest(more))).toBe(false);
});
