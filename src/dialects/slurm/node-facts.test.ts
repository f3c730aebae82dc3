import { describe, expect, test } from 'vitest';
import type { Node } from '../../model/node.ts';
import { PLAIN_QUEUE_STATE } from '../../model/plain.ts';
import type { NodeView } from '../../model/query.ts';
import { aQueue } from '../fake-yard.ts';
import { gresText, nodeFacts, nodeStateText } from './node-facts.ts';

const NODE: Node = {
  name: 'n1',
  cpus: 2,
  cpuIds: [],
  memoryBytes: 4000 * 1024 ** 2,
  devices: [],
  features: [],
  state: 'up',
  reason: null,
};

function stateText(node: Partial<Node>, view: Partial<NodeView> = {}): string {
  const whole = {
    node: { ...NODE, ...node },
    cpusUsed: 0,
    memoryUsedBytes: 0,
    devices: [],
    jobs: [],
    ...view,
  };
  return nodeStateText(nodeFacts(whole, []));
}

describe('the state of a node', () => {
  test('says how much of it is taken', () => {
    expect(stateText({})).toBe('IDLE');
    expect(stateText({}, { cpusUsed: 1, jobs: [1] })).toBe('MIXED');
    expect(stateText({}, { cpusUsed: 2, jobs: [1, 2] })).toBe('ALLOCATED');
  });

  test('says why it takes nothing more', () => {
    expect(stateText({ state: 'draining' })).toBe('IDLE+DRAIN');
    expect(stateText({ state: 'draining' }, { cpusUsed: 2, jobs: [1] })).toBe('ALLOCATED+DRAIN');
    expect(stateText({ state: 'lost' }, { cpusUsed: 2, jobs: [1] })).toBe('DOWN+NOT_RESPONDING');
  });
});

test('a node is in the partitions that name it, and in those of every node', () => {
  const queues = [
    { queue: aQueue({ name: 'all', nodes: null }), state: PLAIN_QUEUE_STATE, waiting: 0, running: 0 },
    { queue: aQueue({ name: 'other', nodes: ['n2'] }), state: PLAIN_QUEUE_STATE, waiting: 0, running: 0 },
    { queue: aQueue({ name: 'own', nodes: ['n1'] }), state: PLAIN_QUEUE_STATE, waiting: 0, running: 0 },
  ];
  const view = { node: NODE, cpusUsed: 0, memoryUsedBytes: 0, devices: [], jobs: [] };
  expect(nodeFacts(view, queues).partitions).toEqual(['all', 'own']);
});

test('GPUs are counted by kind, where they have one', () => {
  expect(gresText([])).toBeNull();
  expect(gresText([{ kind: 'simulated' }, { kind: 'simulated' }])).toBe('gpu:2');
  expect(gresText([{ kind: 'a100' }, { kind: 'v100' }, { kind: 'a100' }])).toBe('gpu:a100:2,gpu:v100:1');
});
