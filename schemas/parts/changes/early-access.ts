/** The changes of early access features. */

import {
  among,
  boolean,
  define,
  integer,
  object,
  string,
  type Definition,
  type SchemaMembers,
} from '../../../src/base/schema.ts';
import { featureBase, fields } from '../fields.ts';
import { changeOf, executed, type ChangeState } from './common.ts';

export function featureChanges(state: ChangeState): readonly Definition[] {
  const existing = {
    id: integer('Id of the flag'),
    feature_id: string('Id of the feature in the service, a UUID'),
    ...WRITTEN,
    base: featureBase,
  };
  return [
    define(
      'change_create_early_access',
      object(
        {
          ...changeOf('early_access', 'create', NAMES),
          ...WRITTEN,
          ...executed(state, { 'id?': integer('Id of the flag') }),
        },
        { title: 'Create an early access feature' },
      ),
    ),
    define(
      'change_update_early_access',
      object(
        { ...changeOf('early_access', 'update', NAMES), ...existing, ...executed(state) },
        { title: 'Update an early access feature' },
      ),
    ),
    define(
      'change_delete_early_access',
      object(
        {
          ...changeOf('early_access', 'delete', NAMES),
          ...existing,
          reason: among(
            ['retired', 'undone'],
            '`retired`: declared `deleted: true`; `undone`: created by the run that is undone',
          ),
          ...executed(state),
        },
        { title: 'Archive an early access feature' },
      ),
    ),
  ];
}

const NAMES = {
  ref: 'Identifies the change within its plan: `early_access:ALIAS`',
  key: 'The alias of the early access feature',
};

const WRITTEN: SchemaMembers = {
  flag: string('The key of the flag that people can enroll in'),
  managed: boolean('Whether manifests declare the flag'),
  fields,
  body: { type: 'object', description: 'The body of the request, without the id of the flag' },
  'enrollment?': among(
    ['starts', 'ends'],
    '`starts`: people who enrolled get the flag, whatever its conditions say; `ends`: its conditions decide; absent where the flag stays as it is',
  ),
};
