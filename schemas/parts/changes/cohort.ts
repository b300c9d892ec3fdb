/** The changes of cohorts. */

import { among, define, integer, object, type Definition, type SchemaMembers } from '../../../src/base/schema.ts';
import { changeOf, executed, type ChangeState } from './common.ts';
import { cohortBase, fields } from '../fields.ts';

export function cohortChanges(state: ChangeState): readonly Definition[] {
  const existing = { id: integer('Id of the cohort in the service'), ...WRITTEN, base: cohortBase };
  return [
    define(
      'change_create_cohort',
      object(
        {
          ...changeOf('cohort', 'create', NAMES),
          ...WRITTEN,
          ...executed(state, { 'id?': integer('Id of the created cohort') }),
        },
        { title: 'Create a cohort' },
      ),
    ),
    define(
      'change_update_cohort',
      object({ ...changeOf('cohort', 'update', NAMES), ...existing, ...executed(state) }, { title: 'Update a cohort' }),
    ),
    define(
      'change_restore_cohort',
      object(
        { ...changeOf('cohort', 'restore', NAMES), ...existing, ...executed(state) },
        { title: 'Restore a soft-deleted cohort' },
      ),
    ),
    define(
      'change_delete_cohort',
      object(
        {
          ...changeOf('cohort', 'delete', NAMES),
          ...existing,
          reason: among(
            ['retired', 'undone'],
            '`retired`: declared `deleted: true`; `undone`: created or restored by the run that is undone',
          ),
          ...executed(state),
        },
        { title: 'Soft-delete a cohort' },
      ),
    ),
  ];
}

const NAMES = { ref: 'Identifies the change within its plan: `cohort:ALIAS`', key: 'The alias of the cohort' };

const WRITTEN: SchemaMembers = {
  fields,
  body: {
    type: 'object',
    description: 'The body of the request; another cohort that the same plan creates has its alias instead of an id',
  },
};
