import { expect, it } from 'vitest';
import { chooseColumns, type Field, fieldNamesText, type TableStyle, tableText } from './field-table.ts';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly cpus: number;
}

const FIELDS: readonly Field<Row>[] = [
  { name: 'AllocCPUS', width: 10, isWhole: true, value: (row) => `${row.cpus}` },
  { name: 'JobID', width: -12, value: (row) => row.id },
  { name: 'JobIDRaw', width: -12, value: (row) => row.id },
  { name: 'State', width: 10, value: (row) => row.state },
];
const ROWS: readonly Row[] = [
  { id: '17', state: 'CANCELLED by 0', cpus: 12 },
  { id: '17.batch', state: 'CANCELLED', cpus: 1 },
];
const IN_COLUMNS: TableStyle = { layout: 'columns', separator: '|', header: true };

function table(format: string, style: Partial<TableStyle> = {}): string {
  const chosen = chooseColumns(FIELDS, format.split(','));
  return chosen.ok ? tableText(chosen.columns, ROWS, { ...IN_COLUMNS, ...style }) : `no ${chosen.unknown}`;
}

it('prints columns under headings, and marks what it cuts', () => {
  expect(table('jobid,state,alloc')).toBe(
    [
      'JobID             State  AllocCPUS ',
      '------------ ---------- ---------- ',
      '17           CANCELLED+         12 ',
      '17.batch      CANCELLED          1 ',
      '',
    ].join('\n'),
  );
});

it('takes widths from the format, at either side of the column', () => {
  expect(table('jobid%3,state%-16,alloccpus%1', { header: false })).toBe(
    ' 17 CANCELLED by 0   12 \n17+ CANCELLED        1 \n',
  );
  expect(table('jobid%0,state%x')).toBe('  \n  \n  \n  \n');
});

it('separates values without cutting them', () => {
  expect(table('JobID,State', { layout: 'separated' })).toBe(
    'JobID|State\n17|CANCELLED by 0\n17.batch|CANCELLED\n',
  );
  expect(table('JobID,State', { layout: 'separatedAndEnded', separator: '::', header: false })).toBe(
    '17::CANCELLED by 0::\n17.batch::CANCELLED::\n',
  );
});

it('knows a field by the beginning of its name, the whole name first', () => {
  expect(table('jobidr%-4', { layout: 'separated' })).toContain('JobIDRaw');
  expect(table('jobid', { layout: 'separated' })).toMatch(/^JobID\n/);
  expect(table('job', { layout: 'separated' })).toMatch(/^JobID\n/);
  expect(table('bogus')).toBe('no bogus');
});

it('never lets a value break its line', () => {
  const [field] = [{ name: 'Name', width: 20, value: () => 'a\nb\u001b[31m' }];
  const chosen = chooseColumns([field as Field<Row>], ['name']);
  expect(chosen.ok && tableText(chosen.columns, [ROWS[0] as Row], { ...IN_COLUMNS, header: false })).toBe(
    '        a\\nb\\x1b[31m \n',
  );
});

it('lists names four to a line', () => {
  expect(fieldNamesText(['A', 'B', 'C', 'D', 'E'], 3)).toBe('A   B   C   D  \nE  \n');
});
