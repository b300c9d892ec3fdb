/** Results and recorded runs count the changes of each kind, and results name what is released. */

import { expect, test } from 'vitest';
import type { ApplyResult, ChangeResult } from '../../../src/loop/apply/result.ts';
import { parseJson } from '../../../src/base/json-text.ts';
import type { CohortChange } from '../../../src/posthog/cohort/change.ts';
import { render } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import type { RecordedRun } from '../../../src/report/run-record.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { CHANGES, EMPTY_PLAN, RESULT, VIEW } from '../samples.ts';
import { historyText, resultText } from '../texts.ts';

const COHORT: CohortChange = {
  action: 'create',
  resource: 'cohort',
  ref: 'cohort:crew',
  key: 'crew',
  needs: [],
  fields: [{ path: '/name', after: 'Crew' }],
  body: { name: 'Crew' },
};
const [flag, , , grant] = CHANGES;
const changes: ChangeResult[] = [
  { change: flag!, result: { outcome: 'applied', id: 1 } },
  { change: grant!, result: { outcome: 'applied', id: 2 } },
  { change: COHORT, result: { outcome: 'applied', id: 1 } },
  {
    change: { ...COHORT, ref: 'cohort:late', key: 'late' },
    result: { outcome: 'failed', error: { code: 'x', message: 'y' } },
  },
];
const outcomes = { applied: 3, failed: 1, skipped: 0, pending: 0, unknown: 0 };
const result: ApplyResult = { ...RESULT, changes, outcomes, remainder: [] };
const RELEASED = [{ key: 'gone', place: { file: 'flags/a.yaml', line: 3, column: 3 } }, { key: 'gone-too' }];

async function documentOf(report: Report): Promise<unknown> {
  return parseJson((await render(report, 'json', VIEW)) as string);
}

test('a result counts the changes to each kind', async () => {
  expect(resultText({ kind: 'result', result, durationMs: 0 }, VIEW)).toContain(
    'Applied 3 of 4 changes (1 to flags, 2 to cohorts, 1 to role access): 1 failed · ',
  );
  const document = await documentOf({ kind: 'result', result, durationMs: 0 });
  const none = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };
  expect(document).toMatchObject({
    outcomes: {
      ...outcomes,
      kinds: {
        flag: { ...none, applied: 1 },
        role_access: { ...none, applied: 1 },
        cohort: { ...none, applied: 1, failed: 1 },
      },
    },
  });
  expect(schemaErrors('result', document as never)).toEqual([]);
});

test('the history counts the changes to each kind', async () => {
  const run: RecordedRun = {
    name: '20260131T120000123Z-8a3f',
    startedAt: '2026-01-31T12:00:00.123Z',
    running: false,
    project: RESULT.project,
    changes: [...changes, { change: COHORT, open: 'not_started' }],
  };
  const history = { folder: '.flagwright', runs: [run], unreadable: [], apart: [], more: false };
  expect(historyText({ kind: 'history', history }, VIEW)).toContain(
    '3 applied (1 to flags, 1 to cohorts, 1 to role access), 1 failed (1 to cohorts), 1 not started (1 to cohorts)',
  );
  const document = await documentOf({ kind: 'history', history });
  expect(document).toMatchObject({ runs: [{ outcomes: { kinds: { cohort: { failed: 1, not_started: 1 } } } }] });
  expect(schemaErrors('history', document as never)).toEqual([]);
});

test.each([
  ['that changes nothing', { ...RESULT, summary: EMPTY_PLAN.summary, changes: [], remainder: [], released: RELEASED }],
  ['with changes', { ...result, released: RELEASED }],
])('a result %s names released flags', async (_, of) => {
  expect(resultText({ kind: 'result', result: of, durationMs: 0 }, VIEW)).toContain(
    'Released (no longer in a manifest):\n  ? gone  flags/a.yaml:3:3\n  ? gone-too\n',
  );
  const report = { kind: 'result', result: of, durationMs: 0 } as const;
  expect(await render(report, 'markdown', VIEW)).toContain('2 released');
  const document = await documentOf(report);
  expect(document).toMatchObject({ released: RELEASED });
  expect(schemaErrors('result', document as never)).toEqual([]);
});

test('a run without changes has a summary with the members of an empty plan', async () => {
  const { project, summary } = EMPTY_PLAN;
  const document = await documentOf({ kind: 'nothing', project, reason: { code: 'already_off' } });
  const none = {
    ...summary,
    unchanged: 0,
    kinds: { ...summary.kinds, flag: { ...summary.kinds?.flag, unchanged: 0 } },
  };
  expect(document).toEqual(expect.objectContaining({ summary: none, changes: [], verified: false }));
  expect(schemaErrors('result', document as never)).toEqual([]);
});
