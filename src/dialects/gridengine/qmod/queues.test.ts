import { describe, expect, it } from 'vitest';
import { aView } from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { running, waiting } from '../fake-jobs.ts';
import { ran, yardOf } from './fake-qmod.ts';

describe('qmod with queues', () => {
  const changed = (state: string) => `ada@box changed state of "cpu@vm" (${state})\n`;
  const already = (state: string) => `Queue instance "cpu@vm" is already in the specified state: ${state}\n`;

  it.each([
    ['-d', 'disabled', { disabled: true }, { disabled: false }],
    ['-e', 'enabled', { disabled: false }, { disabled: true }],
    ['-sq', 'suspended', { suspended: true }, { suspended: false }],
    ['-usq', 'unsuspended', { suspended: false }, { suspended: true }],
    ['-s', 'suspended', { suspended: true }, { suspended: false }],
    ['-us', 'unsuspended', { suspended: false }, { suspended: true }],
  ] as const)('%s', (flag, word, after, before) => {
    const yard = yardOf();
    yard.queues = [aQueueView('cpu', {}, before)];
    expect(ran(yard, `${flag} cpu`)).toEqual({ code: 0, stdout: changed(word), stderr: '' });
    expect(yard.commands).toEqual([{ type: 'setQueue', queue: 'cpu', by: 'ada', ...after }]);
    const same = yardOf();
    same.queues = [aQueueView('cpu', {}, after)];
    expect(ran(same, `${flag} cpu`)).toEqual({ code: 0, stdout: already(word), stderr: '' });
    expect(same.commands).toEqual([]);
    expect(ran(same, `-f ${flag} cpu`).stdout).toBe(`ada@box forced state change of "cpu@vm" (${word})\n`);
  });

  it('has no errors of queues to clear', () => {
    expect(ran(yardOf(), '-cq cpu').stdout).toBe(already('no error'));
    expect(ran(yardOf(), '-c cpu').stdout).toBe(already('no error'));
    expect(ran(yardOf(), '-f -cq cpu').stdout).toBe('ada@box forced state change of "cpu@vm" (no error)\n');
  });

  it.each(['cpu@vm', 'cpu@*', 'c*', 'cpu@@allhosts', '*p?@vm,nosuch'])('knows %s', (text) => {
    expect(ran(yardOf(), `-d ${text}`).stdout).toContain(changed('disabled'));
  });

  it.each(['nosuch', 'cpu@nosuch', 'x*', '@allhosts', '5'])('does not know %s', (text) => {
    expect(ran(yardOf(), `-d ${text}`)).toEqual({ code: 1, stdout: `invalid queue "${text}"\n`, stderr: '' });
  });

  it('goes on after a queue that is not there', () => {
    expect(ran(yardOf(), '-d nosuch,cpu gpu')).toEqual({
      code: 1,
      stdout: `invalid queue "nosuch"\n${changed('disabled')}ada@box changed state of "gpu@vm" (disabled)\n`,
      stderr: '',
    });
  });

  it('changes a queue on all its nodes, or not at all', () => {
    const yard = yardOf();
    yard.nodes = [aNodeView('n1'), aNodeView('n2')];
    expect(ran(yard, '-d cpu').stdout).toBe(
      'ada@box changed state of "cpu@n1" (disabled)\nada@box changed state of "cpu@n2" (disabled)\n',
    );
    expect(yard.commands).toHaveLength(1);
    expect(ran(yard, '-d cpu@n1')).toEqual({
      code: 1,
      stdout: 'denied: queue "cpu" is in one state on all its nodes: say "cpu" in place of "cpu@n1"\n',
      stderr: '',
    });
    expect(yard.commands).toHaveLength(1);
  });

  it('says when the config keeps a queue closed', () => {
    const yard = yardOf();
    yard.queues = [aQueueView('cpu', { open: false })];
    expect(ran(yard, '-e cpu').stderr).toBe(
      'qmod: warning: queue "cpu" is closed in trainyard.toml, and stays so\n',
    );
  });

  it('-rq starts all jobs in a queue again', () => {
    const there = (id: number, queue: string, user = 'ada') => {
      const view = running(id, { queue, user });
      const nodes = view.job.attempt!.placement.nodes.map((share) => ({ ...share, node: 'vm' }));
      return aView({ ...view.job, attempt: { ...view.job.attempt!, placement: { nodes } } });
    };
    const yard = yardOf(
      there(3, 'cpu'),
      there(4, 'gpu'),
      there(5, 'cpu', 'bob'),
      waiting(6, { queue: 'cpu' }),
    );
    expect(ran(yard, '-rq cpu', 'root').stdout).toBe(
      'Pushed rescheduling of job 3 on host vm\nPushed rescheduling of job 5 on host vm\n',
    );
    expect(ran(yard, '-r cpu')).toEqual({
      code: 1,
      stdout: 'Pushed rescheduling of job 3 on host vm\nada - you have no permission to modify job "5"\n',
      stderr: '',
    });
  });

  it('is for those who run the yard', () => {
    for (const flag of ['-d', '-e', '-sq', '-usq', '-cq', '-rq'])
      expect(ran(yardOf(), `${flag} cpu`, 'eve')).toEqual({
        code: 1,
        stdout: 'eve - you have no permission to modify queue "cpu@vm"\n',
        stderr: '',
      });
  });
});
