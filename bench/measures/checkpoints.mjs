/**
 * What keeping checkpoints costs: how long training stands still for one, how fast copies are made and made safe, how soon
 * a finished file is safe, and how long a job is away when it is queued again. Copies are compared with `rsync -a`, which
 * leaves what it copied to the kernel, while a kept checkpoint is on the disk and has a checksum.
 */

import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createKeeperProcess } from '../../dist/storage/keeper-process.js';
import { ensurePrograms } from '../tools/debian.mjs';
import { median, milliseconds, percentile, ratio } from '../tools/figures.mjs';
import { requeueGaps } from './latency.mjs';

const run = promisify(execFile);
const python = fileURLToPath(new URL('../../python', import.meta.url));
const stallProgram = fileURLToPath(new URL('../programs/stall.py', import.meta.url));

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const SMALL_FILES = 5_000;
const SMALL_BYTES = 20_000;
const CLOSES = 60;

export async function measureCheckpoints({ rounds, say }) {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-bench-checkpoints-'));
  try {
    const rows = [...(await stalls(directory, rounds))];
    const rsync = { name: 'rsync', packages: ['rsync'], programs: ['/usr/bin/rsync'] };
    const obstacle = ensurePrograms(rsync, say);
    if (obstacle === null) rows.push(...(await copies(directory, Math.min(rounds, 3), say)));
    else say(obstacle);
    rows.push(...(await closeToSafe(directory)), ...(await gaps()));
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function stalls(directory, rounds) {
  const env = { ...process.env, PYTHONPATH: python };
  const { stdout } = await run('python3', [stallProgram, directory, `${GIB}`, `${rounds}`], { env });
  const seconds = JSON.parse(stdout);
  const ms = (name) => median(seconds[name]) * 1000;
  const background = ms('background');
  const row = (against, name) => ({
    what: 'training stands still for a checkpoint of 1 GiB (Checkpointer, in the background)',
    figure: milliseconds(background),
    against: `${against}: ${milliseconds(ms(name))}`,
    ratio: ratio(ms(name) / background),
  });
  return [row('write and fsync', 'write'), row('one copy in memory', 'copy')];
}

/** Each way has a source of its own, so that neither finds the other's files in memory. */
async function copies(directory, rounds, say) {
  const rows = [];
  const bigFile = (from) => writeNoise(join(from, 'step-1.ckpt'), GIB);
  say('  one file of 1 GiB …');
  rows.push(row('one file of 1 GiB', await compare(directory, 'big', rounds, bigFile)));
  say('  5,000 small files …');
  rows.push(
    row(
      `${SMALL_FILES} files of ${SMALL_BYTES / 1000} kB`,
      await compare(directory, 'small', rounds, smallFiles),
    ),
  );
  say('  5 % changed …');
  rows.push(row('1 GiB of which 5 % changed', await compareChanged(directory, rounds)));
  return rows;

  function row(what, { ours, rsync, synced }) {
    return {
      what: `copy made safe: ${what}`,
      figure: milliseconds(median(ours)),
      against: `rsync -a: ${milliseconds(median(rsync))}, and synced: ${milliseconds(median(synced))}`,
      ratio: `${ratio(median(rsync) / median(ours))}, ${ratio(median(synced) / median(ours))}`,
    };
  }
}

async function compare(directory, name, rounds, make) {
  const times = { ours: [], rsync: [], synced: [] };
  for (let round = 0; round < rounds; round++) {
    const place = join(directory, `${name}-${round}`);
    const [from, to, other] = ['from', 'ours', 'rsync'].map((part) => join(place, part));
    mkdirSync(from, { recursive: true });
    make(from);
    await run('sync');
    times.ours.push(await withKeeper((keeper) => timed(() => flush(keeper, from, to))));
    const plain = await timed(() => run('rsync', ['-a', `${from}/`, other]));
    times.rsync.push(plain);
    times.synced.push(plain + (await timed(() => run('sync', ['-f', other]))));
    rmSync(place, { recursive: true, force: true });
  }
  return times;
}

/** A file that is written over and over, as `last.ckpt` is: after two copies of it, only what changes is written. */
async function compareChanged(directory, rounds) {
  const place = join(directory, 'changed');
  const [from, to, other] = ['from', 'ours', 'rsync'].map((part) => join(place, part));
  mkdirSync(from, { recursive: true });
  const file = join(from, 'last.ckpt');
  writeNoise(file, GIB);
  const times = { ours: [], rsync: [], synced: [] };
  await withKeeper(async (keeper) => {
    for (let round = -2; round < rounds; round++) {
      await run('sync');
      const ours = await timed(() => flush(keeper, from, to));
      const plain = await timed(() => run('rsync', ['-a', `${from}/`, other]));
      const synced = plain + (await timed(() => run('sync', ['-f', other])));
      if (round >= 0) {
        times.ours.push(ours);
        times.rsync.push(plain);
        times.synced.push(synced);
      }
      changePart(file, 0.05, round);
    }
  });
  rmSync(place, { recursive: true, force: true });
  return times;
}

function changePart(path, share, seed) {
  const bytes = Math.round(GIB * share);
  const start = ((seed + 7) * 61 * MIB) % (GIB - bytes);
  const fd = openSync(path, 'r+');
  for (let at = 0; at < bytes; at += MIB)
    writeSync(fd, randomFillSync(Buffer.alloc(MIB)), 0, MIB, start + at);
  closeSync(fd);
}

function writeNoise(path, bytes) {
  const noise = randomFillSync(Buffer.alloc(8 * MIB));
  const fd = openSync(path, 'w');
  for (let at = 0; at < bytes; at += noise.length) {
    noise.writeDoubleLE(at, 0);
    writeSync(fd, noise);
  }
  closeSync(fd);
}

function smallFiles(from) {
  const checkpoint = join(from, 'checkpoint-1');
  mkdirSync(checkpoint);
  const noise = randomFillSync(Buffer.alloc(SMALL_BYTES));
  for (let i = 0; i < SMALL_FILES; i++) {
    noise.writeInt32LE(i, 0);
    writeFileSync(join(checkpoint, `part-${i}`), noise);
  }
}

/** From the close of a file by its program to a durable copy with a checksum, in the background. */
async function closeToSafe(directory) {
  const rows = [];
  for (const [what, bytes] of [
    ['100 kB', 100_000],
    ['100 MB', 100_000_000],
  ]) {
    const place = join(directory, `close-${bytes}`);
    const [from, to] = [join(place, 'from'), join(place, 'to')];
    mkdirSync(from, { recursive: true });
    const copied = [];
    const kept = [];
    await withKeeper(async (keeper, nextKept) => {
      const order = orderOf(from, to);
      await keeper.prepare(order);
      keeper.watch(order);
      const array = arrayOf(bytes);
      for (let i = 1; i <= (bytes > MIB ? 10 : CLOSES); i++) {
        const isSafe = nextKept();
        writeFileSync(join(from, `step-${i}.npy`), array);
        const closedAt = Date.now();
        kept.push((await isSafe).keptAt - closedAt);
        copied.push(await timed(() => writeAndSync(join(place, 'plain'), array)));
      }
      keeper.letGo(order.attempt);
    });
    rows.push({
      what: `a file of ${what}: closed → safe`,
      figure: `p50 ${milliseconds(median(kept))}, p99 ${milliseconds(percentile(kept, 0.99))}`,
      against: `writing it with fsync: ${milliseconds(median(copied))}`,
      ratio: ratio(median(copied) / median(kept)),
    });
  }
  return rows;
}

/** Random numbers as NumPy saves them. */
function arrayOf(bytes) {
  const data = randomFillSync(Buffer.alloc(bytes - 128));
  const words = `{'descr': '|u1', 'fortran_order': False, 'shape': (${data.length},), }`.padEnd(117);
  const head = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${words}\n`, 'latin1');
  return Buffer.concat([head, data]);
}

function writeAndSync(path, bytes) {
  const fd = openSync(path, 'w');
  writeSync(fd, bytes);
  fsyncSync(fd);
  closeSync(fd);
}

async function gaps() {
  const [without, withCheckpoints] = await requeueGaps();
  return [
    {
      what: 'exit → first instruction after requeue, checkpoint flushed and put back',
      figure: `p50 ${milliseconds(median(withCheckpoints))}, p99 ${milliseconds(percentile(withCheckpoints, 0.99))}`,
      against: `a job without checkpoints: ${milliseconds(median(without))}`,
      ratio: ratio(median(without) / median(withCheckpoints)),
    },
  ];
}

async function withKeeper(use) {
  let tell = () => {};
  const events = {
    kept: (_attempt, checkpoint) => tell(checkpoint),
    trouble: (_attempt, trouble) => {
      if (trouble !== null) throw new Error(trouble);
    },
    overScratch: () => {},
    log: () => {},
  };
  const keeper = createKeeperProcess({ events });
  const nextKept = () =>
    new Promise((resolve) => {
      tell = resolve;
    });
  try {
    // Starting the process is not part of what is measured.
    const warm = mkdtempSync(join(tmpdir(), 'trainyard-bench-warm-'));
    await flush(keeper, join(warm, 'from'), join(warm, 'to'), '0.1');
    rmSync(warm, { recursive: true });
    return await use(keeper, nextKept);
  } finally {
    await keeper.close();
  }
}

async function flush(keeper, from, to, attempt = '1.1') {
  const { trouble } = await keeper.flush(orderOf(from, to, attempt), { isOrderly: true, limitMs: 600_000 });
  if (trouble !== null) throw new Error(trouble);
}

function orderOf(from, to, attempt = '1.1') {
  const owner = { yardId: 'bench', job: 1 };
  return { attempt, owner, from, to, keepCount: 2, keepForMs: null, logs: [], scratch: null, umask: 0o022 };
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
