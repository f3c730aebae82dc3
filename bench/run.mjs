/**
 * All measurements in one run, as tables. Ratios are worth more than absolute figures: both sides of each
 * were measured on this machine, in turns, minutes apart at most.
 *
 *   npm run bench [-- NAME…] [--rounds N] [--queued N] [--write]
 */

import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { measureCheckpoints } from './measures/checkpoints.mjs';
import { measureCommand } from './measures/command.mjs';
import { measureDepth } from './measures/depth.mjs';
import { measureGpus } from './measures/gpus.mjs';
import { measureGpuPacking } from './measures/gpus-simulated.mjs';
import { measureGridEngine } from './measures/gridengine.mjs';
import { measureLatency } from './measures/latency.mjs';
import { measurePass } from './measures/pass.mjs';
import { measureSlurm } from './measures/slurm.mjs';
import { measureThroughput } from './measures/throughput.mjs';
import { describeMachine } from './tools/machine.mjs';
import { writeSection } from './tools/results.mjs';
import { renderTable } from './tools/table.mjs';

const TABLES = {
  'A yard by itself': {
    throughput: measureThroughput,
    latency: measureLatency,
    depth: measureDepth,
    command: measureCommand,
    pass: measurePass,
  },
  Checkpoints: { checkpoints: measureCheckpoints },
  'GPUs, whole and shared': { gpus: measureGpus },
  'GPUs, whole and shared, in the simulator': { 'gpu-packing': measureGpuPacking },
  'A yard and a real Slurm': { slurm: measureSlurm },
  'A yard and a real Grid Engine': { gridengine: measureGridEngine },
};

const NAMES = Object.values(TABLES).flatMap((measures) => Object.keys(measures));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    queued: { type: 'string', default: '100000' },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const queued = Number(values.queued);
const unknown = positionals.filter((name) => !NAMES.includes(name));
if (unknown.length > 0 || ![rounds, queued].every((count) => Number.isInteger(count) && count >= 1)) {
  process.stderr.write(
    `usage: npm run bench [-- ${NAMES.join('|')} …] [--rounds N] [--queued N] [--write]\n`,
  );
  process.exit(2);
}

const say = (sentence) => process.stderr.write(`${sentence}\n`);
const machine = describeMachine(tmpdir());

for (const [title, measures] of Object.entries(TABLES)) {
  const chosen = Object.keys(measures).filter(
    (name) => positionals.length === 0 || positionals.includes(name),
  );
  const rows = [];
  for (const name of chosen) {
    say(`measuring ${name} …`);
    rows.push(...(await measures[name]({ rounds, queued, say, named: positionals.includes(name) })));
  }
  if (rows.length === 0) continue;
  const table = renderTable(rows);
  process.stdout.write(`\n${title}\n\n${table}\n${machine}\n`);
  if (!values.write) continue;
  if (chosen.length < Object.keys(measures).length) {
    say(`not written: "${title}" was measured in part only`);
    continue;
  }
  const date = new Date().toISOString().slice(0, 10);
  const file = writeSection(
    title,
    `${table}\nMeasured on ${date}: ${machine}. \`npm run bench\` measures again.`,
  );
  say(`written to ${file}`);
}
