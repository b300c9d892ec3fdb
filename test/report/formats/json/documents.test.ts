import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../../src/base/errors.ts';
import { planDocument } from '../../../../src/engine/plan-document.ts';
import { errorDocument, resultDocument, validationDocument } from '../../../../src/report/formats/json/documents.ts';
import { schemaErrors } from '../../../helpers/schemas.ts';
import { EMPTY_PLAN, PLAN, RESULT } from '../../samples.ts';

const diagnostic = {
  code: 'flag-key-invalid',
  severity: 'error',
  place: { file: 'flags/a.yaml', line: 2, column: 3 },
  path: '/flags/a b',
  args: { key: 'a b' },
} as const;

const refused = errorDocument(new FlagwrightError('refused', 'No.', { remedy: 'Do.' }), { hazards: PLAN.hazards });
const invalid = errorDocument(new FlagwrightError('manifest_invalid', 'Bad.', { diagnostics: [diagnostic] }));

describe('documents fit their published schema', () => {
  test.each([
    ['plan', 'a plan with everything', planDocument(PLAN)],
    ['plan', 'an empty plan', planDocument(EMPTY_PLAN)],
    ['result', 'a result with every outcome', resultDocument(RESULT)],
    ['result', 'a result without changes', resultDocument({ ...RESULT, changes: [], remainder: [] })],
    ['error', 'a refusal with hazards', refused],
    ['error', 'an error with diagnostics', invalid],
    ['validation', 'a validation', validationDocument({ files: 1, flags: 2, diagnostics: [diagnostic] })],
  ] as const)('%s: %s', (schema, _, document) => {
    expect(schemaErrors(schema, JSON.parse(JSON.stringify(document)))).toEqual([]);
  });

  test.each([
    ['an unknown member', { ...planDocument(PLAN), more: 1 }],
    ['a change without its fields', { ...planDocument(PLAN), changes: [{ ...PLAN.changes[0], fields: undefined }] }],
    ['another version', { ...planDocument(PLAN), format_version: '2.0' }],
    ['an unknown hazard', { ...planDocument(PLAN), hazards: [{ code: 'else' }] }],
  ])('and %s does not', (_, document) => {
    expect(schemaErrors('plan', JSON.parse(JSON.stringify(document)))).not.toEqual([]);
  });
});

test('a result says of each change what became of it', () => {
  const changes = resultDocument(RESULT)['changes'] as readonly Record<string, unknown>[];
  expect(changes.map(({ outcome }) => outcome)).toEqual([
    'applied',
    'failed',
    'skipped',
    'applied',
    'skipped',
    'pending',
    'unknown',
  ]);
  expect(changes[0]).toMatchObject({ action: 'create', key: 'help-centre', id: 77 });
  expect(changes[3]).toMatchObject({ action: 'grant', id: 12, entry_id: 32 });
  expect(changes[1]).toMatchObject({ error: { code: 'unique', status: 400 } });
  expect(changes[2]).toMatchObject({ skipped: { code: 'stale', moved: [{ path: '/active' }] } });
});

test('an error document names the place of each diagnostic', () => {
  expect(invalid).toMatchObject({
    error: {
      code: 'manifest_invalid',
      diagnostics: [{ file: 'flags/a.yaml', line: 2, column: 3, path: '/flags/a b' }],
    },
  });
});
