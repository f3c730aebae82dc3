/** `trainyard checkpoints` on a real yard: of a job that kept some, all that can be done with them. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ShellYard, shellYard } from './shell-yard.ts';

let yard: ShellYard;
beforeAll(async () => {
  yard = await shellYard('');
});
afterAll(() => yard.close());

const WRITES = 'for i in 1 2 3; do echo $i > "$TRAINYARD_CHECKPOINTS/step-$i.pt"; done';

test('what is kept is listed, verified, restored and pruned', async () => {
  mkdirSync(join(yard.workDir, 'run'), { recursive: true });
  writeFileSync(
    join(yard.workDir, 'run/train.sh'),
    `#!/bin/sh\n#YARD checkpoints=$SCRATCH/out persist=kept keep=2\n${WRITES}\n`,
  );
  const job = (await yard.good('cd run && sbatch --parsable --wait train.sh')).trim();
  const names = (await yard.good(`trainyard checkpoints -q ${job}`)).trim().split('\n');
  expect(names).toEqual(['step-3.pt', 'step-2.pt']);
  const shown = JSON.parse(await yard.good(`trainyard show --json ${job}`));
  expect(shown).toMatchObject({ checkpoint: { name: 'step-3.pt', step: 3 } });
  expect(await yard.good(`trainyard checkpoints verify ${job}`)).toContain('all is well');
  await yard.good(`trainyard checkpoints restore ${job} --to look`);
  expect(await yard.good('cat look/step-3.pt')).toBe('3\n');
  expect(await yard.good(`trainyard checkpoints prune ${job} --keep 1`)).toContain('removed step-2.pt');
  expect(await yard.good('ls run/kept')).toBe('step-3.pt\n');
  await yard.good('printf X > run/kept/step-3.pt');
  await expect(yard.bash(`trainyard checkpoints verify ${job}`)).resolves.toMatchObject({ code: 1 });
});
