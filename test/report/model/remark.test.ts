import { expect, test } from 'vitest';
import { quoteShort } from '../../../src/report/escape.ts';
import { hazardRemark, type Remark, sentenceOf, warningRemarks } from '../../../src/report/model/remark.ts';
import { HAZARDS, WARNINGS } from '../../posthog/samples-of-codes.ts';

const REMARKS: readonly Remark[] = [
  ...Object.values(HAZARDS).map((hazard) => hazardRemark(hazard, { project: 'main', changes: [] })),
  ...warningRemarks({ warnings: Object.values(WARNINGS) }),
];

test.each(REMARKS.map((remark) => [`${remark.family}/${remark.rule}`, remark] as const))(
  'the sentence of %s goes on after the name where it begins with that',
  (_, { name, text, afterName }) => {
    const start = name === undefined ? undefined : quoteShort(name);
    if (start === undefined || !/^(?: |: )/.test(text.startsWith(start) ? text.slice(start.length) : '')) {
      expect(afterName).toBeUndefined();
    } else expect(`${start}${afterName}`).toBe(text);
  },
);

test('a name that stands later in a sentence, or in another one first, is none that it begins with', () => {
  expect(sentenceOf('a', (quote) => `The flag ${quote('a')} is off.`)).toEqual({ text: 'The flag a is off.' });
  expect(sentenceOf('a', (quote) => `${quote('b')} needs ${quote('a')}.`)).toEqual({ text: 'b needs a.' });
  expect(sentenceOf(undefined, (quote) => `${quote('a')} is off.`)).toEqual({ text: 'a is off.' });
  expect(sentenceOf('a\nb', (quote) => `${quote('a\nb')} is off.`)).toEqual({
    text: `${quoteShort('a\nb')} is off.`,
    afterName: ' is off.',
  });
});
