import { describe, expect, it } from 'vitest';
import { NOW } from '../fake-yard.ts';
import { fullMoment, listedMoment, remembering, xmlMoment } from './moments.ts';

const DAY_MS = 86_400_000;

describe('a moment', () => {
  it('is written in the zone of who asks', () => {
    expect(listedMoment(NOW, 'UTC')).toBe('03/10/2026 14:20:00');
    expect(fullMoment(NOW, 'UTC')).toBe('Tue Mar 10 14:20:00 2026');
    expect(fullMoment(NOW - 9 * DAY_MS, 'Europe/Berlin')).toBe('Sun Mar  1 15:20:00 2026');
    expect(xmlMoment(NOW, 'Europe/Berlin')).toBe('2026-03-10T15:20:00');
  });

  it('is worked out once for each second', () => {
    let asked = 0;
    const write = remembering((at, zone) => {
      asked += 1;
      return listedMoment(at, zone);
    }, 'UTC');
    expect([write(NOW), write(NOW + 999), write(NOW + 1000)]).toEqual([
      '03/10/2026 14:20:00',
      '03/10/2026 14:20:00',
      '03/10/2026 14:20:01',
    ]);
    expect(asked).toBe(2);
  });
});
