/** `scontrol show hostnames`, `hostlist` and `hostlistsorted`: between the short form of a list of hosts and its names. */

import { printable, textFromBytes } from '../../../model/bytes.ts';
import { variableOf } from '../../environment.ts';
import { type Asking, printErr, printOut, readFile } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { expandHosts, foldHosts, splitHost } from '../host-list.ts';
import { type Call, EXIT_FAILED, EXIT_OK } from './call.ts';

const MOST_LIST_BYTES = 1024 * 1024;

/** Without a list that of the job it is called in. */
export function* showHostNames({ invocation }: Call, which: string | null): Asking<number> {
  const { environment } = invocation;
  const list =
    which ?? variableOf(environment, 'SLURM_NODELIST') ?? variableOf(environment, 'SLURM_JOB_NODELIST');
  if (list === null) {
    yield* printErr('scontrol: error: host list is empty\n');
    return EXIT_OK;
  }
  const hosts = expandHosts(list);
  if (hosts === null) yield* printErr(`Invalid hostlist: ${printable(list)}\n`);
  else yield* printOut(hosts.map((host) => `${printable(host)}\n`).join(''));
  return EXIT_OK;
}

export function showHostList(sorted: boolean): (call: Call, which: string | null) => Asking<number> {
  return function* (_call, which) {
    if (which === null) throw new SlurmFailure(['invalid encode argument'], EXIT_FAILED);
    const hosts = expandHosts(which.startsWith('/') ? yield* listIn(which) : which);
    if (hosts === null) {
      yield* printErr(`Invalid hostlist: ${printable(which)}\n`);
      return EXIT_FAILED;
    }
    yield* printOut(`${printable(foldHosts(sorted ? sortedHosts(hosts) : hosts))}\n`);
    return EXIT_OK;
  };
}

/** A file names hosts with commas or on lines of their own. */
function* listIn(path: string): Asking<string> {
  const read = yield* readFile(path, MOST_LIST_BYTES);
  if (!read.ok) throw new SlurmFailure([`Can not open ${path}`], EXIT_FAILED);
  return textFromBytes(read.bytes).replace(/\s+/g, ',');
}

/** Each name is taken apart once: a sort compares it many times. */
function sortedHosts(hosts: readonly string[]): readonly string[] {
  return hosts
    .map((host) => {
      const [name, number] = splitHost(host);
      return { host, name, number: number === '' ? -1 : Number(number) };
    })
    .sort((a, b) => (a.name === b.name ? a.number - b.number : a.name < b.name ? -1 : 1))
    .map(({ host }) => host);
}
