/** The words for early access features in reports. */

import { expect, test } from 'vitest';
import type { FeatureChange } from '../../../src/posthog/early-access/change.ts';
import { EARLY_ACCESS_LABELS as LABELS } from '../../../src/posthog/early-access/change.ts';

const create: FeatureChange = {
  action: 'create',
  resource: 'early_access',
  ref: 'early_access:share',
  key: 'share',
  flag: 'sharing',
  managed: true,
  fields: [],
  body: {},
  needs: [],
};
const update: FeatureChange = {
  ...create,
  action: 'update',
  id: 7,
  feature_id: 'f7',
  base: { feature: {}, former: {} },
};
const retire: FeatureChange = { ...update, action: 'delete', reason: 'retired' };
const quote = (text: string): string => `«${text}»`;

test('a feature that exists is identified by the id of its flag, and in detail by its own', () => {
  expect([create, update].map((change) => LABELS.identity(change, false))).toEqual([[], ['flag id 7']]);
  expect([create, update].map((change) => LABELS.identity(change, true))).toEqual([[], ['flag id 7', 'f7']]);
});

test.each([
  [undefined, []],
  [
    'starts',
    [
      'Enrollment starts: people who enrolled get «sharing» and people who declined do not, whatever its conditions say.',
    ],
  ],
  ['ends', ['Enrollment ends: from now on the conditions of «sharing» decide for everybody.']],
] as const)('the consequences of a stage for enrollment that %s', (enrollment, sentences) => {
  expect(LABELS.consequences(enrollment === undefined ? update : { ...update, enrollment }, quote)).toEqual(sentences);
});

test('drift says how the project differs from the declaration', () => {
  expect([create, update, retire].map((change) => LABELS.drift(change, quote))).toEqual([
    ' (early access) is declared but does not exist in the project',
    ' (early access)',
    ' (early access) is declared as deleted but not archived',
  ]);
  expect([create, update, retire].map((change) => LABELS.target(change, quote))).toEqual(
    Array.from({ length: 3 }, () => ' (early access)'),
  );
});

test('a field is labelled with its name, and the whole with the kind', () => {
  expect(LABELS.field('/documentation_url')).toBe('documentation_url');
  expect(LABELS.field('/payload/icon')).toBe('payload.icon');
  expect(LABELS.field('')).toBe('early access feature');
});

test('a feature is named in sentences about several kinds', () => {
  expect([LABELS.noun, LABELS.plural, LABELS.qualifier, LABELS.need]).toEqual([
    'early access feature',
    'early access features',
    ' (early access)',
    'the early access feature ',
  ]);
});
