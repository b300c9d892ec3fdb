/** Change requests of the service that concern the changes of a plan. */

import { among, array, object, string, type Keywords } from '../../src/base/schema.ts';

export const approvals: Keywords = array(
  object({
    ref: string('Of the change'),
    key: string('The key of the flag of the change'),
    change_request: object({
      id: string(),
      'url?': string('Its page; absent where the service has no web interface'),
      'action?': string('What needs the approval, `feature_flag.enable`'),
    }),
    state: among(
      ['open', 'rejected', 'withdrawn', 'failed', 'expired'],
      '`open`: it waits for a decision. The others asked for this change, and an apply asks again',
    ),
    'asks?': among(
      ['this_change', 'part_of_this_change', 'other_values', 'other_resource', 'outdated_version'],
      'What an open request asks for; absent where the service does not tell',
    ),
    'by?': string('Who opened it, or who rejected or withdrew it'),
    'for?': string('The key of the other flag whose creation it asks for'),
    'reason?': string('Of a rejection'),
    'why?': string('Why the service could not make the approved change'),
    text: string(),
  }),
  {
    title: 'Approvals in the service',
    description:
      'Change requests of the service that concern the changes; in what `plan` and `drift` print, not in a saved plan. Absent where there are none. The fingerprint does not cover it',
  },
);
