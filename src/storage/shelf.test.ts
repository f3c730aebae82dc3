import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWorkshop, type Workshop, withCalls } from './shelf/fake-workshop.ts';

const BLOCK = 4 << 20;

let shop: Workshop;
beforeEach(() => {
  shop = openWorkshop();
});
afterEach(() => shop.close());

const inode = (path: string) => statSync(path).ino;
const drafts = () =>
  existsSync(`${shop.to}/.trainyard/drafts`) ? readdirSync(`${shop.to}/.trainyard/drafts`) : [];

/** Counts what is written to files of the shelf. */
function counting() {
  let bytes = 0;
  const manners = withCalls((calls) => ({
    write: async (fd, from, start, count, at) => {
      const written = await calls.write(fd, from, start, count, at);
      bytes += written;
      return written;
    },
  }));
  const take = () => {
    const taken = bytes;
    bytes = 0;
    return taken;
  };
  return { manners, take };
}

describe('a file', () => {
  test('is kept under its own name, with its permissions and its time, and known again', async () => {
    shop.write('step_1.pt', 'weights');
    chmodSync(join(shop.from, 'step_1.pt'), 0o640);
    utimesSync(join(shop.from, 'step_1.pt'), 1_600_000_000, 1_600_000_000.25);
    const shelf = await shop.open();
    expect(shelf.isWanted(await shop.unit('step_1.pt'))).toBe(true);
    expect(await shop.put(shelf, 'step_1.pt')).toEqual({
      name: 'step_1.pt',
      step: 1,
      bytes: 7,
      writtenAt: 1_600_000_000_250,
      keptAt: shop.now(),
    });
    const kept = statSync(join(shop.to, 'step_1.pt'));
    expect({ mode: kept.mode & 0o777, at: kept.mtimeMs }).toEqual({ mode: 0o640, at: 1_600_000_000_250 });
    expect(shop.kept('step_1.pt')).toBe('weights');
    expect(shelf.isKept(await shop.unit('step_1.pt'))).toBe(true);
    expect(shelf.isWanted(await shop.unit('step_1.pt'))).toBe(false);
    expect(shelf.entries()).toMatchObject([
      { name: 'step_1.pt', kind: 'file', state: 'kept', step: 1, files: 1, attempt: '12.1' },
    ]);
    expect(shop.manifest().kept[0]?.files[0]?.sha256).toBe(
      createHash('sha256').update('weights').digest('hex'),
    );
    expect(drafts()).toEqual([]);
  });

  test('is known after the shelf was opened again, and not copied twice', async () => {
    const first = await shop.open();
    await shop.save(first, 'step_1.pt', 'weights');
    await first.close();
    const { manners, take } = counting();
    const second = await shop.open({}, manners);
    expect(second.isKept(await shop.unit('step_1.pt'))).toBe(true);
    expect(await shop.put(second, 'step_1.pt')).toMatchObject({ name: 'step_1.pt' });
    expect(take()).toBe(0);
    expect((await second.verify()).remarks).toEqual([]);
  });

  test('may be empty', async () => {
    const shelf = await shop.open();
    await shop.save(shelf, 'empty.pt', '');
    expect(statSync(join(shop.to, 'empty.pt')).size).toBe(0);
    expect((await shelf.verify()).remarks).toEqual([]);
  });

  test('that was written to after it was looked at is not kept', async () => {
    shop.write('step_1.pt', 'weights');
    const unit = await shop.unit('step_1.pt');
    appendFileSync(join(shop.from, 'step_1.pt'), '!');
    const shelf = await shop.open();
    expect(await shelf.put(unit, shop.from, null)).toBe('changed');
    unlinkSync(join(shop.from, 'step_1.pt'));
    expect(await shelf.put(unit, shop.from, null)).toBe('changed');
    expect(readdirSync(shop.to)).toEqual(['.trainyard']);
    expect(drafts()).toEqual([]);
  });

  test.each(['appended to', 'cut short', 'replaced', 'removed'])(
    'that is %s while it is copied is not kept',
    async (how) => {
      const path = join(shop.from, 'last.pt');
      shop.write('other.pt', Buffer.alloc(BLOCK + 5, 2));
      const manners = withCalls((calls) => ({
        read: async (fd, into, bytes, at) => {
          const count = await calls.read(fd, into, bytes, at);
          if (at > 0) return count;
          if (how === 'appended to') appendFileSync(path, 'x');
          if (how === 'cut short') truncateSync(path, 100);
          if (how === 'replaced') renameSync(join(shop.from, 'other.pt'), path);
          if (how === 'removed') rmSync(path);
          return count;
        },
      }));
      const shelf = await shop.open({}, manners);
      expect(await shop.save(shelf, 'last.pt', Buffer.alloc(BLOCK + 5, 1))).toBe('changed');
      expect(readdirSync(shop.to)).toEqual(['.trainyard']);
      expect(shelf.entries()).toEqual([]);
      expect(drafts()).toEqual([]);
    },
  );

  test('that takes the place of another leaves that one as the version before', async () => {
    const shelf = await shop.open();
    for (const content of ['one', 'two', 'three']) await shop.save(shelf, 'last.pt', content);
    expect(shop.kept('last.pt')).toBe('three');
    expect(shop.hidden('previous/last.pt/last.pt')).toBe('two');
    expect(shelf.entries()).toHaveLength(1);
  });

  test('that only its time has changed of is not written again', async () => {
    const { manners, take } = counting();
    const shelf = await shop.open({}, manners);
    await shop.save(shelf, 'last.pt', Buffer.alloc(BLOCK * 2, 1));
    const before = inode(join(shop.to, 'last.pt'));
    take();
    utimesSync(join(shop.from, 'last.pt'), 1_500_000_000, 1_500_000_000);
    expect(await shop.put(shelf, 'last.pt')).toMatchObject({ writtenAt: 1_500_000_000_000 });
    expect(take()).toBeLessThan(10_000);
    expect(inode(join(shop.to, 'last.pt'))).toBe(before);
    expect(shelf.isKept(await shop.unit('last.pt'))).toBe(true);
    expect((await shelf.verify()).remarks).toEqual([]);
  });

  test('is written only in the blocks that changed, once there is a version before', async () => {
    const { manners, take } = counting();
    const shelf = await shop.open({}, manners);
    const content = Buffer.alloc(BLOCK * 6 + 77);
    for (const round of [1, 2, 3, 4]) {
      content.fill(round, BLOCK * 2, BLOCK * 2 + 10);
      await shop.save(shelf, 'last.pt', content);
      if (round > 2) expect(take()).toBeLessThan(BLOCK + 10_000);
      else take();
      expect((await shelf.verify()).remarks).toEqual([]);
    }
    await shop.save(shelf, 'last.pt', content.subarray(0, BLOCK + 3));
    await shop.save(shelf, 'last.pt', Buffer.alloc(BLOCK * 7, 9));
    await shop.save(shelf, 'last.pt', content.subarray(0, BLOCK * 3));
    expect((await shelf.verify()).remarks).toEqual([]);
    expect(Buffer.from(shop.kept('last.pt')).equals(Buffer.from(content.subarray(0, BLOCK * 3)))).toBe(true);
  });

  test('with other permissions is a file of its own', async () => {
    const shelf = await shop.open();
    await shop.save(shelf, 'last.pt', 'same');
    chmodSync(join(shop.from, 'last.pt'), 0o600);
    await shop.put(shelf, 'last.pt');
    expect(statSync(join(shop.to, 'last.pt')).mode & 0o777).toBe(0o600);
  });
});

describe('a directory', () => {
  test('is kept whole, with empty directories, links and permissions', async () => {
    shop.write('step_1/a/weights', 'w');
    mkdirSync(join(shop.from, 'step_1/empty'));
    symlinkSync('a/weights', join(shop.from, 'step_1/relative'));
    symlinkSync(join(shop.from, 'step_1/a/weights'), join(shop.from, 'step_1/empty/whole'));
    symlinkSync('/etc/passwd', join(shop.from, 'step_1/outside'));
    chmodSync(join(shop.from, 'step_1/a'), 0o750);
    const shelf = await shop.open();
    expect(await shop.put(shelf, 'step_1')).toMatchObject({ name: 'step_1', bytes: expect.any(Number) });
    expect(shop.kept('step_1/relative')).toBe('w');
    expect(readlinkSync(join(shop.to, 'step_1/empty/whole'))).toBe('../a/weights');
    expect(shop.kept('step_1/empty/whole')).toBe('w');
    expect(readlinkSync(join(shop.to, 'step_1/outside'))).toBe('/etc/passwd');
    expect(statSync(join(shop.to, 'step_1/a')).mode & 0o777).toBe(0o750);
    expect((await shelf.verify()).remarks).toEqual([]);
    expect(shelf.isKept(await shop.unit('step_1'))).toBe(true);
  });

  test('that gains a file while it is copied is not kept', async () => {
    let isFirst = true;
    const manners = withCalls((calls) => ({
      read: (fd, into, bytes, at) => {
        if (isFirst) writeFileSync(join(shop.from, 'step_1/late'), 'x');
        isFirst = false;
        return calls.read(fd, into, bytes, at);
      },
    }));
    shop.write('step_1/a', 'a');
    const shelf = await shop.open({}, manners);
    expect(await shop.put(shelf, 'step_1')).toBe('changed');
    expect(readdirSync(shop.to)).toEqual(['.trainyard']);
    expect(await shop.put(shelf, 'step_1')).toMatchObject({ name: 'step_1' });
  });

  test('that is written again shares what did not change with the version before', async () => {
    const shelf = await shop.open();
    for (let n = 0; n < 20; n++) shop.write(`last/same_${n}`, `content ${n}`);
    await shop.save(shelf, 'last/weights', 'one');
    const before = inode(join(shop.to, 'last/same_3'));
    shop.write('last/same_3', 'content 3');
    rmSync(join(shop.from, 'last/same_4'));
    await shop.save(shelf, 'last/weights', 'two');
    expect(inode(join(shop.to, 'last/same_3'))).toBe(before);
    expect(existsSync(join(shop.to, 'last/same_4'))).toBe(false);
    expect(shop.kept('last/weights')).toBe('two');
    expect(shop.hidden('previous/last/last/weights')).toBe('one');
    expect((await shelf.verify()).remarks).toEqual([]);
  });

  test('never writes into a file that is also a part of another version', async () => {
    const shelf = await shop.open();
    const content = Buffer.alloc(BLOCK + 9, 1);
    shop.write('last/frozen', content);
    await shop.save(shelf, 'last/weights', 'one');
    await shop.save(shelf, 'last/weights', 'two');
    expect(inode(join(shop.to, 'last/frozen'))).toBe(
      inode(join(shop.to, '.trainyard/previous/last/last/frozen')),
    );
    content.fill(2, 0, 5);
    shop.write('last/frozen', content);
    await shop.put(shelf, 'last');
    expect((await shelf.verify()).remarks).toEqual([]);
    rmSync(join(shop.to, 'last/weights'));
    expect((await shelf.newestWhole()).entry).toMatchObject({ name: 'last' });
    expect(shop.kept('last/weights')).toBe('two');
  });

  test('shares large files that are the same in another of its family', async () => {
    const shelf = await shop.open();
    for (const step of [1, 2]) {
      shop.write(`step_${step}/frozen`, Buffer.alloc(3 << 20, 7));
      await shop.save(shelf, `step_${step}/weights`, `${step}`);
    }
    expect(inode(join(shop.to, 'step_1/frozen'))).toBe(inode(join(shop.to, 'step_2/frozen')));
    expect(inode(join(shop.to, 'step_1/weights'))).not.toBe(inode(join(shop.to, 'step_2/weights')));
    await shelf.prune(1, null);
    expect((await shelf.verify()).remarks).toEqual([]);
  });

  test('copies what cannot have two names', async () => {
    const refused = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    };
    const manners = withCalls(() => ({ nameAlso: refused, exchange: () => false }));
    const shelf = await shop.open({}, manners);
    shop.write('last/same', 'same');
    shop.write('one.pt', 'one');
    await shop.save(shelf, 'last/weights', 'one');
    await shop.put(shelf, 'one.pt');
    await shop.save(shelf, 'last/weights', 'two');
    await shop.save(shelf, 'one.pt', 'two');
    expect([shop.kept('last/same'), shop.kept('last/weights'), shop.kept('one.pt')]).toEqual([
      'same',
      'two',
      'two',
    ]);
    expect(shop.hidden('previous/one.pt/one.pt')).toBe('one');
    expect(shop.hidden('previous/last/last/weights')).toBe('one');
    expect((await shelf.verify()).remarks).toEqual([]);
  });
});

test('a group of TensorFlow is one checkpoint', async () => {
  const shelf = await shop.open();
  for (const part of ['index', 'meta', 'data-00000-of-00001']) shop.write(`model.ckpt-5.${part}`, part);
  expect(await shop.put(shelf, 'model.ckpt-5')).toMatchObject({ step: 5 });
  expect(shop.kept('model.ckpt-5.index')).toBe('index');
  expect(shelf.entries()).toMatchObject([{ name: 'model.ckpt-5', kind: 'group', files: 3 }]);
});

test('pointers are kept and are no checkpoints', async () => {
  const shelf = await shop.open();
  await shop.save(shelf, 'step_1.pt', '1');
  symlinkSync(join(shop.from, 'step_1.pt'), join(shop.from, 'last.pt'));
  await shop.put(shelf, 'last.pt');
  expect(readlinkSync(join(shop.to, 'last.pt'))).toBe('step_1.pt');
  expect(shelf.entries().map(({ name }) => name)).toEqual(['step_1.pt']);
  await shop.save(shelf, 'step_2.pt', '2');
  rmSync(join(shop.from, 'last.pt'));
  symlinkSync('step_2.pt', join(shop.from, 'last.pt'));
  await shop.put(shelf, 'last.pt');
  expect(readlinkSync(join(shop.to, 'last.pt'))).toBe('step_2.pt');
  expect(existsSync(join(shop.to, '.trainyard/previous/last.pt'))).toBe(false);
});

test('names may hold line breaks and bytes that are not UTF-8', async () => {
  const odd = Buffer.concat([Buffer.from(`${shop.from}/step_1\n`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from('/w'), Buffer.from([0x80])]), 'weights');
  writeFileSync(Buffer.concat([Buffer.from(`${shop.from}/last`), Buffer.from([0xe4])]), 'one');
  const shelf = await shop.open();
  for (const round of [1, 2]) {
    for (const name of ['step_1\n\udcff\udcfe', 'last\udce4'])
      expect(await shop.put(shelf, name)).toMatchObject({ name });
    writeFileSync(Buffer.concat([Buffer.from(`${shop.from}/last`), Buffer.from([0xe4])]), `two ${round}`);
  }
  await shelf.close();
  const again = await shop.open();
  expect((await again.verify()).remarks).toEqual([]);
  const other = join(shop.root, 'other');
  expect(await again.restore('step_1\n\udcff\udcfe', other)).toMatchObject({ remarks: [] });
  expect(readdirSync(other, { encoding: 'buffer' }).map((name) => name.toString('hex'))).toEqual([
    Buffer.concat([Buffer.from('step_1\n'), Buffer.from([0xff, 0xfe])]).toString('hex'),
  ]);
  expect(await again.prune(null, -1)).toEqual(['step_1\n\udcff\udcfe']);
  expect(readdirSync(shop.to)).toHaveLength(2);
});

describe('what belongs to somebody else', () => {
  test('is neither listed nor touched', async () => {
    const shelf = await shop.open({ keepCount: 1 });
    writeFileSync(join(shop.to, 'step_0.pt'), 'theirs');
    mkdirSync(join(shop.to, 'notes'));
    for (const step of [1, 2, 3]) await shop.save(shelf, `step_${step}.pt`, `${step}`);
    expect(readdirSync(shop.to).sort()).toEqual(['.trainyard', 'notes', 'step_0.pt', 'step_3.pt']);
    expect(shelf.entries().map(({ name }) => name)).toEqual(['step_3.pt']);
  });

  test('and has the name of a checkpoint is moved aside, each time to another name', async () => {
    const shelf = await shop.open();
    for (const content of ['first', 'second']) {
      rmSync(join(shop.to, 'last.pt'), { force: true });
      writeFileSync(join(shop.to, 'last.pt'), `${content} of theirs`);
      await shop.save(shelf, 'last.pt', content);
    }
    expect(shop.kept('last.pt')).toBe('second');
    expect(shop.hidden('replaced/last.pt')).toBe('first of theirs');
    expect(shop.hidden('replaced/last.pt.2')).toBe('second of theirs');
  });

  test('and lies in a checkpoint that is removed stays there', async () => {
    const shelf = await shop.open({ keepCount: 1 });
    await shop.save(shelf, 'step_1/w', '1');
    writeFileSync(join(shop.to, 'step_1/notes'), 'theirs');
    await shop.save(shelf, 'step_2/w', '2');
    expect(readdirSync(join(shop.to, 'step_1'))).toEqual(['notes']);
  });

  test('also when a file of the shelf has another name elsewhere', async () => {
    const shelf = await shop.open();
    const content = Buffer.alloc(BLOCK + 1, 1);
    await shop.save(shelf, 'last.pt', content);
    linkSync(join(shop.to, 'last.pt'), join(shop.root, 'theirs'));
    for (const mark of [2, 3, 4]) {
      content.fill(mark, 0, 10);
      await shop.save(shelf, 'last.pt', content);
    }
    expect(lstatSync(join(shop.root, 'theirs')).size).toBe(BLOCK + 1);
    expect(statSync(join(shop.root, 'theirs')).nlink).toBe(1);
  });
});

describe('what may not be whole', () => {
  test('is set apart, known, and no checkpoint', async () => {
    const shelf = await shop.open();
    shop.write('step_1.pt', 'half');
    await shelf.putUnproven(await shop.unit('step_1.pt'), shop.from, '12.1');
    expect(shop.hidden('unproven/step_1.pt')).toBe('half');
    expect(shelf.isKept(await shop.unit('step_1.pt'))).toBe(true);
    expect(shelf.entries()).toMatchObject([{ name: 'step_1.pt', state: 'unproven', keptAt: null }]);
    expect((await shelf.newestWhole()).entry).toBeNull();
    await shelf.close();
    const again = await shop.open();
    expect(again.isKept(await shop.unit('step_1.pt'))).toBe(true);
    await shop.save(again, 'step_1.pt', 'whole');
    expect(again.entries()).toMatchObject([{ name: 'step_1.pt', state: 'kept' }]);
    expect(existsSync(join(shop.to, '.trainyard/unproven/step_1.pt'))).toBe(false);
  });

  test('is kept of only the last ones, and stays known when it is gone', async () => {
    const shelf = await shop.open();
    for (const step of [1, 2, 3, 4, 5]) {
      shop.write(`step_${step}/part`, `${step}`);
      await shelf.putUnproven(await shop.unit(`step_${step}`), shop.from, null);
    }
    expect(readdirSync(join(shop.to, '.trainyard/unproven')).sort()).toEqual(['step_3', 'step_4', 'step_5']);
    await shelf.close();
    rmSync(join(shop.to, '.trainyard/unproven'), { recursive: true });
    const again = await shop.open();
    expect(again.entries()).toEqual([]);
    for (const step of [1, 5]) expect(again.isKept(await shop.unit(`step_${step}`))).toBe(true);
  });
});

test('many things asked for at once come one after another', async () => {
  const shelf = await shop.open({ keepCount: 2 });
  for (const step of [1, 2, 3, 4]) shop.write(`step_${step}.pt`, `${step}`);
  await Promise.all([1, 2, 3, 4].map((step) => shop.put(shelf, `step_${step}.pt`)));
  expect(shelf.entries().map(({ name }) => name)).toEqual(['step_4.pt', 'step_3.pt']);
  expect((await shelf.verify()).remarks).toEqual([]);
});
