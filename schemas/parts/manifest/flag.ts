/** A flag as manifests declare it. */

import { among, array, boolean, define, mapOf, object, orNull, string } from '../../../src/base/schema.ts';
import { filters } from './filters.ts';
import { furtherFields } from './further-fields.ts';
import { overlay } from './overlay.ts';
import { flagRules } from './rules.ts';
import { fieldOwnership } from '../ownership.ts';
import { onlyIn, overlays } from './layers.ts';
import { dateTime, filled } from '../values.ts';
import { steppedActive, steppedPercentage } from './steps.ts';
import { LEVELS } from '../../../src/posthog/role-access/access.ts';

export const flag = define(
  'flag',
  orNull(
    object(
      {
        'description?': string({
          title: 'Description',
          description: "What the flag is for. The service's API calls it `name`.",
          examples: ['One-page checkout'],
        }),
        'active?': steppedActive({
          title: 'Active',
          description: 'Whether the flag is evaluated at all. An inactive flag is off for everybody.',
        }),
        'filters?': filters,
        'unknown_members?': among(['allow'], {
          title: 'Unknown members',
          description:
            'allow: `filters` may have members that this release does not know. They are compared and sent as they are.',
        }),
        'rollout_percentage?': steppedPercentage({
          title: 'Rollout percentage',
          description: 'Shorthand for `filters` with one condition without properties. Excludes `filters`.',

          examples: [10],
        }),
        'role_access?': array(filled(), {
          title: 'Role access',
          description:
            'The roles that may edit the flag, by name (`projects.*.roles` in flagwright.yaml) or id. An empty list means none.',
          examples: [['engineering']],
        }),
        'access?': object(
          {
            'default?': among([...LEVELS, 'inherited'], {
              title: 'Default',
              description: 'The level of everyone in the project; inherited: the flag has no level of its own.',
            }),
            'roles?': mapOf(among(LEVELS), {
              title: 'Roles',
              description: 'The level of each role, by name or id. A role that is not listed loses its level.',
              propertyNames: { minLength: 1 },
            }),
          },
          {
            title: 'Access',
            description: 'Who has which access to the flag, on services with levels. What it omits is not managed.',
            examples: [{ default: 'viewer', roles: { engineering: 'editor' } }],
          },
        ),
        'ownership?': mapOf(fieldOwnership, {
          title: 'Ownership',
          description:
            'Who decides about which value: git (managed, the default), people who edit the flag after it was created (initial), others (observed), or others inside bounds (between).',
          examples: [{ rollout_percentage: { between: [0, 25] }, active: 'observed' }],
        }),
        'intended?': array(filled(), {
          title: 'Intended',
          description:
            'Places of the flag, named as in `ownership`, that look like a slip and are intended: an empty value, outer white space, a condition that cannot matter.',
          examples: [['conditions.2.properties.1']],
        }),
        'projects?': overlays(overlay, { examples: [{ staging: { rollout_percentage: 100 } }] }),
        'only_in?': onlyIn('flag'),
        'previous_keys?': array(filled(), {
          title: 'Previous keys',
          description: 'Keys that the flag had before. A live flag with one of them is renamed.',
          examples: [['checkout-v1']],
        }),
        'payload_schema?': filled({
          title: 'Payload schema',
          description:
            'The path of a JSON Schema, relative to this file. Every payload of the flag must match it, and `generate` takes the type of the payload from it.',
          examples: ['./schemas/checkout.json'],
        }),
        'deleted?': boolean({ title: 'Deleted', description: 'true: the flag is soft-deleted if it exists.' }),
        'tags?': array(string(), {
          title: 'Tags',
          description: 'Compared as a set, in lower case.',
          examples: [['checkout', 'team-payments']],
        }),
        'ensure_experience_continuity?': orNull(
          boolean({
            title: 'Experience continuity',
            description: 'Whether a person keeps the value seen before logging in.',
          }),
        ),
        'created_at?': dateTime({
          title: 'Created at',
          description: 'ISO 8601 date-time. Rarely worth managing.',

          examples: ['2025-03-01T09:00:00Z'],
        }),
        'rollback_conditions?': {
          title: 'Rollback conditions',
          description: 'Sent as it is. Removed from the service in 2026.',
        },
        'performed_rollback?': orNull(
          boolean({ title: 'Performed rollback', description: 'Removed from the service in 2026.' }),
        ),
        'fields?': furtherFields,
      },
      {
        title: 'Flag',
        description: 'Declared members are managed; omitted ones are neither compared nor written.',
        allOf: [flagRules],
      },
    ),
  ),
);
