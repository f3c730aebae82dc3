/**
 * From handing a job in to its first instruction, and from the exit of one attempt to the first instruction
 * of the next. The job reads the clock with date(1), whose own start is part of the figure; a loop of date
 * alone shows how much that is.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, milliseconds, percentile, ratio } from '../tools/figures.mjs';
import { submit, untilUnended, withYard } from '../tools/yard.mjs';

const JOBS = 300;
const REQUEUES = 100;
const CLOCK = ['date', '+%s%N'];

export async function measureLatency() {
  const alone = median(dateAlone());
  const { starts, gaps } = await withYard(2, async (yard) => ({
    starts: await startDelays(yard),
    gaps: await gapsOf(yard, 'requeue'),
  }));
  const row = (what, samples) => ({
    what,
    figure: `p50 ${milliseconds(median(samples))}, p99 ${milliseconds(percentile(samples, 0.99))}`,
    against: `date alone: ${milliseconds(alone)}`,
    ratio: ratio(median(samples) / alone),
  });
  return [row('submit → first instruction', starts), row('exit → first instruction after requeue', gaps)];
}

async function startDelays(yard) {
  const delays = [];
  for (let i = 0; i < JOBS; i++) {
    const output = join(yard.workDir, `start-${i}`);
    const submittedMs = performance.timeOrigin + performance.now();
    await submit(yard, { command: CLOCK, streams: { stdout: output } });
    await untilUnended(yard, 0);
    delays.push(readTimesMs(output)[0] - submittedMs);
  }
  return delays;
}

/** The same job without checkpoints and with one that it writes, whose copy is put back for its second run. */
export function requeueGaps() {
  return withYard(2, async (yard) => [
    await gapsOf(yard, 'plain'),
    await gapsOf(yard, 'kept', ': >"$TRAINYARD_CHECKPOINTS/step-1.ckpt"; ', (output) => ({
      keeping: { checkpoints: '$SCRATCH/checkpoints', persist: `${output}.kept` },
    })),
  ]);
}

/** The first attempt asks to be started again; its last deed and the second's first are in the same file. */
async function gapsOf(yard, name, deed = '', more = () => ({})) {
  const gaps = [];
  const script = `date +%s%N; test -e "$1" && exit 0; ${deed}: >"$1"; date +%s%N; exit 75`;
  for (let i = 0; i < REQUEUES; i++) {
    const output = join(yard.workDir, `${name}-${i}`);
    await submit(yard, {
      script: `#!/bin/sh\n${script}\n`,
      arguments: [`${output}.again`],
      streams: { stdout: output },
      ...more(output),
    });
    await untilUnended(yard, 0);
    const [, exitMs, nextMs] = readTimesMs(output);
    gaps.push(nextMs - exitMs);
  }
  return gaps;
}

/** How long one date takes from start to the next one's start. */
function dateAlone() {
  const script = 'i=0; while [ $i -lt 200 ]; do date +%s%N; i=$((i+1)); done';
  const times = parseTimesMs(execFileSync('sh', ['-c', script], { encoding: 'utf8' }));
  return times.slice(1).map((time, i) => time - times[i]);
}

function readTimesMs(path) {
  return parseTimesMs(readFileSync(path, 'utf8'));
}

function parseTimesMs(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => Number(BigInt(line) / 1000n) / 1000);
}
