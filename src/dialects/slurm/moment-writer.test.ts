import { describe, expect, it } from 'vitest';
import { momentWriter } from './moment-writer.ts';

const DAY = 86_400_000;
/** Monday, 2026-11-16 01:00:49 UTC. */
const NOW = 1_794_790_849_000;

function written(form: string | null, at: number, zone = 'UTC'): string {
  return momentWriter(form, zone, NOW).write(at);
}

describe('points in time', () => {
  it('are standard unless somebody says otherwise', () => {
    for (const form of [null, '', 'standard']) expect(written(form, NOW)).toBe('2026-11-16T01:00:49');
    expect(written(null, NOW, 'Europe/Berlin')).toBe('2026-11-16T02:00:49');
  });

  it('are told from today on', () => {
    const said = [0, 1, 2, 5, 6, 7, 30, 50, 364, 400, -1, -2].map((days) =>
      written('relative', NOW + days * DAY),
    );
    expect(said).toEqual([
      '01:00:49',
      'Tomorr 01:00',
      'Wed 01:00',
      'Sat 01:00',
      'Sun 01:00',
      '23 Nov 01:00',
      '16 Dec 01:00',
      '5 Jan 2027',
      '15 Nov 2027',
      '21 Dec 2027',
      'Ystday 01:00',
      '14 Nov 01:00',
    ]);
  });

  it('are written with the letters of strftime', () => {
    expect(written('%a %T', NOW)).toBe('Mon 01:00:49');
    expect(written('%F %R %z', NOW, 'Asia/Kathmandu')).toBe('2026-11-16 06:45 +0545');
    expect(written('%c', NOW)).toBe('Mon Nov 16 01:00:49 2026');
    expect(written('%s %j %u %V %G %U %W', NOW)).toBe('1794790849 320 1 47 2026 46 46');
    expect(written('%I%p %e %-d %y %%', NOW + 12 * 3_600_000 - 8 * DAY)).toBe('01PM  8 8 26 %');
  });

  it('keeps letters that nobody knows, and no more than fits', () => {
    expect(written('%q', NOW)).toBe('%q');
    expect(written('%', NOW)).toBe('%');
    expect(written('%c %c %c ', NOW)).toBe('Mon Nov 16 01:00:49 2026 Mon No');
  });

  it('complains about a form without any letter or one too long', () => {
    for (const form of ['xx', '%Y'.repeat(69)]) {
      const { write, complaint } = momentWriter(form, 'UTC', NOW);
      expect(complaint).toBe(`invalid SLURM_TIME_FORMAT = '${form}'`);
      expect(write(NOW)).toBe('2026-11-16T01:00:49');
    }
  });
});
