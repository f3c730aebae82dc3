/** What is known of kinds of jobs, as a table and in JSON. */

import { deviationOf, type Estimate, type Spread } from '../../model/footprint.ts';
import type { FootprintView } from '../../model/query.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { isoUtc } from '../text/calendar.ts';
import { type Column, type Row, table } from '../text/table.ts';
import { percentText } from '../text/words.ts';
import type { Call } from './call.ts';
import { shortName } from './footprint-names.ts';

const COLUMNS: readonly Column[] = [
  { title: 'KIND', shrinkTo: 12 },
  { title: 'LEVEL' },
  { title: 'GPU', shrinkTo: 8 },
  { title: 'RUNS', align: 'right' },
  { title: 'SEEN', align: 'right' },
  { title: 'SPREAD', align: 'right' },
  { title: 'GIVEN', align: 'right' },
  { title: 'LOAD', align: 'right' },
  { title: 'HOST', align: 'right' },
  { title: 'TIME', align: 'right' },
  { title: 'AGE', align: 'right' },
  { title: 'NOTE', shrinkTo: 8 },
];

export function footprintsTable(views: readonly FootprintView[], now: number, call: Call): string {
  const keys = views.map(({ footprint }) => footprint.key);
  const rows = views.map(({ footprint, estimate }): Row => {
    const { key, device, memory, hostMemory, durationMs, lastSeenAt } = footprint;
    return [
      shortName(key, keys),
      key.level,
      device,
      `${estimate.runs}`,
      ofSpread(memory, ({ max }) => formatBytes(max)),
      memory.count < 2 ? '-' : `±${formatBytes(Math.round(deviationOf(memory)))}`,
      formatBytes(estimate.memoryBytes),
      isLoadKnown(footprint) ? percentText(estimate.loadMillis) : '-',
      ofSpread(hostMemory, ({ max }) => formatBytes(max)),
      ofSpread(durationMs, ({ mean }) => formatDuration(mean)),
      formatDuration(Math.max(0, now - lastSeenAt)),
      noteText(footprint, estimate),
    ];
  });
  return table(COLUMNS, rows, call);
}

function ofSpread(spread: Spread, text: (spread: Spread) => string): string {
  return spread.count === 0 ? '-' : text(spread);
}

function isLoadKnown({ load, setLoadMillis }: FootprintView['footprint']): boolean {
  return load.count > 0 || setLoadMillis !== undefined;
}

const BASES: Readonly<Record<Estimate['basis'], string>> = {
  seen: '',
  provisional: 'its first run goes on',
  ranOut: 'ran out with less',
  set: 'memory set',
};

function noteText({ setLoadMillis }: FootprintView['footprint'], { basis }: Estimate): string {
  return [BASES[basis], setLoadMillis === undefined ? '' : 'load set']
    .filter((note) => note !== '')
    .join(', ');
}

export function footprintJson({ footprint, estimate }: FootprintView): Record<string, unknown> {
  const { firstSeenAt, lastSeenAt } = footprint;
  const times = { firstSeenAt: isoUtc(firstSeenAt), lastSeenAt: isoUtc(lastSeenAt) };
  return { footprint: { ...footprint, ...times }, estimate };
}
