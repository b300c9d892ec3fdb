/** Why an apply is refused. */

import { among, array, define, object, string } from '../../src/base/schema.ts';

export const refused = define(
  'refused',
  object(
    {
      ref: string('The change of the run'),
      key: string('The flag'),
      refusal: among(
        ['moved', 'gone', 'secret', 'unwritable'],
        '`moved`: changed after the run; `gone`: no longer exists in the service; `secret`: its previous payloads are encrypted; `unwritable`: no request writes back what was there before',
      ),
      moved: array(
        object({
          path: string("JSON pointer in the API's field names"),
          'before?': { description: 'The value that the run wrote; absent where it wrote none' },
          'after?': { description: 'The live value; absent where there is none' },
        }),
        'The fields that changed after the run: `before` is what the run wrote, `after` is live',
      ),
    },
    { title: 'Changes that cannot be undone' },
  ),
);
