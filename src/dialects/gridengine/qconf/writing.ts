/** The flags of `qconf` that change something. None does here: what a yard is like is written in its config file. */

/** Whether it is a flag by which Grid Engine is changed. */
export function isWriting(flag: string): boolean {
  return WRITING.has(flag);
}

/** Whether it is one by which something is shut down. */
export function isStopping(flag: string): boolean {
  return STOPPING.has(flag);
}

const KINDS: readonly (readonly [verbs: string, things: string])[] = [
  ['adm', 'attr cal ckpt conf e hgrp rqs p prj q u user stnode stree'],
  ['AM', 'attr cal ckpt conf e hgrp rqs p prj q u user stree'],
  ['D', 'attr'],
  ['ad', 'h m o s'],
  ['d', 'ul'],
  ['m', 'c sconf'],
  ['M', 'c sconf'],
  ['rR', 'attr'],
  ['a', 't'],
];

const WRITING: ReadonlySet<string> = new Set([
  ...KINDS.flatMap(([verbs, things]) =>
    [...verbs].flatMap((verb) => things.split(' ').map((thing) => `-${verb}${thing}`)),
  ),
  '-clearusage',
  '-cq',
  '-purge',
  '-tsm',
]);

const STOPPING: ReadonlySet<string> = new Set(['-k', '-km', '-ks', '-ke', '-kej', '-kec', '-kt']);
