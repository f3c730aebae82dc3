/**
 * What `qconf` shows of one thing, or of several, by name: a queue, a parallel environment, a host, a list of users.
 * What does not exist is refused in the words of the original.
 */

import { printable } from '../../../model/bytes.ts';
import type { NodeView } from '../../../model/query.ts';
import { GridEngineFailure } from '../failure.ts';
import { ALL_HOSTS, matchesExpression, matchesInstance } from '../patterns.ts';
import { GLOBAL_HOST, globalHostSettings, HOST_WIDTH, hostSettings } from './host-settings.ts';
import { type Setting, settingsText } from './layout.ts';
import { projectSettings, USER_LIST_WIDTH, USER_LISTS, userListSettings, userSettings } from './people.ts';
import {
  instanceSettings,
  PE_WIDTH,
  peSettings,
  QUEUE_WIDTH,
  type QueueSight,
  queueSettings,
  templateSettings,
} from './queue-settings.ts';
import type { Setup } from './setup.ts';
import { CONFIGURATION_WIDTH, configurationSettings } from './yard-settings.ts';

/** What is printed, and what is said on stderr about the rest. */
export interface Shown {
  readonly text: string;
  readonly complaints: readonly string[];
}

type ThingWriter = (words: readonly string[], setup: Setup) => Shown;

/** By flag: how many words follow it at least and at most, and what is shown of them. */
export const THINGS: Readonly<Record<string, { least: number; most: number; show: ThingWriter }>> = {
  '-sq': { least: 0, most: Number.POSITIVE_INFINITY, show: queues },
  '-sp': { least: 1, most: 1, show: parallelEnvironment },
  '-se': { least: 1, most: 1, show: host },
  '-shgrp': { least: 1, most: 1, show: hostGroup },
  '-shgrp_tree': { least: 1, most: 1, show: hostGroupTree },
  '-shgrp_resolved': { least: 1, most: 1, show: hostGroupResolved },
  '-sconf': { least: 0, most: 1, show: configuration },
  '-su': { least: 1, most: 1, show: userLists },
  '-suser': { least: 1, most: 1, show: users },
  '-sobjl': { least: 3, most: 3, show: objects },
  '-scal': { least: 1, most: 1, show: unknown((name) => `${name} is not a calendar`) },
  '-sckpt': {
    least: 1,
    most: 1,
    show: unknown((name) => `${name} is not a checkpointing interface definition`),
  },
  '-sprj': { least: 1, most: 1, show: project },
  '-srqs': { least: 0, most: 1, show: unknown(() => 'No resource quota set found') },
  '-sst': { least: 0, most: 0, show: noShareTree },
  '-sstnode': { least: 1, most: 1, show: noShareTree },
  '-rsstnode': { least: 1, most: 1, show: noShareTree },
};

function queues(words: readonly string[], setup: Setup): Shown {
  const layout = { ...setup, width: QUEUE_WIDTH };
  const sights = queueSights(setup);
  const wanted = words.flatMap((word) => word.split(','));
  if (wanted.length === 0) return plain(settingsText(templateSettings(setup.policy), layout));
  const texts: string[] = [];
  const missing: string[] = [];
  for (const word of wanted) {
    const found = word.includes('@') ? instancesMeant(word, sights) : queuesMeant(word, sights);
    const text = found.map((settings) => settingsText(settings, layout)).join(word.includes('@') ? '\n' : '');
    if (text === '') missing.push(`No cluster queue or queue instance matches the phrase "${word}"`);
    else texts.push(text);
  }
  if (texts.length === 0) throw new GridEngineFailure(missing, 1);
  return { text: texts.join(''), complaints: missing.map((sentence) => `error: ${sentence}`) };
}

function queueSights({ queues: views, nodes, policy }: Setup): readonly QueueSight[] {
  return views.map(({ queue }) => ({
    queue,
    policy,
    nodes: nodes.filter(({ node }) => queue.nodes?.includes(node.name) ?? true),
  }));
}

function queuesMeant(word: string, sights: readonly QueueSight[]): readonly (readonly Setting[])[] {
  return sights.filter(({ queue }) => matchesExpression(word, queue.name)).map(queueSettings);
}

function instancesMeant(word: string, sights: readonly QueueSight[]): readonly (readonly Setting[])[] {
  return sights.flatMap((sight) =>
    sight.nodes
      .filter(({ node }) => matchesInstance(word, sight.queue.name, node.name))
      .map((view) => instanceSettings(sight, view)),
  );
}

function parallelEnvironment([name = '']: readonly string[], { policy, isSingleLine }: Setup): Shown {
  const found = policy.layouts.find((layout) => layout.name === name);
  if (found === undefined) throw new GridEngineFailure([`${name} is not a parallel environment`], 1);
  return plain(settingsText(peSettings(found), { isSingleLine, width: PE_WIDTH }));
}

function host([name = '']: readonly string[], setup: Setup): Shown {
  const layout = { ...setup, width: HOST_WIDTH };
  if (name === GLOBAL_HOST) return plain(settingsText(globalHostSettings(), layout));
  const view = nodeNamed(name, setup);
  if (view === null) throw new GridEngineFailure([`can't resolve hostname "${name}"`], 1);
  return plain(settingsText(hostSettings(view), layout));
}

function nodeNamed(name: string, { nodes }: Setup): NodeView | null {
  return nodes.find(({ node }) => node.name.toLowerCase() === name.toLowerCase()) ?? null;
}

const HOST_LIST = 'hostlist ';

function hostGroup([name = '']: readonly string[], setup: Setup): Shown {
  const hosts = hostsOf(name, setup);
  const list = hosts.length === 0 ? 'NONE' : hosts.join(' ');
  const layout = { ...setup, width: HOST_LIST.length };
  return plain(`group_name ${name}\n${settingsText([[HOST_LIST, list]], layout)}`);
}

function hostGroupTree([name = '']: readonly string[], setup: Setup): Shown {
  return plain(namesText([name, ...hostsOf(name, setup).map((each) => `   ${each}`)]));
}

function hostGroupResolved([name = '']: readonly string[], setup: Setup): Shown {
  return plain(`${printable(hostsOf(name, setup).join(' '))}\n`);
}

/** There is one group, of all. */
function hostsOf(group: string, { nodes }: Setup): readonly string[] {
  if (group !== ALL_HOSTS) throw new GridEngineFailure([`Host group "${group}" does not exist`], 1);
  return nodes.map(({ node }) => node.name);
}

/** No host has one of its own. */
function configuration([words = 'global']: readonly string[], setup: Setup): Shown {
  const texts = words.split(',').map((word) => {
    if (word !== 'global') throw new GridEngineFailure([noConfiguration(word, setup)], 1);
    const settings = configurationSettings(setup.policy, setup.yard);
    return `#global:\n${settingsText(settings, { ...setup, width: CONFIGURATION_WIDTH })}\n`;
  });
  return plain(texts.join(''));
}

function noConfiguration(name: string, setup: Setup): string {
  const view = nodeNamed(name, setup);
  return view === null
    ? `can't resolve hostname "${name}": can't resolve host name`
    : `configuration ${view.node.name} not defined`;
}

function userLists([words = '']: readonly string[], setup: Setup): Shown {
  const texts = words.split(',').map((name) => {
    if (USER_LISTS.includes(name))
      return settingsText(userListSettings(name), { ...setup, width: USER_LIST_WIDTH });
    throw new GridEngineFailure([`denied: access list "${name}" does not exist`], 1);
  });
  return plain(texts.join('\n'));
}

function project([name = '']: readonly string[], { policy, isSingleLine }: Setup): Shown {
  const found = policy.accounts?.find((account) => account.name === name);
  if (found === undefined) throw new GridEngineFailure([`${name} is not known as a project`], 1);
  return plain(settingsText(projectSettings(found), { isSingleLine, width: 0 }));
}

function users([words = '']: readonly string[], { shares, isSingleLine }: Setup): Shown {
  const texts: string[] = [];
  const complaints: string[] = [];
  for (const name of words.split(',')) {
    const found = shares.find(({ user }) => user === name);
    if (found === undefined) complaints.push(`${name} is not known as a user`);
    else texts.push(settingsText(userSettings(found), { isSingleLine, width: 0 }));
  }
  return { text: texts.join('\n'), complaints };
}

/** Queues, their instances or hosts of which a setting has the value. */
function objects([kind = '', attribute = '', value = '']: readonly string[], setup: Setup): Shown {
  const has = (settings: readonly Setting[]) =>
    settings.some(([name, is]) => name === attribute && matchesExpression(value, is));
  const sights = queueSights(setup);
  switch (kind) {
    case 'exechost':
      return plain(
        namesText(setup.nodes.filter((view) => has(hostSettings(view))).map(({ node }) => node.name)),
      );
    case 'queue':
      return plain(
        namesText(sights.filter((sight) => has(queueSettings(sight))).map(({ queue }) => queue.name)),
      );
    case 'queue_instance':
      return plain(namesText(sights.flatMap((sight) => instancesThat(has, sight))));
    default:
      return plain('');
  }
}

function instancesThat(has: (settings: readonly Setting[]) => boolean, sight: QueueSight): readonly string[] {
  return sight.nodes
    .filter((view) => has(instanceSettings(sight, view)))
    .map(({ node }) => `${sight.queue.name}@${node.name}`);
}

function noShareTree(): Shown {
  return { text: '', complaints: ['No sharetree'] };
}

function unknown(sentence: (name: string) => string): ThingWriter {
  return ([name = '']) => {
    throw new GridEngineFailure([sentence(name)], 1);
  };
}

function namesText(names: readonly string[]): string {
  return names.map((name) => `${printable(name)}\n`).join('');
}

function plain(text: string): Shown {
  return { text, complaints: [] };
}
