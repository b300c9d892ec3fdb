/** Names of places in a flag: what they name, what they match, and what is said about those that name nothing. */

import { describe, expect, it } from 'vitest';
import { comparePrecision, matchesField, pointersOf, type FieldPath } from '../../../../src/core/engine/field-path.ts';
import { parseFieldPath } from '../../../../src/posthog/flag/model/fields.ts';

const FLAG = {
  name: 'Checkout',
  active: true,
  filters: {
    groups: [
      { description: 'Europe', properties: [{ key: 'country', value: 'DE' }], rollout_percentage: 10 },
      { description: 'v2.0 "beta"', properties: [] },
    ],
    multivariate: {
      variants: [
        { key: 'control', rollout_percentage: 50 },
        { key: '2', rollout_percentage: 50 },
      ],
    },
    payloads: { control: '{"color":"red"}' },
  },
};

function path(text: string): FieldPath {
  const parsed = parseFieldPath(text);
  if ('problem' in parsed) throw new Error(JSON.stringify(parsed.problem));
  return parsed;
}

describe('the places that a path names', () => {
  it.each([
    ['active', ['/active']],
    ['description', ['/name']],
    ['name', ['/name']],
    ['tags', ['/tags']],
    ['archived', ['/archived']],
    ['fields.archived', ['/archived']],
    ['fields.something_new', ['/something_new']],
    ['filters', ['/filters']],
    ['filters.holdout', ['/filters/holdout']],
    ['filters.holdout.id', ['/filters/holdout/id']],
    ['filters.groups.2', ['/filters/groups/1']],
    ['rollout_percentage', ['/filters/groups/0/rollout_percentage', '/filters/groups/1/rollout_percentage']],
    ['conditions', ['/filters/groups']],
    ['conditions.1', ['/filters/groups/0']],
    ['conditions.3', []],
    ['conditions.2.rollout_percentage', ['/filters/groups/1/rollout_percentage']],
    ['conditions.Europe.rollout_percentage', ['/filters/groups/0/rollout_percentage']],
    [String.raw`conditions."v2.0 \"beta\"".variant`, ['/filters/groups/1/variant']],
    ['conditions.Asia', []],
    ['conditions.*.properties', ['/filters/groups/0/properties', '/filters/groups/1/properties']],
    ['conditions.1.properties.1.value', ['/filters/groups/0/properties/0/value']],
    ['conditions.1.properties.country.value', ['/filters/groups/0/properties/0/value']],
    ['variants', ['/filters/multivariate/variants']],
    ['variants.control.rollout_percentage', ['/filters/multivariate/variants/0/rollout_percentage']],
    ['variants.2', ['/filters/multivariate/variants/1']],
    ['payloads', ['/filters/payloads']],
    ['payloads.control', ['/filters/payloads/control']],
    ['payloads.true', ['/filters/payloads/true']],
    ['payloads.*', ['/filters/payloads/control']],
    ['role_access', ['/role_access']],
    ['role_access.support', ['/role_access/roles/support']],
    ['access.default', ['/role_access/default']],
    ['/filters/groups/0/rollout_percentage', ['/filters/groups/0/rollout_percentage']],
    ['/filters/groups/*/variant', ['/filters/groups/0/variant', '/filters/groups/1/variant']],
    ['/name', ['/name']],
    ['/something_new/deep', ['/something_new/deep']],
  ])('%s', (text, pointers) => {
    expect(pointersOf(path(text), FLAG)).toEqual(pointers);
  });
});

describe('the pointers that a path matches', () => {
  it.each([
    ['conditions.Europe', '/filters/groups/0/rollout_percentage', true],
    ['conditions.Europe', '/filters/groups/1/rollout_percentage', false],
    ['conditions.1.rollout_percentage', '/filters/groups/0', false],
    ['conditions.*.rollout_percentage', '/filters/groups/1/rollout_percentage', true],
    ['rollout_percentage', '/filters/groups/1/rollout_percentage', true],
    ['rollout_percentage', '/filters/multivariate/variants/0/rollout_percentage', false],
    ['variants.control', '/filters/multivariate/variants/0/name', true],
    ['variants.2', '/filters/multivariate/variants/1', true],
    ['payloads.control', '/filters/payloads/control/color', true],
    ['filters', '/filters/groups/7', true],
    ['/filters/groups/0', '/filters/groups/0/variant', true],
    ['description', '/name', true],
    ['active', '/activer', false],
    ['role_access', '/role_access/roles/support', true],
  ])('%s matches %s: %s', (text, pointer, expected) => {
    expect(matchesField(path(text), pointer, FLAG)).toBe(expected);
  });

  it('every place that it names', () => {
    for (const text of ['rollout_percentage', 'conditions.2', 'variants.*.name', 'payloads.control']) {
      const named = path(text);
      for (const pointer of pointersOf(named, FLAG)) expect(matchesField(named, pointer, FLAG)).toBe(true);
    }
  });
});

describe('a path that names nothing', () => {
  it.each([
    ['', { kind: 'empty' }],
    [' ', { kind: 'empty' }],
    ['conditions..variant', { kind: 'empty_part' }],
    ['conditions.', { kind: 'empty_part' }],
    ['conditions."a', { kind: 'quotation' }],
    ['conditions."a"b', { kind: 'quotation' }],
    ['conditions.0', { kind: 'zero', outer: 'conditions' }],
    ['active.on', { kind: 'too_deep', part: 'on', outer: 'active' }],
    ['filters.holdout.1', { kind: 'number', part: '1', outer: 'holdout' }],
    ['version', { kind: 'computed', field: 'version' }],
    ['fields.version', { kind: 'computed', field: 'version' }],
    ['/version', { kind: 'computed', field: 'version' }],
    ['rollout', { kind: 'unknown', part: 'rollout', outer: '', suggestion: 'rollout_percentage' }],
    ['enabled', { kind: 'unknown', part: 'enabled', outer: '', suggestion: 'active' }],
    ['descripton', { kind: 'unknown', part: 'descripton', outer: '', suggestion: 'description' }],
    ['groups.1', { kind: 'unknown', part: 'groups', outer: '', suggestion: 'conditions' }],
    [
      'conditions.1.rollout',
      { kind: 'unknown', part: 'rollout', outer: 'condition', suggestion: 'rollout_percentage' },
    ],
    ['variants.control.weight', { kind: 'unknown', part: 'weight', outer: 'variant' }],
    ['/description', { kind: 'unknown', part: 'description', outer: '', suggestion: '/name' }],
    ['/conditions/1', { kind: 'unknown', part: 'conditions', outer: '', suggestion: '/filters/groups' }],
  ])('%s', (text, problem) => {
    expect(parseFieldPath(text)).toMatchObject({ problem });
  });

  it('is answered with what may stand there', () => {
    expect(parseFieldPath('conditions.1.nonsense')).toMatchObject({
      problem: { known: expect.arrayContaining(['properties', 'rollout_percentage', 'variant']) },
    });
  });
});

it('a longer path is more precise, and one that names its element more than one that names all', () => {
  const texts = ['conditions.1.rollout_percentage', 'conditions', 'filters', 'rollout_percentage', 'conditions.2'];
  expect(texts.toSorted((a, b) => comparePrecision(path(a), path(b)))).toEqual([
    'filters',
    'conditions',
    'conditions.2',
    'rollout_percentage',
    'conditions.1.rollout_percentage',
  ]);
});
