import { expect, it } from 'vitest';
import { amountText, cpuText } from './amounts.ts';

it('uses the largest unit of which an amount is a whole number of halves', () => {
  const bytes = [0, 54_439, 2916 * 1024, 10_752 * 1024, 73_700 * 1024, 1024 ** 3];
  expect(bytes.map((amount) => amountText(amount, '', 'largest'))).toEqual([
    '0',
    '54439',
    '2916K',
    '10.50M',
    '73700K',
    '1G',
  ]);
  expect(amountText(12_800, 'M', 'largest')).toBe('12.50G');
});

it('converts into one unit, or not at all', () => {
  expect(amountText(73_700 * 1024, '', 'M')).toBe('71.97M');
  expect(amountText(100, 'M', 'K')).toBe('102400K');
  expect(amountText(100, 'M', 'G')).toBe('0.10G');
  expect(amountText(11_010_048, '', 'none')).toBe('11010048');
  expect(amountText(2048, 'M', 'none')).toBe('2048M');
});

it('shows thousandths of CPU time where there are no hours', () => {
  const times = [0, 2, 1000, 61_500, 3_600_001, 90_000_000].map(cpuText);
  expect(times).toEqual(['00:00:00', '00:00.002', '00:00:01', '01:01.500', '01:00:00', '1-01:00:00']);
});
