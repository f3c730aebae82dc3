/** What the original printed when jobs were deleted and queues disabled, on a yard that has the same jobs. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JobView } from '../../model/query.ts';
import { rangeOf } from '../../model/ranges.ts';
import { refusal } from '../../model/refusal.ts';
import { aView, endedJob, fakeYard, type Ran, runDialect } from '../fake-yard.ts';
import { aNodeView, aQueueView } from './fake-hosts.ts';
import { arrayOf, held, running } from './fake-jobs.ts';
import { qdel } from './qdel/qdel.ts';
import { qmod } from './qmod/qmod.ts';
import { gridEngineProgram } from './run.ts';

const CAPTURES = new URL('../../../test/golden/gridengine/captures/', import.meta.url);

function captured(name: string): Ran & { readonly line: string } {
  const text = readFileSync(new URL(`sge-${name}.txt`, CAPTURES), 'utf8');
  const [, line = '', stdout = '', stderr = '', code = ''] =
    /^\$ (.*)\n([\s\S]*?)(?:--- stderr\n([\s\S]*?))?--- exit (\d+)\n$/.exec(text) ?? [];
  return { line, stdout, stderr, code: Number(code) };
}

const mine = { user: 'root' };
const VIEWS: readonly JobView[] = [
  ...arrayOf(4, rangeOf(1, 3), { 1: running(14, mine) }, mine),
  held(6, { ...mine, name: 'held' }),
  running(10, mine),
];

function run(line: string, views: readonly JobView[], user = 'root'): Ran {
  const [name = '', ...words] = line.split(' ');
  const yard = fakeYard({
    views: [...views],
    nodes: [aNodeView('box')],
    queues: [aQueueView('cpu'), aQueueView('gpu')],
  });
  if (user !== 'root')
    yard.answer = () => ({ ok: false, refusal: refusal('notAllowed', 'job 10 belongs to root') });
  return runDialect(gridEngineProgram(name === 'qdel' ? qdel : qmod), yard, [name, ...words], { user });
}

describe('what the original printed', () => {
  it.each([
    ['qdel-ok', [...VIEWS, running(2, mine)]],
    ['qdel-again', [...VIEWS, aView(endedJob(2))]],
    ['qdel-array', VIEWS],
    ['qdel-array-task', VIEWS],
    ['qdel-bad', VIEWS],
    ['qdel-name', VIEWS],
    ['qdel-none', VIEWS],
  ] as const)('%s', (name, views) => {
    const { line, ...printed } = captured(name);
    expect(run(line.replace(/^.*; /, ''), views)).toEqual(printed);
  });

  it('qdel-not-owner', () => {
    const { stdout } = captured('qdel-not-owner');
    const [denied, code, registered] = stdout.split('\n');
    expect(run('qdel 10', VIEWS, 'user2')).toEqual({ code: 1, stdout: `${denied}\n`, stderr: '' });
    expect(code).toBe('rc=1');
    expect(run('qdel 10', VIEWS).stdout).toBe(`${registered}\n`);
  });

  it('qmod-disable, qmod-suspend and qmod-rj', () => {
    const said = (name: string, line: string, views: readonly JobView[]) => {
      const printed = run(line, views).stdout.replaceAll(/\b(?:box|node1)\b/g, 'vm');
      expect(captured(name).stdout.split('\n')).toContain(printed.trimEnd());
    };
    said('qmod-disable', 'qmod -d cpu', []);
    said('qmod-suspend', 'qmod -sj sus', [running(7, { ...mine, name: 'sus' })]);
    said('qmod-suspend', 'qmod -usj sus', [running(7, { ...mine, name: 'sus' }, { suspendedAt: 1 })]);
    said('qmod-suspend', 'qmod -rj sus', [running(7, { ...mine, name: 'sus' })]);
    said('qmod-rj', 'qmod -rj rr', [running(8, { ...mine, name: 'rr' })]);
  });
});
