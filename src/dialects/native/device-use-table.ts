/** What the attempts of a job have used of their devices, for `trainyard show`: a row for each device of each. */

import type { DeviceUse } from '../../model/device-use.ts';
import type { Attempt } from '../../model/job.ts';
import { formatBytes } from '../../model/units.ts';
import { speaksUtf8 } from '../environment.ts';
import { curve, thinned } from '../text/curve.ts';
import { type Column, type Row, table } from '../text/table.ts';
import { percentText } from '../text/words.ts';
import type { Call } from './call.ts';

const CURVE_CELLS = 24;
const FULL_LOAD_MILLIS = 1000;

const COLUMNS: readonly Column[] = [
  { title: 'ATTEMPT' },
  { title: 'GPU' },
  { title: 'MODEL', shrinkTo: 8 },
  { title: 'PEAK', align: 'right' },
  { title: 'P95', align: 'right' },
  { title: 'MEAN', align: 'right' },
  { title: 'LOAD PEAK', align: 'right' },
  { title: 'P95', align: 'right' },
  { title: 'MEAN', align: 'right' },
];

const CURVES: readonly Column[] = [{ title: 'MEMORY OVER TIME' }, { title: 'LOAD OVER TIME' }];

/** `live` is what the running attempt has used so far; empty when nothing was seen of any. */
export function deviceUseTable(
  attempts: readonly Attempt[],
  live: readonly DeviceUse[] | undefined,
  call: Call,
): string {
  const last = attempts.at(-1);
  const uses = attempts.flatMap((attempt) => {
    const devices = attempt.usage?.devices ?? (attempt === last ? live : undefined) ?? [];
    return devices.map((use) => ({ attempt, use }));
  });
  if (uses.length === 0) return '';
  const severalNodes = new Set(uses.map(({ use }) => use.node)).size > 1;
  const draws = speaksUtf8(call.invocation.environment) && uses.some(({ use }) => use.curve !== undefined);
  const rows = uses.map(({ attempt, use }): Row => {
    const { node, index, kind, memoryBytes, loadMillis } = use;
    const load = (millis: number | undefined) => (millis === undefined ? '-' : percentText(millis));
    return [
      attempt.id,
      severalNodes ? `${node}:${index}` : `${index}`,
      kind,
      formatBytes(Math.round(memoryBytes.peak)),
      formatBytes(Math.round(memoryBytes.p95)),
      formatBytes(Math.round(memoryBytes.mean)),
      load(loadMillis?.peak),
      load(loadMillis?.p95),
      load(loadMillis?.mean),
      ...(draws ? curvesOf(use) : []),
    ];
  });
  return table(draws ? [...COLUMNS, ...CURVES] : COLUMNS, rows, { ...call, indent: '  ' });
}

function curvesOf({ curve: points }: DeviceUse): readonly string[] {
  if (points === undefined) return ['', ''];
  return [
    curve(thinned(points.memoryBytes, CURVE_CELLS)),
    curve(thinned(points.loadMillis, CURVE_CELLS), FULL_LOAD_MILLIS),
  ];
}
