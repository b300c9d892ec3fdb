/** Who decides about a value. */

import { among, define, string, type Keywords } from '../../src/base/schema.ts';
import { bounds } from './values.ts';

export const fieldOwnership = define('fieldOwnership', {
  title: 'Who decides',
  description:
    'managed: git. initial: git when the flag is created, others afterwards. observed: others; never written. between: others, inside the bounds.',
  type: ['string', 'object'],
  ...modes(),
});

export const changedOwnership = define('changedOwnership', {
  title: 'Who decides in this project',
  description: 'As in the base; null removes the path of the base.',
  type: ['string', 'object', 'null'],
  ...modes(),
});

function modes(): Keywords {
  return {
    if: string(),
    then: among(['managed', 'initial', 'observed']),
    else: {
      properties: {
        between: bounds({
          description: 'The lower and the upper bound. A live value outside them is brought to the nearest one.',
        }),
      },
      required: ['between'],
      additionalProperties: false,
    },
  };
}
