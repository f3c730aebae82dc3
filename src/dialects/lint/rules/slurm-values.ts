/** Values of `#SBATCH` options that cannot be read, or are read as something else than was meant. */

import { parseArray } from '../../slurm/submit/array-values.ts';
import { parseDependencies } from '../../slurm/submit/dependency-values.ts';
import { parseMailTypes } from '../../slurm/submit/mail-values.ts';
import { parseWarning } from '../../slurm/submit/signal-values.ts';
import { parseCount, parseNodeCount, parseSizeBytes, parseTimeLimit } from '../../slurm/submit/values.ts';
import { quoted } from '../../text/words.ts';
import { type Finding, findingOf } from '../finding.ts';
import type { Asked, Rule } from '../subject.ts';

const finding = findingOf('value');

interface Form {
  readonly reads: (text: string) => boolean;
  readonly wanted: string;
}

const LAST_INDEX = 4_000_000;
const TIME: Form = {
  reads: (text) => parseTimeLimit(text) !== null,
  wanted: 'minutes, hours:minutes:seconds, or days-hours',
};
const SIZE: Form = {
  reads: (text) => parseSizeBytes(text) !== null,
  wanted: 'a whole number and K, M, G or T',
};
const COUNT: Form = { reads: (text) => parseCount(text, 0) !== null, wanted: 'a whole number' };

const FORMS: Readonly<Record<string, Form>> = {
  time: TIME,
  'time-min': TIME,
  mem: SIZE,
  'mem-per-cpu': SIZE,
  'mem-per-gpu': SIZE,
  tmp: SIZE,
  ntasks: COUNT,
  'ntasks-per-node': COUNT,
  'ntasks-per-gpu': COUNT,
  'cpus-per-task': COUNT,
  'cpus-per-gpu': COUNT,
  nodes: { reads: (text) => parseNodeCount(text).ok, wanted: 'a number, or the least and the most: 2-4' },
  array: {
    reads: (text) => parseArray(text, LAST_INDEX) !== undefined,
    wanted: 'indices such as 0-15, 1,3,5 or 0-15%4',
  },
  signal: { reads: (text) => parseWarning(text) !== null, wanted: 'a signal and seconds: B:USR1@60' },
  dependency: {
    reads: (text) => parseDependencies(text) !== undefined,
    wanted: 'a kind and jobs: afterok:17',
  },
  'mail-type': {
    reads: (text) => parseMailTypes(text) !== null,
    wanted: 'such as BEGIN, END, FAIL or ALL, with commas between',
  },
};

export const slurmValues: Rule = ({ dialect, directives }) =>
  dialect === 'slurm' ? directives.asked.flatMap(valueFindings) : [];

function valueFindings({ line, name, written, value }: Asked): readonly Finding[] {
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (form === undefined || value === null || value.includes('$')) return [];
  if (!form.reads(value)) {
    const sentence = `${written} ${quoted(value)} cannot be read, and sbatch refuses the script`;
    return [finding('error', line, sentence, `write ${form.wanted}`)];
  }
  if (form === TIME && /^(?:12|24|36|48|72|96|120):00$/.test(value)) {
    const [minutes] = value.split(':');
    const sentence = `${written} ${value} is ${minutes} minutes`;
    return [finding('hint', line, sentence, `for hours write ${value}:00`)];
  }
  if (form === SIZE && name !== 'tmp' && /^\d{1,2}$/.test(value) && Number(value) > 0) {
    const sentence = `${written} ${value} is ${value} megabytes`;
    return [finding('warning', line, sentence, `for gigabytes write ${value}G`)];
  }
  return [];
}
