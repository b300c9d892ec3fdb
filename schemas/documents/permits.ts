/** The file of permits. */

import { array, count, define, object, orNull, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { filled, lastDay } from '../parts/values.ts';

const permit = define(
  'permit',
  object(
    {
      'deletes?': count('Number of deletes in one run.'),
      'updates?': count('Number of updates in one run.'),
      'disables?': count('Number of active flags that one run may disable.'),
      'protected?': filled('Key or glob of protected flags that may be deleted, disabled or renamed.'),
      'risky?': filled('Key or glob of flags whose experiments, dependents or last role may be harmed.'),
      'override?': filled(
        'Key or glob of flags whose edits in the service the run may revert, although the manifests changed the same or somebody switched them off.',
      ),
      reason: string({ description: 'Why, for the readers of the plan.', minLength: 1, pattern: '\\S' }),
      expires: lastDay('The last day on which the permit is valid, in UTC.'),
      'projects?': array(filled(), {
        description: 'The projects for which it is valid. Default: all.',
        minItems: 1,
      }),
    },
    {
      title: 'Permit',
      description: 'Exactly one of `deletes`, `updates`, `disables`, `protected`, `risky` and `override`.',
    },
  ),
);

export const permitsDocument = document(
  'permits',
  object(
    { permits: orNull(array(permit, { title: 'Permits', description: 'Each allows one thing.' })) },
    {
      title: 'flagwright permits',
      description:
        'The former file of exceptions from safety rules, read with --permits. Write exceptions.yaml instead.',
    },
  ),
);
