/**
 * All measurements in one run, as one table. Ratios are worth more than absolute figures: both sides of each
 * were measured on this machine, in turns, minutes apart at most.
 *
 *   npm run bench [-- NAME…] [--rounds N] [--queued N] [--write]
 */

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureCommand } from './measures/command.mjs';
import { measureDepth } from './measures/depth.mjs';
import { measureLatency } from './measures/latency.mjs';
import { measurePass } from './measures/pass.mjs';
import { measureSlurm } from './measures/slurm.mjs';
import { measureThroughput } from './measures/throughput.mjs';
import { describeMachine } from './tools/machine.mjs';
import { renderTable } from './tools/table.mjs';

const MEASURES = {
  throughput: measureThroughput,
  latency: measureLatency,
  depth: measureDepth,
  command: measureCommand,
  pass: measurePass,
  slurm: measureSlurm,
};

const results = fileURLToPath(new URL('results.md', import.meta.url));

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
const unknown = positionals.filter((name) => !Object.hasOwn(MEASURES, name));
if (unknown.length > 0 || ![rounds, queued].every((count) => Number.isInteger(count) && count >= 1)) {
  process.stderr.write(
    `usage: npm run bench [-- ${Object.keys(MEASURES).join('|')} …] [--rounds N] [--queued N] [--write]\n`,
  );
  process.exit(2);
}

const say = (sentence) => process.stderr.write(`${sentence}\n`);
const rows = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(MEASURES)) {
  say(`measuring ${name} …`);
  rows.push(...(await MEASURES[name]({ rounds, queued, say, named: positionals.includes(name) })));
}

const machine = describeMachine(tmpdir());
const table = renderTable(rows);
process.stdout.write(`\n${table}\n${machine}\n`);
if (values.write) {
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(
    results,
    `# Measured on ${date}\n\n${table}\n${machine}. \`npm run bench\` measures again.\n`,
  );
  say(`written to ${results}`);
}
