/** Daemons of another system, as children of a measurement that ends them; free ports; and waiting until they answer. */

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

export function startDaemon(file, args, options) {
  const child = spawn(file, args, { ...options, cwd: '/', stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve).on('error', resolve));
  return {
    async end() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

export async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const server = createServer();
          server.on('error', reject).listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Tries again until it does not throw. */
export async function until(what, attempt) {
  const patientUntil = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > patientUntil) throw new Error(`${what} did not come up: ${error.message}`);
      await sleep(50);
    }
  }
}
