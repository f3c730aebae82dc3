import { describe, expect, it } from 'vitest';
import type { Reason, Shortage } from '../../model/reason.ts';
import { aView, undisturbed } from '../fake-yard.ts';
import { aNodeView, aQueueView } from './fake-hosts.ts';
import { held, inError, inWords, running, waiting } from './fake-jobs.ts';
import { jobFacts } from './job-facts.ts';
import { queueInstances } from './queue-instances.ts';
import { instanceMessages, jobMessages } from './scheduling-info.ts';

const INSTANCES = queueInstances([aQueueView('cpu'), aQueueView('gpu')], [aNodeView('n1')], []);

const texts = (view: ReturnType<typeof waiting>) =>
  jobMessages(undisturbed(jobFacts([view]))[0] as never, INSTANCES).map(({ text }) => text);

const because = (reason: Reason, words = {}) =>
  texts(aView(waiting(1, { queue: 'cpu', ...inWords(words) }).job, { reason }));

const short = (resource: Shortage['resource'], wanted: number, free: number): Reason => ({
  kind: 'resources',
  short: [{ resource, wanted, free, total: 8 }],
  waitsFor: [],
});

describe('why a job waits', () => {
  it('is what it is held by', () => {
    expect(texts(held(1))).toEqual(['Job is in hold state']);
    expect(texts(inError(1))).toEqual(['Job is in error state']);
    expect(texts(running(1))).toEqual([]);
  });

  it('is the yard’s reason in Grid Engine’s words', () => {
    expect(because({ kind: 'begin', at: 1 })).toEqual(['execution time not reached']);
    expect(because({ kind: 'throttle', allowed: 1 })).toEqual([
      "not all array tasks may be started due to 'max_aj_instances'",
    ]);
    const of = { kind: 'user', user: 'ada' } as const;
    expect(because({ kind: 'limit', limit: 'running', of, allowed: 1, used: 1 })).toEqual([
      'job dropped because of user limitations',
    ]);
    const ofQueue = { kind: 'queue', queue: 'cpu' } as const;
    expect(because({ kind: 'limit', limit: 'cpus', of: ofQueue, allowed: 4, used: 4 })).toEqual([
      'cannot run because it exceeds limit "cpu" in rule "cpus=4"',
    ]);
    expect(because({ kind: 'notLookedAt' })[0]).toMatch(/^Job Filter: this job got ignored/);
    expect(because({ kind: 'priority', behind: 1, ahead: 1 })).toEqual([
      'job waits for those that go before it',
    ]);
  });

  it('is what is missing', () => {
    expect(because(short('cpus', 4, 2))).toEqual([]);
    expect(because(short('cpus', 4, 2), { pe: 'smp', slotRange: '4' })).toEqual([
      'cannot run in PE "smp" because it only offers 2 slots',
    ]);
    expect(because(short('gpus', 2, 1), { resources: 'gpu=2' })).toEqual([
      '(-l gpu=2) cannot run globally because it offers only hc:gpu=1.000000',
    ]);
    expect(because(short('memory', 2 ** 34, 2 ** 30), { resources: 'h_vmem=16G' })).toEqual([
      '(-l h_vmem=16G) cannot run globally because it offers only hc:mem_free=1.000G',
    ]);
  });

  it('names the queues that it did not ask for', () => {
    expect(because(short('cpus', 1, 0), { queues: 'cpu' })).toEqual([
      'cannot run in queue "gpu" because it is not contained in its hard queue list (-q)',
    ]);
  });
});

it('queue instances say why they take nothing', () => {
  const queues = [
    aQueueView('closed', {}, { disabled: true }),
    aQueueView('open'),
    aQueueView('stopped', {}, { suspended: true }),
  ];
  const nodes = [
    aNodeView('full', {}, { cpusUsed: 4 }),
    aNodeView('lost', { state: 'lost' }),
    aNodeView('up'),
  ];
  const said = instanceMessages(queueInstances(queues, nodes, [])).map(({ text }) =>
    text.replace(/queue instance "(.*)" dropped because it is/, '$1:'),
  );
  expect(said).toEqual([
    'closed@full: disabled',
    'closed@lost: temporarily not available',
    'closed@up: disabled',
    'open@full: full',
    'open@lost: temporarily not available',
    'stopped@full: temporarily not available',
    'stopped@lost: temporarily not available',
    'stopped@up: temporarily not available',
  ]);
  const all = instanceMessages(queueInstances([aQueueView('q')], [aNodeView('n', {}, { cpusUsed: 4 })], []));
  expect(all.at(-1)?.text).toBe('All queues dropped because of overload or full');
});
