import { describe, expect, it } from 'vitest';
import { complaint, submitted } from './fake-submit.ts';

describe('resources', () => {
  const resources = (...argv: string[]) => submitted([...argv, 'train.sh']).resources;

  it('default to one CPU on one node', () => {
    expect(resources()).toEqual({
      nodes: { min: 1, max: 1 },
      ranks: 1,
      ranksPerNode: null,
      cpusPerRank: 1,
      cpusAsked: false,
      memory: null,
      gpus: null,
      exclusive: false,
      constraint: null,
      onlyNodes: [],
      exceptNodes: [],
    });
  });

  it('count GPUs, name their kind, or share one', () => {
    const whole = { per: 'job', shareMillis: 1000 };
    expect(resources('-g', '2').gpus).toEqual({ ...whole, count: 2, kind: null });
    expect(resources('-g', 'a100:2').gpus).toEqual({ ...whole, count: 2, kind: 'a100' });
    expect(resources('-g', 'a100').gpus).toEqual({ ...whole, count: 1, kind: 'a100' });
    expect(resources('-g', '0.5').gpus).toEqual({ per: 'job', count: 1, kind: null, shareMillis: 500 });
    expect(resources('-g', 'a100:.25').gpus).toMatchObject({ kind: 'a100', shareMillis: 250 });
    expect(resources('-g', '0').gpus).toBeNull();
    for (const wrong of ['', ':', 'a100:', '1.5', '-1', '2x', 'a b', 'a100:2:3']) {
      expect(complaint(['-g', wrong, 'train.sh'])).toContain('-g');
    }
  });

  it('fit ranks to nodes', () => {
    expect(resources('-N', '2')).toMatchObject({ nodes: { min: 2, max: 2 }, ranks: 2 });
    expect(resources('-N', '2', '--ranks-per-node', '4')).toMatchObject({ ranks: 8, ranksPerNode: 4 });
    expect(resources('-n', '8', '--ranks-per-node', '3').nodes).toEqual({ min: 3, max: 3 });
    expect(resources('-n', '3', '-N', '2-8').nodes).toEqual({ min: 2, max: 3 });
    expect(resources('-n', '8').nodes).toEqual({ min: 1, max: 1 });
    expect(complaint(['-N', '4', '-n', '2', 'train.sh'])).toContain('2 ranks cannot cover 4 nodes');
    expect(complaint(['-N', '2-4', 'train.sh'])).toContain('leaves open how many processes');
    expect(complaint(['-N', '2', '-n', '9', '--ranks-per-node', '4', 'train.sh'])).toContain(
      'do not fit on 2 nodes',
    );
    expect(complaint(['-N', '4-2', 'train.sh'])).toContain('a number of nodes is wanted');
  });

  it('ask for memory with a unit', () => {
    expect(resources('-m', '512M').memory).toEqual({ bytes: 512 * 2 ** 20, per: 'node' });
    expect(complaint(['-m', '16', 'train.sh'])).toContain('did you mean 16G?');
    expect(complaint(['-m', 'lots', 'train.sh'])).toContain('a size is wanted');
  });

  it('run a command on every rank, and a script once unless asked', () => {
    expect(submitted(['-n', '4', '--', 'hostname']).program.spread).toBe('everyRank');
    expect(submitted(['-n', '4', 'train.sh']).program.spread).toBe('once');
    expect(submitted(['-n', '4', '--every-rank', 'train.sh']).program.spread).toBe('everyRank');
    expect(submitted(['--', 'hostname']).program.spread).toBe('once');
  });

  it('choose and avoid nodes', () => {
    expect(resources('-w', 'a,b', '-x', 'c', '-C', 'fast&!old', '--exclusive')).toMatchObject({
      onlyNodes: ['a', 'b'],
      exceptNodes: ['c'],
      constraint: 'fast&!old',
      exclusive: true,
    });
  });
});
