/** A small real workflow by snakemake's executor for Grid Engine. It looks after its jobs every half minute at first. */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from '../end-to-end/grid-engine-yard.ts';
import { digits, program, pythonTools, whyMissing } from './tools.ts';

const missing = whyMissing('tools');

describe.skipIf(missing !== null)(
  `snakemake for Grid Engine${missing === null ? '' : `: ${missing}`}`,
  () => {
    let yard: GridEngineYard;
    beforeAll(async () => {
      yard = await gridEngineYard('[node]\ncpus = 4\nmemory = "4G"\n');
    });
    afterAll(() => yard.close());

    const snakemake = (target: string) => {
      mkdirSync(join(yard.workDir, target));
      return yard.bash(
        `${pythonTools()}cd ${target} && snakemake --snakefile ${program('workflow', 'Snakefile')} --executor sge --jobs 4 \
          --config digits=${digits} --sge-queue cpu --sge-init-seconds-before-status-checks 1 \
          --seconds-between-status-checks 1 --latency-wait 1 ${target} 2>&1`,
      );
    };

    test('trainings as tasks of arrays and what is made of them; a rule that fails is seen to fail', async () => {
      const [best, broken] = await Promise.all([snakemake('best'), snakemake('broken')]);

      expect(best.code, best.stdout).toBe(0);
      expect(best.stdout).toContain('4 of 4 steps (100%) done');
      expect(readFileSync(join(yard.workDir, 'best', 'best.txt'), 'utf8')).toMatch(/^\d+ units\n$/);
      const accounts = await yard.good("qacct -j 'train_*'");
      expect(accounts.match(/^taskid +\d+ *$/gm)).toHaveLength(3);
      expect(accounts.match(/^exit_status +0 *$/gm)).toHaveLength(3);

      expect(broken.code, broken.stdout).toBe(1);
      expect(broken.stdout).toMatch(/SGE job '\d+(\.\d+)?' failed \(confirmed on 2 consecutive polls\)/);
    });
  },
);
