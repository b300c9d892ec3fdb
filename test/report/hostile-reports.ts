/** Reports whose every string of others is given, one for each kind that a reviewer reads. */

import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { Change, Hazard, Plan } from '../../src/posthog/plan.ts';
import type { Report } from '../../src/report/report.ts';
import { CHANGES, PLAN, RESULT } from './samples.ts';

/** A change, a hazard, a warning and an unmanaged flag for each key. */
export function planWith(keys: readonly string[]): Plan {
  const changes = keys.map((key, index): Change => {
    const sample = CHANGES[index % CHANGES.length] as Change;
    return 'fields' in sample && sample.action !== 'delete'
      ? ({ ...sample, key, fields: [...sample.fields, { path: '/name', before: key, after: `${key}!` }] } as Change)
      : ({ ...sample, key } as Change);
  });
  const [first = 'a'] = keys;
  const hazards: Hazard[] = keys.map((key) => ({
    code: 'protected',
    ref: `flag:${key}`,
    key,
    action: 'delete',
    permit: { kind: 'protected', value: key },
  }));
  return {
    ...PLAN,
    project: { ...PLAN.project, name: first },
    summary: { ...PLAN.summary, ...countActions(changes) },
    changes,
    hazards,
    unmanaged: keys,
    warnings: keys.map((key) => ({ code: 'cannot_edit', key, id: 7 })),
  };
}

function countActions(changes: readonly Change[]): Readonly<Record<string, number>> {
  const amount = (action: string): number => changes.filter((change) => change.action === action).length;
  return Object.fromEntries(changes.map(({ action }) => [action, amount(action)]));
}

export function reportsOf(keys: readonly string[]): readonly Report[] {
  const plan = planWith(keys);
  const diagnostics = keys.map((key): Diagnostic => ({
    code: 'flag-key-invalid',
    severity: 'error',
    place: { file: key, line: 2, column: 3 },
    args: { key },
  }));
  const changes = plan.changes.map((change, index) => ({
    change,
    result:
      index % 2 === 0
        ? ({ outcome: 'applied' } as const)
        : ({ outcome: 'failed', error: { code: 'unique', message: change.key } } as const),
  }));
  const [message = 'a'] = keys;
  return [
    { kind: 'plan', plan, forecast: { requests: 3, seconds: 2 } },
    { kind: 'drift', plan },
    { kind: 'undo', run: message, plan, refused: [] },
    { kind: 'result', result: { ...RESULT, project: plan.project, changes }, durationMs: 12, run: message },
    { kind: 'validation', files: 1, flags: 2, cohorts: 1, tests: 0, diagnostics },
    { kind: 'failure', error: new FlagwrightError('refused', message, { remedy: message, diagnostics }) },
  ];
}
