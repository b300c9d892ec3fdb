/** What the service is to change by itself of declared flags. */

import { among, array, boolean, integer, is, number, object, string, type Keywords } from '../../src/base/schema.ts';

export const scheduled: Keywords = object(
  {
    'unknown?': among(
      ['forbidden', 'failed'],
      'Why nobody can tell: the key may not read them, or the request failed. Absent where they were read',
    ),
    changes: array(
      object({
        key: string('The flag'),
        id: integer('Of the scheduled change'),
        at: string('When the service makes the change, or makes it next'),
        operation: string('update_status, add_release_condition, update_variants, or one of a later service'),
        'value?': boolean('For update_status: the new value of `active`'),
        'repeats?': string('daily, weekly, monthly, yearly, or a cron expression'),
        'until?': string('The end of the repetition'),
        'by?': string('Who scheduled it'),
        'approval?': object(
          { request: string(), state: string('pending, approved, rejected, expired, failed or applied') },
          'The change request that is bound to it; absent where none is, or where the service does not say',
        ),
        outcome: among(
          ['made', 'not_approved', 'refused', 'unknown'],
          '`refused`: the service will refuse it, since the flag will not allow it. `unknown`: this release cannot tell',
        ),
        'effects?': array(
          object({ classes: array(string(), 'As in `effects`'), text: string() }),
          'Empty: the flag will already be so',
        ),
        'dormant?': is(true, "The flag is disabled before and after: nobody's value changes yet"),
        'impact?': array(
          object({
            key: string(),
            'up_to?': object(
              { turnsOn: number(), turnsOff: number(), changesVariant: number(), changesPayload: number() },
              'The greatest shares of an audience, in percent; absent where they are not known',
            ),
            text: array(string(), 'All that is known of it'),
          }),
          'Of the flag itself, and of flags that depend on it',
        ),
      }),
      'By flag, in the order of their times: each on the flag as those before it leave it',
    ),
  },
  {
    title: 'Scheduled changes',
    description:
      'What the service will change in declared flags by itself: in `plan` after the plan, otherwise after live state. Not in a saved plan. Absent where nothing is scheduled. The fingerprint does not cover it',
  },
);
