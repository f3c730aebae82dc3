/**
 * The category of a job: what it asked for, in the form in which Grid Engine's accounting keeps it
 * (`-q cpu -l h_rt=4 -pe smp 2`). Jobs of one category are alike to the scheduler.
 */

import type { Job } from '../../../model/job.ts';
import { wordOf } from '../words.ts';

export function categoryOf(job: Pick<Job, 'spec'>): string {
  const pe = wordOf(job, 'pe');
  const parts = [
    optionOf('-q', sorted(wordOf(job, 'queues'))),
    optionOf('-masterq', sorted(wordOf(job, 'masterQueues'))),
    optionOf('-l', resourcesText(wordOf(job, 'resources'))),
    optionOf('-soft -l', resourcesText(wordOf(job, 'softResources'))),
    pe === null ? null : `-pe ${pe} ${wordOf(job, 'slotRange') ?? '1'}`,
    optionOf('-ckpt', wordOf(job, 'checkpoint')),
    wordOf(job, 'isImmediate') === null ? null : '-I y',
  ];
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? 'NONE' : said.join(' ');
}

function optionOf(flag: string, value: string | null): string | null {
  return value === null || value === '' ? null : `${flag} ${value}`;
}

function sorted(list: string | null): string | null {
  return list === null ? null : list.split(',').sort(byCode).join(',');
}

/** By name, and with times in seconds, so that what is alike is written alike. */
function resourcesText(list: string | null): string | null {
  if (list === null) return null;
  const latest = new Map<string, string>();
  for (const request of list.split(',')) {
    const [name = '', ...value] = request.split('=');
    latest.set(name, value.length === 0 ? name : `${name}=${inSeconds(value.join('='))}`);
  }
  return [...latest.keys()]
    .sort(byCode)
    .map((name) => latest.get(name))
    .join(',');
}

/** `0:1:40` is 100. */
function inSeconds(value: string): string {
  if (!/^\d*:\d*(?::\d*)?$/.test(value)) return value;
  return `${value.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0)}`;
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
