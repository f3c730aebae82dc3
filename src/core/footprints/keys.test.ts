import { describe, expect, test } from 'vitest';
import { aJob, type JobBuilder } from '../../../test/builders.ts';
import { footprintKeys, kindKeys } from './keys.ts';

const levels = ({ spec }: JobBuilder) => footprintKeys(spec).map(({ level }) => level);
const texts = ({ spec }: JobBuilder) => footprintKeys(spec).map(({ text }) => text);
const keyAt = ({ spec }: JobBuilder, level: string) =>
  footprintKeys(spec).find((key) => key.level === level)?.text;

describe('a command', () => {
  test('is known by all its words, by its script, and by the name it was given', () => {
    const job = aJob().named('nightly').sharing('python train.py --lr 0.1');
    expect(levels(job)).toEqual(['command', 'script', 'name']);
    expect(footprintKeys(job.spec).map(({ label }) => label)).toEqual([
      'python train.py --lr 0.1',
      'train.py',
      'nightly',
    ]);
  });

  test('that nobody gave a name has none', () => {
    expect(levels(aJob().named('python').sharing('python train.py'))).toEqual(['command', 'script']);
  });

  test('with other arguments is another command of the same script', () => {
    const [a, b] = ['0.1', '0.2'].map((lr) => aJob().sharing(`python train.py --lr ${lr}`));
    expect(keyAt(a as JobBuilder, 'command')).not.toBe(keyAt(b as JobBuilder, 'command'));
    expect(keyAt(a as JobBuilder, 'script')).toBe(keyAt(b as JobBuilder, 'script'));
  });

  test('in another directory is another one, unless its path is whole', () => {
    const elsewhere = { workDir: '/other' };
    const here = aJob().sharing('python train.py');
    expect(keyAt(here.saying(elsewhere), 'script')).not.toBe(keyAt(here, 'script'));
    const whole = aJob().sharing('python /home/ann/train.py');
    expect(keyAt(whole.saying(elsewhere), 'script')).toBe(keyAt(here, 'script'));
  });

  test.each([
    ['python -u train.py', 'train.py'],
    ['python -m package.train --lr 1', 'package.train'],
    ['torchrun --standalone train.py', 'train.py'],
    ['./train --lr 1', './train'],
  ])('%s runs %s', (command, script) => {
    const found = footprintKeys(aJob().sharing(command).spec).find(({ level }) => level === 'script');
    expect(found?.label).toBe(script);
  });

  test.each(['python -c pass', 'train --lr 1', 'python'])('%s has no script of its own', (command) => {
    expect(levels(aJob().sharing(command))).not.toContain('script');
  });
});

describe('a batch script', () => {
  test('is the same kind under whatever name it is submitted', () => {
    const [a, b] = ['first', 'second'].map((name) => aJob().named(name).wanting({ gpus: 1 }));
    expect(kindKeys((a as JobBuilder).spec).map(({ text }) => text)).toEqual(
      kindKeys((b as JobBuilder).spec).map(({ text }) => text),
    );
    expect(keyAt(a as JobBuilder, 'name')).not.toBe(keyAt(b as JobBuilder, 'name'));
  });

  test('is called by its name for people', () => {
    expect(footprintKeys(aJob().named('first').spec)[0]?.label).toBe('first');
  });
});

test('what its submitter calls the kind counts alone, and among the jobs of that submitter', () => {
  const job = aJob().sharing('python train.py').saying({ kind: 'resnet' });
  expect(levels(job)).toEqual(['kind']);
  expect(texts(job)).toEqual(texts(aJob().sharing('python other.py').saying({ kind: 'resnet' })));
  expect(texts(job)).not.toEqual(texts(job.by('bob')));
});

test('spread over several devices it is another kind', () => {
  const one = aJob().sharing('python train.py');
  const two = one.wanting({ gpus: 2, gpuSharing: 'auto' });
  expect(keyAt(two, 'command')).not.toBe(keyAt(one, 'command'));
  expect(footprintKeys(two.spec)[0]?.label).toBe('python train.py on 2 GPUs');
});

test('a long command makes a short key, and two that differ at their ends differ', () => {
  const long = 'word '.repeat(400);
  const [a, b] = [aJob().sharing(`${long}a`), aJob().sharing(`${long}b`)];
  expect(keyAt(a, 'command')?.length).toBeLessThan(150);
  expect(keyAt(a, 'command')).not.toBe(keyAt(b, 'command'));
});

test('a name alone does not make two jobs one kind', () => {
  expect(kindKeys(aJob().sharing('python train.py').spec).map(({ level }) => level)).toEqual([
    'command',
    'script',
  ]);
});
