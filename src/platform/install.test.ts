import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot, unsupportedPlatform } from './install.ts';

test('the root of the package is where its shim is', () => {
  expect(existsSync(join(packageRoot(), 'libexec', 'shim.sh'))).toBe(true);
});

test('a machine that cannot run it is told so in a sentence', () => {
  expect(unsupportedPlatform('linux', 'x64')).toBeNull();
  expect(unsupportedPlatform('linux', 'arm64')).toBeNull();
  expect(unsupportedPlatform('darwin', 'arm64')).toContain('Linux only');
  expect(unsupportedPlatform('linux', 'ia32')).toContain('ia32');
});
