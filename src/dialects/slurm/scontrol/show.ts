/** `scontrol show ENTITY [ID]`: which entity is meant, and who shows it. */

import { type Asking, printErr, printOut, query } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { atLeast, atMost, type Call, EXIT_FAILED, EXIT_OK, refusing, saying } from './call.ts';
import { showConfig } from './show-config.ts';
import { showHostList, showHostNames } from './show-hosts.ts';
import { showJobs } from './show-job.ts';
import { notFound, showNodes } from './show-node.ts';
import { showPartitions } from './show-partition.ts';
import { showSteps } from './show-step.ts';

type Show = (call: Call, which: string | null) => Asking<number>;

interface Entity {
  readonly name: string;
  /** So many letters of it are enough. */
  readonly least: number;
  readonly show: Show;
}

const nothing = saying('');
const noAssociations = refusing('a yard keeps no associations; `sacctmgr show` lists accounts and QOS');
const noSlurmd = refusing('a yard has no daemon on each node; `trainyard status` tells about the yard');

const ENTITIES: readonly Entity[] = [
  { name: 'aliases', least: 1, show: showAliases },
  { name: 'assoc_mgr', least: 2, show: noAssociations },
  { name: 'bbstat', least: 2, show: nothing },
  { name: 'burstbuffer', least: 2, show: nothing },
  { name: 'cache', least: 2, show: noAssociations },
  { name: 'config', least: 1, show: showConfig },
  { name: 'daemons', least: 1, show: saying('slurmctld slurmd\n') },
  { name: 'dwstat', least: 2, show: nothing },
  { name: 'federation', least: 1, show: nothing },
  { name: 'frontend', least: 2, show: saying('No nodes in the system\n') },
  { name: 'hostnames', least: 5, show: showHostNames },
  { name: 'hostlist', least: 5, show: showHostList(false) },
  { name: 'hostlistsorted', least: 9, show: showHostList(true) },
  { name: 'jobs', least: 1, show: showJobs },
  { name: 'jobid', least: 4, show: showJobs },
  { name: 'licenses', least: 2, show: saying('No licenses configured in Slurm.\n') },
  { name: 'nodes', least: 1, show: showNodes },
  { name: 'partitionname', least: 2, show: showPartitions },
  { name: 'partitions', least: 2, show: showPartitions },
  { name: 'reservationname', least: 1, show: showReservations },
  { name: 'reservations', least: 1, show: showReservations },
  { name: 'slurmd', least: 2, show: noSlurmd },
  { name: 'steps', least: 2, show: showSteps },
  { name: 'topology', least: 1, show: showTopology },
];

export function* show(call: Call): Asking<number> {
  atLeast(call, 1);
  atMost(call, 2);
  const [first = '', second = null] = call.words;
  const equals = first.indexOf('=');
  const word = equals === -1 ? first : first.slice(0, equals);
  const which = equals === -1 ? second : first.slice(equals + 1);
  const wanted = word.toLowerCase();
  const entity = ENTITIES.find(({ name, least }) => wanted.length >= least && name.startsWith(wanted));
  if (entity === undefined)
    throw new SlurmFailure([`invalid entity:${word} for keyword:${call.keyword} `], EXIT_FAILED);
  return yield* entity.show(call, which);
}

/** The nodes of this machine, or of the host that was named. */
function* showAliases(_call: Call, which: string | null): Asking<number> {
  const { host } = yield* query('yard', {});
  if (which !== null && which !== host) return EXIT_OK;
  const nodes = yield* query('nodes', { names: null });
  yield* printOut(`${nodes.map(({ node }) => node.name).join(' ')}\n`);
  return EXIT_OK;
}

function* showReservations(call: Call, which: string | null): Asking<number> {
  if (which !== null) return yield* notFound(call, `Reservation ${which} not found`);
  yield* printOut('No reservations in the system\n');
  return EXIT_OK;
}

function* showTopology(_call: Call, which: string | null): Asking<number> {
  const sentence =
    which === null
      ? 'No topology information available'
      : `Topology information contains no switch or node named ${which}`;
  yield* printErr(`scontrol: error: ${sentence}\n`);
  return EXIT_OK;
}
