/** Fields of a flag that have no name of their own in a manifest. */

import { among, define, open, orNull } from '../../../src/base/schema.ts';
import { API_NAMES, FLAG_FIELDS } from '../../../src/posthog/flag/model/fields.ts';

/** Names that are not under `fields`: they have a member of their own, or the service computes the field. */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  ...API_NAMES.keys(),
  ...['role_access', 'rollout_percentage', 'unknown_members'],
  ...API_NAMES.values(),
  ...FLAG_FIELDS.flatMap((field) =>
    field.ownership === 'computed' || field.declaredBy !== undefined ? field.api : [],
  ),
]);

const members = open(
  {
    'filters?': orNull({
      title: 'Unchecked filters',
      description:
        "Replaces the flag's `filters` for those that the service holds although its current rules refuse them. Compared and sent as they are, and not checked. Cohorts are ids here; other flags are keys.",
      type: 'object',
      examples: [{ groups: [{ properties: [{ key: 'age', operator: 'gt', value: 25 }] }] }],
    }),
  },
  {
    title: 'Further fields',
    description: "Any other field of the service's flag, by its API name: compared and sent as it is.",
    examples: [{ evaluation_runtime: 'server' }],
    allOf: [
      {
        propertyNames: {
          not: among([...OWN_MEMBERS].filter((name) => name !== 'filters')),
        },
      },
    ],
  },
);

export const furtherFields = define('fields', members);

/** The further fields of an overlay, in which null removes those of the base. */
export const changedFields = define('changedFields', orNull(members));
