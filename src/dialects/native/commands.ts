/** Every native command, in the order of the help. */

import type { NativeCommand } from './call.ts';
import { cancel } from './cancel.ts';
import { checkpoints } from './checkpoints.ts';
import { top, up } from './client-commands.ts';
import { config } from './config.ts';
import { down } from './down.ts';
import { env } from './env.ts';
import { events } from './events.ts';
import { footprints } from './footprints.ts';
import { gpus } from './gpus.ts';
import { history } from './history.ts';
import { hold } from './hold.ts';
import { lint } from './lint.ts';
import { logs } from './logs.ts';
import { nodes } from './nodes.ts';
import { queue } from './queue.ts';
import { queues } from './queues.ts';
import { release } from './release.ts';
import { requeue } from './requeue.ts';
import { resume } from './resume.ts';
import { show } from './show.ts';
import { status } from './status.ts';
import { submit } from './submit.ts';
import { suspend } from './suspend.ts';
import { wait } from './wait.ts';
import { why } from './why.ts';

export const COMMANDS: readonly NativeCommand[] = [
  submit,
  queue,
  show,
  why,
  logs,
  wait,
  cancel,
  hold,
  release,
  suspend,
  resume,
  requeue,
  checkpoints,
  history,
  lint,
  status,
  nodes,
  gpus,
  footprints,
  queues,
  events,
  config,
  env,
  up,
  down,
  top,
];

export function commandNamed(word: string): NativeCommand | null {
  return COMMANDS.find(({ name, aliases }) => name === word || aliases.includes(word)) ?? null;
}
