/** For whom a flag is on, in words for people who read no conditions. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { whoText } from '../../../src/report/words/audience.ts';

test.each<[JsonObject, string]>([
  [{ key: 'country', value: ['DE'] }, 'people whose country is DE (Germany)'],
  [{ key: 'country', operator: null, value: 'de' }, 'people whose country is de (Germany)'],
  [
    { key: '$geoip_country_code', operator: 'exact', value: ['DE', 'AT', 'CH'] },
    'people whose "$geoip_country_code" is one of DE, AT, CH (Germany, Austria, Switzerland)',
  ],
  [
    { key: 'country', operator: 'is_not', value: ['GB', 'UK'] },
    'people whose country is not one of GB, UK (United Kingdom)',
  ],
  [{ key: 'country', operator: 'icontains', value: 'DE' }, 'people whose country contains DE'],
  [{ key: 'country', value: ['Germany', 'QX', '1', ''] }, 'people whose country is one of Germany, QX, "1", ""'],
  [{ key: 'plan', value: ['DE'] }, 'people whose plan is DE'],
  [{ key: 'country', operator: 'is_set' }, 'people whose country is set'],
  [{ key: 'seats', operator: 'gte', value: '25' }, 'people whose seats is at least 25'],
  [{ key: 'seats', operator: 'between', value: [2, 5] }, 'people whose seats is between 2 and 5'],
  [{ key: 'signed_up', operator: 'is_date_after', value: '-30d' }, 'people whose signed_up is in the last 30 days'],
])('names the countries of %j', (property, words) => {
  const filters = {
    groups: [{ properties: [{ type: 'person', operator: 'exact', ...property }], rollout_percentage: 100 }],
  };
  expect(whoText({ word: 'some', fields: { active: true, filters } })).toBe(words);
});

test('says of conditions that nobody meets that nobody gets the flag', () => {
  const filters = { groups: [{ rollout_percentage: 100 }], holdout: { id: 7, exclusion_percentage: 100 } };
  expect(whoText({ word: 'off', fields: { active: true, filters } })).toBe(
    'nobody in effect (set for everyone, but people held out for an experiment)',
  );
});
