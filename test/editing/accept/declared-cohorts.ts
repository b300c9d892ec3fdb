/** Declarations of cohorts that name each other, with overlays of two projects. */

import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json.ts';

export const ALIASES = ['crew', 'early', 'staff'] as const;
export const text = fc.constantFrom('', 'Crew', 'yes', "it's 10%: half", 'a # b', 'two\nlines', 'ü "quoted"');
const value = fc.oneof(
  fc.constantFrom('pro', 'yes', '1'),
  fc.array(fc.constantFrom('a', 'b', 'no'), { minLength: 1, maxLength: 3 }),
);
export const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ key: fc.constantFrom('plan', 'email'), value }),
  fc.record({
    key: fc.constant('plan'),
    type: fc.constant('person'),
    operator: fc.constantFrom('exact', 'is_not'),
    value,
    negation: fc.boolean(),
  }),
  fc.record({ key: fc.constant('email'), operator: fc.constant('is_set') }),
);

/** Only later cohorts are named, so that there is no cycle. */
function definition(index: number): fc.Arbitrary<JsonObject> {
  const others = ALIASES.slice(index + 1);
  const other = fc.constantFrom(...others, 'none').map((alias): JsonObject => ({ type: 'cohort', value: alias }));
  const any =
    others.length === 0
      ? leaf
      : fc.oneof(
          leaf,
          other.filter((one) => one['value'] !== 'none'),
        );
  const group = fc.record({
    type: fc.constantFrom('AND', 'OR'),
    values: fc.array(any, { minLength: 1, maxLength: 3 }),
  });
  return fc.oneof(
    group,
    fc.record({ type: fc.constant('OR'), values: fc.array(group, { minLength: 1, maxLength: 3 }) }),
  ) as fc.Arbitrary<JsonObject>;
}

function declaration(alias: string, index: number): fc.Arbitrary<JsonObject> {
  const filters = definition(index).map((properties) => ({ properties }));
  const overlay = fc.record({ description: text, filters }, { requiredKeys: [] });
  return fc.record(
    {
      name: fc.constantFrom(alias, `The ${alias}`),
      description: text,
      filters,
      projects: fc.record({ production: overlay, staging: overlay }, { requiredKeys: [] }),
    },
    { requiredKeys: ['filters'] },
  ) as fc.Arbitrary<JsonObject>;
}

export const declarations = fc
  .tuple(...ALIASES.map(declaration))
  .map((all) => Object.fromEntries(ALIASES.map((alias, index) => [alias, all[index] ?? {}])));
