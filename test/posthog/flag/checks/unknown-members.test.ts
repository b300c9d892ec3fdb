import { describe, expect, it } from 'vitest';
import { describe as describeDiagnostic } from '../../../../src/report/words/diagnostics.ts';
import { type FiltersPart, KNOWN_MEMBERS } from '../../../../src/posthog/flag/model/flag.ts';
import { findMeant, findMeantOperator } from '../../../../src/posthog/flag/checks/unknown-members.ts';
import { check, problems, problemsOfFilters } from '../../../core/manifest/check.ts';
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

  const SHARES = 'rollout rollout_percent percent percentage pct weight share traffic';
  const SWITCHES = 'active enabled disabled on off';

  it.each<[names: string, part: FiltersPart | 'flag', meant: string]>([
    [SHARES, 'flag', 'rollout_percentage'],
    [SWITCHES, 'flag', 'active'],
    ['groups conditions', 'flag', 'groups of the filters'],
    ['properties', 'flag', 'properties of the condition'],
    ['multivariate', 'flag', 'multivariate of the filters'],
    ['variants', 'flag', 'multivariate.variants of the filters'],
    ['payload payloads', 'flag', 'payloads of the filters'],
    ['name', 'flag', 'description'],
    [`${SHARES} rollout_percentage`, 'filters', 'rollout_percentage of the condition'],
    [SWITCHES, 'filters', 'active of the flag'],
    ['conditions', 'filters', 'groups'],
    ['properties', 'filters', 'properties of the condition'],
    ['variants', 'filters', 'multivariate.variants'],
    ['variant', 'filters', 'variant of the condition'],
    [`${SHARES} rollout_percentage`, 'multivariate', 'rollout_percentage of the variant'],
    [SWITCHES, 'multivariate', 'active of the flag'],
    ['payloads', 'multivariate', 'payloads of the filters'],
    [SHARES, 'condition', 'rollout_percentage'],
    [SWITCHES, 'condition', 'active of the flag'],
    ['variants', 'condition', 'multivariate.variants of the filters'],
    ['multivariate', 'condition', 'multivariate of the filters'],
    ['payload payloads', 'condition', 'payloads of the filters'],
    ['key operator value', 'condition', 'properties'],
    [`${SHARES} rollout_percentage`, 'property', 'rollout_percentage of the condition'],
    [SWITCHES, 'property', 'active of the flag'],
    ['name property', 'property', 'key'],
    ['op', 'property', 'operator'],
    ['variant', 'property', 'variant of the condition'],
    ['variants', 'property', 'multivariate.variants of the filters'],
    [SHARES, 'variant', 'rollout_percentage'],
    [SWITCHES, 'variant', 'active of the flag'],
    ['variant value', 'variant', 'key'],
    ['payload payloads', 'variant', 'payloads of the filters'],
    ['properties', 'variant', 'properties of the condition'],
    ['owner constructor toString', 'flag', 'nothing'],
  ])('%s in a %s mean %s', (names, part, meant) => {
    const told = names.split(' ').map((name) => {
      const { suggestion = 'nothing', owner } = findMeant(name, part) ?? {};
      return owner === undefined ? suggestion : `${suggestion} of the ${owner}`;
    });
    expect(new Set(told)).toEqual(new Set([meant]));
  });

  it.each([
    ['exact', 'equals equal eq is = == one_of any_of'],
    ['is_not', 'not_equals not_equal neq ne !='],
    ['gt', '> greater_than'],
    ['gte', '>='],
    ['lt', '< less_than'],
    ['lte', '<='],
    ['regex', 'matches matches_regex'],
    ['is_set', 'exists'],
    ['is_not_set', 'not_exists'],
    ['icontains', 'contains'],
    ['not_icontains', 'not_contains does_not_contain'],
    ['is_date_before', 'before'],
    ['is_date_after', 'after'],
    [undefined, 'constructor around'],
  ])('the operator %s is meant by %s', (operator, names) => {
    expect(new Set(names.split(' ').map(findMeantOperator))).toEqual(new Set([operator]));
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
