import { describe, expect, it } from 'vitest';
import type { Job } from '../../model/job.ts';
import { anAttempt, aView, runningJob, undisturbed } from '../fake-yard.ts';
import { aNodeView, aQueueView } from './fake-hosts.ts';
import { jobFacts } from './job-facts.ts';
import { queueInstances } from './queue-instances.ts';

const share = (node: string, cpus: number) => ({
  node,
  ranks: cpus,
  cpus,
  cpuIds: [],
  memoryBytes: 0,
  devices: [],
});

function running(queue: string, ...nodes: ReturnType<typeof share>[]): Job {
  return { ...runningJob(1, { queue }), attempt: anAttempt({ placement: { nodes } }) };
}

function seen(...args: Parameters<typeof queueInstances>): readonly string[] {
  return queueInstances(...args).map(
    ({ name, used, free, slots, states }) => `${name} ${used} ${free} ${slots} ${states}`,
  );
}

describe('queue instances', () => {
  it('are each queue on each of its nodes, in order', () => {
    const queues = [aQueueView('gpu', { nodes: ['n2'] }), aQueueView('cpu')];
    expect(seen(queues, [aNodeView('n2'), aNodeView('n1')], [])).toEqual([
      'cpu@n1 0 4 4 ',
      'cpu@n2 0 4 4 ',
      'gpu@n2 0 4 4 ',
    ]);
  });

  it('count their own jobs as used, and have only what others leave them', () => {
    const facts = undisturbed(jobFacts([aView(running('cpu', share('n1', 1), share('n2', 3)))]));
    const nodes = [aNodeView('n1', {}, { cpusUsed: 1 }), aNodeView('n2', {}, { cpusUsed: 3 })];
    expect(seen([aQueueView('cpu'), aQueueView('gpu')], nodes, facts)).toEqual([
      'cpu@n1 1 3 4 ',
      'cpu@n2 3 1 4 ',
      'gpu@n1 0 3 4 ',
      'gpu@n2 0 1 4 ',
    ]);
  });

  it('say in letters why nothing starts in them', () => {
    const queues = [
      aQueueView('closed', { open: false }),
      aQueueView('off', {}, { disabled: true }),
      aQueueView('stopped', {}, { suspended: true, disabled: true }),
    ];
    const states = (state: 'up' | 'draining' | 'lost') =>
      queueInstances(queues, [aNodeView('n1', { state })], []).map((instance) => instance.states);
    expect(states('up')).toEqual(['d', 'd', 'ds']);
    expect(states('lost')).toEqual(['du', 'du', 'dsu']);
    expect(queueInstances([aQueueView('q')], [aNodeView('n1', { state: 'draining' })], [])[0]?.states).toBe(
      'd',
    );
  });

  it('stay in sight while something runs in them, whatever the config says', () => {
    const facts = undisturbed(jobFacts([aView(running('gone', share('n1', 2), share('n9', 1)))]));
    expect(seen([aQueueView('q')], [aNodeView('n1')], facts)).toEqual([
      'gone@n1 2 0 4 o',
      'gone@n9 1 0 1 uo',
      'q@n1 0 4 4 ',
    ]);
  });
});
