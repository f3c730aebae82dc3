/** `trainyard gpus`: the devices, who is on them and how much they use, and who waits for one. */

import { printable } from '../../model/bytes.ts';
import type { GpusView } from '../../model/query.ts';
import { type Asking, clock, type Program, printOut, query } from '../program.ts';
import { listed } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { refusalError } from './failure.ts';
import { orAny } from './filters.ts';
import { devicesTable, sourceText, tenantsTable, waitingTable } from './gpus-table.ts';
import { isoOrNull, jobJson, printJson } from './json.ts';

export const gpus: NativeCommand = {
  name: 'gpus',
  aliases: ['gpu'],
  group: 'yard',
  summary: 'the GPUs, who is on them, and who waits for one',
  usage: ['[NODE…]'],
  about: [
    'RESERVED is what is kept for jobs, USED what is really taken, by whomever, and FREE what another',
    'job could have. A job that shares has as much as its kind was seen to use (trainyard footprints);',
    'the first of its kind has a GPU alone: it is learning. trainyard why JOB says why it is there.',
  ],
  examples: [
    { line: 'trainyard gpus', says: 'memory, load and temperature, and every job on them' },
    { line: 'trainyard gpus node1 --json', says: 'those of one node, for a program' },
  ],
  options: [],
  positionals: 'anywhere',
  arguments: 'some',
  run: runGpus,
};

function* runGpus(call: Call): Program {
  yield* mustBeNodes(call.positionals);
  const view = yield* query('gpus', { nodes: orAny(call.positionals) });
  const now = yield* clock();
  if (call.json) yield* printJson(viewJson(view, now, call.zone));
  else if (call.quiet) {
    yield* printOut(view.gpus.map(({ node, device }) => `${printable(node)}:${device.index}\n`).join(''));
  } else if (view.gpus.length === 0) yield* printOut(noGpus(call.positionals));
  else {
    const parts = [
      devicesTable(view, call),
      tenantsTable(view, now, call),
      waitingTable(view, now, call),
      `${call.paint('grey', sourceText(view))}\n`,
    ];
    yield* printOut(parts.filter((part) => part !== '').join('\n'));
  }
  return 0;
}

function* mustBeNodes(names: readonly string[]): Asking<void> {
  if (names.length === 0) return;
  const known = (yield* query('nodes', { names: null })).map(({ node }) => node.name);
  const missing = names.filter((name) => !known.includes(name));
  if (missing.length > 0)
    throw refusalError('noSuchNode', `there is no node ${listed(missing)}`, null, known);
}

function noGpus(names: readonly string[]): string {
  const who =
    names.length === 0
      ? 'this yard has'
      : `${listed(names.map(printable))} ${names.length === 1 ? 'has' : 'have'}`;
  const hint = 'to rehearse with simulated ones: trainyard down; trainyard up --simulate-gpus 4x16G';
  return `${who} no GPUs\n  ${hint}\n`;
}

function viewJson({ source, gpus: devices, waiting }: GpusView, now: number, zone: string): unknown {
  return {
    source,
    gpus: devices.map((gpu) => ({
      ...gpu,
      now: gpu.now === null ? null : { ...gpu.now, at: isoOrNull(gpu.now.at) },
      tenants: gpu.tenants.map((tenant) => ({
        ...tenant,
        now: tenant.now === null ? null : { ...tenant.now, idleSince: isoOrNull(tenant.now.idleSince) },
      })),
    })),
    waiting: waiting.map(({ view, wants }) => ({ job: jobJson(view, now, zone), wants })),
  };
}
