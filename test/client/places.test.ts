/** The quick client looks for yards in the same places as the full one; whom they trust is in trust.test.ts. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { yardPlaces } from '../../src/client/places.ts';
import { packageRoot } from '../../src/platform/install.ts';

const UID = process.geteuid?.() ?? 0;
const QUICK_CLIENT = readFileSync(join(packageRoot(), 'libexec', 'command.pl'), 'utf8');

describe('the rule', () => {
  const places = /^sub places \{.*?^\}/ms.exec(QUICK_CLIENT)?.[0] as string;

  test.each([
    {},
    { HOME: '/home/ada' },
    { HOME: 'ada' },
    { HOME: '/home/ada', XDG_STATE_HOME: '/state' },
    { HOME: '/home/ada', XDG_STATE_HOME: 'state' },
    { HOME: '/home/ada', XDG_STATE_HOME: '' },
    { XDG_STATE_HOME: '/state' },
    { HOME: '/home/ada', TRAINYARD_DIR: '/data/yard' },
    { HOME: '/home/ada', TRAINYARD_DIR: '' },
  ])('%j', (environment) => {
    const quick = execFileSync('/usr/bin/perl', ['-e', `${places} print join "\\n", places()`], {
      env: environment,
      encoding: 'utf8',
    });
    const full = yardPlaces({ environment, workDir: '/', uid: UID });
    expect(quick.split('\n')).toEqual(full.directories.map(({ path }) => path));
  });
});
