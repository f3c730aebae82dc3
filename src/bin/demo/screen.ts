/** What is shown while the job runs: one line that changes on a terminal, its own lines elsewhere. */

import { type Epoch, parseEpoch, progressLine } from './progress.ts';

export interface Screen {
  /** A line of the job's output. */
  output(line: string): void;
  /** Leaves the cursor on a fresh line. */
  finish(): void;
  epochs(): readonly Epoch[];
  /** The end of the output that was not shown, for when it turns out to matter. */
  unshown(): readonly string[];
}

const MOST_UNSHOWN_LINES = 15;

export function newScreen(stream: NodeJS.WriteStream): Screen {
  return stream.isTTY ? updatingScreen(stream) : plainScreen(stream);
}

function updatingScreen(stream: NodeJS.WriteStream): Screen {
  const epochs: Epoch[] = [];
  let unshown: readonly string[] = [];
  let shown = '';
  const draw = (text: string) => {
    stream.write(`\r\x1b[K${text}`);
    shown = text;
  };
  return {
    output: (line) => {
      const epoch = parseEpoch(line);
      if (epoch === null) {
        unshown = [...unshown, line].slice(-MOST_UNSHOWN_LINES);
        return;
      }
      epochs.push(epoch);
      draw(progressLine(epochs, stream.columns));
    },
    finish: () => {
      if (shown !== '') stream.write('\n');
      shown = '';
    },
    epochs: () => epochs,
    unshown: () => unshown,
  };
}

function plainScreen(stream: NodeJS.WriteStream): Screen {
  const epochs: Epoch[] = [];
  return {
    output: (line) => {
      const epoch = parseEpoch(line);
      if (epoch !== null) epochs.push(epoch);
      stream.write(`${line}\n`);
    },
    finish: () => {},
    epochs: () => epochs,
    unshown: () => [],
  };
}
