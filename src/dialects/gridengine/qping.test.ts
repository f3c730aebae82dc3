import { describe, expect, it } from 'vitest';
import { CALLER_GONE, fakeYard, runDialect } from '../fake-yard.ts';
import { aNodeView } from './fake-hosts.ts';
import { qping } from './qping.ts';
import { gridEngineProgram } from './run.ts';

function run(...argv: readonly string[]) {
  const yard = fakeYard({ nodes: [aNodeView('n1')] });
  return runDialect(gridEngineProgram(qping), yard, ['qping', ...argv]);
}

describe('qping', () => {
  it('says since when the yard runs, in full and once', () => {
    expect(run('-info', 'box', '6444', 'qmaster', '1')).toEqual({
      code: 0,
      stdout: [
        '03/10/2026 14:20:00:',
        'SIRM version:             0.1',
        'SIRM message id:          1',
        'start time:               03/10/2026 12:20:00 (1773145200)',
        'run time [s]:             7200',
        'messages in read buffer:  0',
        'messages in write buffer: 0',
        'no. of connected clients: 1',
        'status:                   0',
        'info:                     trainyard 0.1.0, pid 4321: R (7200.00) | OK',
        'Monitor:                  disabled',
        '',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('says again and again that it is up', () => {
    expect(run('n1', '6444', 'qmaster', '1')).toEqual({
      code: CALLER_GONE,
      stdout: '03/10/2026 14:20:00 endpoint n1/qmaster/1 at port 6444 is up for 7200 seconds\n',
      stderr: '',
    });
    expect(run('-f', 'n1', '6444', 'execd', '1').stdout).toContain('status:                   0\n');
  });

  it('warns once about what has no meaning', () => {
    const { stderr, code } = run('-tcp', '-noalias', '-info', 'localhost', '1', 'qmaster', '1');
    expect([stderr, code]).toEqual(['qping: warning: -noalias, -tcp ignored: a yard has one socket\n', 0]);
  });

  it('does not find what is not there', () => {
    expect(run('-info', 'nohost', '6444', 'qmaster', '1')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'could not resolve hostname nohost\n',
    });
    expect(run('-info', 'n1', '6444', 'nope', '1')).toEqual({
      code: 1,
      stdout: "endpoint n1/nope/1 at port 6444: can't find connection\n",
      stderr: 'access denied: local endpoint "n1/qmaster/1" doesn\'t match requested endpoint "n1/nope/1"\n',
    });
    expect(run('n1', '6444', 'qmaster', 'x')).toMatchObject({
      code: 1,
      stderr: 'please enter a component id larger than 0\n',
    });
  });

  it.each([[[]], [['-zz']], [['-info', 'n1', '6444', 'qmaster']]])('refuses %j', (argv) => {
    const { code, stderr } = run(...argv);
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'SGE 8.1.9']);
  });

  it('helps', () => {
    expect(run('-help')).toMatchObject({ code: 0, stderr: '' });
  });
});
