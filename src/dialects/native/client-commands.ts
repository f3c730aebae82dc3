/** Commands that the program at the user's end does by itself. They are here so that the help knows them. */

import type { NativeCommand } from './call.ts';

export const up: NativeCommand = {
  name: 'up',
  aliases: [],
  group: 'yard',
  summary: 'start a yard on this machine, or say that one runs',
  usage: ['[options]'],
  about: [
    'Other commands start a yard by themselves; this is to see where it is, or to give it options.',
    'A yard knows its directory. In a copy, or in one that was restored or moved from another disk or',
    'machine, it does not start until you say which it is: --moved or --copied.',
  ],
  examples: [
    { line: 'trainyard up', says: 'start it' },
    { line: 'trainyard up --simulate-gpus 4x16G', says: 'rehearse GPU jobs on a machine without GPUs' },
  ],
  options: [
    { name: 'config', value: 'required', argument: 'FILE', help: 'read FILE rather than trainyard.toml' },
    {
      name: 'simulate-gpus',
      value: 'required',
      argument: 'NxMEM',
      help: 'pretend to have GPUs: 4x16G, or 2x16G,2x24G:a100',
    },
    {
      name: 'moved',
      value: 'none',
      help: 'the original is gone: this directory is the yard now',
    },
    {
      name: 'copied',
      value: 'none',
      help: 'make a new yard of a copy, without its unended jobs',
    },
    {
      name: 'restore-backup',
      value: 'optional',
      argument: 'NAME',
      help: 'put back a backup of the store: =NAME, or the newest good one',
    },
    {
      name: 'new-store',
      value: 'none',
      help: 'start with an empty store; the one that is there is moved aside',
    },
    { name: 'foreground', value: 'none', help: 'stay in the foreground, for a service manager' },
  ],
  positionals: 'anywhere',
  arguments: 'none',
  run: 'client',
};

export const top: NativeCommand = {
  name: 'top',
  aliases: [],
  group: 'yard',
  summary: 'the yard live, on the whole screen',
  usage: [''],
  about: [],
  examples: [{ line: 'trainyard top', says: 'q leaves it' }],
  options: [],
  positionals: 'anywhere',
  arguments: 'none',
  run: 'client',
};
