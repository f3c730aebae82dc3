/**
 * Samples of devices as lines in the style of `nvidia-smi dmon --options DT`, for a log that people and their
 * scripts know how to read. Columns are of one width as long as their values are; they are told apart by blanks.
 */

import type { DeviceReading } from '../model/device-use.ts';

export type DmonReading = Pick<
  DeviceReading,
  'index' | 'usedBytes' | 'loadMillis' | 'temperatureC' | 'powerW'
>;

/** By how much the clocks of a zone are ahead of UTC at a moment. */
export type ZoneOffset = (atMs: number) => number;

interface Column {
  readonly name: string;
  readonly unit: string;
  readonly width: number;
  /** Null: it is not known. */
  readonly value: (reading: DmonReading) => number | null;
}

const MIB = 1024 ** 2;

const COLUMNS: readonly Column[] = [
  { name: 'gpu', unit: 'Idx', width: 6, value: ({ index }) => index },
  { name: 'pwr', unit: 'W', width: 7, value: ({ powerW }) => powerW },
  { name: 'gtemp', unit: 'C', width: 7, value: ({ temperatureC }) => temperatureC },
  {
    name: 'sm',
    unit: '%',
    width: 7,
    value: ({ loadMillis }) => (loadMillis === null ? null : loadMillis / 10),
  },
  // How busy the memory is, not how full: nobody tells us, and scripts expect the column.
  { name: 'mem', unit: '%', width: 7, value: () => null },
  { name: 'fb', unit: 'MB', width: 8, value: ({ usedBytes }) => usedBytes / MIB },
];

export function dmonHeader(): string {
  const line = (date: string, time: string, word: (column: Column) => string) =>
    `${date.padEnd(12)}${time.padEnd(9)}${COLUMNS.map((column) => word(column).padStart(column.width)).join('')}\n`;
  return line('#Date', 'Time', ({ name }) => name) + line('#YYYYMMDD', 'HH:MM:SS', ({ unit }) => unit);
}

/** One line for each device. */
export function dmonLines(readings: readonly DmonReading[], atMs: number, offset: ZoneOffset): string {
  const stamp = stampOf(atMs + offset(atMs));
  return readings
    .map((reading) => `${stamp}${COLUMNS.map((column) => cell(column, reading)).join('')}\n`)
    .join('');
}

function cell({ value, width }: Column, reading: DmonReading): string {
  const number = value(reading);
  // A value that fills its column must not run into its neighbour.
  return ` ${(number === null ? '-' : String(Math.round(number))).padStart(width - 1)}`;
}

/** ` 20260310   14:05:09`, of a moment that was shifted by the zone's offset already. */
function stampOf(localMs: number): string {
  const text = new Date(localMs).toISOString();
  return ` ${text.slice(0, 10).replaceAll('-', '')}   ${text.slice(11, 19)} `;
}
