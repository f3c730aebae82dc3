import { describe, expect, it } from 'vitest';
import type { NodeView } from '../../model/query.ts';
import { A_MACHINE, aNodeView, aQueueView } from './fake-hosts.ts';
import { hostValues, instanceValues, memoryText, timeText, valueText } from './host-values.ts';
import { queueInstances } from './queue-instances.ts';

const text = (view: NodeView, wanted: string) => {
  const value = hostValues(view).find(({ name }) => name === wanted);
  return value === undefined ? null : valueText(value, 'plain');
};

describe('the values of a host', () => {
  it('are those of its machine', () => {
    const names = ['load_avg', 'load_short', 'arch', 'num_proc', 'mem_free', 'virtual_total', 'np_load_avg'];
    expect(names.map((name) => text(aNodeView('n1'), name))).toEqual([
      '0.500000',
      '1.500000',
      'lx-amd64',
      '4',
      '15.000G',
      '18.000G',
      '0.125000',
    ]);
    expect(
      ['m_topology', 'm_socket', 'm_core', 'm_thread'].map((name) => text(aNodeView('n1'), name)),
    ).toEqual(['SCTTCTT', '1', '2', '4']);
  });

  it('are its own where it is rehearsed', () => {
    const view = aNodeView('n1', { cpus: 2, cpuIds: [] }, { memoryUsedBytes: 2 ** 30 });
    expect(['num_proc', 'm_thread', 'mem_used', 'np_load_avg'].map((name) => text(view, name))).toEqual([
      '2',
      '2',
      '1.000G',
      '0.250000',
    ]);
  });

  it('leave out what nobody can know', () => {
    const lost = aNodeView('n1', { state: 'lost' });
    expect([text(lost, 'load_avg'), text(lost, 'mem_used'), text(lost, 'arch')]).toEqual([
      null,
      null,
      'lx-amd64',
    ]);
    const { machine: _, ...unseen } = aNodeView('n1');
    expect([text(unseen, 'arch'), text(unseen, 'swap_total'), text(unseen, 'num_proc')]).toEqual([
      null,
      null,
      '4',
    ]);
    const { swapBytes: _swap, ...noSwap } = A_MACHINE;
    expect(text(aNodeView('n1', {}, { machine: noSwap }), 'swap_total')).toBeNull();
  });

  it('count the GPUs that are free', () => {
    const device = (index: number) => ({ index, kind: 'a', memoryBytes: 1, simulated: false });
    const devices = [
      { index: 0, usedMillis: 1000, jobs: [1] },
      { index: 1, usedMillis: 0, jobs: [] },
    ];
    const view = aNodeView('n1', { devices: [device(0), device(1)] }, { devices });
    expect(hostValues(view).find(({ name }) => name === 'gpu')).toMatchObject({ value: 1, total: 2 });
  });
});

it('the values of a queue instance are those of its host and of its queue', () => {
  const [instance] = queueInstances([aQueueView('short', { maxLimitMs: 5_400_000 })], [aNodeView('n1')], []);
  const values = instanceValues(instance as never);
  const written = Object.fromEntries(values.map((value) => [value.name, valueText(value, 'plain')]));
  expect(written).toMatchObject({
    num_proc: '4',
    qname: 'short',
    hostname: 'n1',
    slots: '4',
    h_rt: '01:30:00',
    s_rt: 'infinity',
    rerun: '1.000000',
  });
});

describe('how they are written', () => {
  it.each([
    [0, '0.0'],
    [1023, '1023.0'],
    [362_178_150, '345.4M'],
    [25_232_932_864, '23.5G'],
  ])('%d bytes: %s', (bytes, written) => {
    expect(memoryText(bytes, 1)).toBe(written);
  });

  it('times and whole numbers', () => {
    expect([timeText(0), timeText(86_461)]).toEqual(['00:00:00', '24:01:01']);
    expect(valueText({ name: 'num_proc', dominance: 'hl', value: 2 }, 'withFraction')).toBe('2.000000');
  });
});
