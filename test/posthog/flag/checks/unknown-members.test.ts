import { describe, expect, it } from 'vitest';
import { describe as describeDiagnostic } from '../../../../src/report/words/diagnostics.ts';
import { KNOWN_MEMBERS } from '../../../../src/posthog/flag/known-members.ts';
import { check, problems, problemsOfFilters } from '../../../manifest/check.ts';
import { readSchema } from '../../../helpers/published-schema.ts';

const flag = (text: string): string => `flags:\n  f: ${text}\n`;
const remediesOf = (text: string): string[] =>
  check(flag(text)).diagnostics.map((diagnostic) => describeDiagnostic(diagnostic).remedy);

it.each([
  ['{ groups: [{}], payload: {} }', ['error property-unknown /payload']],
  ['{ groups: [{}], bandit_policy: {} }', ['error property-unknown /bandit_policy']],
  ['{ groups: [{ propertys: [] }] }', ['error property-unknown /groups/0/propertys']],
  ['{ groups: [{ schedule_window: 1 }] }', ['error property-unknown /groups/0/schedule_window']],
  [
    '{ groups: [{ properties: [{ key: a, valeu: 1, value: 1 }] }] }',
    ['error property-unknown /groups/0/properties/0/valeu'],
  ],
  ['{ groups: [{}], "a/b~c-is-unknown": 1 }', ['error property-unknown /a~1b~0c-is-unknown']],
  ['{ groups: [{ __proto__: 1 }] }', ['error property-unknown /groups/0/__proto__']],
  ['{ groups: [{ constructor: 1 }] }', ['error property-unknown /groups/0/constructor']],
  [
    '{ groups: [{}], multivariate: { holder: 1, variants: [{ key: a, rollout_percentage: 100, colour: red }] } }',
    ['error property-unknown /multivariate/holder', 'error property-unknown /multivariate/variants/0/colour'],
  ],
])('%s', (filters, expected) => {
  expect(problemsOfFilters(filters)).toEqual(expected);
});

const NEW_MEMBERS =
  '{ groups: [{ schedule_window: 1, properties: [{ key: a, value: b, bytecode: 1 }] }], bandit_policy: {}, multivariate: { variants: [{ key: a, rollout_percentage: 100, colour: red }] } }';

describe('unknown members', () => {
  it('are errors in each part', () => {
    expect(problemsOfFilters(NEW_MEMBERS)).toHaveLength(4);
  });

  it('are accepted with `unknown_members: allow`, and sent as they are', () => {
    const { diagnostics, desired } = check(flag(`{ unknown_members: allow, filters: ${NEW_MEMBERS} }`));
    expect(diagnostics).toEqual([]);
    expect(desired.flags[0]).toMatchObject({
      fields: { filters: { groups: [{ schedule_window: 1 }], bandit_policy: {} } },
    });
    expect(JSON.stringify(desired.flags)).not.toContain('unknown_members');
  });

  it('are accepted with the prefix `x-`, even when the rest resembles a known name', () => {
    expect(problemsOfFilters('{ groups: [{ x-owner: me, x-variants: 1 }], x-note: 1 }')).toEqual([]);
  });

  it('are accepted in unchecked filters', () => {
    expect(problems(flag('{ fields: { filters: { groups: [{ rollout: 10 }] } } }'))).toEqual([]);
  });

  it.each([
    ['{ unknown_members: allow, projects: { production: { filters: { groups: [{ window: 1 }] } } } }', []],
    ['{ projects: { production: { unknown_members: allow, filters: { groups: [{ window: 1 }] } } } }', []],
    [
      '{ unknown_members: allow, filters: { groups: [{ window: 1 }] }, projects: { production: { unknown_members: null } } }',
      ['error property-unknown /flags/f/filters/groups/0/window'],
    ],
    ['{ unknown_members: yes, filters: { groups: [{}] } }', ['error value-not-allowed /flags/f/unknown_members']],
    ['{ fields: { unknown_members: allow } }', ['error field-has-member /flags/f/fields/unknown_members']],
  ])('%s', (text, expected) => {
    expect(problems(flag(text))).toEqual(expected);
  });

  it('name the consent in the remedy', () => {
    expect(remediesOf('{ filters: { groups: [{ schedule_window: 1 }] } }')).toEqual([
      'Remove it, or check its name; `unknown_members: allow` allows unknown names.',
    ]);
  });
});

describe('names that resemble a known one', () => {
  const inCondition = (member: string): string => `{ filters: { groups: [{ ${member} }] } }`;
  it.each([
    [inCondition('rollout: 10'), 'Did you mean "rollout_percentage"?'],
    [inCondition('percent: 10'), 'Did you mean "rollout_percentage"?'],
    [inCondition('percentage: 10'), 'Did you mean "rollout_percentage"?'],
    [inCondition('enabled: false'), 'Did you mean "active" of the flag?'],
    [inCondition('variants: []'), 'Did you mean "multivariate.variants" of the filters?'],
    [inCondition('payload: 1'), 'Did you mean "payloads" of the filters?'],
    [
      inCondition('properties: [{ key: a, value: b, rollout: 5 }]'),
      'Did you mean "rollout_percentage" of the condition?',
    ],
    ['{ filters: { groups: [{}], rollout_percentage: 5 } }', 'Did you mean "rollout_percentage" of the condition?'],
    ['{ filters: { groups: [{}], variants: [] } }', 'Did you mean "multivariate.variants"?'],
    ['{ filters: { groups: [{}], enabled: false } }', 'Did you mean "active" of the flag?'],
    [
      '{ filters: { groups: [{}], multivariate: { variants: [{ key: a, rollout_percentage: 100, percent: 5 }] } } }',
      'Did you mean "rollout_percentage"?',
    ],
    ['{ rollout: 10 }', 'Did you mean "rollout_percentage"?'],
    ['{ enabled: false }', 'Did you mean "active"?'],
    ['{ variants: [] }', 'Did you mean "multivariate.variants" of the filters?'],
    ['{ projects: { production: { percentage: 5 } } }', 'Did you mean "rollout_percentage"?'],
    ['{ activ: false }', 'Did you mean "active"?'],
  ])('%s: %s', (text, remedy) => {
    expect(remediesOf(text)).toEqual([remedy]);
  });

  it('are errors even where unknown members are allowed', () => {
    expect(remediesOf('{ unknown_members: allow, filters: { groups: [{ rollout: 10, propertys: [] }] } }')).toEqual([
      'Did you mean "rollout_percentage"?',
      'Did you mean "properties"?',
    ]);
  });
});

it.each(['filters', 'condition', 'property', 'variant'] as const)(
  'knows the members of a %s that the schema has',
  (name) => {
    const schema = readSchema('manifest');
    expect([...KNOWN_MEMBERS[name]].toSorted()).toEqual(Object.keys(schema.$defs[name].properties).toSorted());
  },
);
