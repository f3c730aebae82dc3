/** `--uid`: whose jobs are changed, in whose name. Only root may act for others. */

import { type Asking, type Invocation, printErr, query } from '../../program.ts';

/** Null when there is no such user, which has been said. */
export function* userToActAs(invocation: Invocation, uid: string | null): Asking<Invocation | null> {
  if (uid === null) return invocation;
  const [user] = yield* query('users', { names: [uid] });
  const isSelf = uid === `${invocation.uid}` || uid === invocation.user;
  const isRoot = uid === '0';
  if (user == null && !isSelf && !isRoot) {
    yield* printErr(`scontrol: error: --uid="${uid}" invalid\n`);
    return null;
  }
  const name = isSelf ? invocation.user : isRoot ? 'root' : (user?.name ?? invocation.user);
  if (name !== invocation.user && invocation.user !== 'root') {
    yield* printErr('scontrol: error: only root acts as another user\n');
    return null;
  }
  return { ...invocation, user: name };
}
