/**
 * One set-up at a time for one checkout. The lock is a name in Linux's abstract socket namespace: the kernel
 * frees it when its holder ends, however it ends, so it can never be left behind.
 */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { root } from './paths.mjs';
import { showProgress } from './progress.mjs';

/** Does the work once nobody else does it here. */
export async function whileAlone(work) {
  const name = `\0trainyard-setup-${createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 32)}`;
  let lock = await take(name);
  if (lock === null) {
    const done = showProgress('Waiting for another set-up of this directory');
    while (lock === null) {
      await holderEnds(name);
      lock = await take(name);
    }
    done(true);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function take(name) {
  return new Promise((resolve, reject) => {
    const waiting = new Set();
    const server = createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => {}).on('close', () => waiting.delete(socket));
    });
    server.on('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(name, () => resolve({ release: () => release(server, waiting) }));
  });
}

function release(server, waiting) {
  server.close();
  for (const socket of waiting) socket.destroy();
}

/** A connection lasts as long as the holder does. */
function holderEnds(name) {
  return new Promise((resolve) => {
    connect(name)
      .on('error', () => {})
      .on('close', resolve)
      .resume();
  });
}
