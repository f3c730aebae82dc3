/**
 * Sharing GPUs, on simulated ones with real processes: how long nine jobs take with a GPU each and packed, what looking at
 * devices costs the daemon, and how long a lease takes to get and give back. The jobs are those of examples/gpu-sharing in
 * memory and load; they work by waiting, slower where all on a device want more than there is of it.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, milliseconds, percentile, ratio } from '../tools/figures.mjs';
import { call, submit, untilUnended, withYardOf } from '../tools/yard.mjs';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../programs/gpu_job.py', import.meta.url));

/** Three kinds, three of each: memory, load in percent, seconds of work. */
const KINDS = [
  ['3.2G', 20, 4],
  ['1.6G', 35, 4],
  ['2.4G', 25, 4],
];
const NINE = KINDS.flatMap((kind) => [kind, kind, kind]);
const LEASES = 300;
const WATCH_MS = 15_000;

const config = (gpus, more = '') => `[node]\ncpus = 32\ngpus = "${gpus}x16G"\n${more}`;

export async function measureGpus({ rounds, say }) {
  return [...(await makespans(Math.min(rounds, 3), say)), ...(await samplingCost()), ...(await leases())];
}

async function makespans(rounds, say) {
  const alone = [];
  const cold = [];
  const warm = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await withYardOf(config(2), (yard) => nine(yard, 'whole')));
    await withYardOf(config(2), async (yard) => {
      cold.push(await nine(yard, 'auto'));
      warm.push(await nine(yard, 'auto'));
    });
    say(`  round ${round + 1}: ${[alone, cold, warm].map((times) => milliseconds(times.at(-1))).join(', ')}`);
  }
  const row = (what, times) => ({
    what,
    figure: milliseconds(median(times)),
    against: `a GPU each: ${milliseconds(median(alone))}`,
    ratio: `${ratio(median(alone) / median(times))} × as fast`,
  });
  return [
    row('nine jobs of three kinds on two GPUs, packed, kinds never seen before', cold),
    row('the same nine once more, kinds known', warm),
  ];
}

async function nine(yard, sharing) {
  const since = performance.now();
  for (const kind of NINE)
    await submit(yard, {
      command: ['python3', program, ...kind.map(String)],
      resources: { gpus: { count: 1, sharing } },
    });
  await untilUnended(yard, 0);
  return performance.now() - since;
}

/** CPU time of the daemon while eight GPUs are looked at ten times a second, with a job on each; and without any GPU. */
async function samplingCost() {
  const busy = await withYardOf(config(8, '[gpu]\nsamples_per_second = 10\n'), (yard) =>
    cpuShare(yard, { count: 1, sharing: 'whole' }),
  );
  const idle = await withYardOf(config(0).replace('gpus = "0x16G"', 'gpus = "none"'), (yard) =>
    cpuShare(yard, undefined),
  );
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  return [
    {
      what: 'CPU time of a daemon that looks at 8 GPUs ten times a second, a job on each',
      figure: percent(busy),
      against: `the same jobs without GPUs: ${percent(idle)}`,
      ratio: '',
    },
  ];
}

async function cpuShare(yard, gpus) {
  for (let i = 0; i < 8; i++)
    await submit(yard, {
      command: ['python3', program, '2G', '30', '600'],
      ...(gpus === undefined ? {} : { resources: { gpus } }),
    });
  while ((await call(yard, 'GET', '/v1/yard')).counts.active < 8) await sleep(20);
  await sleep(2_000);
  const before = cpuMs(yard.pid);
  await sleep(WATCH_MS);
  return (cpuMs(yard.pid) - before) / WATCH_MS;
}

const TICK_MS = 10;

function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Asked for, granted, given back: one after the other, beside a lock file per GPU taken with flock(1). */
async function leases() {
  const { whole, granted } = await withYardOf(config(4), async (yard) => {
    const times = { whole: [], granted: [] };
    for (let i = 0; i < LEASES; i++) {
      const since = performance.now();
      const lease = await take(yard);
      times.granted.push(performance.now() - since);
      await call(yard, 'POST', `/v1/leases/${lease.id}/complete`, { succeeded: true, outOfMemory: false });
      times.whole.push(performance.now() - since);
      lease.close();
    }
    return times;
  });
  const locks = await lockTimes();
  const row = (what, times) => ({
    what,
    figure: `p50 ${milliseconds(median(times))}, p99 ${milliseconds(percentile(times, 0.99))}`,
    against: `flock LOCK true: ${milliseconds(median(locks))}`,
    ratio: ratio(median(times) / median(locks)),
  });
  return [row('a lease, asked for → granted', granted), row('the same, and given back', whole)];
}

function take(yard) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const options = { socketPath: yard.socket, method: 'POST', path: '/v1/leases', headers };
    const request = http.request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        for (const line of text.split('\n').slice(0, -1)) {
          const { state, lease } = JSON.parse(line);
          if (state === 'granted') resolve({ id: lease, close: () => request.destroy() });
        }
      });
      response.on('end', () => reject(new Error(`no lease: ${response.statusCode} ${text}`)));
    });
    request.on('error', reject).end(JSON.stringify({ kind: 'bench', gpus: 1, name: 'bench' }));
  });
}

async function lockTimes() {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-bench-lock-'));
  const times = [];
  try {
    for (let i = 0; i < LEASES; i++) {
      const since = performance.now();
      await run('flock', [join(directory, 'gpu0'), 'true']);
      times.push(performance.now() - since);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return times;
}
