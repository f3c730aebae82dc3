import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLocalDisks, freeBytesIn, kindOfDevice } from './local-disks.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-disks-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** 8:1 */
const SDA1 = (8 << 8) | 1;
const NVME0N1P2 = 259 << 8;
const DM0 = 253 << 8;

function disk(name: string, number: string, rotational: string | null, partition?: string): void {
  const path = join(directory, 'devices', name);
  mkdirSync(join(path, 'queue'), { recursive: true });
  if (rotational !== null) writeFileSync(join(path, 'queue', 'rotational'), `${rotational}\n`);
  const leaf = partition === undefined ? path : join(path, partition);
  if (partition !== undefined) {
    mkdirSync(leaf);
    writeFileSync(join(leaf, 'partition'), '1\n');
  }
  for (const group of ['dev/block', 'class/block']) mkdirSync(join(directory, group), { recursive: true });
  symlinkSync(leaf, join(directory, 'dev/block', number));
  symlinkSync(leaf, join(directory, 'class/block', partition ?? name));
}

test('a partition is as fast as its disk', () => {
  disk('nvme0n1', '259:0', '0', 'nvme0n1p2');
  disk('sda', '8:1', '1', 'sda1');
  expect(kindOfDevice(NVME0N1P2, directory, '')).toBe('nvme');
  expect(kindOfDevice(SDA1, directory, '')).toBe('rotating');
});

test('a disk made of several is as fast as the slowest', () => {
  disk('nvme0n1', '259:0', '0');
  disk('sdb', '8:16', '0');
  disk('dm-0', '253:0', '0');
  mkdirSync(join(directory, 'devices/dm-0/slaves'));
  for (const name of ['nvme0n1', 'sdb'])
    symlinkSync(join(directory, 'devices', name), join(directory, 'devices/dm-0/slaves', name));
  expect(kindOfDevice(DM0, directory, '')).toBe('ssd');
});

test('a file system without a device of its own is looked up where it is mounted from', () => {
  disk('nvme0n1', '259:0', '0', 'nvme0n1p2');
  const mountinfo =
    '60 1 0:45 / / rw,relatime shared:1 - btrfs /dev/nvme0n1p2 rw\n61 1 0:46 / /x rw - zfs tank rw\n';
  expect(kindOfDevice(45, directory, mountinfo)).toBe('nvme');
  expect(kindOfDevice(46, directory, mountinfo)).toBe('unknown');
  expect(kindOfDevice(47, directory, mountinfo)).toBe('unknown');
});

test('of each disk one directory is taken, and what somebody chose in vain is said', async () => {
  const [one, two, file] = ['one', 'two', 'file'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(one);
  mkdirSync(two);
  writeFileSync(file, '');
  const said: string[] = [];
  const disks = await findLocalDisks([join(directory, 'gone'), file, one, two], true, (line) =>
    said.push(line),
  );
  expect(disks.map((found) => found.directory)).toEqual([one]);
  expect(said).toEqual([
    `${join(directory, 'gone')} cannot be used for scratch: no such file or directory`,
    `${file} cannot be used for scratch: it is not a directory`,
  ]);
  said.length = 0;
  await findLocalDisks([join(directory, 'gone')], false, (line) => said.push(line));
  expect(said).toEqual([]);
  expect(await freeBytesIn(one)).toBeGreaterThan(0);
});

test('memory counts only for somebody who chose it', async (context) => {
  const inMemory = await findLocalDisks(['/dev/shm'], true, () => {});
  if (inMemory[0]?.kind !== 'memory') return context.skip();
  expect(await findLocalDisks(['/dev/shm'], false, () => {})).toEqual([]);
});

test('where others could rename what is made, nothing is made unless somebody chose it', async () => {
  const open = join(directory, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const logged: string[] = [];
  const find = (areChosen: boolean) => findLocalDisks([open], areChosen, (line) => logged.push(line));
  expect(await find(false)).toEqual([]);
  expect(logged).toEqual([expect.stringContaining('other users may rename what is in it')]);
  expect(await find(true)).toHaveLength(1);
  chmodSync(open, 0o1777);
  expect(await find(false)).toHaveLength(1);
});
