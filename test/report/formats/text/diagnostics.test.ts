import { expect, it } from 'vitest';
import type { KnownDiagnostic } from '../../../../src/report/words/diagnostics.ts';
import { diagnosticsText } from '../../../../src/report/formats/text/diagnostics.ts';
import { PLAIN } from '../../../../src/report/view.ts';
import { expectHarmless } from '../../../security/hostile.ts';

it('disarms a command to a build log on both sides of the caret', () => {
  const source = 'a##[add-path]/evil';
  const place = { file: 'flagwright.yaml', line: 1, column: source.indexOf('[') + 1 };
  const diagnostic: KnownDiagnostic = { code: 'yaml-syntax', severity: 'error', place, args: { detail: 'x' } };
  const text = diagnosticsText([diagnostic], { palette: PLAIN, sourceLine: () => source });
  expectHarmless(text);
  expect(text).toContain('a#\\u0023[add-path]/evil');
});
