/** Diagnostics in reports: the text of the source line is harmless for a terminal and a build log. */

import { expect, it } from 'vitest';
import type { KnownDiagnostic } from '../../../src/report/words/diagnostics.ts';
import { VIEW } from '../samples.ts';
import { expectHarmless } from '../../security/hostile.ts';
import { diagnosticsText } from '../texts.ts';

it('disarms a command to a build log on both sides of the caret', () => {
  const source = 'a##[add-path]/evil';
  const place = { file: 'flagwright.yaml', line: 1, column: source.indexOf('[') + 1 };
  const diagnostic: KnownDiagnostic = { code: 'yaml-syntax', severity: 'error', place, args: { detail: 'x' } };
  const text = diagnosticsText(
    { kind: 'diagnostics', diagnostics: [diagnostic] },
    { ...VIEW, sourceLine: () => source },
  );
  expectHarmless(text);
  expect(text).toContain('a#\\u0023[add-path]/evil');
});
