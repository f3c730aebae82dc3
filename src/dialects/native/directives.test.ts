import { describe, expect, it } from 'vitest';
import { HOUR } from '../fake-yard.ts';
import { complaint, submitted, yardWith } from './fake-submit.ts';
import { run } from './fake-yard.ts';

describe('directives', () => {
  it('come from #YARD lines before the first command, in both forms', () => {
    const script = [
      '#!/bin/bash',
      '#YARD --cpus 4 --time 2h   # a comment',
      '',
      '# a comment',
      '  # an indented one',
      '#YARD name="my run" memory=16G hold',
      'echo start',
      '',
    ].join('\n');
    const spec = submitted(['train.sh'], script);
    expect(spec.resources).toMatchObject({
      cpusPerRank: 4,
      cpusAsked: true,
      memory: { bytes: 16 * 2 ** 30 },
    });
    expect(spec).toMatchObject({ limitMs: 2 * HOUR, name: 'my run', held: true });
  });

  it('give way to the command line', () => {
    const script = '#!/bin/sh\n#YARD cpus=4 afterok=3 env=A=1 env=B=1\necho\n';
    const spec = submitted(['-c', '2', '--afterany', '5', 'train.sh'], script);
    expect(spec.resources.cpusPerRank).toBe(2);
    expect(spec.dependencies).toEqual({ need: 'all', terms: [{ kind: 'afterany', job: 5, index: null }] });
  });

  it('say where they are wrong', () => {
    expect(complaint(['train.sh'], '#!/bin/sh\n#YARD --cpu-s 4\n')).toBe(
      'trainyard: "train.sh" line 2: unknown option --cpu-s\n  hint: did you mean --cpus?\n',
    );
    expect(complaint(['train.sh'], '#YARD cpus=four\n')).toContain('a whole number of at least 1 is wanted');
    expect(complaint(['train.sh'], '#YARD name="x\n')).toContain('line 1: a quote is not closed');
    expect(complaint(['train.sh'], '#YARD --cpus 4 time=2h\n')).toContain('"time=2h" is no option');
    expect(complaint(['train.sh'], '#YARD --follow\n')).toContain(
      '--follow can only be given on the command line',
    );
  });

  it('that cannot have an effect are noted', () => {
    const yard = yardWith('#!/bin/sh\n#SBATCH -c 4\necho\n#YARD --cpus 4\n');
    const ran = run(yard, ['submit', 'train.sh']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe(
      'trainyard: note: "train.sh": line 4: a #YARD line after the first command has no effect\n' +
        'trainyard: note: "train.sh": "#SBATCH" lines are not read here, only #YARD lines are\n',
    );
    expect(run(yard, ['submit', '-q', 'train.sh']).stderr).toBe('');
  });

  it('are not looked for in ordinary comments', () => {
    expect(
      submitted(['train.sh'], '#!/bin/sh\n#YARDS cpus=4\n# #YARD cpus=4\necho\n').resources.cpusAsked,
    ).toBe(false);
  });
});
