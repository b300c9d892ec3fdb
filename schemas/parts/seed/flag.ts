/** Flags of a seed, as the service answers them. */

import { among, array, boolean, define, integer, object, open, orNull, string } from '../../../src/base/schema.ts';

const flag = define(
  'flag',
  open(
    {
      'id?': integer({ title: 'Id', description: 'Default: the next free one.', minimum: 1 }),
      key: string({ title: 'Key', minLength: 1, maxLength: 400, examples: ['new-checkout'] }),
      'name?': string({ title: 'Description' }),
      'active?': boolean({ title: 'Active', default: true }),
      'deleted?': boolean({ title: 'Soft-deleted', default: false }),
      'archived?': boolean({ title: 'Archived', default: false }),
      'filters?': { title: 'Filters', type: 'object', default: { groups: [] } },
      'created_at?': string({ title: 'Created at', examples: ['2026-03-01T09:30:00Z'] }),
      'created_by?': orNull({ title: 'Created by', type: 'object' }),
      'version?': orNull(integer({ title: 'Version', description: 'Null on old flags.', default: 1 })),
      'tags?': array(string(), { title: 'Tags' }),
      'can_edit?': boolean({
        title: 'Can be edited',
        description: 'False: every write to the flag is answered 403.',
        default: true,
      }),
    },
    {
      title: 'Flag',
      description:
        'A flag as the service answers it. Only the key is required; missing fields get their defaults, all other fields are kept as given. Filters are stored without checks.',
    },
  ),
);

export const flags = define('flags', array(flag, { title: 'Flags' }));

export const scheduledChange = define(
  'scheduledChange',
  object(
    {
      'id?': integer({ title: 'Id', description: 'Default: the next free one.', minimum: 1 }),
      flag: { title: 'Flag', description: 'Its key or id.', type: ['string', 'integer'] },
      payload: open(
        { operation: among(['update_status', 'add_release_condition', 'update_variants'], { title: 'Operation' }) },
        {
          title: 'Change',
          description: 'What happens, and its value.',
          examples: [{ operation: 'update_status', value: true }],
        },
      ),
      scheduled_at: string({ title: 'Scheduled for', examples: ['2026-12-01T09:00:00Z'] }),
      'executed_at?': orNull(string({ title: 'Executed at', description: 'Null while pending.' })),
      'last_executed_at?': orNull(string({ title: 'Last executed at' })),
      'end_date?': orNull(string({ title: 'End of the repetition' })),
      'failure_reason?': orNull(string({ title: 'Why it failed' })),
      'is_recurring?': boolean({ title: 'Repeats', default: false }),
      'recurrence_interval?': among(['daily', 'weekly', 'monthly', 'yearly', null], {
        title: 'Repeats each',
        default: null,
      }),
      'cron_expression?': orNull(string({ title: 'Repeats by', description: 'Cron.' })),
      'timezone?': string({ title: 'Time zone', default: 'UTC' }),
    },
    { title: 'Scheduled change' },
  ),
);
