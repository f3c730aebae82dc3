import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatRecord, parseRecord } from './record.ts';

const CAPTURE = new URL(
  '../../../../test/golden/gridengine/captures/sge-accounting-raw.txt',
  import.meta.url,
);

describe('a line of the accounting file', () => {
  const lines = readFileSync(CAPTURE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('cpu:'));

  it('is written as the original writes it', () => {
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const record = parseRecord(line);
      expect(record === null ? null : formatRecord(record)).toBe(line);
    }
  });

  it('is read field by field', () => {
    expect(parseRecord(lines[2] ?? '')).toMatchObject({
      qname: 'cpu',
      jobname: 'envpe',
      jobnumber: 27,
      grantedPe: 'smp',
      slots: 2,
      taskid: 0,
      utime: 0.007647,
      maxrss: 4608,
      minflt: 569,
      category: '-q cpu -pe smp 2',
      maxvmem: 0,
    });
  });

  it('may be of before there were reservations', () => {
    const old = (lines[0] ?? '').split(':').slice(0, -2).join(':');
    expect(parseRecord(old)).toMatchObject({ taskid: 5, arid: 0, arSubTime: 0 });
  });

  it('is not one when it is too short', () => {
    expect(parseRecord('cpu:vm:root')).toBeNull();
  });

  it('has no colon and no line break in a name', () => {
    const record = parseRecord(lines[0] ?? '');
    if (record === null) throw new Error('no record');
    const line = formatRecord({ ...record, jobname: 'a:b\nc', account: '' });
    expect(line).not.toContain('\n');
    expect(parseRecord(line)).toEqual({ ...record, jobname: 'a_b_c', account: 'NONE' });
  });
});
