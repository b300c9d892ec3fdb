/** Who edited a resource last, in words. */

import { expect, test } from 'vitest';
import { lastEditText } from '../../../src/report/words/authors.ts';

test.each([
  [
    { by: 'ada@example.org', at: '2026-01-31T12:00:00.123Z' },
    'last edited by ada@example.org on 2026-01-31 12:00:00 UTC',
  ],
  [{ by: 'Ada' }, 'last edited by Ada'],
  [{ at: '2026-01-31T12:00:00Z' }, 'last edited on 2026-01-31 12:00:00 UTC'],
  [{ by: 'a\u001b[31m' }, String.raw`last edited by a\u001b[31m`],
])('%j', (edit, text) => {
  expect(lastEditText(edit)).toBe(text);
});
