/** torchx, the launcher of PyTorch, with its scheduler for Slurm. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from '../end-to-end/slurm-yard.ts';
import { pythonTools, whyMissing } from './tools.ts';

const missing = whyMissing('tools');

describe.skipIf(missing !== null)(`torchx${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: SlurmYard;
  beforeAll(async () => {
    yard = await slurmYard('[node]\ncpus = 4\nmemory = "4G"\n');
  });
  afterAll(() => yard.close());

  const torchx = (line: string) => yard.good(`${pythonTools()}torchx ${line} 2>&1`);
  /** Hands an app in and gives its handle and the number of its job. */
  const launch = async (line: string) => {
    const handle = /^slurm:\/\/torchx\/(\d+)$/m.exec(await torchx(`run -s slurm utils.sh ${line}`));
    return { handle: handle?.[0] ?? '', id: handle?.[1] ?? '' };
  };

  test('an app runs, its status is known, and its log can be read', async () => {
    const { handle, id } = await launch('echo hello from torchx');
    expect(await yard.ended(id)).toBe('COMPLETED');
    expect(await torchx(`status ${handle}`)).toContain('State: SUCCEEDED');
    expect(await yard.untilFile(`slurm-${id}-sh-0.out`, '\n')).toBe('hello from torchx\n');
  });

  test('an app is cancelled, and listed as such', async () => {
    const { handle, id } = await launch('sleep 600');
    await yard.good(`until squeue -h -s -j ${id} | grep -q .; do sleep 0.1; done`);
    await torchx(`cancel ${handle}`);
    expect(await yard.ended(id)).toMatch(/^CANCELLED/);
    expect(await torchx('list -s slurm')).toMatch(new RegExp(`^${handle} +CANCELLED$`, 'm'));
  });

  test('an app that fails is tried again, by its own requeue', async () => {
    const { handle, id } = await launch(
      `--max_retries 2 -- sh -c 'echo "try $SLURM_RESTART_COUNT"; test -e tried && exit 0; touch tried; exit 9'`,
    );
    expect(await yard.untilFile(`slurm-${id}-sh-0.out`, 'try 1')).toContain('try 1\n');
    expect(await yard.ended(id)).toBe('COMPLETED');
    expect(await torchx(`status ${handle}`)).toContain('State: SUCCEEDED');
  });
});
