/**
 * The live screen as lines: a function of the state and the size of the terminal, nothing else. Every line
 * fits, and there are exactly as many as the terminal has rows.
 */

import { jobsIn } from '../../dialects/native/job-facts.ts';
import { painter } from '../../dialects/text/colour.ts';
import { fullTime } from '../../dialects/text/times.ts';
import { cutTo, displayWidth, padEnd } from '../../dialects/text/width.ts';
import { printable } from '../../model/bytes.ts';
import { formatDuration } from '../../model/units.ts';
import { jobLines } from './job-lines.ts';
import { type Look, line } from './line.ts';
import { nodeLines } from './node-lines.ts';
import { jobOnScreen, type Mode, type ScreenState } from './state.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalAbilities {
  readonly colour: boolean;
  readonly unicode: boolean;
}

const SMALLEST: ScreenSize = { columns: 40, rows: 8 };

export function drawScreen(state: ScreenState, size: ScreenSize, abilities: TerminalAbilities): string[] {
  if (size.columns < SMALLEST.columns || size.rows < SMALLEST.rows) {
    return filled(
      [cutTo(`the terminal is too small (${SMALLEST.columns}x${SMALLEST.rows})`, size.columns)],
      size.rows,
    );
  }
  const look: Look = {
    paint: painter(abilities.colour),
    columns: size.columns,
    bar: abilities.unicode ? ['█', '░'] : ['#', '.'],
  };
  const bodyRows = size.rows - 2;
  const body = bodyLines(state, look, bodyRows).slice(0, bodyRows);
  const lines = [headLine(state, look), ...filled(body, bodyRows), footLine(state, look)];
  return abilities.unicode ? lines : lines.map(inAscii);
}

const ASCII: Readonly<Record<string, string>> = { '·': '-', '↑': '^', '↓': 'v', '…': '~', '’': "'" };

/** Our own marks only, each as wide as before; what users wrote stays. */
function inAscii(text: string): string {
  return text.replace(/[·↑↓…’]/g, (mark) => ASCII[mark] ?? mark);
}

function bodyLines(state: ScreenState, look: Look, rows: number): string[] {
  switch (state.mode.kind) {
    case 'help':
      return helpLines(look);
    case 'log':
      return logLines(state, state.mode, look, rows);
    case 'list':
    case 'confirmCancel': {
      const nodes = nodeLines(state.nodes, look, Math.max(2, Math.floor(rows / 3)));
      const jobs = jobLines(state, look, rows - nodes.length - 1);
      return [...nodes, '', ...jobs];
    }
  }
}

function headLine(state: ScreenState, look: Look): string {
  const right = fullTime(state.now, state.zone).slice(11);
  if (state.yard === null) return spread('trainyard', right, look);
  const { counts, startedAt, user } = state.yard;
  // An array is one record, however many of its elements wait.
  const elements = state.waiting.reduce((sum, { job }) => sum + Math.max(0, jobsIn(job) - 1), 0);
  const waiting = counts.pending + counts.waiting + counts.held + elements;
  const up = formatDuration(Math.max(0, state.now - startedAt));
  return spread(
    `trainyard of ${printable(user)} · ${counts.active} running · ${waiting} waiting · up ${up}`,
    right,
    look,
  );
}

function spread(left: string, right: string, look: Look): string {
  const room = look.columns - displayWidth(right) - 1;
  return look.paint('bold', `${padEnd(cutTo(left, room), room)} ${right}`);
}

const KEYS = '↑↓ select · enter log · c cancel · h hold · r release · ? help · q quit';

function footLine(state: ScreenState, look: Look): string {
  if (state.mode.kind === 'confirmCancel') {
    const job = jobOnScreen(state, state.mode.job);
    const name = job === null ? '' : ` (${printable(job.spec.name)})`;
    return line(
      [{ text: `cancel job ${state.mode.job}${name}? y cancels, any other key does not`, colour: 'red' }],
      look,
    );
  }
  if (state.notice !== null) return line([{ text: printable(state.notice), colour: 'yellow' }], look);
  if (state.mode.kind !== 'list') return line([{ text: 'q or Esc goes back', colour: 'grey' }], look);
  return line([{ text: KEYS, colour: 'grey' }], look);
}

function logLines(
  state: ScreenState,
  mode: Extract<Mode, { kind: 'log' }>,
  look: Look,
  rows: number,
): string[] {
  const name = jobOnScreen(state, mode.job)?.spec.name ?? '';
  const title = line(
    [{ text: `job ${mode.job} ${printable(name)}, the end of its output`, colour: 'bold' }],
    look,
  );
  if (mode.lines.length === 0) return [title, line([{ text: 'nothing yet', colour: 'grey' }], look)];
  return [title, ...mode.lines.slice(-(rows - 1)).map((text) => cutTo(printable(text), look.columns))];
}

const HELP: readonly (readonly [string, string])[] = [
  ['up, k', 'the job above'],
  ['down, j', 'the job below'],
  ['page up, page down', 'ten jobs further'],
  ['enter, l', 'the end of the job’s output'],
  ['c', 'cancel the job, after a question'],
  ['h', 'hold the job: it does not start until it is released'],
  ['r', 'release the job'],
  ['?', 'this help'],
  ['q, Ctrl-C', 'leave; jobs go on'],
];

function helpLines(look: Look): string[] {
  const title = line([{ text: 'Keys', colour: 'bold' }], look);
  return [
    title,
    ...HELP.map(([keys, meaning]) =>
      line(
        [
          { text: `  ${padEnd(keys, 20)}`, colour: 'cyan' },
          { text: meaning, colour: 'none' },
        ],
        look,
      ),
    ),
  ];
}

function filled(lines: readonly string[], rows: number): string[] {
  return [...lines, ...Array<string>(Math.max(0, rows - lines.length)).fill('')];
}
