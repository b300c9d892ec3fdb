/** The changes of role access. */

import {
  define,
  integer,
  object,
  orNull,
  ref,
  string,
  type Definition,
  type SchemaMembers,
} from '../../../src/base/schema.ts';
import { changeOf, executed, moved, type ChangeState } from './common.ts';
import { roleBase } from '../fields.ts';
import { role } from '../project.ts';

export function accessChanges(state: ChangeState): readonly Definition[] {
  return [
    define(
      'change_grant',
      object(
        {
          ...accessChange('grant'),
          'id?': integer('Id of the flag; absent while it is still to be created'),
          role,
          'level?': string('The level of access; absent: editor'),
          base: roleBase,
          ...executed(state, { 'entry_id?': integer('Id of the created role access entry') }),
        },
        { title: 'Grant a role access to a flag' },
      ),
    ),
    define(
      'change_adjust',
      object(
        {
          ...accessChange('adjust'),
          'id?': integer('Id of the flag; absent while it is still to be created'),
          'role?': ref(role, 'Absent: everyone'),
          before: orNull(string('The current level; null if it has none of its own')),
          level: orNull(string('The level afterwards; null for none of its own')),
          base: roleBase,
          ...executed(state),
        },
        { title: 'Change a level of access to a flag' },
      ),
    ),
    define(
      'change_revoke',
      object(
        {
          ...accessChange('revoke'),
          id: integer('Id of the flag in the service'),
          role,
          'entry_id?': integer('Id of the role access entry, on a service of 2023'),
          'level?': string('The level that the role had, on a service with levels'),
          base: roleBase,
          ...executed(state),
        },
        { title: 'Revoke the access of a role to a flag' },
      ),
    ),
  ];
}

function accessChange(action: string): SchemaMembers {
  return {
    ...changeOf('role_access', action),
    'divergence?': moved,
    'base_level?': orNull(string('Of a conflict: the level that the base declared; null for none')),
  };
}
