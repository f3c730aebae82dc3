import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard } from '../../../test/builders.ts';
import type { Command } from '../../model/command.ts';
import type { Start } from '../schedule/pass.ts';

const placing = ({ job, index, placement }: Start): Command => ({
  type: 'place',
  job,
  index,
  placement,
});

describe('a plan that has gone stale', () => {
  test('starts nothing twice', () => {
    const yard = aYard();
    yard.submit(aJob());
    const [start] = yard.plan().starts as [Start];
    expect(yard.tell(placing(start)).changed).toBe(true);
    expect(yard.tell(placing(start)).changed).toBe(false);
  });

  test('starts no element twice', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-3'));
    const [start] = yard.plan().starts as [Start];
    expect(yard.tell(placing(start)).changed).toBe(true);
    expect(yard.tell(placing(start)).changed).toBe(false);
    expect(yard.tell(placing({ ...start, index: null })).changed).toBe(false);
  });

  test.each<[string, Command]>([
    ['was held', { type: 'hold', target: { job: 1, index: null }, by: 'ann' }],
    ['was cancelled', { type: 'cancel', target: { job: 1, index: null }, by: 'ann' }],
    ['lost its node', { type: 'nodeLost', node: 'n1', reason: '' }],
    ['has a node that drains', { type: 'drainNode', node: 'n1', reason: '' }],
    ['has a node that is gone', { type: 'nodesSeen', nodes: [aNode('n2').node] }],
    ['has a node without its device', { type: 'nodesSeen', nodes: [aNode('n1').node] }],
    [
      'has a node with too few CPUs',
      { type: 'nodesSeen', nodes: [aNode('n1').withCpus(1).withGpus(1).node] },
    ],
    [
      'has a node with too little memory',
      { type: 'nodesSeen', nodes: [aNode('n1').withMemory(1).withGpus(1).node] },
    ],
  ])('does not start what %s meanwhile', (_what, command) => {
    const yard = aYard().withNodes(aNode('n1').withGpus(1));
    yard.submit(aJob().wanting({ cpus: 2, gpus: 1, memoryBytes: 10 }));
    const [start] = yard.plan().starts as [Start];
    yard.tell(command);
    expect(yard.tell(placing(start)).changed).toBe(false);
  });

  test('does not give away what another has taken', () => {
    const yard = aYard().withNodes(aNode('n1').withNumberedCpus(4, 5).withGpus(1));
    yard.submit(aJob().wanting({ gpus: 1, gpuShare: 600 }));
    const [first] = yard.plan().starts as [Start];
    yard.submit(aJob().wanting({ gpus: 1, gpuShare: 600 }));
    yard.tell(placing(first));
    expect(yard.tell(placing({ ...first, job: 2 })).changed).toBe(false);
    expect(yard.job(1).attempt?.placement.nodes[0]?.cpuIds).toEqual([4]);
  });

  test('preempts nobody who has ended or is leaving', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.tell({ type: 'preempt', job: 1, forJob: 2 }).changed).toBe(false);
    yard.ends(1);
    expect(yard.tell({ type: 'preempt', job: 1, forJob: 2 }).changed).toBe(false);
    expect(yard.tell({ type: 'preempt', job: 9, forJob: 2 }).changed).toBe(false);
  });
});
