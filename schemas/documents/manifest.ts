/** A manifest. */

import { array, mapOf, object, orNull } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { cohort } from '../parts/manifest/cohort.ts';
import { earlyAccess } from '../parts/manifest/early-access.ts';
import { flag } from '../parts/manifest/flag.ts';
import { filled } from '../parts/values.ts';

export const manifestDocument = document(
  'manifest',
  orNull(
    object(
      {
        'flags?': orNull(
          mapOf(flag, {
            title: 'Flags',
            description: 'The flags that this file declares, by key. A key is unique across all manifests.',
            propertyNames: { pattern: '^(?!__proto__$)[A-Za-z0-9_-]+$', maxLength: 400 },
            examples: [{ 'new-checkout': { description: 'One-page checkout', active: true, rollout_percentage: 10 } }],
          }),
        ),
        'cohorts?': orNull(
          mapOf(cohort, {
            title: 'Cohorts',
            description:
              'The dynamic cohorts that this file declares, by alias. Conditions of flags name a cohort by its alias.',
            propertyNames: { pattern: '^(?![0-9]+$).+$', maxLength: 400 },
            examples: [
              {
                'beta-testers': {
                  name: 'Beta testers',
                  filters: {
                    properties: {
                      type: 'OR',
                      values: [
                        { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
                      ],
                    },
                  },
                },
              },
            ],
          }),
        ),
        'early_access?': orNull(
          mapOf(earlyAccess, {
            title: 'Early access features',
            description:
              'The early access features that this file declares, by alias. Each lets people enroll in one flag.',
            propertyNames: { minLength: 1, maxLength: 200 },
            examples: [{ sharing: { name: 'Sharing', stage: 'beta', flag: 'new-sharing' } }],
          }),
        ),
        'role_access?': orNull(
          mapOf(orNull(array(filled(), 'Flag keys, or globs over the keys of the declared flags.')), {
            title: "Role access, from the roles' side",
            description: 'Role name or role id to the flag keys or globs that the role may edit.',
            propertyNames: { minLength: 1 },
            examples: [{ support: ['new-checkout', 'help-*'] }],
          }),
        ),
      },
      {
        $comment:
          'Under allOf are rules that the command checks itself and reports in its own words; they are for editors.',
        title: 'flagwright manifest',
        description:
          'The desired state of feature flags, their role access, cohorts and early access features in one or more projects.',
        patternProperties: { '^x-': { description: 'Reserved for your YAML anchors; flagwright does not read it.' } },
      },
    ),
  ),
);
