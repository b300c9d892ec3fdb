/** How old a snapshot is, in words. */

import { expect, test } from 'vitest';
import { againstText } from '../../../src/report/words/amounts.ts';

test.each([
  [0, '0 seconds old'],
  [1, '1 second old'],
  [119, '119 seconds old'],
  [120, '2 minutes old'],
  [7199, '119 minutes old'],
  [7200, '2 hours old'],
  [172_799, '47 hours old'],
  [172_800, '2 days old'],
  [-300, '0 seconds old'],
  [-301, 'which is in the future by the clock of this machine'],
])('a snapshot of %d seconds', (age, words) => {
  const against = { taken_at: '2026-01-31T12:00:00.000Z', age_seconds: age, fingerprint: 'sha256:' };
  expect(againstText(against)).toBe(
    `Made from a snapshot of 2026-01-31 12:00:00 UTC, ${words}: later changes in the project are missing.`,
  );
});
