/** What flags answer people, in words. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { undecidedText } from '../../../src/report/words/answers.ts';

const because = (filter: JsonObject, dependency?: string): string =>
  undecidedText({
    code: 'filter_unknown',
    ...(dependency === undefined ? {} : { dependency }),
    condition: { number: 2, condition: {}, place: { file: 'flags/a.yaml', line: 1, column: 1 } },
    filter,
  });

it.each([
  [
    because({ key: 'x', operator: 'sounds_like' }),
    'condition 2 (everyone) has a filter with the operator sounds_like, which this release does not know',
  ],
  [
    because({ key: 'x', type: 'moon' }, 'base'),
    'condition 2 (everyone) of base has a filter of the type moon, which this release does not know',
  ],
  [because({ key: {} }), 'condition 2 (everyone) has a filter that this release cannot read'],
])('an answer that depends on an unknown filter names what is unknown of it: %s', (text, expected) => {
  expect(text).toBe(expected);
});
