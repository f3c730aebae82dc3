import { expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { encodeFrame, type Frame, frameReader, MAX_FRAME_BYTES } from './frames.ts';

test('frames come out whole, however the bytes were cut', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const sent = Array.from({ length: 1 + random.below(6) }, () => ({
      type: random.pick(['a', 'o', 'x']),
      payload: Uint8Array.from({ length: random.below(300) }, () => random.below(256)),
    }));
    const bytes = Uint8Array.from(sent.flatMap(({ type, payload }) => [...encodeFrame(type, payload)]));
    const got: Frame[] = [];
    const read = frameReader((frame) => got.push(frame));
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + random.below(random.chance(0.5) ? 3 : 400);
      read(bytes.subarray(at, at + size));
      at += size;
    }
    expect(got).toEqual(sent);
  }
});

test('a frame that claims to be too long is an error at once', () => {
  const head = encodeFrame('o', new Uint8Array(0));
  new DataView(head.buffer).setUint32(1, MAX_FRAME_BYTES + 1);
  expect(() => frameReader(() => {})(head)).toThrow(/too long/);
});
