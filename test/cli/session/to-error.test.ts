/** The error that a run reports for anything that was thrown. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { toFlagwrightError } from '../../../src/cli/session/failure.ts';

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.each<[string, unknown, string, string]>([
  ['a failed file', thrownBy(() => readFileSync('/nowhere/at/all')), 'file', 'ENOENT: no such file'],
  ['an error of ours', new FlagwrightError('usage', 'Wrong.'), 'usage', 'Wrong.'],
  ['a bug', thrownBy(() => (undefined as unknown as string).length), 'internal', 'Unexpected error: Cannot read'],
  ['a thrown string', 'text', 'internal', 'Unexpected error: text'],
])('%s', (_, thrown, code, message) => {
  const error = toFlagwrightError(thrown);
  expect([error.code, error.message.startsWith(message)]).toEqual([code, true]);
});
