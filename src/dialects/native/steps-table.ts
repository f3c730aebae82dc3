/** The steps of a job, for `trainyard show`: the newest of them, a row each. */

import type { Step } from '../../model/step.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { isoUtc } from '../text/calendar.ts';
import { type Column, type Row, table } from '../text/table.ts';
import { fullTime } from '../text/times.ts';
import { counted } from '../text/words.ts';
import type { Call } from './call.ts';
import { exitWord } from './endings.ts';
import { sharesText } from './job-facts.ts';
import { ATTEMPT_WORDS, stateCell } from './states.ts';

const MOST_ROWS = 20;

const COLUMNS: readonly Column[] = [
  { title: 'STEP' },
  { title: 'NAME', shrinkTo: 8 },
  { title: 'STATE' },
  { title: 'EXIT' },
  { title: 'RANKS', align: 'right' },
  { title: 'STARTED' },
  { title: 'RAN', align: 'right' },
  { title: 'MEMORY', align: 'right' },
  { title: 'WHERE', shrinkTo: 12 },
];

export function stepsTable(steps: readonly Step[], now: number, call: Call): string {
  const rows = steps.slice(-MOST_ROWS).map((step) => rowOf(step, now, call.zone));
  const left = steps.length - rows.length;
  const more = left === 0 ? '' : `  ${call.paint('grey', `and ${counted(left, 'step')} before these`)}\n`;
  return `${table(COLUMNS, rows, { ...call, indent: '  ' })}${more}`;
}

function rowOf(step: Step, now: number, zone: string): Row {
  const peak = step.usage?.peakMemoryBytes ?? null;
  return [
    `${step.attempt}/${step.n}`,
    step.name,
    stateCell(ATTEMPT_WORDS[phaseOf(step)]),
    exitWord(step.exit) || '-',
    `${step.placement.nodes.reduce((sum, { ranks }) => sum + ranks, 0)}`,
    fullTime(step.startedAt, zone),
    formatDuration(ranMs(step, now)),
    peak === null ? '-' : formatBytes(peak),
    sharesText(step.placement).join('; '),
  ];
}

function phaseOf({ endedAt, stoppedBy }: Step): 'ended' | 'stopping' | 'running' {
  if (endedAt !== null) return 'ended';
  return stoppedBy === null ? 'running' : 'stopping';
}

function ranMs({ startedAt, endedAt }: Step, now: number): number {
  return Math.max(0, (endedAt ?? now) - startedAt);
}

export function stepJson(step: Step, now: number): Record<string, unknown> {
  return {
    attempt: step.attempt,
    n: step.n,
    name: step.name,
    command: step.command,
    nodes: step.placement.nodes,
    overlap: step.overlap,
    startedAt: isoUtc(step.startedAt),
    endedAt: step.endedAt === null ? null : isoUtc(step.endedAt),
    elapsedMs: ranMs(step, now),
    stoppedBy: step.stoppedBy,
    exit: step.exit,
    usage: step.usage,
  };
}
