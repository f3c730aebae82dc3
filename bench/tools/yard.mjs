/**
 * A yard of its own for one measurement: a fresh directory, as many CPUs as jobs may run at once, the HTTP API
 * over a few connections that stay open, and an end that leaves nothing behind.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const command = fileURLToPath(new URL('../../bin/trainyard', import.meta.url));

const configFor = (cpus) => `
[node]
cpus = ${cpus}
gpus = "1x16G"

[limits]
max_queued_jobs = 1000000

[requeue]
exit_codes = [75]
`;

/** Starts a yard, gives it to `use`, and ends it and whatever still runs in it, whatever happens. */
export function withYard(cpus, use) {
  return withYardOf(configFor(cpus), use);
}

/** The same, for a yard with a config of its own. */
export async function withYardOf(config, use) {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-bench-'));
  const workDir = mkdtempSync(join(tmpdir(), 'trainyard-bench-work-'));
  const env = { ...process.env, TRAINYARD_DIR: directory };
  writeFileSync(join(directory, 'trainyard.toml'), config);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  let yard = null;
  try {
    await run(command, ['up'], { env });
    const { socket, pid } = JSON.parse((await run(command, ['status', '--json'], { env })).stdout);
    yard = { workDir, env, socket, pid, agent };
    return await use(yard);
  } finally {
    if (yard !== null) await cancelActive(yard);
    agent.destroy();
    await run(command, ['down'], { env });
    rmSync(directory, { recursive: true, force: true });
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** A yard that goes down leaves its jobs running; a measurement must not, nor let those start that waited. */
async function cancelActive(yard) {
  const { nodes } = await call(yard, 'GET', '/v1/nodes');
  for (const { node } of nodes) {
    await call(yard, 'POST', `/v1/nodes/${node.name}/drain`, { reason: 'the measurement is over' });
  }
  const { jobs } = await call(yard, 'GET', '/v1/jobs?phase=active');
  for (const { job } of jobs) await call(yard, 'POST', `/v1/jobs/${job.id}/cancel`, {});
  while ((await counts(yard)).active > 0) await sleep(10);
}

/** Gives the new job's number once it is durable. */
export async function submit(yard, job) {
  return (await call(yard, 'POST', '/v1/jobs', { workDir: yard.workDir, ...job })).job;
}

export async function submitMany(yard, count, job) {
  const width = 64;
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await submit(yard, job);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

async function counts(yard) {
  return (await call(yard, 'GET', '/v1/yard')).counts;
}

/** Jobs that have not ended. */
export async function unended(yard) {
  const { held, waiting, pending, active } = await counts(yard);
  return held + waiting + pending + active;
}

/** Resolves once no more than so many jobs have not ended. */
export async function untilUnended(yard, count) {
  while ((await unended(yard)) > count) await sleep(20);
}

/** Resident memory of the daemon. */
export function residentBytes(yard) {
  const status = readFileSync(`/proc/${yard.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) * 1024;
}

export function call(yard, method, path, body) {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
    const request = http.request(
      { socketPath: yard.socket, agent: yard.agent, method, path, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          if (response.statusCode < 300) resolve(text === '' ? null : JSON.parse(text));
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        });
      },
    );
    request.on('error', reject).end(payload);
  });
}
