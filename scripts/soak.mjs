/** `npm run soak -- --jobs 320000`: the soak of the crash suite, with as many jobs as somebody wants. */

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { inRoot, root } from './setup/paths.mjs';

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '100000' } } });
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1000 || jobs % 1000 !== 0) {
  process.stderr.write(`soak: --jobs ${values.jobs}: a multiple of 1000 is wanted\n`);
  process.exit(2);
}
const words = ['run', '--config', 'vitest.crash.config.ts', 'test/crash/soak.test.ts', '--testTimeout=0'];
const { status } = spawnSync(inRoot('node_modules', '.bin', 'vitest'), words, {
  cwd: root,
  env: { ...process.env, SOAK_JOBS: `${jobs}` },
  stdio: 'inherit',
});
process.exit(status ?? 1);
