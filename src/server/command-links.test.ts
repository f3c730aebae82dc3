import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandsDirectory, keepCommandLinks } from './command-links.ts';

let yard: string;
let logged: string[];
beforeEach(() => {
  yard = mkdtempSync(join(tmpdir(), 'yard-links-'));
  logged = [];
});
afterEach(() => rmSync(yard, { recursive: true }));

const keep = (names: readonly string[], launcher: string, compiled: string | null = null) => {
  const directory = commandsDirectory(yard, 'slurm');
  keepCommandLinks(directory, names, { launcher, compiled }, (line) => logged.push(line));
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, readlinkSync(join(directory, name))]),
  );
};

test('each name leads to the launcher, however often it is asked for', () => {
  const links = { sbatch: '/opt/bin/trainyard', squeue: '/opt/bin/trainyard' };
  expect(keep(['sbatch', 'squeue'], '/opt/bin/trainyard')).toEqual(links);
  expect(keep(['sbatch', 'squeue'], '/opt/bin/trainyard')).toEqual(links);
});

test('what runs nothing itself leads to the compiled client, where there is one', () => {
  expect(keep(['qrsh', 'qsub', 'srun'], '/opt/bin/trainyard', '/opt/dist/bin/trainyard')).toEqual({
    qrsh: '/opt/bin/trainyard',
    qsub: '/opt/dist/bin/trainyard',
    srun: '/opt/bin/trainyard',
  });
});

test('another installation takes them over, and what is no command any more goes', () => {
  keep(['sbatch', 'sold'], '/old/bin/trainyard');
  const directory = commandsDirectory(yard, 'slurm');
  writeFileSync(join(directory, 'srun'), 'somebody wrote this');
  symlinkSync('/new', join(directory, 'sbatch.99.draft'));
  expect(keep(['sbatch', 'srun'], '/new/bin/trainyard')).toEqual({
    sbatch: '/new/bin/trainyard',
    srun: '/new/bin/trainyard',
  });
  expect(logged).toEqual([]);
});

test('what cannot be written is said, and is no reason not to start', () => {
  writeFileSync(join(yard, 'commands'), 'in the way');
  chmodSync(join(yard, 'commands'), 0o400);
  keepCommandLinks(
    commandsDirectory(yard, 'slurm'),
    ['sbatch'],
    { launcher: '/bin/trainyard', compiled: null },
    (line) => logged.push(line),
  );
  expect(logged).toEqual([expect.stringMatching(/commands\/slurm cannot be kept up to date: /)]);
});
