/** What differs in one project. */

import { among, array, boolean, define, mapOf, object, open, orNull, string } from '../../../src/base/schema.ts';
import { changedFilters, conditionMembers, property } from './filters.ts';
import { changedFields } from './further-fields.ts';
import { overlayTargetingRules } from './rules.ts';
import { changedOwnership } from '../ownership.ts';
import { dateTime, filled, percentage } from '../values.ts';
import { steppedActive, steppedPercentage } from './steps.ts';
import { LEVELS } from '../../../src/posthog/role-access/access.ts';

const changedCondition = define(
  'changedCondition',
  orNull(
    open(
      {
        'properties?': orNull(array(property, 'Replaces all properties of the condition.')),
        'rollout_percentage?': orNull(
          steppedPercentage({ description: 'The share of those who match, in this project.' }),
        ),
        ...conditionMembers,
      },
      {
        title: 'Changed condition',
        description: 'The members of a condition that differ in this project; null removes a member.',
      },
    ),
  ),
);

const changedVariant = define(
  'changedVariant',
  orNull(
    open(
      {
        'key?': string({ description: 'The value that code sees.', minLength: 1, maxLength: 400 }),
        'name?': orNull(string()),
        'rollout_percentage?': percentage({
          description: 'The share of this variant in this project.',
        }),
        'description?': orNull(string()),
      },
      {
        title: 'Changed variant',
        description: 'The members of a variant that differ in this project; null removes a member.',
        examples: [{ rollout_percentage: 90 }],
      },
    ),
  ),
);

export const overlay = define(
  'overlay',
  orNull(
    object(
      {
        'description?': orNull(string('The description in this project.')),
        'active?': orNull(steppedActive({ description: 'Whether the flag is active in this project.' })),
        'filters?': changedFilters,
        'unknown_members?': among(
          ['allow', null],
          'allow: `filters` may have unknown members in this project; null: they must not.',
        ),
        'rollout_percentage?': orNull(
          steppedPercentage({
            description:
              "Replaces the base's `filters`, which must not have targeting, variants or payloads. To change one condition use `conditions`.",
          }),
        ),
        'conditions?': orNull(
          mapOf(changedCondition, {
            title: 'Changed conditions',
            description:
              'Changes single conditions of the base: by number, counted from 1, or by description. Members that are not named stay; null removes a member, or the condition.',
            examples: [{ '2': { rollout_percentage: 5 } }],
          }),
        ),
        'variants?': orNull(
          mapOf(changedVariant, {
            title: 'Changed variants',
            description:
              'Changes single variants of the base, by key. The percentages of all variants still add up to 100; null removes the variant.',
            examples: [{ control: { rollout_percentage: 90 }, 'one-page': { rollout_percentage: 10 } }],
          }),
        ),
        'payloads?': orNull({
          title: 'Changed payloads',
          description:
            'Changes single payloads of the base, by variant, or `true` for a flag without variants. Mappings are merged; null removes the payload.',
          type: 'object',
          examples: [{ 'one-page': { color: 'blue' } }],
        }),
        'intended?': orNull(array(filled(), 'The places in this project that look like a slip and are intended.')),
        'role_access?': orNull(array(filled(), 'The roles in this project; null: role access is not managed here.')),
        'deleted?': orNull(boolean('true: soft-deleted in this project.')),
        'tags?': orNull(array(string(), 'The tags in this project.')),
        'ensure_experience_continuity?': orNull(boolean()),
        'created_at?': orNull(dateTime()),
        'rollback_conditions?': {},
        'performed_rollback?': orNull(boolean()),
        'fields?': changedFields,
        'access?': orNull(
          object(
            {
              'default?': among([...LEVELS, 'inherited', null], 'null: the level of everyone is not managed here.'),
              'roles?': orNull(
                mapOf(among([...LEVELS, null]), {
                  description: 'Levels of roles; null removes a role of the base.',
                  propertyNames: { minLength: 1 },
                }),
              ),
            },
            'The access in this project; null: access is not managed here.',
          ),
        ),
        'ownership?': orNull(
          mapOf(changedOwnership, 'Who decides in this project; merged path by path. null: as without the path.'),
        ),
      },
      {
        title: 'Overlay',
        description: 'The members of a flag that differ in this project. null removes a member of the base.',
        allOf: [overlayTargetingRules],
      },
    ),
  ),
);
