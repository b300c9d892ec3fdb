/** What Node's errors of the system say: their code, and whether a file is not there. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemCode } from '../../src/base/errors.ts';

test('knows the code of a failed system call, also where its error is of another context, as in Jest', () => {
  const codeOf = (run: () => unknown): string => {
    try {
      return String(run());
    } catch (error) {
      return systemCode(error);
    }
  };
  expect(codeOf(() => readFileSync('/nowhere/at/all'))).toBe('ENOENT');
  expect(systemCode(new Error('no code'))).toBe('unknown');
  expect(systemCode('ENOENT')).toBe('unknown');
  expect(systemCode({ code: 'ENOENT' })).toBe('ENOENT');
  expect(systemCode(null)).toBe('unknown');
});
