/** `sinfo` against what the real one printed in the same situation. */

import { describe, expect, it } from 'vitest';
import { type FakeYard, runDialect } from '../../../src/dialects/fake-yard.ts';
import { slurmProgram } from '../../../src/dialects/slurm/run.ts';
import { sinfo } from '../../../src/dialects/slurm/sinfo/sinfo.ts';
import { capturedNode, capturedYard, SUBMITTED } from './captured-yard.ts';
import { captured } from './captures.ts';

function ran(line: string, yard: FakeYard) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return runDialect(slurmProgram(sinfo), yard, words, { user: 'root', uid: 0 });
}

function idleYard(): FakeYard {
  return capturedYard({ now: SUBMITTED, views: [] });
}

/** The real one looks at partitions side by side, so that their order on a node is a matter of chance. */
function partitionsInOrder(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('n'));
  return [...lines.slice(0, first), ...lines.slice(first).sort()].join('\n');
}

describe('sinfo prints what the real one prints', () => {
  it.each(['slurm-sinfo', 'slurm-sinfo-s'])('%s', (name) => {
    const { commands, stderr, code } = captured(name);
    const { command = '', stdout } = commands[0] ?? {};
    expect(ran(command, idleYard())).toEqual({ code, stdout, stderr });
  });

  it.each(['slurm-sinfo-N-l', 'slurm-sinfo-o'])('%s', (name) => {
    const { commands, stderr, code } = captured(name);
    const { command = '', stdout = '' } = commands[0] ?? {};
    const printed = ran(command, idleYard());
    expect({ ...printed, stdout: partitionsInOrder(printed.stdout) }).toEqual({
      code,
      stdout: partitionsInOrder(stdout),
      stderr,
    });
  });

  it('slurm-sinfo-unhealthy', () => {
    const { commands } = captured('slurm-sinfo-unhealthy');
    const [nodes, all, reasons] = commands.map(({ stdout }) => stdout);
    const yard = capturedYard({
      // 2026-11-15T20:30:49Z.
      now: 1_794_774_649_000,
      views: [],
      nodes: [
        capturedNode('n1'),
        capturedNode('n2', { state: 'draining', reason: 'disk full' }),
        capturedNode('n3'),
        capturedNode('n4', { state: 'lost', reason: 'Not responding' }),
      ],
    });
    expect(ran('sinfo -N -l -p cpu', yard).stdout).toBe(nodes);
    expect(ran('sinfo', yard).stdout).toBe(all);
    // A yard does not keep who gave a reason, and when.
    const anonymous = reasons?.replace(/root {6}\S+/g, 'Unknown   Unknown            ');
    expect(ran('sinfo -R', yard).stdout).toBe(anonymous);
  });

  it('slurm-sinfo-json', () => {
    const { commands } = captured('slurm-sinfo-json');
    const printed = ran('sinfo --json', idleYard());
    expect(withoutTheMachine(printed.stdout)).toBe(withoutTheMachine(commands[0]?.stdout ?? ''));
  });
});

/** What is about the machine underneath. */
function withoutTheMachine(text: string): string {
  const about = [
    'architecture',
    'boot_time',
    'cpu_load',
    'free_memory',
    'last_busy',
    'address',
    'hostname',
    'operating_system',
    'port',
    'slurmd_start_time',
  ];
  return text.replace(new RegExp(`"(${about.join('|')})": .*,`, 'g'), '"$1": X,');
}
