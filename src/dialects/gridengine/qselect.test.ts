import { describe, expect, it } from 'vitest';
import { fakeYard, runDialect } from '../fake-yard.ts';
import { aNodeView, aQueueView } from './fake-hosts.ts';
import { qselect } from './qselect.ts';
import { gridEngineProgram } from './run.ts';

function ran(...argv: string[]) {
  const device = { index: 0, kind: 'a', memoryBytes: 1, simulated: false };
  const yard = fakeYard({
    nodes: [aNodeView('n1'), aNodeView('n2', { cpus: 8, devices: [device] })],
    queues: [aQueueView('cpu'), aQueueView('gpu', { nodes: ['n2'] }, { disabled: true })],
  });
  return runDialect(gridEngineProgram(qselect), yard, ['qselect', ...argv]);
}

describe('qselect', () => {
  it.each([
    [[], 'cpu@n1 cpu@n2 gpu@n2'],
    [['-q', 'g*'], 'gpu@n2'],
    [['-q', '*@n1'], 'cpu@n1'],
    [['-q', 'cpu@n2,gpu'], 'cpu@n2 gpu@n2'],
    [['-l', 'gpu=1'], 'cpu@n2 gpu@n2'],
    [['-l', 'num_proc=8', '-q', 'cpu'], 'cpu@n2'],
    [['-l', 'slots=5'], 'cpu@n2 gpu@n2'],
    [['-qs', 'd'], 'gpu@n2'],
    [['-pe', 'smp', '-U', 'ada'], 'cpu@n1 cpu@n2 gpu@n2'],
  ])('%j: %s', (argv, names) => {
    expect(ran(...argv)).toEqual({ code: 0, stdout: `${names.replaceAll(' ', '\n')}\n`, stderr: '' });
  });

  it.each([
    ['-q', 'nosuch'],
    ['-l', 'arch=nope'],
    ['-l', 'nosuch=1'],
    ['-qs', 'E'],
  ])('%s %s means none, without a word', (...argv) => {
    expect(ran(...argv)).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  it('refuses in the words of the original', () => {
    expect(ran('-pe', 'nosuch')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: no such parallel environment\n',
    });
    expect(ran('-qs', 'x').stderr).toBe(
      'error: unknown queue state: x found in string: x\nunknown queue state: x found in string: x\n',
    );
    expect(ran('-q').stderr).toBe('-q option must have argument\n');
    expect(ran('-s', 'r').stderr).toMatch(
      /^SGE 8\.1\.9\nusage: qselect [\s\S]*\ninvalid option argument "-s"\n$/,
    );
    expect(ran('cpu').stderr).toMatch(/\ninvalid option argument "cpu"\n$/);
  });

  it('helps', () => {
    expect(ran('-help')).toMatchObject({ code: 0, stderr: '' });
    expect(ran('-help').stdout).toMatch(/^SGE 8\.1\.9\nusage: qselect /);
  });
});
