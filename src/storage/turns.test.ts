import { describe, expect, test } from 'vitest';
import { createTurns } from './turns.ts';

describe('turns at a disk', () => {
  test('are given to so many at once, in order, and each disk has its own', async () => {
    const inTurn = createTurns(2);
    const began: string[] = [];
    const finish = new Map<string, () => void>();
    const work = (disk: string, name: string) =>
      inTurn(disk, () => {
        began.push(name);
        return new Promise<void>((resolve) => finish.set(name, resolve));
      });
    const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('a', 'a4'), work('b', 'b1')];
    await Promise.resolve();
    expect(began).toEqual(['a1', 'a2', 'b1']);
    finish.get('a2')?.();
    await all[1];
    expect(began.at(-1)).toBe('a3');
    finish.get('a1')?.();
    await all[0];
    expect(began.at(-1)).toBe('a4');
    for (const done of finish.values()) done();
    await Promise.all(all);
  });

  test('go on when somebody fails', async () => {
    const inTurn = createTurns(1);
    await expect(inTurn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await inTurn('a', async () => 1)).toBe(1);
  });
});
