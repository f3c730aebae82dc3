/** Every option of `submit`, on the command line and in `#YARD` lines alike. */

import { GPU_OPTIONS } from '../gpu-words.ts';
import { KEEPING_OPTIONS } from '../keeping-words.ts';
import { REQUEUE_OPTIONS } from '../requeue-words.ts';
import type { NativeOption } from './call.ts';

export const DEPENDENCY_OPTIONS: readonly string[] = [
  'after',
  'afterok',
  'afternotok',
  'afterany',
  'aftercorr',
  'depend',
  'singleton',
];

const WHAT: readonly NativeOption[] = [
  { name: 'name', short: 'J', value: 'required', argument: 'NAME', help: 'what the job is called' },
  { name: 'wrap', value: 'required', argument: 'TEXT', help: 'run this shell text', commandLineOnly: true },
  { name: 'workdir', short: 'D', value: 'required', argument: 'DIR', help: 'where it runs; default: here' },
  {
    name: 'env',
    value: 'required',
    argument: 'NAME[=VALUE]',
    help: 'set a variable, or keep it with --no-env',
  },
  { name: 'no-env', value: 'none', help: 'keep only HOME, PATH and the like of the environment' },
  { name: 'comment', value: 'required', argument: 'TEXT', help: 'a remark to find again in `show`' },
  { name: 'account', short: 'A', value: 'required', argument: 'NAME', help: 'on whose account it runs' },
];

const RESOURCES: readonly NativeOption[] = [
  { name: 'queue', short: 'p', value: 'required', argument: 'QUEUE', help: 'where it queues' },
  { name: 'cpus', short: 'c', value: 'required', argument: 'N', help: 'CPUs for each rank; default 1' },
  { name: 'memory', short: 'm', value: 'required', argument: 'SIZE', help: 'memory on each node: 512M, 16G' },
  {
    name: 'gpus',
    short: 'g',
    value: 'required',
    argument: 'GPUS',
    help: '2, a100:2, or a share of one: 0.5',
  },
  ...GPU_OPTIONS,
  { name: 'nodes', short: 'N', value: 'required', argument: 'N[-M]', help: 'how many nodes; default 1' },
  {
    name: 'ranks',
    short: 'n',
    value: 'required',
    argument: 'N',
    help: 'processes in all; default one per node',
  },
  { name: 'ranks-per-node', value: 'required', argument: 'N', help: 'at most so many on one node' },
  { name: 'every-rank', value: 'none', help: 'run a script once for each rank (a command is, anyway)' },
  {
    name: 'time',
    short: 't',
    value: 'required',
    argument: 'TIME',
    help: 'time limit: 90s, 1h30m, 2d, 1:30:00',
  },
  { name: 'exclusive', value: 'none', help: 'share its nodes with nobody' },
  {
    name: 'constraint',
    short: 'C',
    value: 'required',
    argument: 'EXPR',
    help: 'features of a node: a&b, a|b, !a',
  },
  {
    name: 'nodelist',
    short: 'w',
    value: 'required',
    argument: 'NODES',
    help: 'only on these, commas between',
  },
  { name: 'exclude', short: 'x', value: 'required', argument: 'NODES', help: 'not on these' },
];

const WHEN: readonly NativeOption[] = [
  {
    name: 'array',
    short: 'a',
    value: 'required',
    argument: 'RANGE[%N]',
    help: 'many like it: 0-99%8, 1-9:2',
  },
  { name: 'after', value: 'required', argument: 'JOBS', help: 'once these have started' },
  { name: 'afterok', value: 'required', argument: 'JOBS', help: 'once these have ended successfully' },
  { name: 'afternotok', value: 'required', argument: 'JOBS', help: 'once these have failed' },
  { name: 'afterany', value: 'required', argument: 'JOBS', help: 'once these have ended in any way' },
  {
    name: 'aftercorr',
    value: 'required',
    argument: 'JOBS',
    help: 'each element after its equal in that array',
  },
  { name: 'depend', value: 'required', argument: 'TERMS', help: 'afterok:17,afterany:18 for all, ? for any' },
  { name: 'singleton', value: 'none', help: 'after every earlier job of this name' },
  { name: 'begin', value: 'required', argument: 'TIME', help: 'not before: 16:00, tomorrow 08:00, +2h' },
  { name: 'deadline', value: 'required', argument: 'TIME', help: 'give it up when it cannot end by then' },
  { name: 'hold', short: 'H', value: 'none', help: 'wait until it is released' },
  { name: 'priority', value: 'required', argument: 'N', help: 'added to its priority' },
  { name: 'nice', value: 'required', argument: 'N', help: 'taken off its priority' },
  {
    name: 'signal',
    value: 'required',
    argument: '[WHO:]SIG[@TIME]',
    help: 'a warning ahead of the limit: USR1@2m',
  },
  { name: 'requeue', value: 'none', help: 'may be started again (default)' },
  { name: 'no-requeue', value: 'none', help: 'is never started again' },
  ...REQUEUE_OPTIONS,
];

const STREAMS: readonly NativeOption[] = [
  {
    name: 'output',
    short: 'o',
    value: 'required',
    argument: 'PATH',
    help: 'stdout; default trainyard-%j.out',
  },
  { name: 'error', short: 'e', value: 'required', argument: 'PATH', help: 'stderr; default: as stdout' },
  { name: 'input', short: 'i', value: 'required', argument: 'PATH', help: 'stdin; default: empty' },
  { name: 'append', value: 'none', help: 'add to output files that are there' },
  { name: 'truncate', value: 'none', help: 'empty them on every start, restarts too' },
];

const THEN: readonly NativeOption[] = [
  {
    name: 'wait',
    short: 'W',
    value: 'none',
    help: 'wait for its end, as `wait` does',
    commandLineOnly: true,
  },
  { name: 'follow', short: 'f', value: 'none', help: 'show its output until it ends', commandLineOnly: true },
];

export const SUBMIT_OPTIONS: readonly NativeOption[] = [
  ...WHAT,
  ...RESOURCES,
  ...WHEN,
  ...STREAMS,
  ...KEEPING_OPTIONS,
  ...THEN,
];
