import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { peerOf } from '../platform/libc.ts';
import { createIdentity, userNames, usersByName } from './identity.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-identity-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Both ends of a unix socket, while the callback runs. */
async function withConnection(use: (accepted: Socket) => void): Promise<void> {
  const path = join(directory, 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');
  const client = connect(path);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  use(accepted);
  accepted.destroy();
  client.destroy();
  server.close();
}

describe('who calls', () => {
  const names = (uid: number) =>
    (({ 0: 'root', 7: 'alice', 8: 'mallory' }) as Record<number, string>)[uid] ?? `${uid}`;
  const identify = async (uid: number | null) => {
    let found: unknown;
    await withConnection((socket) => {
      const peerCredentials = () => (uid === null ? null : { uid, pid: 5 });
      found = createIdentity({ ownerUid: 7, peerCredentials, userName: names })(socket);
    });
    return found;
  };

  test('the owner and root are let in', async () => {
    expect(await identify(7)).toEqual({ ok: true, caller: { uid: 7, user: 'alice', pid: 5 } });
    expect(await identify(0)).toEqual({ ok: true, caller: { uid: 0, user: 'root', pid: 5 } });
  });

  test('nobody else is, and the sentence says whose yard it is', async () => {
    expect(await identify(8)).toMatchObject({
      ok: false,
      refusal: { code: 'notAllowed', message: 'this yard belongs to alice and you are mallory' },
    });
  });

  test('nor is somebody whom the kernel does not name', async () => {
    expect(await identify(null)).toMatchObject({ ok: false, refusal: { code: 'notAllowed' } });
    await withConnection((socket) => {
      const peerCredentials = () => {
        throw new Error('ENOTSOCK');
      };
      const identity = createIdentity({ ownerUid: 7, peerCredentials, userName: names });
      expect(identity(socket).ok).toBe(false);
    });
  });

  test('a connection is asked about once', async () => {
    await withConnection((socket) => {
      let asked = 0;
      const identity = createIdentity({
        ownerUid: 7,
        peerCredentials: () => {
          asked += 1;
          return { uid: 7, pid: 0 };
        },
        userName: names,
      });
      expect(identity(socket)).toBe(identity(socket));
      expect(asked).toBe(1);
      expect(identity(socket)).toMatchObject({ caller: { pid: null } });
    });
  });

  test('the kernel knows who runs this test', async () => {
    const uid = process.getuid?.() as number;
    await withConnection((socket) => {
      const identity = createIdentity({ ownerUid: uid, peerCredentials: peerOf, userName: userNames() });
      expect(identity(socket)).toEqual({
        ok: true,
        caller: { pid: process.pid, uid, user: userInfo().username },
      });
    });
  });
});

describe('names', () => {
  test('come from the file, which is read again for somebody new', () => {
    const file = join(directory, 'passwd');
    writeFileSync(file, 'alice:x:70001:70001::/home/alice:/bin/sh\nbroken\n:x:70002:\n+nis\n');
    const name = userNames(file);
    expect([name(70001), name(70002)]).toEqual(['alice', '70002']);
    writeFileSync(file, 'carol:x:70003:70003:::\n');
    expect([name(70001), name(70003)]).toEqual(['alice', 'carol']);
  });

  test('without a file people go by number', () => {
    expect(userNames(join(directory, 'missing'))(70001)).toBe('70001');
  });

  test('lead to numbers and groups, and numbers to names', () => {
    const passwd = join(directory, 'passwd');
    const group = join(directory, 'group');
    writeFileSync(passwd, 'alice:x:70001:70009:::\ntoor:x:70001:0:::\n');
    writeFileSync(group, 'crew:x:70009:\n');
    const user = usersByName(passwd, group);
    const alice = { name: 'alice', uid: 70001, gid: 70009, group: 'crew' };
    expect([user('alice'), user('70001'), user('nobody-here')]).toEqual([alice, alice, null]);
  });

  test('of users come with their groups, and somebody new is found too', () => {
    const passwd = join(directory, 'people');
    const group = join(directory, 'group');
    writeFileSync(passwd, 'alice:x:70001:70010::/:/bin/sh\nbob:x:70002:70011::/:/bin/sh\nbroken\n');
    writeFileSync(group, 'lab:x:70010:alice\n');
    const named = usersByName(passwd, group);
    expect(named('alice')).toEqual({ name: 'alice', uid: 70001, gid: 70010, group: 'lab' });
    expect(named('bob')).toEqual({ name: 'bob', uid: 70002, gid: 70011, group: '70011' });
    expect(named('carol')).toBeNull();
    writeFileSync(passwd, 'carol:x:70003:70010::/:/bin/sh\n');
    expect(named('carol')).toMatchObject({ uid: 70003, group: 'lab' });
    expect(usersByName(join(directory, 'missing'), group)('alice')).toBeNull();
  });
});
