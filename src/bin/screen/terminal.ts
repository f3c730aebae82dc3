/**
 * The terminal while the live screen has it: alternate buffer, no cursor, raw keys; all of it given back on
 * every way out, be it a key, a signal or an exception. It knows nothing of what is shown.
 */

import { writeSync } from 'node:fs';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J';
const LEAVE = '\x1b[?25h\x1b[?1049l';

export interface FullScreen {
  show(lines: readonly string[]): void;
  size(): { readonly columns: number; readonly rows: number };
  /** May be called more than once. */
  leave(): void;
}

export interface FullScreenEvents {
  readonly onInput: (text: string) => void;
  readonly onResize: () => void;
  /** A signal asks to end, or something broke: the terminal has been given back. */
  readonly onEnd: (cause: NodeJS.Signals | Error) => void;
}

export function takeTerminal({ onInput, onResize, onEnd }: FullScreenEvents): FullScreen {
  const { stdin, stdout } = process;
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
  let left = false;
  let shown: readonly string[] = [];

  const leave = () => {
    if (left) return;
    left = true;
    stdin.off('data', takeInput);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.off('resize', redraw);
    for (const signal of signals) process.off(signal, onSignal);
    process.off('SIGCONT', takeBack);
    process.off('uncaughtException', onError);
    process.off('exit', leave);
    try {
      // Not through the stream: nothing may be left to do when the process is about to end.
      writeSync(1, LEAVE);
    } catch {
      // The terminal is gone: there is nothing to give back.
    }
  };
  const end = (cause: NodeJS.Signals | Error) => {
    leave();
    onEnd(cause);
  };
  const onSignal = (signal: NodeJS.Signals) => end(signal);
  const onError = (error: Error) => end(error);
  const takeInput = (text: string) => onInput(text);
  const redraw = () => {
    shown = [];
    stdout.write('\x1b[2J');
    onResize();
  };
  // After a stop from outside and `fg`, the shell has put its own modes back.
  const takeBack = () => {
    stdin.setRawMode(true);
    stdout.write(ENTER);
    redraw();
  };

  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', takeInput);
  stdin.resume();
  stdout.on('resize', redraw);
  for (const signal of signals) process.on(signal, onSignal);
  process.on('SIGCONT', takeBack);
  process.on('uncaughtException', onError);
  process.on('exit', leave);
  stdout.write(ENTER);

  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    leave,
    /** Writes only the lines that changed, so that a slow connection does not flicker. */
    show(lines) {
      let out = '';
      lines.forEach((text, row) => {
        if (shown[row] !== text) out += `\x1b[${row + 1};1H${text}\x1b[0m\x1b[K`;
      });
      shown = lines;
      if (out !== '') stdout.write(out);
    },
  };
}
