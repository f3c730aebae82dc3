/** Symbolic links among checkpoints, as text: nothing here looks at a disk or follows one. */

/**
 * What a link is to say on the shelf: one that was written as a whole path into the directory it is in would lead back
 * there, so it becomes one that leads to the same from where it stands. Others are left as they are.
 */
export function linkOnShelf(link: string, path: string, from: string): string {
  const root = `${from.replace(/\/+$/, '')}/`;
  if (!link.startsWith(root)) return link;
  const target = link
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (target.length === 0 || target.includes('..')) return link;
  const own = path.split('/').slice(0, -1);
  let shared = 0;
  while (shared < own.length && shared < target.length - 1 && own[shared] === target[shared]) shared++;
  return [...own.slice(shared).map(() => '..'), ...target.slice(shared)].join('/');
}

/** The name in a directory into which a link in it leads: `./step_3/weights` leads into `step_3`. */
export function firstName(link: string): string {
  return link.split('/').find((part) => part !== '' && part !== '.') ?? '';
}
