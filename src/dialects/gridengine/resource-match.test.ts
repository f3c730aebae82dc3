import { describe, expect, it } from 'vitest';
import { aNodeView, aQueueView } from './fake-hosts.ts';
import { instanceValues } from './host-values.ts';
import { queueInstances } from './queue-instances.ts';
import { meetsWishes, readWishes } from './resource-match.ts';

const [INSTANCE] = queueInstances([aQueueView('cpu')], [aNodeView('n1', {}, { cpusUsed: 3 })], []);

function meets(text: string): boolean | string {
  const read = readWishes(text);
  return read.ok ? meetsWishes(instanceValues(INSTANCE as never), read.wishes) : read.complaint;
}

describe('resources that are asked for', () => {
  it.each([
    ['arch=lx-amd64', true],
    ['a=lx*|sol*', true],
    ['arch=nope', false],
    ['arch', false],
    ['num_proc=4', true],
    ['num_proc=2', false],
    ['mem_total=16G,p=4', true],
    ['mem_total=17G', false],
    ['slots=4', true],
    ['slots=5', false],
    ['gpu=1', false],
    ['gpu=0', true],
    ['hostname=N1', true],
    ['h=n[2-3]', false],
    ['qname=c*', true],
    ['h_rt=1:0:0', true],
    ['', true],
  ])('%s: %j', (text, expected) => {
    expect(meets(text)).toBe(expected);
  });

  it.each([
    ['foo=1', 'unknown resource "foo"'],
    ['num_proc=abc', 'attribute "num_proc" is not a integer value'],
    ['mt=x', 'attribute "mem_total" is not a memory value'],
    ['h_rt=x', 'attribute "h_rt" is not a time value'],
    ['rerun=x', 'attribute "rerun" is not a boolean value'],
  ])('%s: %s', (text, complaint) => {
    expect(meets(text)).toBe(complaint);
  });
});
