/** Alerts of a seed. */

import { among, array, boolean, define, integer, number, object, orNull, string } from '../../../src/base/schema.ts';

const check = define(
  'alertCheck',
  object(
    {
      at: string({
        title: 'At',
        description: 'A check to come is made when the clock of the service reaches its time.',
        examples: ['2026-12-01T09:00:00Z'],
      }),
      state: among(['Firing', 'Not firing', 'Errored'], { title: 'State', description: 'What the check finds.' }),
      'value?': orNull(number({ title: 'Value', description: 'The computed value.', default: null })),
    },
    { title: 'Check' },
  ),
);

export const alert = define(
  'alert',
  object(
    {
      'id?': string({ title: 'Id', pattern: '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' }),
      name: string({ title: 'Name', description: 'Not unique.', maxLength: 255, examples: ['Checkout errors'] }),
      'enabled?': boolean({ title: 'Enabled', description: 'A disabled alert is not checked.', default: true }),
      'calculation_interval?': among(['real_time', 'every_15_minutes', 'hourly', 'daily', 'weekly', 'monthly'], {
        title: 'Checked each',
        default: 'daily',
      }),
      'snoozed_until?': orNull(
        string({ title: 'Snoozed until', description: 'Checks to come before this time are left out.', default: null }),
      ),
      'insight?': object(
        { id: integer({ title: 'Id', minimum: 1 }), 'name?': string({ title: 'Name' }) },
        { title: 'Insight', description: 'Default: one of its own, with the name of the alert.' },
      ),
      'can_view?': boolean({
        title: 'Can be viewed',
        description: 'False: absent, since the user of the key may not view its insight.',
        default: true,
      }),
      'checks?': array(check, { title: 'Checks', description: 'Until now, and to come.' }),
    },
    { title: 'Alert' },
  ),
);
