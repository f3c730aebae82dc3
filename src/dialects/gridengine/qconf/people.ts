/** Users and lists of users as `qconf -su`, `-suser` and their lists show them. */

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
