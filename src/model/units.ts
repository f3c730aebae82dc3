/**
 * Durations and sizes as Trainyard's own command and config file write them. Dialects with other customs
 * (Slurm's `1-02:00`, Grid Engine's `h_rt`) have parsers of their own.
 */

const MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `90s`, `1h30m`, `2d`, `1:30:00`, or a bare number of minutes. Null when it is none of these. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 60_000;
  const clock = /^(?:(\d{1,5})-)?(\d{1,5}):(\d{1,2})(?::(\d{1,2}))?$/.exec(trimmed);
  if (clock !== null) {
    const [days, hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0)) as [
      number,
      number,
      number,
      number,
    ];
    return ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
  }
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|[smhdw]))+$/i.test(trimmed)) return null;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/gi)) {
    total += Number(amount) * (MS[(unit as string).toLowerCase()] as number);
  }
  return Math.round(total);
}

/** The two largest units that say something: `2d 4h`, `1h 30m`, `12s`, `0.4s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`;
  if (durationMs < 10_000) return `${(durationMs / 1000).toFixed(1).replace(/\.0$/, '')}s`;
  const seconds = Math.round(durationMs / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}

const BYTES: Record<string, number> = {
  '': 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
  p: 1024 ** 5,
};

/** `512M`, `16G`, `1.5GiB`, `1T`; a bare number is bytes. Null when it is none of these. */
export function parseBytes(text: string): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,3})?)\s*([kmgtp]?)(?:i?b)?$/i.exec(text.trim());
  if (match === null) return null;
  const bytes = Math.round(Number(match[1]) * (BYTES[(match[2] as string).toLowerCase()] as number));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** `16G`, `1.5G`, `512M`: three digits at most, largest unit that fits. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T', 'P'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  const text =
    amount >= 100 || Number.isInteger(amount) ? amount.toFixed(0) : amount.toFixed(1).replace(/\.0$/, '');
  return `${text}${units[unit]}`;
}
