/** How much a plan does: its changes by action and kind, and what an apply costs. */

import { count, define, number, object } from '../../src/base/schema.ts';

const kindSummary = define(
  'kind_summary',
  object(
    {
      create: count(),
      update: count(),
      delete: count(),
      restore: count(),
      unchanged: count('Managed resources of the kind without a change'),
    },
    { title: 'Summary of a kind' },
  ),
);

export const summary = define(
  'summary',
  object(
    {
      create: count('Resources to create'),
      update: count('Resources to update; one that takes two writes counts once'),
      delete: count('Resources to soft-delete'),
      restore: count('Soft-deleted resources to restore'),
      grant: count('Roles that get access'),
      'adjust?': count('Levels of access to change; absent in plans of releases before it'),
      revoke: count('Roles that lose access'),
      unchanged: count('Managed resources without a change; a flag counts with its role access'),
      unmanaged: count('Live flags that no manifest names, in scope or not'),
      'kinds?': object(
        {
          flag: kindSummary,
          role_access: object({ grant: count(), adjust: count(), revoke: count() }),
          cohort: kindSummary,
          'early_access?': object({ create: count(), update: count(), delete: count(), unchanged: count() }),
        },
        'The same counts for each kind of resource; absent in plans of releases before it',
      ),
    },
    { title: 'Summary' },
  ),
);

export const forecast = define(
  'forecast',
  object(
    {
      requests: count('Number of requests, including the second read and the verification'),
      seconds: number({
        description: 'Duration: within the request budget and at the latency observed while planning',
        minimum: 0,
      }),
      'hour_percent?': number({
        description: 'Percentage of the hourly request budget; absent where the service has no budget',
        minimum: 0,
      }),
    },
    { title: 'Forecast', description: 'Cost of applying the plan without failures; not part of the fingerprint' },
  ),
);
