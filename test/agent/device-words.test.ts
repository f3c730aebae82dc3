/** What those who run something themselves are told about the devices of their place. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HereRank, RunHere } from '../../src/model/run-here.ts';
import { identityOf } from '../../src/platform/processes.ts';
import { nodeOf } from './builders.ts';
import { runOf, stepOf } from './caller.ts';
import { openYard, type TestYard } from './yard.ts';

const devices = [0, 1].map((index) => ({
  index,
  kind: 'a100-mig-1g.5gb',
  memoryBytes: 2 ** 32,
  simulated: false,
  visibleAs: `MIG-${index}`,
}));

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard({ nodes: [nodeOf({ devices })] });
});
afterEach(() => yard.close());

const SHARE = { index: 1, millis: 400 };
const hold = (environment = '') =>
  yard.start({
    program: { spread: 'caller', caller: identityOf(process.pid) },
    nodes: [{ devices: [SHARE] }],
    environment,
  });
const planned = (changes: Partial<RunHere> = {}, rank: Partial<HereRank> = {}) => {
  const run = runOf(yard.workDir, { each: 'true', ...changes });
  const ranks = run.ranks.map((each) => ({ ...each, ...rank }));
  return yard.engine.planRun({ ...run, ranks });
};

test('whoever has the whole place is told as a job would be', () => {
  hold();
  const [variables] = planned().variables;
  expect(Object.fromEntries(variables ?? [])).toMatchObject({
    CUDA_VISIBLE_DEVICES: 'MIG-1',
    CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
    TF_FORCE_GPU_ALLOW_GROWTH: 'true',
    XLA_PYTHON_CLIENT_PREALLOCATE: 'false',
  });
});

test('unless it brought along what it wants', () => {
  hold('XLA_PYTHON_CLIENT_PREALLOCATE=true\0');
  expect(planned().variables[0]?.has('XLA_PYTHON_CLIENT_PREALLOCATE')).toBe(false);
  expect(planned().variables[0]?.has('TF_FORCE_GPU_ALLOW_GROWTH')).toBe(true);
});

test('what a dialect says by numbers is said by the names that are needed', () => {
  hold();
  const variables = { CUDA_VISIBLE_DEVICES: '1', SLURM_STEP_GPUS: '1' };
  const { run } = planned({}, { variables });
  expect(run.ranks[0]?.variables).toEqual({ CUDA_VISIBLE_DEVICES: 'MIG-1', SLURM_STEP_GPUS: '1' });
});

test('a step inside a job keeps what its job has said since', () => {
  const made = hold();
  const placement = { nodes: [{ ...made.attempt.placement.nodes[0]!, devices: [SHARE] }] };
  yard.effect({ type: 'watchStep', ...made, step: stepOf({ placement }) });
  const [variables] = planned({ step: 0, holdsJob: false }).variables;
  expect(variables?.get('CUDA_VISIBLE_DEVICES')).toBe('MIG-1');
  expect(variables?.has('XLA_PYTHON_CLIENT_PREALLOCATE')).toBe(false);
});
