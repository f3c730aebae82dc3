/** What the demo says when it is over. */

import { relative } from 'node:path';
import { formatBytes, formatDuration } from '../../model/units.ts';
import { packageRoot } from '../../platform/install.ts';
import type { ShownJob } from './commands.ts';
import type { Example } from './example.ts';
import type { Epoch } from './progress.ts';

/** How it ended, in figures, and where the output is. */
export function describeEnd(job: ShownJob, epochs: readonly Epoch[]): string {
  const facts: string[] = [];
  const accuracy = epochs.at(-1)?.accuracy ?? null;
  if (accuracy !== null)
    facts.push(`${(accuracy * 100).toFixed(1)} % of digits it had never seen read correctly`);
  if (job.elapsedMs !== null) facts.push(`took ${formatDuration(job.elapsedMs)}`);
  const usage = job.attempt?.usage ?? null;
  if (usage?.cpuMs != null) facts.push(`${formatDuration(usage.cpuMs)} of CPU`);
  if (usage?.peakMemoryBytes != null) facts.push(`${formatBytes(usage.peakMemoryBytes)} of memory at most`);
  return [
    `Job ${job.id} ${describeOutcome(job)}${facts.length > 0 ? `: ${facts.join(', ')}.` : '.'}`,
    `Its output: ${job.stdoutPath}`,
  ].join('\n');
}

export function describeNextSteps(job: ShownJob, example: Example): string {
  const directory = relative(packageRoot(), example.workDir);
  return columns('What to try next:', [
    [`show ${job.id}`, 'all that is known of it'],
    [`logs ${job.id}`, 'its output again'],
    [`submit -D ${directory} -a 1-8%2 ${directory}/${example.script}`, 'eight of them, two at a time'],
    ['top', 'watch them, live'],
  ]);
}

export function describeLeaving(id: number): string {
  return columns(`Job ${id} goes on without you.`, [
    [`logs -f ${id}`, 'watch it again'],
    [`show ${id}`, 'how it is doing'],
    [`cancel ${id}`, 'stop it'],
  ]);
}

function describeOutcome(job: ShownJob): string {
  if (job.outcome === 'completed') return 'completed';
  const exit = job.attempt?.exit ?? null;
  const how = exit?.code != null ? ` with exit code ${exit.code}` : '';
  const note = job.note === null ? '' : ` (${job.note})`;
  return `ended as ${job.outcome ?? job.phase}${how}${note}`;
}

function columns(heading: string, lines: readonly (readonly [command: string, what: string])[]): string {
  const commands = lines.map(([command]) => `bin/trainyard ${command}`);
  const width = Math.max(...commands.map((command) => command.length));
  return [heading, ...lines.map(([, what], i) => `  ${commands[i]?.padEnd(width)}   ${what}`)].join('\n');
}
