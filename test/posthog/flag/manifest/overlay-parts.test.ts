/** The members of an overlay that change single conditions, variants and payloads of the base's filters. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { check, problems } from '../../../core/manifest/check.ts';
import { holds } from '../../../helpers/runs.ts';

/** Three conditions, two variants and a payload. */
const BASE = `
    filters:
      groups:
        - description: beta testers
          properties: [{ key: plan, value: beta }]
          rollout_percentage: 100
        - rollout_percentage: 25
        - { description: staff, properties: [{ key: staff, value: true }], variant: red }
      multivariate:
        variants:
          - { key: control, rollout_percentage: 50 }
          - { key: red, name: Red, rollout_percentage: 50 }
      payloads:
        red: { color: red, size: { w: 1, h: 2 } }
`;

function withOverlay(overlay: string, base = BASE): string {
  return `flags:\n  f:${base.includes('\n') ? base : ` \n    ${base}\n`}    projects:\n      production: ${overlay}\n`;
}

function filtersOf(text: string): JsonObject {
  const { desired, diagnostics } = check(text);
  expect(diagnostics).toEqual([]);
  const [flag] = desired.flags;
  return (flag?.kind === 'declared' ? flag.fields['filters'] : undefined) as JsonObject;
}

const BASE_FILTERS = filtersOf(`flags:\n  f:${BASE}`);

/** The filters of the base with members at pointers of lists replaced. */
function changed(change: (filters: ReturnType<typeof copyOfBase>) => void): JsonObject {
  const copy = copyOfBase();
  change(copy);
  return copy as JsonObject;
}

interface Part {
  [member: string]: unknown;
}

function copyOfBase(): { groups: Part[]; multivariate: { variants: Part[] }; payloads: Part } {
  return structuredClone(BASE_FILTERS) as never;
}

describe('an overlay changes', () => {
  it.each<[string, string, JsonObject]>([
    [
      'a condition by its number',
      '{ conditions: { 2: { rollout_percentage: 5 } } }',
      changed(({ groups }) => (groups[1] = { rollout_percentage: 5 })),
    ],
    [
      'a condition by its description, and keeps the members that it does not name',
      '{ conditions: { beta testers: { rollout_percentage: 5 } } }',
      changed(({ groups }) => (groups[0] = { ...groups[0], rollout_percentage: 5 })),
    ],
    [
      'several conditions',
      '{ conditions: { staff: { variant: control }, 1: { properties: [{ key: plan, value: pro }] } } }',
      changed(({ groups }) => {
        groups[0] = { ...groups[0], properties: [{ key: 'plan', value: 'pro' }] };
        groups[2] = { ...groups[2], variant: 'control' };
      }),
    ],
    [
      'a condition that loses a member',
      '{ conditions: { staff: { variant: null, description: null } } }',
      changed(({ groups }) => (groups[2] = { properties: [{ key: 'staff', value: true }] })),
    ],
    [
      'the conditions by leaving one out, and numbers remain those of the base',
      '{ conditions: { 1: null, 2: { rollout_percentage: 5 } } }',
      changed((filters) => (filters.groups = [{ rollout_percentage: 5 }, filters.groups[2] ?? {}])),
    ],
    [
      'the shares of variants',
      '{ variants: { control: { rollout_percentage: 90 }, red: { rollout_percentage: 10 } } }',
      changed(({ multivariate }) => {
        multivariate.variants = [
          { key: 'control', rollout_percentage: 90 },
          { key: 'red', name: 'Red', rollout_percentage: 10 },
        ];
      }),
    ],
    [
      'the name of a variant',
      '{ variants: { red: { name: null, description: dark } } }',
      changed(({ multivariate }) => {
        multivariate.variants[1] = { key: 'red', rollout_percentage: 50, description: 'dark' };
      }),
    ],
    [
      'a flag that loses a variant',
      '{ variants: { red: null, control: { rollout_percentage: 100 } }, payloads: { red: null }, conditions: { 3: null } }',
      {
        groups: copyOfBase().groups.slice(0, 2),
        multivariate: { variants: [{ key: 'control', rollout_percentage: 100 }] },
        payloads: {},
      } as JsonObject,
    ],
    [
      'a member of a payload',
      '{ payloads: { red: { size: { h: 3 } } } }',
      changed(({ payloads }) => (payloads['red'] = { color: 'red', size: { w: 1, h: 3 } })),
    ],
    [
      'the payloads of another variant',
      '{ payloads: { control: 7 } }',
      changed(({ payloads }) => (payloads['control'] = 7)),
    ],
    ['nothing with empty mappings', '{ conditions: {}, variants: {}, payloads: {} }', BASE_FILTERS],
    ['nothing without values', '{ conditions: null, variants: null, payloads: null }', BASE_FILTERS],
  ])('%s', (_, overlay, expected) => {
    expect(filtersOf(withOverlay(overlay))).toEqual(expected);
  });

  it('the shorthand as condition 1', () => {
    const text = withOverlay(
      '{ conditions: { 1: { properties: [{ key: a, value: b }] } }, payloads: { true: 1 } }',
      'rollout_percentage: 10',
    );
    expect(filtersOf(text)).toEqual({
      groups: [{ properties: [{ key: 'a', value: 'b' }], rollout_percentage: 10 }],
      payloads: { true: 1 },
    });
  });

  it('unchecked filters, which stay unchecked', () => {
    const base =
      'fields: { filters: { groups: [{ properties: [{ key: age, operator: gt, value: 18 }] }], multivariate: null } }';
    expect(filtersOf(withOverlay('{ conditions: { 1: { rollout_percentage: 5 } } }', base))).toEqual({
      groups: [{ properties: [{ key: 'age', operator: 'gt', value: 18 }], rollout_percentage: 5 }],
      multivariate: null,
    });
  });

  it('its own project only', () => {
    const text = `${withOverlay('{ conditions: { 2: { rollout_percentage: 5 } } }')}      staging: { conditions: { 1: null } }\n`;
    const project = { name: 'staging', roles: {}, cohorts: {} };
    expect(check(text, project).desired.flags[0]).toMatchObject({
      fields: { filters: { groups: copyOfBase().groups.slice(1) } },
    });
    expect(filtersOf(text)).toEqual(changed(({ groups }) => (groups[1] = { rollout_percentage: 5 })));
  });
});

describe('an overlay is refused', () => {
  const at = '/flags/f/projects/production';

  it.each<[string, string, string[], string?]>([
    ['a number that is too high', '{ conditions: { 4: {} } }', [`error condition-unknown ${at}/conditions/4`]],
    ['zero', '{ conditions: { 0: {} } }', [`error condition-unknown ${at}/conditions/0`]],
    [
      'an unknown description',
      '{ conditions: { beta tester: {} } }',
      [`error condition-unknown ${at}/conditions/beta tester`],
    ],
    [
      'a condition twice',
      '{ conditions: { 1: {}, beta testers: {} } }',
      [`error condition-duplicate ${at}/conditions/beta testers`],
    ],
    [
      'a description of two conditions',
      '{ conditions: { a: {} } }',
      [`error condition-ambiguous ${at}/conditions/a`],
      'filters: { groups: [{ description: a, rollout_percentage: 1 }, { rollout_percentage: 2 }, { description: a, rollout_percentage: 3 }] }',
    ],
    ['an unknown variant', '{ variants: { blue: {} } }', [`error variant-unknown ${at}/variants/blue`]],
    ['a payload without a variant', '{ payloads: { blue: 1 } }', [`error payload-key-unknown ${at}/payloads/blue`]],
    ['a payload that is not JSON', '{ payloads: { red: x } }', [`error payload-not-json ${at}/payloads/red`]],
    [
      'variants that do not add up',
      '{ variants: { red: { rollout_percentage: 40 } } }',
      [`error variants-sum ${at}/variants`],
    ],
    [
      'a share out of range',
      '{ conditions: { 1: { rollout_percentage: 101 } } }',
      [`error value-out-of-range ${at}/conditions/1/rollout_percentage`],
    ],
    [
      'a share that is a string',
      '{ variants: { red: { rollout_percentage: "40" } } }',
      [`error type-wrong ${at}/variants/red/rollout_percentage`],
    ],
    [
      'a variant without a share',
      '{ variants: { red: { rollout_percentage: null } } }',
      [`error type-wrong ${at}/variants/red/rollout_percentage`],
    ],
    ['a condition that is no mapping', '{ conditions: { 1: 5 } }', [`error type-wrong ${at}/conditions/1`]],
    ['conditions that are a list', '{ conditions: [{}] }', [`error type-wrong ${at}/conditions`]],
    [
      'an unknown member',
      '{ conditions: { 2: { rollout: 5 } } }',
      [`error property-unknown ${at}/conditions/2/rollout`],
    ],
    [
      'a wrong value',
      '{ conditions: { 1: { properties: [{ key: age, operator: gt, value: 5 }] } } }',
      [`error operator-value-unfit ${at}/conditions/1/properties/0/value`],
    ],
    [
      'an unknown cohort',
      '{ conditions: { 1: { properties: [{ key: id, type: cohort, value: beta-tester }] } } }',
      [`error cohort-unknown ${at}/conditions/1/properties/0/value`],
    ],
    [
      'parts beside filters',
      '{ filters: { groups: [{}] }, conditions: { 1: {} }, payloads: {} }',
      [`error combination-forbidden ${at}/conditions`, `error combination-forbidden ${at}/payloads`],
    ],
    [
      'parts beside the shorthand',
      '{ rollout_percentage: 5, variants: {} }',
      [`error combination-forbidden ${at}/variants`],
      'active: true',
    ],
    [
      'parts of a base without filters',
      '{ conditions: { 1: {} }, variants: { a: {} }, payloads: { true: 1 } }',
      ['conditions', 'variants', 'payloads'].map((member) => `error overlay-base-missing ${at}/${member}`),
      'active: true',
    ],
    [
      'a variant of a flag without variants',
      '{ variants: { a: {} } }',
      [`error variant-unknown ${at}/variants/a`],
      'rollout_percentage: 10',
    ],
    [
      'no condition left',
      '{ conditions: { 1: null } }',
      [`warning conditions-none ${at}/conditions`],
      'rollout_percentage: 10',
    ],
    [
      'a forced variant that is gone',
      '{ variants: { red: null, control: { rollout_percentage: 100 } }, payloads: { red: null } }',
      ['error variant-unknown /flags/f/filters/groups/2/variant'],
    ],
    ['nothing where the flag is deleted', '{ deleted: true, conditions: { 9: {} }, variants: { x: {} } }', []],
  ])('for %s', (_, overlay, expected, base) => {
    expect(problems(withOverlay(overlay, base))).toEqual(expected);
  });

  it('with what exists, and the name that was probably meant', () => {
    const found = (overlay: string, base?: string): unknown[] =>
      check(withOverlay(overlay, base)).diagnostics.map(({ args }) => args);
    expect(found('{ conditions: { beta tester: {}, 7: {} } }')).toEqual([
      { condition: 'beta tester', known: ['beta testers', null, 'staff'], suggestion: 'beta testers' },
      { condition: '7', known: ['beta testers', null, 'staff'] },
    ]);
    expect(
      found(
        '{ conditions: { a: {} } }',
        'filters: { groups: [{ description: a, rollout_percentage: 1 }, { rollout_percentage: 2 }, { description: a, rollout_percentage: 3 }] }',
      ),
    ).toEqual([{ condition: 'a', numbers: [1, 3] }]);
    expect(found('{ variants: { blue: {} } }')).toEqual([{ variant: 'blue', allowed: ['control', 'red'] }]);
  });
});

describe('the place of a changed part', () => {
  const text = withOverlay(
    '{ conditions: { 1: null, staff: { rollout_percentage: 5 } }, variants: { red: { name: Rot } } }',
  );
  const [flag] = check(text).desired.flags;
  const lineOf = (part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;

  it('is in the overlay for what it declares, and in the base for the rest', () => {
    const { filters } = flag?.places.children ?? {};
    const { groups, multivariate } = filters?.children ?? {};
    const condition = groups?.children?.['1']?.children ?? {};
    const variant = multivariate?.children?.['variants']?.children?.['1']?.children ?? {};
    expect(groups?.children?.['0']?.place.line).toBe(lineOf('rollout_percentage: 25'));
    expect(condition['rollout_percentage']?.place.line).toBe(lineOf('production:'));
    expect(condition['properties']?.place.line).toBe(lineOf('description: staff'));
    expect(variant['name']?.place.line).toBe(lineOf('production:'));
    expect(variant['rollout_percentage']?.place.line).toBe(lineOf('key: red'));
  });

  it('is found for mistakes of the base behind a condition that the overlay leaves out', () => {
    const base = 'filters: { groups: [{}, { properties: [{ key: a, operator: gt, value: 5 }] }] }';
    expect(problems(withOverlay('{ conditions: { 1: null } }', base))).toEqual([
      'error operator-value-unfit /flags/f/filters/groups/1/properties/0/value',
    ]);
    expect(problems(withOverlay('{ conditions: { 2: { properties: null } } }', base))).toEqual([
      'warning condition-shadowed /flags/f/filters/groups/1',
    ]);
  });
});

/** Random conditions may leave nobody, or match nobody behind others. */
const MEANT: ReadonlySet<string> = new Set(['conditions-none', 'condition-shadowed']);

it('changing a part equals writing the whole list', () => {
  const condition = fc.record(
    {
      rollout_percentage: fc.nat(100),
      properties: fc.constantFrom([], [{ key: 'a', value: 'b' }], [{ key: 'c', operator: 'is_set' }]),
      sort_key: fc.constantFrom('x', 'y'),
    },
    { requiredKeys: [] },
  );
  const patch = fc.option(
    fc.record(
      {
        rollout_percentage: fc.option(fc.nat(100)),
        properties: fc.option(fc.constant([{ key: 'd', value: 'e' }])),
        sort_key: fc.option(fc.constant('z')),
      },
      { requiredKeys: [] },
    ),
  );
  holds(
    200,
    [fc.array(fc.tuple(condition, fc.option(patch, { nil: undefined }), fc.boolean()), { minLength: 1, maxLength: 5 })],
    (parts) => {
      const groups = parts.map(([part], index) => ({ ...part, description: `condition ${index}` }));
      const named = parts.flatMap(([, change, byNumber], index) =>
        change === undefined ? [] : [[byNumber ? String(index + 1) : `condition ${index}`, change] as const],
      );
      const expected = groups.flatMap((part, index) => {
        const change = parts[index]?.[1];
        if (change === null) return [];
        return [Object.fromEntries(Object.entries({ ...part, ...change }).filter(([, value]) => value !== null))];
      });
      const f = { filters: { groups }, projects: { production: { conditions: Object.fromEntries(named) } } };
      const { desired, diagnostics } = check(JSON.stringify({ flags: { f } }));
      expect(diagnostics.filter(({ code }) => !MEANT.has(code))).toEqual([]);
      expect(desired.flags[0]).toMatchObject({ fields: { filters: { groups: expected } } });
    },
  );
});
