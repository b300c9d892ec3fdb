/**
 * Every row of the tolerance table: flags that it makes equal give every person the same value, and other differences
 * remain. The cases are checked against the table: a row without a case fails, and so does a value without one.
 */

import { describe, expect, it } from 'vitest';
import { canonicalText, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import {
  canonicalFlag,
  treeOf,
  TOLERANCES,
  type Tolerance,
  type Treatment,
} from '../../../../src/posthog/flag/model/canonical.ts';
import { comparableFlag, compareFields, inOrderOf } from '../../../../src/posthog/flag/comparison.ts';
import { indexResources } from '../../../../src/core/engine/snapshot.ts';
import { withOwnership } from '../../../../src/posthog/flag/owned-fields.ts';
import { snapshotFlags } from '../../../../src/posthog/flag/snapshot.ts';
import { valuesOf } from '../../../helpers/population.ts';
import { declared, liveFlag } from '../../../helpers/states.ts';

type Pair = readonly [wanted: JsonObject, live: JsonObject];

interface Case {
  /** Equal because of this row alone; each value that the row names has a pair. */
  readonly same: readonly Pair[];
  /** A difference that changes the value for a person. */
  readonly changes?: readonly Pair[];
  /** A difference that is reported although it changes no value. */
  readonly shows?: readonly Pair[];
}

const filters = (value: JsonObject): JsonObject => ({ filters: { groups: [{ rollout_percentage: 50 }], ...value } });
const condition = (value: JsonObject): JsonObject => filters({ groups: [{ rollout_percentage: 50, ...value }] });
const property = (value: JsonObject): JsonObject =>
  condition({ properties: [{ key: 'plan', value: 'pro', ...value }] });
const german = (value: JsonObject): JsonObject => property({ key: 'country', value: 'DE', ...value });
const VARIANTS = [
  { key: 'x', rollout_percentage: 30 },
  { key: 'y', rollout_percentage: 70 },
];
const variant = (value: JsonObject): JsonObject =>
  filters({ multivariate: { variants: [{ ...VARIANTS[0], ...value }, VARIANTS[1] ?? null] } });
const variants = (...groups: JsonObject[]): JsonObject => filters({ multivariate: { variants: VARIANTS }, groups });
const payload = (value: JsonValue): JsonObject => filters({ payloads: { true: value } });
const grouped = (flag: JsonObject, ...groups: JsonObject[]): JsonObject => filters({ ...flag, groups });
const INDEX = 'aggregation_group_type_index';
const index = (value: number | null): JsonObject => ({ [INDEX]: value });
const holdout = { holdout: { id: 3, exclusion_percentage: 50 } };
const cohort = (value: JsonObject): JsonObject => property({ key: 'id', type: 'cohort', value: 42, ...value });
const inList = (list: string, value: JsonObject): JsonObject => filters({ [list]: [{ properties: [value] }] });
const PRO = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const SEATS = { key: 'seats', type: 'person', operator: 'gt', value: '3' };
const superGroup = { properties: [{ key: 'beta', type: 'person', operator: 'is_set', value: 'is_set' }] };

const LISTS = ['groups', 'super_groups', 'holdout_groups'];

/** By path and kind of the row, and for a default of some objects by the values that they have. */
const CASES: Readonly<Record<string, Case>> = {
  '/name form': { same: [[{ name: ' a ' }, { name: 'a' }]], shows: [[{ name: 'a b' }, { name: 'a  b' }]] },
  '/name absent': {
    same: [
      [{ name: '' }, {}],
      [{ name: null }, {}],
    ],
    shows: [[{ name: 'a' }, { name: '' }]],
  },
  '/tags form': {
    same: [[{ tags: [' B', 'a', 'b'] }, { tags: ['a', 'b'] }]],
    shows: [[{ tags: ['a'] }, { tags: ['a', 'b'] }]],
  },
  '/tags absent': {
    same: [
      [{ tags: [] }, {}],
      [{ tags: null }, {}],
    ],
    shows: [[{ tags: [] }, { tags: ['a'] }]],
  },
  '/evaluation_contexts form': {
    same: [[{ evaluation_contexts: ['b', 'a', 'b'] }, { evaluation_contexts: ['a', 'b'] }]],
    shows: [[{ evaluation_contexts: ['a'] }, { evaluation_contexts: ['A'] }]],
  },
  '/evaluation_contexts absent': {
    same: [
      [{ evaluation_contexts: [] }, {}],
      [{ evaluation_contexts: null }, {}],
    ],
    shows: [[{ evaluation_contexts: ['a'] }, { evaluation_contexts: [] }]],
  },
  '/evaluation_tags form': {
    same: [[{ evaluation_tags: ['B ', 'a'] }, { evaluation_tags: ['a', 'b'] }]],
    shows: [[{ evaluation_tags: ['a'] }, { evaluation_tags: ['b'] }]],
  },
  '/evaluation_tags absent': {
    same: [
      [{ evaluation_tags: [] }, {}],
      [{ evaluation_tags: null }, {}],
    ],
    shows: [[{ evaluation_tags: ['a'] }, { evaluation_tags: [] }]],
  },
  '/created_at form': {
    same: [[{ created_at: '2026-01-01 01:00+01:00' }, { created_at: '2026-01-01T00:00:00.000Z' }]],
    shows: [[{ created_at: '2026-01-01T00:00:00Z' }, { created_at: '2026-01-01T00:00:00.000001Z' }]],
  },
  '/ensure_experience_continuity absent': {
    same: [[{ ensure_experience_continuity: null }, {}]],
    changes: [
      [
        { ensure_experience_continuity: true, ...condition({}) },
        { ensure_experience_continuity: null, ...condition({}) },
      ],
    ],
    shows: [[{ ensure_experience_continuity: false }, {}]],
  },
  '/rollback_conditions absent': {
    same: [
      [{ rollback_conditions: null }, {}],
      [{ rollback_conditions: [] }, {}],
    ],
    shows: [[{ rollback_conditions: [] }, { rollback_conditions: [{}] }]],
  },
  '/deleted absent': {
    same: [
      [{ deleted: false }, {}],
      [{ deleted: null }, {}],
    ],
    changes: [[{ deleted: false }, { deleted: true }]],
  },
  '/archived absent': {
    same: [
      [{ archived: false }, {}],
      [{ archived: null }, {}],
    ],
    shows: [[{ archived: false }, { archived: true }]],
  },
  ...Object.fromEntries(
    [
      ['bucketing_identifier', 'distinct_id', 'device_id'],
      ['evaluation_runtime', 'all', 'server'],
      ['has_encrypted_payloads', false, true],
      ['is_remote_configuration', false, true],
    ].map(([field, usual = null, other = null]): [string, Case] => [
      `/${String(field)} absent`,
      {
        same: [
          [{ [String(field)]: usual }, {}],
          [{ [String(field)]: null }, {}],
        ],
        shows: [[{ [String(field)]: usual }, { [String(field)]: other }]],
      },
    ]),
  ),

  '/filters form': {
    same: [
      [grouped(index(0), { rollout_percentage: 50 }), grouped(index(0), { ...index(0), rollout_percentage: 50 })],
      [grouped({}, { ...index(null), rollout_percentage: 50 }), grouped({}, { rollout_percentage: 50 })],
      [
        grouped({ ...holdout, ...index(0) }, { rollout_percentage: 50 }),
        grouped({ ...holdout, ...index(0) }, { ...index(0), rollout_percentage: 50 }),
      ],
    ],
    changes: [
      [
        grouped({ ...holdout, ...index(0) }, { ...index(0), rollout_percentage: 50 }),
        grouped(holdout, { ...index(0), rollout_percentage: 50 }),
      ],
      [
        grouped({ ...index(0), feature_enrollment: true }, { ...index(0), rollout_percentage: 50 }),
        grouped({ feature_enrollment: true }, { ...index(0), rollout_percentage: 50 }),
      ],
      [grouped(index(0), { rollout_percentage: 50 }), grouped(index(0), { ...index(null), rollout_percentage: 50 })],
      [
        grouped({}, { ...index(0), rollout_percentage: 50 }, { rollout_percentage: 20 }),
        grouped({}, { ...index(0), rollout_percentage: 50 }, { ...index(0), rollout_percentage: 20 }),
      ],
      [grouped({}, { ...index(0), rollout_percentage: 50 }), grouped({}, { rollout_percentage: 50 })],
      [grouped(index(0), { rollout_percentage: 50 }), grouped(index(1), { rollout_percentage: 50 })],
    ],
  },
  '/filters/* absent': {
    same: [
      [filters({ early_exit: null }), filters({})],
      [filters({ feature_enrollment: null }), filters({})],
    ],
    changes: [[filters({ feature_enrollment: true }), filters({ feature_enrollment: null })]],
    shows: [[filters({ early_exit: false }), filters({})]],
  },
  '/filters/payloads absent': {
    same: [[filters({ payloads: {} }), filters({})]],
    changes: [[payload(1), filters({ payloads: {} })]],
    shows: [[payload(null), filters({ payloads: {} })]],
  },
  '/filters/payloads/* form': {
    same: [
      [payload({ a: [1] }), payload('{ "a": [1] }')],
      [payload('"on"'), payload(' "on"')],
      [payload(null), payload('null')],
    ],
    changes: [
      [payload({ a: 1 }), payload('{"a": "1"}')],
      [payload('"1"'), payload('1')],
      [payload('[]'), payload('{}')],
    ],
    shows: [
      [payload('"on"'), payload('on')],
      [payload('90071992547409921'), payload('90071992547409922')],
    ],
  },
  '/filters/multivariate absent': {
    same: [[filters({ multivariate: { variants: [] } }), filters({})]],
    changes: [[filters({ multivariate: { variants: VARIANTS } }), filters({ multivariate: { variants: [] } })]],
    shows: [[filters({ multivariate: {} }), filters({})]],
  },
  '/filters/multivariate/variants/*/name absent': {
    same: [[variant({ name: null }), variant({})]],
    shows: [[variant({ name: 'X' }), variant({})]],
  },
  '/filters/multivariate/variants/*/description absent': {
    same: [[variant({ description: null }), variant({})]],
    shows: [[variant({ description: '' }), variant({})]],
  },
  '/filters/super_groups observed': {
    same: [[filters({}), filters({ super_groups: [superGroup] })]],
    changes: [[filters({ super_groups: [superGroup] }), filters({ super_groups: [] })]],
  },
  '/filters/feature_enrollment observed': {
    same: [[filters({}), filters({ feature_enrollment: true })]],
    changes: [[filters({ feature_enrollment: true }), filters({ feature_enrollment: false })]],
  },
  '/filters/holdout observed': {
    same: [[filters({}), filters(holdout)]],
    changes: [[filters(holdout), filters({ holdout: { id: 3, exclusion_percentage: 100 } })]],
  },
  '/filters/holdout_groups observed': {
    same: [[filters({}), filters({ holdout_groups: [{ rollout_percentage: 10 }] })]],
    shows: [[filters({ holdout_groups: [] }), filters({ holdout_groups: [{ rollout_percentage: 10 }] })]],
  },

  '/filters/groups/*/properties absent': {
    same: [
      [condition({ properties: [] }), condition({})],
      [condition({ properties: null }), condition({})],
    ],
    changes: [[property({}), condition({ properties: [] })]],
  },
  '/filters/groups/*/properties unordered': {
    same: [
      [condition({ properties: [PRO, SEATS] }), condition({ properties: [SEATS, PRO] })],
      [condition({ properties: [PRO, SEATS, PRO] }), condition({ properties: [SEATS, PRO, PRO] })],
    ],
    changes: [
      [condition({ properties: [PRO, SEATS] }), condition({ properties: [SEATS] })],
      [
        variants({ properties: [PRO, SEATS], variant: 'x' }, { variant: 'y' }),
        variants({ variant: 'y' }, { properties: [PRO, SEATS], variant: 'x' }),
      ],
    ],
    shows: [[condition({ properties: [PRO, PRO, SEATS] }), condition({ properties: [PRO, SEATS, SEATS] })]],
  },
  '/filters/groups/*/rollout_percentage default': {
    same: [
      [filters({ groups: [{}] }), filters({ groups: [{ rollout_percentage: 100 }] })],
      [filters({ groups: [{ rollout_percentage: null }] }), filters({ groups: [{ rollout_percentage: 100 }] })],
    ],
    changes: [
      [filters({ groups: [{}] }), filters({ groups: [{ rollout_percentage: 0 }] })],
      [filters({ groups: [{ rollout_percentage: 99.9 }] }), filters({ groups: [{ rollout_percentage: 40 }] })],
    ],
  },
  '/filters/groups/*/variant absent': {
    same: [
      [variants({ variant: null }), variants({})],
      [variants({ variant: '' }), variants({})],
    ],
    changes: [
      [variants({ variant: 'x' }), variants({ variant: null })],
      [variants({}, { variant: 'x' }), variants({}, {})],
    ],
  },
  '/filters/groups/*/description absent': {
    same: [[condition({ description: null }), condition({})]],
    shows: [[condition({ description: 'staff' }), condition({})]],
  },
  '/filters/groups/*/sort_key carried': {
    same: [[condition({}), condition({ sort_key: 'x' })]],
    shows: [[property({ sort_key: 'x' }), property({})]],
  },
  '/filters/groups/*/label carried': {
    same: [[condition({}), condition({ label: 'x' })]],
    shows: [[variant({ label: 'x' }), variant({})]],
  },

  '/filters/groups/*/properties/*/key form': {
    same: [[property({ key: 7 }), property({ key: '7' })]],
    changes: [[property({ key: 'plan' }), property({ key: 'country', value: 'DE' })]],
    // In a dependency a number is an id, and a string is a key.
    shows: [[property({ type: 'flag', key: '7' }), property({ type: 'flag', key: 7 })]],
  },
  '/filters/groups/*/properties/*/operator form': {
    same: [
      [property({ key: 'seats', operator: 'min', value: 30 }), property({ key: 'seats', operator: 'gte', value: 30 })],
      [property({ key: 'seats', operator: 'max', value: 30 }), property({ key: 'seats', operator: 'lte', value: 30 })],
    ],
    changes: [
      [property({ key: 'seats', operator: 'min', value: 30 }), property({ key: 'seats', operator: 'lte', value: 30 })],
      [property({ key: 'seats', operator: 'max', value: 31 }), property({ key: 'seats', operator: 'lt', value: 31 })],
    ],
  },
  '/filters/groups/*/properties/*/operator default of person, group, null': {
    same: [
      [property({ operator: 'exact' }), property({})],
      [property({ operator: null }), property({ operator: 'exact' })],
      [property({ type: 'person', operator: 'exact' }), property({ type: 'person' })],
      [
        property({ type: 'group', group_type_index: 0, operator: 'exact' }),
        property({ type: 'group', group_type_index: 0 }),
      ],
    ],
    changes: [[property({ operator: 'is_not' }), property({ operator: null })]],
    shows: [
      [property({ type: 'flag', operator: 'exact' }), property({ type: 'flag' })],
      [cohort({ operator: 'exact' }), cohort({})],
    ],
  },
  '/filters/groups/*/properties/*/operator default of cohort': {
    same: [
      [cohort({ operator: 'in' }), cohort({})],
      [cohort({ operator: null }), cohort({ operator: 'in' })],
    ],
    changes: [[cohort({ operator: 'not_in' }), cohort({})]],
    shows: [[property({ operator: 'in' }), property({})]],
  },
  '/filters/groups/*/properties/*/type default': {
    same: [
      [property({ type: 'person' }), property({})],
      [property({ type: null }), property({ type: 'person' })],
    ],
    changes: [[german({ type: 'group', group_type_index: 0 }), german({ group_type_index: 0 })]],
  },
  '/filters/groups/*/properties/*/value form operand': {
    same: [
      [property({ operator: 'is_set', value: 'is_set' }), property({ operator: 'is_set', value: 'x' })],
      [property({ operator: 'is_not_set', value: 'x' }), property({ operator: 'is_not_set', value: null })],
    ],
    changes: [[property({ operator: 'icontains', value: 'p' }), property({ operator: 'icontains', value: 'D' })]],
    // The operator of a cohort is not the one of a value: the cohort still counts.
    shows: [[cohort({ operator: 'is_set', value: 42 }), cohort({ operator: 'is_set', value: 43 })]],
  },
  '/filters/groups/*/properties/*/value form any-of': {
    same: ['exact', 'is_not', 'icontains_multi', 'not_icontains_multi', null].map((operator): Pair => [
      property({ operator, value: ['pro', 'DE', 25] }),
      property({ operator, value: [25, 'pro', 'DE'] }),
    ]),
    changes: [
      [property({ value: ['pro', 'DE'] }), property({ value: ['pro', 'ünï ✓'] })],
      [
        property({ key: 'seats', operator: 'between', value: [3, 9] }),
        property({ key: 'seats', operator: 'between', value: [9, 3] }),
      ],
    ],
    shows: [[cohort({ value: [42, 43] }), cohort({ value: [43, 42] })]],
  },
  '/filters/groups/*/properties/*/value form listed': {
    same: ['exact', 'is_not', null].flatMap((operator) =>
      ['pro', 25, true, 'true', 'FALSE', ''].map((value): Pair => [
        property({ operator, value }),
        property({ operator, value: [value] }),
      ]),
    ),
    changes: [[property({ operator: 'is_not', value: null }), property({ operator: 'is_not', value: [null] })]],
    shows: [
      [cohort({ value: 42 }), cohort({ value: [42] })],
      [property({ operator: 'icontains_multi', value: 'p' }), property({ operator: 'icontains_multi', value: ['p'] })],
      [property({ operator: 'regex', value: 'p' }), property({ operator: 'regex', value: ['p'] })],
      [property({ value: ['pro', 'pro'] }), property({ value: 'pro' })],
    ],
  },
  '/filters/groups/*/properties/*/value absent': {
    same: [[condition({ properties: [{ key: 'plan', value: null }] }), condition({ properties: [{ key: 'plan' }] })]],
    changes: [[property({ value: 'pro' }), property({ value: null })]],
  },
  '/filters/groups/*/properties/*/negation absent': {
    same: [
      [cohort({ negation: null }), cohort({})],
      [cohort({ negation: false }), cohort({})],
    ],
    shows: [[cohort({ negation: true }), cohort({ negation: null })]],
  },
  '/filters/groups/*/properties/*/group_type_index absent': {
    same: [[property({ group_type_index: null }), property({})]],
    changes: [
      [property({ type: 'group', group_type_index: 0 }), property({ type: 'group', group_type_index: null })],
      [property({ type: 'group', group_type_index: 0 }), property({ type: 'group', group_type_index: 1 })],
    ],
  },
  '/filters/groups/*/properties/*/label carried': {
    same: [[property({}), property({ label: 'x' })]],
    shows: [[property({ labels: 'x' }), property({})]],
  },
  ...Object.fromEntries(
    LISTS.flatMap((list): [string, Case][] => {
      const place = (value: JsonObject): JsonObject => inList(list, { value: 42, ...value });
      return [
        [
          `/filters/${list}/*/properties/*/cohort_name injected`,
          {
            same: [[place({ key: 'id', type: 'cohort' }), place({ key: 'id', type: 'cohort', cohort_name: 'x' })]],
            shows: [[place({ key: 'id', type: 'person' }), place({ key: 'id', type: 'person', cohort_name: 'x' })]],
          },
        ],
        [
          `/filters/${list}/*/properties/*/group_key_names injected`,
          {
            same: [[place({ key: '$group_key' }), place({ key: '$group_key', group_key_names: {} })]],
            shows: [[place({ key: 'plan' }), place({ key: 'plan', group_key_names: {} })]],
          },
        ],
      ];
    }),
  ),
};

/** The forms of one place. */
const VALUE_FORMS: ReadonlySet<string> = new Set(['operand', 'any-of', 'listed']);

const nameOf = ({ path, treat }: Tolerance): string => {
  const of = treat.kind === 'default' ? treat.of?.values.join(', ') : undefined;
  const form = treat.kind === 'form' && VALUE_FORMS.has(treat.form) ? ` ${treat.form}` : '';
  return `${path} ${treat.kind}${form}${of === undefined ? '' : ` of ${of.replace(/, $/, ', null')}`}`;
};
const names = { keyOf: (): undefined => undefined };

/** Compared as a plan compares them; a field that neither has means nothing. */
function isEqual([wanted, live]: Pair): boolean {
  const fields = [...new Set([...Object.keys(wanted), ...Object.keys(live)])];
  const all = (one: JsonObject): JsonObject => Object.fromEntries(fields.map((field) => [field, one[field] ?? null]));
  const flag = { id: 1, key: 'a', ...live };
  const sides = { desired: declared('a', all(wanted)), wanted: all(wanted), live: flag };
  const { wanted: mixed } = withOwnership(sides, snapshotFlags(indexResources([flag])));
  return compareFields(mixed, comparableFlag(flag, names), names).length === 0;
}

function isEqualUnder(tolerances: readonly Tolerance[], [a, b]: Pair): boolean {
  const tree = treeOf(tolerances);
  const form = canonicalFlag(a, tree);
  return canonicalText(form) === canonicalText(inOrderOf(canonicalFlag(b, tree), form, tree));
}

/** The table with the row's treatment replaced, or without the row. */
function tableWith(row: Tolerance, treat?: Treatment): Tolerance[] {
  return TOLERANCES.flatMap((one) => (one !== row ? [one] : treat === undefined ? [] : [{ ...one, treat }]));
}

/** The table less each thing that the row says. */
function reduced(row: Tolerance): Tolerance[][] {
  const { treat } = row;
  if (treat.kind !== 'absent') return [tableWith(row)];
  return treat.when.map((_, index) => tableWith(row, { ...treat, when: treat.when.toSpliced(index, 1) }));
}

it('every row of the table has cases, and every case has a row', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(TOLERANCES.map(nameOf).toSorted());
  for (const { reason } of TOLERANCES) expect(reason).not.toBe('');
});

describe.each(TOLERANCES.map((row) => [nameOf(row), row] as const))('%s', (name, row) => {
  const { same, changes = [], shows = [] } = CASES[name] ?? { same: [] };
  const isComparedByTable = row.treat.kind !== 'observed';

  it('makes equal only flags with the same values for every person', () => {
    for (const pair of same) {
      expect([pair, isEqual(pair)]).toEqual([pair, true]);
      if (isComparedByTable) expect(valuesOf(pair[0])).toBe(valuesOf(pair[1]));
    }
  });

  it('is necessary for its cases, with each value that it names', () => {
    for (const table of isComparedByTable ? reduced(row) : []) {
      expect(same.filter((pair) => !isEqualUnder(table, pair))).not.toEqual([]);
    }
  });

  it('hides no other difference', () => {
    expect([...changes, ...shows]).not.toEqual([]);
    for (const pair of [...changes, ...shows]) expect([pair, isEqual(pair)]).toEqual([pair, false]);
    for (const pair of changes) expect([pair, valuesOf(pair[0]) !== valuesOf(pair[1])]).toEqual([pair, true]);
  });

  it('would hide another difference if it covered more', () => {
    if (['observed', 'carried', 'injected'].includes(row.treat.kind)) return;
    const more = tableWith(row, { kind: 'carried' });
    expect([...changes, ...shows].filter((pair) => isEqualUnder(more, pair))).not.toEqual([]);
  });
});

it('the population of these tests gets different values from different flags', () => {
  expect(valuesOf(liveFlag(1, 'a'))).not.toBe(valuesOf(condition({})));
});
