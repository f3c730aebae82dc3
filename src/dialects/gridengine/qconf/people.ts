/** Users, lists of users and projects as `qconf -su`, `-suser`, `-sprj` and their lists show them. */

import type { Account } from '../../../model/policy.ts';
import type { UserShare } from '../../../model/query.ts';
import type { Setting } from './layout.ts';

/** Those that every Grid Engine has; nobody is in them. */
export const USER_LISTS: readonly string[] = ['arusers', 'deadlineusers', 'defaultdepartment'];

export const USER_LIST_WIDTH = 8;

export function userListSettings(name: string): readonly Setting[] {
  return [
    ['name', name],
    ['type', name === 'defaultdepartment' ? 'DEPT' : 'ACL'],
    ['fshare', '0'],
    ['oticket', '0'],
    ['entries', 'NONE'],
  ];
}

export function userSettings({ user, shares }: UserShare): readonly Setting[] {
  return [
    ['name ', user],
    ['oticket ', '0'],
    ['fshare ', `${shares}`],
    ['delete_time ', '0'],
    ['default_project ', 'NONE'],
  ];
}

/** Who may name it is a list of users here, which Grid Engine has by a name of its own. */
export function projectSettings({ name, users }: Account): readonly Setting[] {
  return [
    ['name ', name],
    ['oticket ', '0'],
    ['fshare ', '0'],
    ['acl ', users === null || users.length === 0 ? 'NONE' : users.join(' ')],
    ['xacl ', 'NONE'],
  ];
}
