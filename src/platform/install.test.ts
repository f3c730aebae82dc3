import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isForThisMachine, packageRoot, unsupportedPlatform } from './install.ts';

test('the root of the package is where its shim is', () => {
  expect(existsSync(join(packageRoot(), 'libexec', 'shim.sh'))).toBe(true);
});

test('a machine that cannot run it is told so in a sentence', () => {
  expect(unsupportedPlatform('linux', 'x64')).toBeNull();
  expect(unsupportedPlatform('linux', 'arm64')).toBeNull();
  expect(unsupportedPlatform('darwin', 'arm64')).toContain('Linux only');
  expect(unsupportedPlatform('linux', 'ia32')).toContain('ia32');
});

test('a program for another processor, a script and nothing at all are not for this machine', () => {
  expect(isForThisMachine(process.execPath)).toBe(true);
  expect(isForThisMachine(process.execPath, process.arch === 'x64' ? 'arm64' : 'x64')).toBe(false);
  expect(isForThisMachine('/nonexistent')).toBe(false);
  const directory = mkdtempSync(join(tmpdir(), 'yard-install-'));
  const script = join(directory, 'script');
  writeFileSync(script, '#!/bin/sh\necho a script that is longer than a head\n');
  expect(isForThisMachine(script)).toBe(false);
  writeFileSync(script, '');
  expect(isForThisMachine(script)).toBe(false);
  rmSync(directory, { recursive: true });
});
