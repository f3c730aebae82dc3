/** What kind of file system a path is on, since locks and memory maps mean less on some than on others. */

import { statfsSync } from 'node:fs';

export interface FileSystemKind {
  /** `unknown`: it may be either, as with FUSE. */
  readonly where: 'local' | 'network' | 'unknown';
  readonly name: string;
}

/** By the magic number that statfs gives. Anything not named here is a local disk of some kind. */
const KINDS: ReadonlyMap<number, FileSystemKind> = new Map([
  [0x6969, network('nfs')],
  [0xff534d42, network('cifs')],
  [0xfe534d42, network('smb')],
  [0x517b, network('smb')],
  [0x0bd00bd0, network('lustre')],
  [0x47504653, network('gpfs')],
  [0x19830326, network('beegfs')],
  [0x5346414f, network('afs')],
  [0x6b414653, network('afs')],
  [0x01021997, network('9p')],
  [0x00c36400, network('ceph')],
  [0x47fe0000, network('orangefs')],
  [0x7461636f, network('ocfs2')],
  [0x01161970, network('gfs2')],
  [0x65735546, { where: 'unknown', name: 'fuse' }],
  [0xef53, local('ext4')],
  [0x58465342, local('xfs')],
  [0x9123683e, local('btrfs')],
  [0x2fc12fc1, local('zfs')],
  [0x01021994, local('tmpfs')],
  [0x794c7630, local('overlay')],
  [0xf2f52010, local('f2fs')],
]);

/** Throws when the path does not exist. */
export function fileSystemKind(path: string): FileSystemKind {
  return kindOfMagic(statfsSync(path).type);
}

export function kindOfMagic(magic: number): FileSystemKind {
  // The kernel gives a signed 32-bit number on some machines.
  return KINDS.get(magic >>> 0) ?? local('local');
}

function network(name: string): FileSystemKind {
  return { where: 'network', name };
}

function local(name: string): FileSystemKind {
  return { where: 'local', name };
}
