/** A plan, a drift report, an undo and a validation with every part that a report may have. */

import type { Attribution, Attributions } from '../../src/posthog/authors/attribution.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import type { ChangedAnswers } from '../../src/review/expectations/compare-answers.ts';
import type { Impact } from '../../src/review/effects/impact.ts';
import type { ExceptionReport } from '../../src/review/policy/exceptions.ts';
import type { Finding, Judgement } from '../../src/review/policy/finding.ts';
import type { ReportOf } from '../../src/report/report.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../helpers/states.ts';
import { PLAN, RESULT } from './samples.ts';

const PLACE = { file: 'flags/checkout.yaml', line: 12, column: 9 };
const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const CONDITION = { number: 2, condition: { properties: [US], rollout_percentage: 35 } };

const variants = (
  ...shares: readonly number[]
): { multivariate: { variants: { key: string; rollout_percentage: number }[] } } => ({
  multivariate: { variants: shares.map((share, index) => ({ key: `v${index}`, rollout_percentage: share })) },
});

/** Changes whose effects are known: `pricing` widens, `banner` is disabled, `layout` moves people between variants. */
const JUDGED = planFor(
  desiredState(
    declared('pricing', { filters: { groups: [{}, { properties: [US], rollout_percentage: 35 }] } }),
    declared('banner', { active: false }),
    declared('layout', { filters: { groups: [{}], ...variants(30, 70) } }),
  ),
  liveState([
    liveFlag(21, 'pricing', { filters: { groups: [{}, { properties: [US], rollout_percentage: 10 }] } }),
    liveFlag(22, 'banner', { active: true }),
    liveFlag(23, 'layout', { active: true, filters: { groups: [{}], ...variants(50, 50) } }),
  ]),
);

/** Git asks for them, so an older checkout matters. */
const PENDING = JUDGED.changes.map((change) =>
  change.action === 'update'
    ? { ...change, fields: change.fields.map((field) => ({ ...field, divergence: 'pending' as const })) }
    : change,
);

const FULL: Plan = {
  ...PLAN,
  changes: [...PLAN.changes, ...PENDING],
  summary: { ...PLAN.summary, update: PLAN.summary.update + JUDGED.changes.length },
  base: { kind: 'commit', commit: '1a2b3c4d5e6f7890'.repeat(3).slice(0, 40), from: 'ref', checkout: 'behind' },
  converged: 2,
  lifted: [
    {
      hazard: {
        code: 'protected',
        ref: 'flag:billing-v3',
        key: 'billing-v3',
        action: 'delete',
        permit: { kind: 'protected', value: 'billing-v3' },
      },
      by: { by: 'option', option: '--allow-protected' },
    },
  ],
  left: [
    {
      ref: 'flag:seasonal',
      resource: 'flag',
      key: 'seasonal',
      id: 31,
      action: 'update',
      fields: [{ path: '/name', before: 'Winter', after: 'Summer', divergence: 'drifted', source: PLACE }],
    },
    { ref: 'flag:gone', resource: 'flag', key: 'gone', action: 'create', fields: [] },
  ],
  released: [{ key: 'forgotten', place: PLACE }, { key: 'cohort:old' }],
  observed: [
    { key: 'ramp', path: '/filters/groups/0/rollout_percentage', ownership: 'observed', declared: 10, live: 40 },
    { key: 'ramp', path: '/name', ownership: { between: [0, 50] }, declared: 'a', live: 'b', source: PLACE },
  ],
};

const found = (key: string, more: Partial<Finding>): Finding => ({
  rule: 'max-widen',
  level: 'error',
  resource: 'flag',
  key,
  ref: `flag:${key}`,
  facts: { what: 'max-widen', points: 25, limit: 10, exact: true },
  policy: { file: 'flagwright.yaml', line: 4, column: 3 },
  place: PLACE,
  ...more,
});
const JUDGEMENT: Judgement = {
  source: { from: 'base', commit: 'c'.repeat(40), differs: true },
  findings: [
    found('pricing', {}),
    found('layout', { level: 'approve', rule: 'naming', facts: { what: 'naming', patterns: ['shop-*'] } }),
    found('banner', { level: 'warning', rule: 'require', facts: { what: 'require', missing: 'description' } }),
    found('search', { lifted: { by: 'approval', approver: 'ann' } }),
    found('help-centre', {
      lifted: {
        by: 'exception',
        granted_by: 'ben',
        proof: 'none',
        reason: 'a migration',
        until: '2026-12-31',
        source: PLACE,
      },
    }),
  ],
};

const FACTS_OF_EXCEPTION = {
  ...{ rules: ['naming'], keys: ['old-*'], reason: 'old names', until: '2026-12-31', granted_by: 'ben' },
  source: PLACE,
};
/** The exceptions of the file, one of each sort. */
const EXCEPTED: readonly ExceptionReport[] = [
  { code: 'exception_used', ...FACTS_OF_EXCEPTION, lifts: [{ rule: 'naming', key: 'old-help' }] },
  { code: 'exception_unused', ...FACTS_OF_EXCEPTION },
  {
    ...{ code: 'exception_unused', rules: ['deletes'], most: 5, reason: 'a purge', until: '2026-12-31' },
    ...{ granted_by: 'ben', source: PLACE, needed: 6 },
  },
  { code: 'exception_unmatched', ...FACTS_OF_EXCEPTION },
  { code: 'exception_expired', ...FACTS_OF_EXCEPTION },
  { code: 'exception_not_approved', ...FACTS_OF_EXCEPTION },
  { code: 'exception_not_approver', ...FACTS_OF_EXCEPTION },
];

const NOBODY = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0 };
const IMPACT: Impact = {
  flags: [
    {
      key: 'pricing',
      by: 'change',
      estimate: {
        kind: 'audiences',
        audiences: [
          { conditions: [CONDITION], former: [], shares: { ...NOBODY, turnsOn: 25 }, method: { kind: 'exact' } },
        ],
        unmatched: [{ number: 3, condition: { properties: [], rollout_percentage: 5 } }],
        cohortChanges: true,
        uncounted: ['evaluation_runtime'],
      },
      persons: { ...NOBODY, turnsOn: 31, unchanged: 1_168, undecided: 5 },
    },
    { key: 'upsell', by: 'dependency', estimate: { kind: 'unknown', why: 'format' } },
  ],
  persons: {
    source: 'file',
    counted: 1_204,
    duplicate: { count: 2, first: [4, 9] },
    withoutId: { count: 0, first: [] },
    malformed: { count: 1, first: [7] },
  },
};
const NAMED: ChangedAnswers = {
  people: 5,
  changed: 1,
  total: 1,
  answers: [
    {
      person: 'ada',
      flag: 'pricing',
      before: { kind: 'decided', answer: { value: false, reason: 'no_condition_match', conditions: 2 } },
      after: {
        kind: 'decided',
        answer: { value: true, reason: 'condition_match', condition: CONDITION, conditions: 2 },
      },
      payloadChanges: false,
    },
  ],
};

const by = (name: string): Attribution => ({ kind: 'known', by: name, at: '2026-11-21T09:00:00Z', via: 'web_or_key' });
const of = (
  ...entries: readonly (readonly [path: string, attribution: Attribution])[]
): ReadonlyMap<string, Attribution> => new Map(entries);

const ATTRIBUTIONS: Attributions = new Map([
  ['flag:new-checkout', of(['/name', by('ann@example.com')], ['/filters/payloads/one-page', by('ben@example.com')])],
  ['flag:seasonal', of(['/name', by('cy@example.com')])],
  ['flag:search', of(['', { kind: 'unknown', reason: 'forbidden' }])],
]);

export const FULL_PLAN: ReportOf<'plan'> = {
  kind: 'plan',
  plan: FULL,
  forecast: { requests: 21, seconds: 4 },
  attributions: ATTRIBUTIONS,
  judgement: JUDGEMENT,
  excepted: EXCEPTED,
  grantors: ['ann', 'ben'],
  impact: IMPACT,
  named: NAMED,
  at: '2026-12-24T12:00:00.000Z',
  against: { taken_at: '2026-11-22T10:00:00.000Z', age_seconds: 7_200, fingerprint: `sha256:${'0'.repeat(64)}` },
};

export const FULL_DRIFT: ReportOf<'drift'> = { kind: 'drift', plan: FULL, attributions: ATTRIBUTIONS };

export const FULL_UNDO: ReportOf<'undo'> = {
  kind: 'undo',
  run: '20260131T120000123Z-8a3f',
  plan: { ...JUDGED, hazards: PLAN.hazards, warnings: PLAN.warnings },
  refused: [
    { ref: 'flag:search', key: 'search', refusal: 'moved', moved: [{ path: '/name', before: 'a', after: 'b' }] },
    { ref: 'flag:vault', key: 'vault', refusal: 'secret', moved: [] },
  ],
  forecast: { requests: 7, seconds: 2 },
};

export const FULL_RESULT: ReportOf<'result'> = {
  kind: 'result',
  result: { ...RESULT, left: FULL.left ?? [], released: FULL.released ?? [] },
  durationMs: 1_234,
  run: '20260131T120000123Z-8a3f',
};

export const FULL_VALIDATION: ReportOf<'validation'> = {
  kind: 'validation',
  files: 3,
  flags: 7,
  cohorts: 1,
  tests: 0,
  diagnostics: [
    { code: 'flag-key-invalid', severity: 'error', place: PLACE, args: { key: 'a b' } },
    { code: 'flag-key-invalid', severity: 'warning', args: { key: 'c d' } },
  ],
  policies: [{ project: 'production', judgement: JUDGEMENT, excepted: EXCEPTED }],
};
