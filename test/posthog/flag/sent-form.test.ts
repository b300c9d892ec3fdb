/** What a request has in place of values that a manifest may omit or write in several ways. */

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { sentForm } from '../../../src/posthog/flag/find-changes.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { holds } from '../../helpers/runs.ts';

const property = (members: JsonObject): JsonObject => ({ filters: { groups: [{ properties: [members] }] } });
const filters = (members: JsonObject): JsonObject => ({ filters: { groups: [], ...members } });
const condition = (members: JsonObject): JsonObject => filters({ groups: [members] });

const SENT: readonly [what: string, declared: JsonObject, sent: JsonObject][] = [
  [
    'the type and the operator of a property',
    property({ key: 'a', value: 1 }),
    property({ key: 'a', value: 1, type: 'person', operator: 'exact' }),
  ],
  [
    'null as they are absent',
    property({ key: 'a', type: null, operator: null, value: 1 }),
    property({ key: 'a', type: 'person', operator: 'exact', value: 1 }),
  ],
  [
    'the operator of a group property',
    property({ key: 'a', type: 'group', group_type_index: 0, value: 1 }),
    property({ key: 'a', type: 'group', group_type_index: 0, value: 1, operator: 'exact' }),
  ],
  [
    'the operator of a cohort',
    property({ key: 'id', type: 'cohort', value: 4 }),
    property({ key: 'id', type: 'cohort', value: 4, operator: 'in' }),
  ],
  ['no operator of a flag', property({ key: 'a', type: 'flag' }), property({ key: 'a', type: 'flag' })],
  ['a list for null properties', condition({ properties: null }), condition({ properties: [] })],
  ['nothing for omitted properties', condition({ rollout_percentage: 5 }), condition({ rollout_percentage: 5 })],
  ['an object for null payloads', filters({ payloads: null }), filters({ payloads: {} })],
  ['null for an empty list of variants', filters({ multivariate: { variants: [] } }), filters({ multivariate: null })],
  ['null for no variants', filters({ multivariate: null }), filters({ multivariate: null })],
];

it.each(SENT)('a request has %s', (_what, declared, sent) => {
  expect(sentForm(declared)).toEqual(sent);
});

const OTHER: readonly JsonValue[] = [
  { groups: 'x', payloads: 5, multivariate: [] },
  { groups: [5, { properties: { type: 'AND', values: [{ key: 'a' }] } }] },
  { version: 2, rules: [{ id: 'a' }] },
  'x',
  null,
];

it.each(OTHER)('values of another shape are sent as they are: %j', (value) => {
  expect(sentForm({ filters: value })).toEqual({ filters: value });
});

describe('for any fields', () => {
  it('the form means the same', () =>
    holds(300, [flagFields()], (fields) => {
      expect(canonicalFlag(sentForm(fields))).toEqual(canonicalFlag(fields));
    }));

  it('the form is its own form', () =>
    holds(300, [flagFields()], (fields) => {
      expect(sentForm(sentForm(fields))).toEqual(sentForm(fields));
    }));
});
