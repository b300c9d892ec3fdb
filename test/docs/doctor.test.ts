/** docs/doctor.md names every code that `doctor` can have, once. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkSamples } from '../report/samples-of-checks.ts';

const DIAGNOSTIC = { code: 'flag-key-invalid', severity: 'error', args: { key: 'a b' } } as const;

test('the list has every code once', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs/doctor.md'), 'utf8');
  const codes = [...text.matchAll(/^- `([a-z_]+)`/gm)].map(([, code = '']) => code);
  expect(codes.sort()).toEqual(
    checkSamples('x', DIAGNOSTIC)
      .map(({ code }) => code)
      .sort(),
  );
});
