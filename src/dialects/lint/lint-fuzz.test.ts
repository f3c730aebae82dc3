import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../sim/random.ts';
import { findingsOf } from './fake-world.ts';
import { readShell } from './shell/read.ts';

const PIECES = [
  ...'\n\n\n    \t;&|<>(){}[]$`"\'\\#!=*?~%@^,:-+/0a',
  ...'if then elif else fi for in do done while until case esac function { } ! time [[ ]] (( )) select coproc'.split(
    ' ',
  ),
  ...'$( ) $ { } $(( )) << <<- <<< EOF && || |& &> >> 2>&1 ;; ;& `'.split(' '),
  `\${`,
  `\${a:-`,
  ...'A=1 A=( export wait trap USR1 set -e -a eval source . exec exit python train.py srun tee read'.split(
    ' ',
  ),
  '#!/bin/sh\n',
  '#!/bin/bash\n',
  '#SBATCH --',
  '#SBATCH -o $HOME/x\n',
  '#SBATCH --signal=B:USR1@60\n',
  '#$ -',
  '#$ -l h_rt=1\n',
  '# SBATCH --mem=4\n',
  '#YARD checkpoints=',
  '#YARD chain --keep ',
  'EOF\n',
  '\\\n',
  '\r\n',
];

function scriptOf(seed: number): string {
  const random = seededRandom(seed);
  const length = random.below(80);
  let text = random.chance(0.3) ? '' : '#!/bin/bash\n';
  for (let i = 0; i < length; i++) {
    text += random.pick(PIECES);
    if (random.chance(0.5)) text += ' ';
  }
  return text;
}

function bytesOf(seed: number): Uint8Array {
  const random = seededRandom(seed);
  return Uint8Array.from({ length: random.below(400) }, () => random.below(256));
}

describe('whatever it is given', () => {
  it('lint ends, and each finding is on a line that is there', () => {
    for (let seed = 1; seed <= 4000; seed++) {
      const script = scriptOf(seed);
      const lines = script.split('\n').length;
      for (const { line, sentence, advice } of findingsOf(script)) {
        expect(line, `seed ${seed}`).toBeGreaterThanOrEqual(1);
        expect(line, `seed ${seed}`).toBeLessThanOrEqual(lines);
        expect(sentence, `seed ${seed}`).not.toMatch(/undefined(?!")|null/);
        expect(advice).not.toBe('');
      }
    }
  });

  it('bytes are no reason to stop', () => {
    for (let seed = 1; seed <= 1500; seed++) {
      expect(Array.isArray(findingsOf(bytesOf(seed)))).toBe(true);
    }
  });

  it('the same script has the same findings', () => {
    for (let seed = 1; seed <= 200; seed++) {
      expect(findingsOf(scriptOf(seed))).toEqual(findingsOf(scriptOf(seed)));
    }
  });

  it.each([
    ['$('],
    ['(('],
    ['('],
    ['{ '],
    ['${a:-'],
    ['`'],
    ['"$('],
    ['if '],
    ['a=('],
    ['$(( '],
    ['<<a '],
    ['@('],
    ['case a in a) '],
    ['\\'],
  ])('%s many times over is read to its end', (piece) => {
    const deep = piece.repeat(20_000);
    expect(() => readShell(`echo ${deep}`)).not.toThrow();
    expect(() => readShell(deep)).not.toThrow();
  });

  it('a long script is read as a short one', () => {
    const script = `#!/bin/bash\n${'export A=$B; a "$C" $(d) | e > f\n'.repeat(7000)}`;
    expect(readShell(script)?.list).toHaveLength(14_000);
    expect(readShell(script.repeat(2))).toBeNull();
  });

  // What takes the square of their length would take minutes.
  it.each([
    ['variables', (at: number) => `NAME_${at}=x\npython a.py\n`],
    ['uses', (at: number) => `srun a $NAME_${at}\n`],
    ['programs in the background', () => 'python a.py &\n'],
    ['words of a line', () => 'kill '],
    ['names in a comment', (at: number) => (at === 0 ? 'NAME_0=x\npython a.py\n#' : 'NAME_0 ')],
    ['directives', (at: number) => `#SBATCH --nope${at}\n`],
    ['traps', () => "trap 'a' USR1\n"],
    ['pipes', () => 'a | tee b\n'],
  ])('many %s take no longer than they should', (_, piece) => {
    const script = `#!/bin/bash\n#SBATCH --export=NONE\n${Array.from({ length: 8000 }, (_, at) => piece(at)).join('')}`;
    expect(Array.isArray(findingsOf(script))).toBe(true);
  });
});
