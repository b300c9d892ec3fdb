/** What documents say of the manifests that a command edits. */

import { among, array, object, string, type Keywords } from '../../src/base/schema.ts';
import { place } from './place.ts';

export const editedFiles: Keywords = array(
  object({
    file: string('Relative to the working directory'),
    status: among(
      ['written', 'edited', 'to_write', 'to_edit'],
      '`to_write`, `to_edit`: with --patch, nothing was written',
    ),
  }),
);

export const declaredBefore: Keywords = { description: 'Declared so far; absent where there was no value' };

/** Where a value is written now. */
export const writtenAt = {
  'layer?': among(
    ['base', 'project'],
    '`project`: in the overlay of the project; absent where the value is written no more, and for access',
  ),
  'place?': place,
};

/** Why something was left. */
export const leftReason = {
  key: string(),
  code: string('The reason, see https://flagwright.dev/commands'),
  message: string(),
};

/** Where it is declared, and how it can be written by hand. */
export const leftPlace = {
  'place?': place,
  'suggestion?': string('The members to write by hand, as YAML; absent if there is nothing to add'),
};
