import { expect, test } from 'vitest';
import { firstName, linkOnShelf } from './links.ts';
import { saysSo } from './pointers.ts';

test.each([
  ['step_1', 'last', 'step_1'],
  ['/from/step_1', 'last', 'step_1'],
  ['/from//step_1/./w', 'last', 'step_1/w'],
  ['/from/step_1/w', 'step_1/link', 'w'],
  ['/from/step_1/w', 'step_1/a/b/link', '../../w'],
  ['/from/step_2/w', 'step_1/a/link', '../../step_2/w'],
  ['/from/step_1/a', 'step_1/a/link', '../a'],
  ['/from', 'last', '/from'],
  ['/fromage/x', 'last', '/fromage/x'],
  ['/from/../etc/passwd', 'last', '/from/../etc/passwd'],
  ['/etc/passwd', 'last', '/etc/passwd'],
])('a link to %s at %s says %s on the shelf', (link, path, expected) => {
  expect(linkOnShelf(link, path, '/from/')).toBe(expected);
});

test('a link leads into the first name on its way', () => {
  expect(['step_1', './step_1/w', 'a/b', '', '..'].map(firstName)).toEqual([
    'step_1',
    'step_1',
    'a',
    '',
    '..',
  ]);
});

test.each([
  ['model_checkpoint_path: "model.ckpt-300"\nall_model_checkpoint_paths: "model.ckpt-100"\n', true],
  ['model_checkpoint_path: "/scratch/x/model.ckpt-300"\n', true],
  ['model_checkpoint_path: "model.ckpt-3000"\nall_model_checkpoint_paths: "model.ckpt-300"\n', false],
  ['model.ckpt-300', true],
  [' 300\n', true],
  ['3000\n', false],
  ['', false],
])('a pointer that says %j leads to model.ckpt-300: %s', (text, leads) => {
  expect(saysSo(text, { name: 'model.ckpt-300', step: 300 })).toBe(leads);
});
