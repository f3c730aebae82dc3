/**
 * File name patterns of Slurm in the words of the model's own patterns. What only Slurm knows is settled here; the
 * rest stays a pattern, to be filled in when the job starts.
 */

/** Slurm's number for "no index", which it writes into names all the same. */
const NO_INDEX = '4294967294';
const MOST_DIGITS = 10;

export interface PatternUse {
  readonly isArray: boolean;
  /** What `%s` is: `batch` for the script itself. */
  readonly step: string;
}

export function defaultOutput(isArray: boolean): string {
  return isArray ? 'slurm-%A_%a.out' : 'slurm-%j.out';
}

export function modelPattern(text: string, use: PatternUse): string {
  // A backslash anywhere means that nothing is a pattern; each is taken away and what follows it stays.
  if (text.includes('\\')) return text.replace(/\\(.?)/gs, '$1').replaceAll('%', '%%');
  return text.replace(/%(\d*)(.?)/gs, (written, digits: string, letter: string) => {
    const width = digits === '' ? '' : `${Math.min(Number(digits), MOST_DIGITS)}`;
    const replaced = replacement(letter, width, use);
    return replaced ?? written.replaceAll('%', '%%');
  });
}

/** Null for what is no pattern of Slurm's. */
function replacement(letter: string, width: string, { isArray, step }: PatternUse): string | null {
  switch (letter) {
    case '%':
      return width === '' ? '%%' : null;
    case 'j':
    case 'A':
    case 'n':
    case 't':
      return `%${width}${letter}`;
    // Job and step; of the script itself only the job.
    case 'J':
      return step === 'batch' ? `%${width}j` : `%${width}j.${step}`;
    case 'a':
      return isArray ? `%${width}a` : NO_INDEX;
    case 'b':
      return isArray ? `%${width}b` : NO_INDEX.slice(-1);
    // Names are not padded.
    case 'N':
    case 'u':
    case 'x':
      return `%${letter}`;
    case 's':
      return step;
    default:
      return null;
  }
}
