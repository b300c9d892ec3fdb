/** Every JSON document that a report becomes is valid under its published schema, with every kind, action, outcome and code. */

import { describe, expect, it } from 'vitest';
import type { ApplyResult, ChangeResult } from '../../../src/loop/apply/result.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import type { Report, ReportOf } from '../../../src/report/report.ts';
import type { RecordedChange } from '../../../src/report/run-record.ts';
import { schemaErrors, type SchemaName } from '../../helpers/schemas.ts';
import { HAZARDS, WARNINGS } from '../../posthog/samples-of-codes.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from '../full-samples.ts';
import { renderWhole } from '../render-whole.ts';
import { RESULT } from '../samples.ts';
import { CHANGES_OF_KINDS, OUTCOMES } from '../samples-of-changes.ts';

async function errorsOf(schema: SchemaName, report: Report): Promise<readonly string[]> {
  return schemaErrors(schema, JSON.parse(await renderWhole(report, 'json')) as unknown);
}

const made: readonly [string, Change][] = Object.entries(CHANGES_OF_KINDS);
const RUN = '20260131T120000123Z-8a3f';

const recordedRun = (changes: readonly RecordedChange[]): Report => ({
  kind: 'run',
  run: {
    name: RUN,
    startedAt: '2026-01-31T12:00:00.123Z',
    endedAt: '2026-01-31T12:00:01.123Z',
    running: false,
    project: RESULT.project,
    undoes: RUN,
    commit: 'c'.repeat(40),
    actor: { name: 'ann', host: 'laptop' },
    changes,
  },
});

describe.each(made)('a change: %s', (_name, change) => {
  const pairs: readonly ChangeResult[] = OUTCOMES.map((result) => ({ change, result }));

  it.each(pairs.map((pair) => [JSON.stringify(pair.result).slice(0, 70), pair] as const))(
    'in a result and in a recorded run: %s',
    async (_outcome, pair) => {
      const result: ApplyResult = { ...RESULT, changes: [pair], undoes: RUN };
      expect(await errorsOf('result', { kind: 'result', result, durationMs: 1, run: RUN })).toEqual([]);
      expect(await errorsOf('history', recordedRun([pair]))).toEqual([]);
    },
  );

  it('in a plan, a drift report, an undo, and a run that was cut off', async () => {
    const plan: Plan = { ...FULL_PLAN.plan, changes: [change], warnings: Object.values(WARNINGS) };
    expect(await errorsOf('plan', { ...FULL_PLAN, plan })).toEqual([]);
    expect(await errorsOf('plan', { kind: 'drift', plan, counting: { pending: true } })).toEqual([]);
    expect(await errorsOf('undo', { ...FULL_UNDO, plan: { ...FULL_UNDO.plan, changes: [change] } })).toEqual([]);
    const open = [
      { change, open: 'unanswered' },
      { change, open: 'not_started' },
    ] as const;
    expect(await errorsOf('history', recordedRun(open))).toEqual([]);
  });
});

it.each(Object.entries(HAZARDS))('the hazard %s in a plan, an undo and an error', async (_code, hazard) => {
  const plan: Plan = {
    ...FULL_PLAN.plan,
    hazards: [hazard],
    lifted: [{ hazard, by: { by: 'option', option: '--override' } }],
  };
  expect(await errorsOf('plan', { ...FULL_PLAN, plan })).toEqual([]);
  expect(await errorsOf('undo', { ...FULL_UNDO, plan: { ...FULL_UNDO.plan, hazards: [hazard] } })).toEqual([]);
  const error = new FlagwrightError('refused', 'No.', { remedy: 'Yes.' });
  const { refused } = FULL_UNDO;
  const findings = FULL_PLAN.judgement?.findings ?? [];
  const failure: ReportOf<'failure'> = { kind: 'failure', error, hazards: [hazard], findings, refused };
  expect(await errorsOf('error', failure)).toEqual([]);
});

it.each<readonly [SchemaName, Report]>([
  ['plan', FULL_PLAN],
  ['plan', FULL_DRIFT],
  ['undo', FULL_UNDO],
  [
    'result',
    { ...FULL_RESULT, result: { ...FULL_RESULT.result, unwritable: [{ resource: 'cohort', key: 'cohort:a' }] } },
  ],
  ['result', { kind: 'nothing', project: RESULT.project, reason: { code: 'nothing_to_resume' } }],
  ['validation', FULL_VALIDATION],
])('a full %s', async (schema, report) => {
  expect(await errorsOf(schema, report)).toEqual([]);
});
