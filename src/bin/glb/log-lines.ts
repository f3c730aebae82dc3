/** What `glb-start` prints: its banner, and lines of a log with the time in front. */

const LETTERS: Readonly<Record<string, readonly string[]>> = {
  A: [' .-. ', '|   |', '|---|', '|   |', "'   '"],
  B: ['.--. ', '|   )', '|--< ', '|   )', "'--' "],
  E: ['.---.', '|    ', '|--  ', '|    ', "'---'"],
  G: [' .--.', '|    ', '|  -.', '|   |', " '--'"],
  L: ['.    ', '|    ', '|    ', '|    ', "'---'"],
  M: ['.   .', '|\\ /|', "| ' |", '|   |', "'   '"],
  P: ['.--. ', '|   )', "|--' ", '|    ', "'    "],
  R: ['.--. ', '|   )', '|--< ', '|   \\', "'   '"],
  S: [' .--.', '(    ', " '-. ", '    )', "'--' "],
  T: ['.-.-.', '  |  ', '  |  ', '  |  ', "  '  "],
  U: ['.   .', '|   |', '|   |', '|   |', " '-' "],
  ':': ['   ', ' o ', '   ', ' o ', '   '],
  '-': ['    ', '    ', ' -- ', '    ', '    '],
  ' ': ['  ', '  ', '  ', '  ', '  '],
};

const TITLE = 'GLB : GPU - MASTER';

export function banner(): string {
  const rows = [0, 1, 2, 3, 4].map((row) =>
    [...TITLE].map((letter) => LETTERS[letter]?.[row] ?? '').join(' '),
  );
  return `\n${rows.map((row) => `  ${row.trimEnd()}`).join('\n')}\n\n`;
}

/** `[11/12/21 20:16:35] INFO     Managing GPUs {0, 1, 2, 3}` */
export function logLine(level: 'INFO' | 'WARNING', text: string, at: Date = new Date()): string {
  const two = (n: number) => `${n}`.padStart(2, '0');
  const day = [at.getMonth() + 1, at.getDate(), at.getFullYear() % 100].map(two).join('/');
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `[${day} ${time}] ${level.padEnd(8)} ${text}\n`;
}
