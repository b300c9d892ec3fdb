/** Code Quality reports of GitLab, which show remarks in a merge request. */

import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { render } from '../../../src/report/formats/render.ts';
import { VIEW } from '../samples.ts';

function at(line: number, key = 'a b'): Diagnostic {
  return {
    code: 'flag-key-invalid',
    severity: 'error',
    place: { file: 'flags/a.yaml', line, column: 3 },
    args: { key },
  };
}

async function fingerprints(...diagnostics: Diagnostic[]): Promise<unknown[]> {
  const text = await render(
    { kind: 'validation', files: 1, flags: 1, cohorts: 0, tests: 0, diagnostics },
    'gitlab',
    VIEW,
  );
  return (JSON.parse(text as string) as { fingerprint: unknown }[]).map(({ fingerprint }) => fingerprint);
}

test('a fingerprint stays the same when the line moves, and no two problems share one', async () => {
  const before = await fingerprints(at(2), at(3), at(4, 'c d'));
  expect(await fingerprints(at(12), at(13), at(14, 'c d'))).toEqual(before);
  expect(new Set(before).size).toBe(3);
});
