/** What the first commit says of a flag is what a plan that creates it says. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { newFlags } from '../../../src/cli/catalog/git-changes.ts';
import { effectText } from '../../../src/report/words/effects.ts';
import type { Effect } from '../../../src/review/effects/effect.ts';
import { findEffects } from '../../../src/review/effects/find-effects.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { declared, planFor } from '../../helpers/states.ts';

const people = (value: readonly string[]): JsonObject => ({ key: 'country', type: 'person', operator: 'exact', value });

test.each<[string, JsonObject]>([
  ['nothing', {}],
  ['a disabled flag', { active: false, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }],
  ['a condition without a share', { active: true, filters: { groups: [{ properties: [people(['DE'])] }] } }],
  ['a share that is null', { active: true, filters: { groups: [{ properties: [], rollout_percentage: null }] } }],
  ['no condition', { active: true, filters: { groups: [] } }],
  [
    'variants',
    {
      active: true,
      filters: {
        groups: [{ rollout_percentage: 20, variant: 'a' }, { rollout_percentage: 5 }],
        multivariate: {
          variants: [
            { key: 'a', rollout_percentage: 60 },
            { key: 'b', rollout_percentage: 40 },
          ],
        },
        payloads: { a: '{"color": "red"}' },
      },
    },
  ],
  ['a group type', { active: true, filters: { aggregation_group_type_index: 0, groups: [{ properties: [] }] } }],
  ['early access', { active: true, filters: { groups: [{ properties: [] }], super_groups: [{ properties: [] }] } }],
  ['a runtime, and a field of a later service', { active: true, evaluation_runtime: 'server', brand_new: 3 }],
  ['a remote configuration', { active: true, is_remote_configuration: true, filters: { groups: [] } }],
])('%s', (_, fields) => {
  expect(newFlags({ flags: [declared('a', fields)] }).map(({ effects }) => textsOf(effects))).toEqual([
    planned(fields),
  ]);
});

test('random flags, whose lists are in the order in which they are written', () => {
  fc.assert(
    fc.property(flagFields(), (fields) => {
      const [found] = newFlags({ flags: [declared('a', fields)] });
      expect(textsOf(found?.effects).map(wordsOf)).toEqual(planned(fields).map(wordsOf));
    }),
  );
});

function planned(fields: JsonObject): readonly string[] {
  const plan = planFor({ flags: [declared('a', fields)] }, { flags: [], roleAccess: {} });
  return textsOf(findEffects(plan).find(({ resource }) => resource === 'flag')?.effects);
}

function textsOf(effects: readonly Effect[] = []): readonly string[] {
  return effects.map((effect) => effectText(effect));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,;()]+/).toSorted();
}
