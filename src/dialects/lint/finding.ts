/** What is wrong with a script: where, how badly, in a sentence, and what to do about it. */

/** `error`: it will not run as it stands; `warning`: it will not do what was meant; `hint`: it may not. */
export type Level = 'error' | 'warning' | 'hint';

export interface Finding {
  /** From 1; 0 for the script as a whole. */
  readonly line: number;
  readonly level: Level;
  /** The rule's name, for programs that read this. */
  readonly rule: string;
  readonly sentence: string;
  /** What to do. */
  readonly advice: string;
}

/** A rule's own way to write its findings. */
export function findingOf(
  rule: string,
): (level: Level, line: number, sentence: string, advice: string) => Finding {
  return (level, line, sentence, advice) => ({ line, level, rule, sentence, advice });
}
