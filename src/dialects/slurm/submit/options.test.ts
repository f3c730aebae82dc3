import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../options.ts';
import {
  SALLOC_OPTIONS,
  SBATCH_OPTIONS,
  SRUN_OPTIONS,
  SUBMIT_OPTIONS,
  type SubmitOption,
} from './options.ts';

const TABLES = { sbatch: SBATCH_OPTIONS, srun: SRUN_OPTIONS, salloc: SALLOC_OPTIONS } as const;

function given(table: readonly SubmitOption[], ...argv: readonly string[]) {
  const outcome = parseOptions(table, argv, 'endOptions');
  if (!outcome.ok) throw new Error(`${argv.join(' ')}: ${outcome.error.kind}`);
  return outcome.arguments;
}

/** The shortest beginning that means no other option. */
function abbreviation(table: readonly SubmitOption[], { name, aliases = [] }: SubmitOption): string {
  const others = table
    .filter((option) => option.name !== name)
    .flatMap((option) => [option.name, ...(option.aliases ?? [])]);
  for (let length = 1; length < name.length; length++) {
    const text = name.slice(0, length);
    if (!others.some((other) => other.startsWith(text))) return text;
  }
  return aliases.length > 1 ? (aliases[0] as string) : name;
}

describe.each(Object.entries(TABLES))('options of %s', (command, table) => {
  it('are each written in all the ways that getopt knows', () => {
    for (const option of table) {
      const { name, short, value } = option;
      const brief = abbreviation(table, option);
      const isFlag = value === 'none';
      const long = isFlag ? [[`--${name}`], [`--${brief}`]] : [[`--${name}=v`], [`--${brief}=v`]];
      if (value === 'required') long.push([`--${name}`, 'v']);
      for (const argv of long) {
        const { options, positionals } = given(table, ...argv, 'rest');
        expect(options, argv.join(' ')).toMatchObject([{ name, value: isFlag ? null : 'v' }]);
        expect(positionals).toEqual(['rest']);
      }
      if (short === undefined) continue;
      const attached = isFlag ? [`-${short}`] : [`-${short}v`];
      expect(given(table, ...attached, 'rest').options).toMatchObject([{ name, value: isFlag ? null : 'v' }]);
      if (value === 'required') {
        expect(given(table, `-${short}`, 'v', 'rest').options).toMatchObject([{ name, value: 'v' }]);
      }
    }
  });

  it('are in order, and each name and letter means one thing', () => {
    const names = table.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size, command).toBe(names.length);
    const letters = table.flatMap(({ short }) => short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });
});

describe('what has no effect', () => {
  it('says so in words that begin small and end without a full stop', () => {
    const sentences = SUBMIT_OPTIONS.flatMap(({ noEffect, refused }) => noEffect ?? refused ?? []);
    expect(sentences.filter((sentence) => !/^[a-z].*[^.]$/.test(sentence))).toEqual([]);
  });
});

describe('an option that is not there', () => {
  it('is refused, and so is a beginning of several', () => {
    expect(parseOptions(SBATCH_OPTIONS, ['--bogus'], 'endOptions')).toMatchObject({
      ok: false,
      error: { kind: 'unknown' },
    });
    const outcome = parseOptions(SBATCH_OPTIONS, ['--n=1'], 'endOptions');
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        kind: 'ambiguous',
        choices: [
          '--network',
          '--nice',
          '--no-kill',
          '--no-requeue',
          '--nodefile',
          '--nodelist',
          '--nodes',
          '--ntasks',
          '--ntasks-per-core',
          '--ntasks-per-gpu',
          '--ntasks-per-tres',
          '--ntasks-per-node',
          '--ntasks-per-socket',
        ],
      },
    });
  });
});
