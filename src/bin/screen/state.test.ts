import { describe, expect, test } from 'vitest';
import type { JobId } from '../../model/ids.ts';
import type { JobView } from '../../model/query.ts';
import { keysOf } from './keys.ts';
import { EMPTY_SCREEN, onKey, type ScreenState, withJobs } from './state.ts';
import { linesOf } from './tail.ts';

function views(...ids: JobId[]): JobView[] {
  return ids.map((id) => ({ job: { id, phase: 'pending' } }) as unknown as JobView);
}

const LIST: ScreenState = { ...EMPTY_SCREEN, running: views(1, 2), waiting: views(3), selected: 1 };

function press(state: ScreenState, ...keys: string[]) {
  let step = { state, action: { kind: 'none' } as { kind: string; job?: JobId } };
  for (const key of keys) step = onKey(step.state, key);
  return step;
}

describe('keys', () => {
  test('move the selection, and stop at the ends', () => {
    expect(press(LIST, 'down', 'j').state.selected).toBe(3);
    expect(press(LIST, 'down', 'down', 'down', 'up').state.selected).toBe(2);
    expect(press(LIST, 'pageDown', 'pageUp').state.selected).toBe(1);
    expect(press(EMPTY_SCREEN, 'down').state.selected).toBe(null);
  });

  test('cancel only after a yes', () => {
    expect(press(LIST, 'c').action.kind).toBe('none');
    expect(press(LIST, 'c', 'y').action).toEqual({ kind: 'cancel', job: 1 });
    for (const key of ['n', 'enter', 'escape', 'c', 'q']) {
      const { state, action } = press(LIST, 'c', key);
      expect(action.kind).toBe('none');
      expect(state.mode.kind).toBe('list');
    }
  });

  test('hold, release and show the selected job', () => {
    expect(press(LIST, 'down', 'h').action).toEqual({ kind: 'hold', job: 2 });
    expect(press(LIST, 'r').action).toEqual({ kind: 'release', job: 1 });
    expect(press(LIST, 'enter').action).toEqual({ kind: 'readLog', job: 1 });
    expect(press(EMPTY_SCREEN, 'h').action.kind).toBe('none');
  });

  test('q goes back first, then leaves; Ctrl-C leaves from anywhere', () => {
    expect(press(LIST, '?', 'q').action.kind).toBe('none');
    expect(press(LIST, '?', 'q', 'q').action.kind).toBe('quit');
    for (const before of [[], ['?'], ['l'], ['c']])
      expect(press(LIST, ...before, 'quit').action.kind).toBe('quit');
  });
});

test('the selection stays with its job, and falls to the neighbour when that is gone', () => {
  const moved = withJobs({ ...LIST, selected: 3 }, { running: views(3), waiting: views(4), ended: [] });
  expect(moved.selected).toBe(3);
  const gone = withJobs({ ...LIST, selected: 2 }, { running: views(1), waiting: views(3), ended: [] });
  expect(gone.selected).toBe(3);
  expect(withJobs(LIST, { running: [], waiting: [], ended: [] }).selected).toBe(null);
  expect(withJobs(EMPTY_SCREEN, { running: views(8), waiting: [], ended: [] }).selected).toBe(8);
});

test('bytes of a terminal as keys', () => {
  expect(keysOf('\x1b[A\x1b[Bq')).toEqual(['up', 'down', 'q']);
  expect(keysOf('\x1b[5~\x1bOB\r\x03')).toEqual(['pageUp', 'down', 'enter', 'quit']);
  expect(keysOf('\x1b')).toEqual(['escape']);
  expect(keysOf('\x1b[1;5C\x1b[200~y')).toEqual(['y']);
});

test('what a progress bar shows last is its line', () => {
  expect(linesOf('start\n 10%\r 50%\r 99%\r')).toEqual(['start', ' 99%']);
  expect(linesOf('\x1b[32mgreen\x1b[0m\tx\n')).toEqual(['green    x']);
  expect(linesOf('')).toEqual([]);
});
