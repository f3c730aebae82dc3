/** The text of `qconf -help`. */

import { type HelpRow, helpText } from '../help-text.ts';

const FLAGS: readonly HelpRow[] = [
  ['[-help]', 'this text'],
  ['[-sc]', 'the attributes that may be asked for with -l'],
  ['[-scal calendar]', 'a calendar'],
  ['[-scall]', 'the names of all calendars'],
  ['[-sckpt name]', 'a checkpointing environment'],
  ['[-sckptl]', 'the names of all checkpointing environments'],
  ['[-sconf [host|global]]', 'how the yard is run'],
  ['[-sconfl]', 'the hosts that have settings of their own'],
  ['[-sds]', 'settings that belong to no host group'],
  ['[-se host]', 'a host'],
  ['[-secl]', 'who is told of everything that happens'],
  ['[-sel]', 'the names of all hosts that run jobs'],
  ['[-sh]', 'the names of all administrative hosts'],
  ['[-shgrp group]', 'a host group'],
  ['[-shgrp_tree group]', 'the same, as a tree'],
  ['[-shgrp_resolved group]', 'the hosts of a host group'],
  ['[-shgrpl]', 'the names of all host groups'],
  ['[-sm]', 'the managers'],
  ['[-so]', 'the operators'],
  ['[-sobjl kind attribute value]', 'what has this value: queue, queue_instance or exechost'],
  ['[-sp name]', 'a parallel environment'],
  ['[-spl]', 'the names of all parallel environments'],
  ['[-sprj project]', 'a project'],
  ['[-sprjl]', 'the names of all projects'],
  ['[-sq [queue_list]]', 'queues, or what a new one begins with'],
  ['[-sql]', 'the names of all queues'],
  ['[-srqs [name_list]]', 'resource quota sets'],
  ['[-srqsl]', 'the names of all resource quota sets'],
  ['[-ss]', 'the names of all hosts that may submit'],
  ['[-ssconf]', 'how jobs are scheduled'],
  ['[-sss]', 'the host of the scheduler'],
  ['[-sst]', 'the share tree, laid out'],
  ['[-sstnode node_list]', 'parts of the share tree'],
  ['[-sstree]', 'the share tree'],
  ['[-su list_names]', 'lists of users'],
  ['[-sul]', 'the names of all lists of users'],
  ['[-suser user_list]', 'users'],
  ['[-suserl]', 'the names of all users'],
];

const NOTES: readonly HelpRow[] = [
  [
    'queue_list',
    'cpu, cpu@host, @host or cpu@@hostgroup, with commas between them, and * and ? for any letters',
  ],
  ['', 'Queues, hosts and limits are changed in trainyard.toml; see trainyard config --help.'],
];

export const QCONF_HELP = helpText('qconf [options]', FLAGS, NOTES);
