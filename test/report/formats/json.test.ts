/** JSON documents, described by `schemas/`. */

import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { parseJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { planDocument } from '../../../src/posthog/planning/plan-document.ts';
import { render } from '../../../src/report/formats/render.ts';
import type { Report, ReportKind } from '../../../src/report/report.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_UNDO, FULL_VALIDATION } from '../full-samples.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { EMPTY_PLAN, PLAN, RESULT, VIEW } from '../samples.ts';

async function documentOf(report: Report): Promise<JsonObject> {
  return parseJson((await render(report, 'json', VIEW)) as string) as JsonObject;
}

type Schema = Parameters<typeof schemaErrors>[0];

describe('a document fits its published schema', () => {
  test.each<[Schema, ReportKind]>([
    ['plan', 'plan'],
    ['plan', 'drift'],
    ['result', 'result'],
    ['result', 'nothing'],
    ['undo', 'undo'],
    ['history', 'history'],
    ['history', 'run'],
    ['validation', 'validation'],
    ['files', 'files'],
    ['files', 'export'],
    ['error', 'failure'],
  ])('%s: of a %s report', async (schema, kind) => {
    expect(schemaErrors(schema, await documentOf(sampleOf(kind)))).toEqual([]);
  });

  test.each<[Schema, string, Report]>([
    ['plan', 'a plan with every part', FULL_PLAN],
    ['plan', 'a drift report with every part', FULL_DRIFT],
    ['undo', 'an undo with every part', FULL_UNDO],
    ['validation', 'a validation with every part', FULL_VALIDATION],
    ['plan', 'an empty plan', { kind: 'plan', plan: EMPTY_PLAN }],
    [
      'result',
      'a result without changes',
      { kind: 'result', result: { ...RESULT, changes: [], remainder: [] }, durationMs: 0 },
    ],
    ['error', 'an error without diagnostics', { kind: 'failure', error: new FlagwrightError('refused', 'No.') }],
  ])('%s: %s', async (schema, _, report) => {
    expect(schemaErrors(schema, await documentOf(report))).toEqual([]);
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

test('effects are read in the direction of the report', async () => {
  const classesOf = (effects: unknown): readonly (readonly unknown[])[] =>
    (effects as readonly JsonObject[]).map(({ key, classes }) => [key, ...(classes as readonly string[])]);
  const drift = await documentOf(FULL_DRIFT);
  expect(drift).not.toHaveProperty('effects');
  expect(classesOf(drift['live_effects'])).toEqual(
    expect.arrayContaining([
      ['help-centre', 'delete'],
      ['search', 'delete'],
      ['stray', 'create'],
      ['pricing', 'narrow'],
      ['banner', 'enable'],
    ]),
  );
  expect(classesOf((await documentOf(FULL_UNDO))['effects'])).toEqual(
    expect.arrayContaining([
      ['pricing', 'widen'],
      ['banner', 'kill'],
    ]),
  );
});

test('a result has the outcome of each change', async () => {
  const document = await documentOf({ kind: 'result', result: RESULT, durationMs: 0, run: 'r' });
  const changes = document['changes'] as readonly JsonObject[];
  expect(document).toMatchObject({ run: 'r' });
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

test('a failure names the place of each diagnostic', async () => {
  expect(await documentOf(sampleOf('failure'))).toMatchObject({
    error: { code: 'refused', diagnostics: [{ line: 2, column: 3, path: '/flags/a b' }] },
  });
});

test('the document of a service has the variables that point a client at it', async () => {
  expect(await documentOf(sampleOf('service'))).toEqual({
    format_version: '1.0',
    url: 'http://127.0.0.1:8765',
    project_id: '1',
    environment: { POSTHOG_HOST: 'http://127.0.0.1:8765' },
  });
});
