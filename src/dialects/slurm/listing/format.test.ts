import { describe, expect, it } from 'vitest';
import { type Columns, readFormat } from './format.ts';
import { headingLine, type ReadLayout, rowLine, WIDEST } from './layout.ts';
import { readLongFormat } from './long-format.ts';

interface Thing {
  readonly id: string;
  readonly nodes: string;
  readonly time: string;
  readonly note: string | null;
}

const COLUMNS: Columns<Thing> = {
  i: { heading: 'JOBID', text: ({ id }) => id },
  N: { heading: 'NODELIST', text: ({ nodes }) => nodes, whole: 'both' },
  M: { heading: 'TIME', text: ({ time }) => time, whole: 'text' },
  E: { heading: 'DEPENDENCY', text: ({ note }) => note },
};

const LONG_COLUMNS: Columns<Thing> = { jobid: COLUMNS.i as never, nodelist: COLUMNS.N as never };

const THING: Thing = { id: '68', nodes: 'n[1-2]', time: '1:30:00', note: null };

function lines({ layout, problems }: ReadLayout<Thing>, thing = THING) {
  return {
    heading: headingLine(layout),
    row: rowLine(layout, thing),
    problems: problems.map(({ said }) => said),
  };
}

function format(text: string, thing = THING) {
  return lines(readFormat(text, COLUMNS, '%i|%N'), thing);
}

function longFormat(text: string) {
  return lines(readLongFormat(text, LONG_COLUMNS));
}

describe('a format string', () => {
  it('keeps the text around its fields', () => {
    expect(format('a%i b')).toEqual({ heading: 'aJOBID b\n', row: 'a68 b\n', problems: [] });
    expect(format('plain').row).toBe('plain\n');
    expect(format('').row).toBe('\n');
    expect(format('a\\tb%i\\n').row).toBe('a\\tb68\\n\n');
  });

  it('cannot print a percent sign', () => {
    expect(format('%%i').row).toBe('68\n');
    expect(format('a%%i b%').row).toBe('a68 b\n');
  });

  it('pads to a width, on the left or on the right', () => {
    expect(format('[%8i|%.8i]')).toEqual({
      heading: '[JOBID   |   JOBID]\n',
      row: '[68      |      68]\n',
      problems: [],
    });
    expect(format('%.0i|').row).toBe('68|\n');
  });

  it('cuts what is too long, save what a column keeps whole on the right', () => {
    expect(format('%.3i|%3i|%.2N|%2N|%.2M|%2M|')).toEqual({
      heading: 'JOB|JOB|NODELIST|NO|TI|TI|\n',
      row: ' 68|68 |n[1-2]|n[|1:30:00|1:|\n',
      problems: [],
    });
  });

  it('prints nothing rather than a part of (null) on the left', () => {
    expect(format('%E|%2E|%6E|%.2E|').row).toBe('(null)|  |(null)|(n|\n');
  });

  it('prints unknown fields as they stand, and tells of them', () => {
    expect(format('[%0] %q %i')).toEqual({
      heading: '[%0] %q JOBID\n',
      row: '[%0] %q 68\n',
      problems: [']', 'q'],
    });
    expect(format('%5')).toEqual({ heading: '%5\n', row: '%5\n', problems: [''] });
    expect(format('%5 %i').problems).toEqual([' ']);
    expect(format('%toString %__proto__').problems).toEqual(['t', '_']);
  });

  it('knows all fields by one word at the end', () => {
    expect(format('x%all').row).toBe('x68|n[1-2]\n');
    expect(format('%ALL').row).toBe('68|n[1-2]\n');
    expect(format('%all ').problems).toEqual(['a']);
  });

  it('counts columns of the screen, and never cuts a character in two', () => {
    expect(format('%4i|', { ...THING, id: 'naïveté' }).row).toBe('naïv|\n');
    expect(format('%5i|%.6i|', { ...THING, id: '列車車庫' }).row).toBe('列車 |列車車|\n');
    expect(format('%.6i|', { ...THING, id: '列車' }).row).toBe('  列車|\n');
  });

  it('shows control characters rather than sending them', () => {
    expect(format('%i', { ...THING, id: 'a\u001b[31m\nb' }).row).toBe('a\\x1b[31m\\nb\n');
  });

  it('is never wider than anybody can read', () => {
    expect(format('%99999999999i').row).toHaveLength(WIDEST + 1);
  });
});

describe('a long format', () => {
  it('gives every field twenty columns', () => {
    expect(longFormat('jobid,NodeList')).toEqual({
      heading: 'JOBID               NODELIST            \n',
      row: '68                  n[1-2]              \n',
      problems: [],
    });
  });

  it('takes a width, a side and a suffix', () => {
    expect(longFormat('jobid:5xx,nodelist:.8yy,jobid:zz').row).toBe('68   xx  n[1-2]yy68zz\n');
    expect(longFormat('jobid:8 ,jobid:0 ,nodelist:').row).toBe('68       68 n[1-2]\n');
    expect(longFormat('jobid:5:6,jobid:.,jobid:.x').row).toBe('68   :66868x\n');
  });

  it('leaves unknown fields out, and tells of them as they were written', () => {
    expect(longFormat('Bogus:5|,,jobid,:5, jobid')).toEqual({
      heading: '|JOBID               \n',
      row: '|68                  \n',
      problems: ['Bogus', '', ' jobid'],
    });
  });
});
