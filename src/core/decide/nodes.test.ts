import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard } from '../../../test/builders.ts';

describe('a node', () => {
  test('that is seen again unchanged is no news', () => {
    const yard = aYard();
    expect(yard.tell({ type: 'nodesSeen', nodes: [aNode('n1').node] }).changed).toBe(false);
  });

  test('that drains finishes what it has and gets nothing new', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell({ type: 'drainNode', node: 'n1', reason: 'new disk' });
    yard.submit(aJob());
    expect(yard.schedule().starts).toEqual([]);
    expect(yard.job(1).phase).toBe('active');
    expect(yard.tell({ type: 'drainNode', node: 'n1', reason: 'new disk' }).changed).toBe(false);
    yard.tell({ type: 'drainNode', node: 'n1', reason: 'new disk and fan' });
    expect(yard.state.nodes.get('n1')).toMatchObject({ state: 'draining', reason: 'new disk and fan' });
    yard.tell({ type: 'resumeNode', node: 'n1' });
    expect(yard.schedule().starts).toHaveLength(1);
  });

  test('that drains goes on draining when the engine names it again', () => {
    const yard = aYard();
    yard.tell({ type: 'drainNode', node: 'n1', reason: 'new disk' });
    yard.withNodes(aNode('n1').withCpus(16));
    expect(yard.state.nodes.get('n1')).toMatchObject({ cpus: 16, state: 'draining', reason: 'new disk' });
  });

  test('that is lost loses its attempts, and they run elsewhere', () => {
    const yard = aYard().withNodes(aNode('n1'), aNode('n2'));
    yard.run(aJob().wanting({ onlyNodes: ['n1'] }));
    yard.run(aJob().wanting({ nodes: 2 }));
    const third = yard.run(aJob().wanting({ onlyNodes: ['n2'] }));
    yard.tell({ type: 'nodeLost', node: 'n1', reason: 'no answer' });
    expect(yard.running()).toEqual([third]);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', attempt: { phase: 'lost', fault: 'no answer' } });
    expect(yard.job(2).phase).toBe('pending');
    expect(yard.schedule().starts).toEqual([]);
    expect(yard.refusalOf({ type: 'resumeNode', node: 'n1' }).message).toBe('node n1 is lost: no answer');
    yard.withNodes(aNode('n1'), aNode('n2'));
    yard.schedule();
    expect(yard.running()).toEqual([1, 2, third]);
  });

  test('that is taken away keeps what runs on it, takes nothing new, and is gone once that has ended', () => {
    const yard = aYard().withNodes(aNode('n1'), aNode('n2'));
    yard.run(aJob().wanting({ onlyNodes: ['n1'] }));
    yard.withNodes(aNode('n2'));
    expect(yard.job(1)).toMatchObject({ phase: 'active' });
    yard.submit(aJob().wanting({ onlyNodes: ['n1'] }));
    expect(yard.schedule().starts).toEqual([]);
    yard.tell({
      type: 'attemptEnded',
      attempt: '1.1',
      exit: { code: 0, signal: null, outOfMemory: false },
      usage: null,
      fault: null,
    });
    expect(yard.job(1)).toMatchObject({ outcome: 'completed' });
    expect([...yard.state.ledgers.keys()]).toEqual(['n2']);
  });

  test('that is empty goes at once, and one that comes back before it was empty is up again', () => {
    const yard = aYard().withNodes(aNode('n1'), aNode('n2'));
    yard.run(aJob().wanting({ onlyNodes: ['n1'] }));
    yard.withNodes(aNode('n1'));
    expect([...yard.state.nodes.keys()]).toEqual(['n1']);
    yard.withNodes(aNode('n2'));
    yard.withNodes(aNode('n1'), aNode('n2'));
    expect(yard.state.nodes.get('n1')?.state).toBe('up');
  });

  test('that came back smaller gets nothing until there is room again', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(4).withGpus(2));
    for (let job = 0; job < 2; job++) yard.submit(aJob().wanting({ cpus: 2, gpus: 1 }));
    yard.schedule();
    yard.shrunk.add('n1');
    yard.withNodes(aNode('n1').withCpus(3).withGpus(1));
    expect(yard.state.ledgers.get('n1')?.free).toMatchObject({ cpus: -1, devices: [0] });
    yard.submit(aJob());
    expect(yard.schedule().starts).toEqual([]);
    yard.ends(1);
    yard.shrunk.clear();
    expect(yard.schedule().starts).toHaveLength(1);
    yard.ends(2);
    yard.ends(3);
    expect(yard.state.ledgers.get('n1')?.free).toMatchObject({ cpus: 3, devices: [1000], attempts: 0 });
  });

  test('that grew has more to give', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.run(aJob());
    yard.submit(aJob());
    expect(yard.schedule().starts).toEqual([]);
    yard.withNodes(aNode('n1').withCpus(2));
    expect(yard.schedule().starts).toHaveLength(1);
  });

  test('that nobody knows is named, with those there are', () => {
    expect(aYard().refusalOf({ type: 'drainNode', node: 'n7', reason: '' })).toMatchObject({
      code: 'noSuchNode',
      choices: ['n1'],
    });
    expect(aYard().tell({ type: 'nodeLost', node: 'n7', reason: '' }).changed).toBe(false);
  });
});
