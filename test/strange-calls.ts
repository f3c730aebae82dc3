/** For tests of commands with whatever may be written: words, and what of the answers is strange. */

import type { Ran } from '../src/dialects/fake-yard.ts';
import type { Random } from '../src/sim/random.ts';

/** Makes words: samples, mostly; else anything that can be typed, and sometimes what can hardly be. */
export function strangeWords(samples: readonly string[], sampleShare: number): (random: Random) => string {
  return (random) => {
    if (random.chance(sampleShare)) return random.pick(samples);
    const length = random.below(12);
    return Array.from({ length }, () =>
      String.fromCharCode(random.between(32, random.chance(0.1) ? 0x2fff : 126)),
    ).join('');
  };
}

/** What is strange about answers of a command that submits: it takes a job, or complains in whole lines. */
export function submitStrangely(
  rounds: number,
  attempt: (seed: number) => Ran,
  lines: RegExp,
): { readonly strange: readonly string[]; readonly accepted: number } {
  const strange: string[] = [];
  let accepted = 0;
  for (let seed = 1; seed <= rounds; seed++) {
    try {
      const { code, stdout, stderr } = attempt(seed);
      if (code === 0) accepted += 1;
      else if (stderr === '') strange.push(`${seed}: ${code} ${stdout}`);
      if (!lines.test(stderr) || /\n\s+at /.test(stderr)) strange.push(`${seed}: ${stderr}`);
    } catch (error) {
      // A job that is waited for never ends in a yard where nothing happens.
      if (!`${error}`.includes('nothing more happens')) strange.push(`${seed}: ${(error as Error).stack}`);
    }
  }
  return { strange: strange.slice(0, 5), accepted };
}
