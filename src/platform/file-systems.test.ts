import { expect, test } from 'vitest';
import { fileSystemKind, kindOfMagic } from './file-systems.ts';

test('network file systems are known by their numbers, also when those come signed', () => {
  expect(kindOfMagic(0x6969)).toEqual({ where: 'network', name: 'nfs' });
  expect(kindOfMagic(0xff534d42 | 0)).toEqual({ where: 'network', name: 'cifs' });
  expect(kindOfMagic(0x0bd00bd0).name).toBe('lustre');
});

test('FUSE may be anything, and a number nobody knows is a local disk', () => {
  expect(kindOfMagic(0x65735546)).toEqual({ where: 'unknown', name: 'fuse' });
  expect(kindOfMagic(0x1234).where).toBe('local');
});

test('the one we are on has a kind, and a missing path has none', () => {
  expect(fileSystemKind('/proc').where).toBe('local');
  expect(() => fileSystemKind('/no/such/path')).toThrow();
});
