import { describe, expect, test } from 'vitest';
import { type Epoch, parseEpoch, progressLine } from './progress.ts';

describe('a line of the trainer', () => {
  test('is read when it reports an epoch', () => {
    expect(parseEpoch('epoch 3/20 loss 0.1947 accuracy 0.9387 seconds 0.26')).toEqual({
      epoch: 3,
      of: 20,
      loss: 0.1947,
      accuracy: 0.9387,
    });
    expect(parseEpoch('epoch 1/5 loss 2.5 seconds 0.30')?.accuracy).toBeNull();
  });

  test('is left alone when it does not', () => {
    expect(parseEpoch('training on 1438 digits, validating on 359')).toBeNull();
    expect(parseEpoch('  epoch 3/20 loss 1')).toBeNull();
    expect(parseEpoch('')).toBeNull();
  });
});

describe('the line on the terminal', () => {
  const run = (count: number): Epoch[] =>
    Array.from({ length: count }, (_, i) => ({ epoch: i + 1, of: 20, loss: 1 / (i + 1), accuracy: 0.9 }));

  test('shows how far it is, the curve of the loss, and the accuracy', () => {
    expect(progressLine(run(10), 100)).toBe(
      'epoch 10/20  ██████████░░░░░░░░░░  loss 0.1000 █▅▃▃▂▂▂▂▂▂  accuracy 90.0 %',
    );
  });

  test('never reaches the last column, however narrow the terminal and long the run', () => {
    for (const columns of [10, 40, 60, 80, 200]) {
      for (const count of [1, 5, 20]) expect(progressLine(run(count), columns).length).toBeLessThan(columns);
    }
  });

  test('keeps its figures when there is no room for pictures', () => {
    expect(progressLine(run(20), 48)).toBe('epoch 20/20  loss 0.0500  accuracy 90.0 %');
  });

  test('is empty before the first epoch, and survives a loss of zero', () => {
    expect(progressLine([], 80)).toBe('');
    expect(progressLine([{ epoch: 1, of: 1, loss: 0, accuracy: null }], 80)).toContain('loss 0.0000 ▁');
  });
});
