/** What one short command costs its user, against the start of Node and of a shell. In turns, many times. */

import { spawnSync } from 'node:child_process';
import { median, milliseconds, ratio } from '../tools/figures.mjs';
import { command, withYard } from '../tools/yard.mjs';

const REPETITIONS = 100;

export async function measureCommand() {
  return withYard(2, async (yard) => {
    // It would slow Node's start on machines that set it, and that is not what is compared here.
    const { NODE_EXTRA_CA_CERTS: _, ...env } = yard.env;
    const contenders = {
      queue: [command, ['queue']],
      node: [process.execPath, ['-e', '0']],
      sh: ['/bin/sh', ['-c', ':']],
    };
    const times = { queue: [], node: [], sh: [] };
    for (let i = 0; i < REPETITIONS; i++) {
      for (const [name, [file, args]] of Object.entries(contenders))
        times[name].push(timeRun(file, args, env));
    }
    const row = (name, what) => ({
      what: 'trainyard queue, start to end',
      figure: milliseconds(median(times.queue)),
      against: `${what}: ${milliseconds(median(times[name]))}`,
      ratio: ratio(median(times.queue) / median(times[name])),
    });
    return [row('node', 'node -e 0'), row('sh', 'sh -c :')];
  });
}

function timeRun(file, args, env) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const took = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${stderr}`);
  return took;
}
