/** Amounts with a letter for their unit (`2916K`, `10.50M`, `12.50G`), and CPU time, as Slurm's accounting prints them. */

import { two } from '../text/calendar.ts';
import { fullClockText } from './durations.ts';

const UNITS = ['', 'K', 'M', 'G', 'T', 'P'] as const;
export type Unit = (typeof UNITS)[number];

/** Into the largest unit of which it is a whole number of halves; not at all; or into one unit whatever comes out. */
export type Conversion = 'largest' | 'none' | Exclude<Unit, ''>;

export function amountText(amount: number, unit: Unit, conversion: Conversion): string {
  if (conversion === 'none') return `${amount}${unit}`;
  const from = UNITS.indexOf(unit);
  if (conversion !== 'largest') {
    const to = UNITS.indexOf(conversion);
    return `${decimals(amount * 1024 ** (from - to))}${conversion}`;
  }
  let [value, at] = [amount, from];
  while (value >= 1024 && value % 512 === 0 && at < UNITS.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${decimals(value)}${UNITS[at]}`;
}

export function unitNamed(text: string): Exclude<Unit, ''> | null {
  return text !== '' && (UNITS as readonly string[]).includes(text) ? (text as Exclude<Unit, ''>) : null;
}

function decimals(value: number): string {
  return Number.isInteger(value) ? `${value}` : value.toFixed(2);
}

/** `00:00.002`, `00:00:00`, `01:02:03`: thousandths only where there are no hours. */
export function cpuText(ms: number): string {
  const whole = Math.max(0, Math.floor(ms));
  const thousandths = whole % 1000;
  if (whole >= 3_600_000 || thousandths === 0) return fullClockText(whole);
  const seconds = Math.floor(whole / 1000);
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}.${`${thousandths}`.padStart(3, '0')}`;
}
