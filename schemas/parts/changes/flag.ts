/** The changes of flags. */

import {
  among,
  array,
  define,
  integer,
  is,
  object,
  string,
  type Definition,
  type SchemaMembers,
} from '../../../src/base/schema.ts';
import { changeOf, executed, type ChangeState } from './common.ts';
import { fields, flagBase } from '../fields.ts';
import { bounds, divergence } from '../values.ts';

export function flagChanges(state: ChangeState): readonly Definition[] {
  const existing = { id: integer('Id of the flag in the service'), ...WRITTEN, base: flagBase };
  return [
    define(
      'change_create',
      object(
        {
          ...changeOf('flag', 'create'),
          'divergence?': divergence(
            'Of a create without fields: what moved away from the base: the manifests, the service, or both to different values; absent without a base',
          ),
          ...WRITTEN,
          ...KEEPS,
          ...executed(state, { 'id?': integer('Id of the created flag') }),
        },
        { title: 'Create a flag' },
      ),
    ),
    define(
      'change_update',
      object(
        { ...changeOf('flag', 'update', { ref: UPDATE }), ...existing, ...KEEPS, ...executed(state) },
        { title: 'Update a flag' },
      ),
    ),
    define(
      'change_restore',
      object(
        { ...changeOf('flag', 'restore'), ...existing, ...KEEPS, ...executed(state) },
        { title: 'Restore a soft-deleted flag' },
      ),
    ),
    define(
      'change_delete',
      object(
        {
          ...changeOf('flag', 'delete'),
          ...existing,
          reason: among(
            ['retired', 'pruned', 'undone'],
            '`retired`: declared `deleted: true`; `pruned`: in no manifest; `undone`: created or restored by the run that is undone',
          ),
          ...executed(state),
        },
        { title: 'Soft-delete a flag' },
      ),
    ),
  ];
}

const UPDATE =
  'Identifies the change within its plan: `flag:KEY`, or `flag_active:KEY` for the one of two writes that switches the flag off or on';

const WRITTEN: SchemaMembers = { fields, body: { type: 'object', description: 'The body of the request' } };

const KEEPS: SchemaMembers = {
  'keeps?': array(
    object({
      path: string("JSON pointer in the API's field names, after the change"),
      'live?': string('The same place before the change, where it is another'),
      'between?': bounds({ description: 'Others decide inside these bounds only' }),
      'new?': is(true, 'The change writes the first value, and others decide from then on'),
    }),
    'Places whose value others decide (`ownership`): written as it is live when the change is applied. Absent where git decides about everything',
  ),
};
