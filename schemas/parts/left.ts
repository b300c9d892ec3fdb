/** What a plan leaves as it is. */

import { array, integer, object, string, type Keywords } from '../../src/base/schema.ts';
import { fields } from './fields.ts';
import { place } from './place.ts';

export const leftAsLive: Keywords = array(
  object({
    ref: string('The change that would remove it'),
    resource: string(),
    key: string(),
    'id?': integer('Id in the service; absent where it does not exist there'),
    action: string('What that change would do'),
    fields,
  }),
  {
    title: 'Left as it is live',
    description:
      'Differences that the plan does not remove: drift with `--only-pending` or `drift: keep`, and what a run ignores; absent where there are none',
  },
);

export const released: Keywords = array(
  object({ key: string(), 'place?': place }),
  'Live flags that the base declared and no manifest names any more, sorted by key. Absent without a base',
);
