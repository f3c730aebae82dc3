import { describe, expect, test } from 'vitest';
import { isTemporaryInside, isTemporaryName, readName } from './unit-names.ts';

describe('how far a checkpoint is', () => {
  test.each([
    ['epoch=3-step=1200.ckpt', 1200, 'epoch=#-step=#.ckpt'],
    ['step=1200-epoch=3.ckpt', 1200, 'step=#-epoch=#.ckpt'],
    ['epoch=3-step=1200-v1.ckpt', 1200, 'epoch=#-step=#-v1.ckpt'],
    ['epoch=3-val_loss=0.23.ckpt', 3, 'epoch=#-val_loss=#.ckpt'],
    ['iter_100_acc_91.pt', 100, 'iter_#_acc_#.pt'],
    ['weights.03-0.45.hdf5', 3, 'weights.#-#.hdf5'],
    ['model.ckpt-100', 100, 'model.ckpt-#'],
    ['checkpoint-500', 500, 'checkpoint-#'],
    ['checkpoint_1_500.pt', 500, 'checkpoint_#_#.pt'],
    ['checkpoint_epoch_0010.pth.tar', 10, 'checkpoint_epoch_#.pth.tar'],
    ['step_000100', 100, 'step_#'],
    ['global_step100', 100, 'global_step#'],
    ['iter_0000100', 100, 'iter_#'],
    ['epoch-7.pt', 7, 'epoch-#.pt'],
    ['params_e10.npz', 10, 'params_e#.npz'],
    ['100steps.pt', 100, '#steps.pt'],
    ['step-100k.pt', 100_000, 'step-#.pt'],
    ['step-20240501', 20_240_501, 'step-#'],
    ['0', 0, '#'],
    ['000100', 100, '#'],
    ['état-12', 12, 'état-#'],
    ['a\nb\udcff-12.pt', 12, 'a\nb\udcff-#.pt'],
  ])('%j is at %d', (name, step, family) => {
    expect(readName(name)).toMatchObject({ step, family });
  });

  test.each([
    'last.ckpt',
    'model_v2.pt',
    'version_0',
    'last-v3.ckpt',
    'weights.h5',
    'clip.mp4',
    'resnet50.pt',
    'zero_to_fp32.py',
    'llama-7b.pt',
    'model.1.2.3.pt',
    'model-00001-of-00002.safetensors',
    'random_states_0.pkl',
    'rng_state_3.pth',
    'mp_rank_00_model_states.pt',
    'model-fold-2.pt',
    'a1b2c3.pt',
    '',
    '\udcff',
    '\n',
  ])('%j has no number that says it, and is one of its own', (name) => {
    expect(readName(name)).toMatchObject({ step: null, family: null });
  });

  test.each([
    ['run-20240501.pt', 'run-#.pt'],
    ['ckpt_20240501_123000.pt', 'ckpt_#.pt'],
    ['2024-05-01_12-30-00', '#'],
    ['1700000000', '#'],
    ['step-99999999999999999999.pt', 'step-#.pt'],
    ['ckpt-0.5.pt', 'ckpt-#.pt'],
  ])('%j is one of a row that goes by time', (name, family) => {
    expect(readName(name)).toMatchObject({ step: null, family });
  });

  test('what is needed side by side is not one row: shards, folds, models', () => {
    const names = [
      'ckpt-100-rank0.pt',
      'ckpt-100-rank1.pt',
      'seed42_step3.pt',
      'seed43_step3.pt',
      'resnet50-epoch-3.pt',
      'resnet101-epoch-3.pt',
      'step_100_0.pt',
      'step_100_1.pt',
      'vit_b_16_epoch3.pt',
      'vit_b_32_epoch3.pt',
    ];
    expect(new Set(names.map((name) => readName(name).family)).size).toBe(names.length);
  });

  test('the best one says so', () => {
    expect(readName('model_best.pth.tar').isBest).toBe(true);
    expect(readName('Best-epoch=3.ckpt').isBest).toBe(true);
    expect(readName('last.ckpt').isBest).toBe(false);
  });
});

describe('temporary names', () => {
  test.each([
    '.model.pt.x7Fd',
    '.trainyard',
    'a.tmp',
    'a.pt.temp',
    'a.part',
    'step-100.ckpt.damaged',
    'a.partial',
    'a.incomplete',
    'a.pt~',
    '.a.swp',
    'tmp-checkpoint-500',
    'tmp',
    'checkpoint_tmp',
    'a.tmp.123',
    'a.pt.tmp_x1',
    '5.orbax-checkpoint-tmp-17',
    'tmpab12cd_e',
    'model.ckpt-1_temp',
    'model.ckpt-1_temp_9f3a',
    'model.ckpt-1.data-00000-of-00001.tempstate77',
    'odd\nname.tmp',
  ])('%j', (name) => expect(isTemporaryName(name)).toBe(true));

  test.each(['a.pt', 'template.pt', 'attempt', 'temp=0.7.pt', 'tmpfs.pt', 'model.part-00001', '~a', ''])(
    '%j is not one',
    (name) => expect(isTemporaryName(name)).toBe(false),
  );

  test('inside a checkpoint a dot is no sign of one', () => {
    for (const name of ['.metadata', '.zarray', '.complete', '..odd'])
      expect([name, isTemporaryInside(name)]).toEqual([name, false]);
    for (const name of ['.a.tmp', 'a.tmp', 'b~', '.shard.part'])
      expect([name, isTemporaryInside(name)]).toEqual([name, true]);
  });
});
