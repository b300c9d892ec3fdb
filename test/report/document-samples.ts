/** Samples of every report that becomes a JSON document: together they hold every kind, action, outcome, finding and optional member. */

import { FlagwrightError } from '../../src/base/errors.ts';
import type { ExceptionReport } from '../../src/review/policy/exceptions.ts';
import type { PlacedRollout, PlannedRollout } from '../../src/core/rollout/rollout.ts';
import type { Outcome } from '../../src/loop/apply/result.ts';
import type { Facts, Finding, Judgement } from '../../src/review/policy/finding.ts';
import type { Attribution } from '../../src/posthog/authors/attribution.ts';
import type { KnownRequest, RequestStanding } from '../../src/core/engine/change-request.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Change, Plan } from '../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../helpers/states.ts';
import type { Report, ReportOf } from '../../src/report/report.ts';
import type { RecordedRun } from '../../src/report/run-record.ts';
import { withUnread } from '../../src/posthog/parity/parity.ts';
import { SCHEMA_OF, type SchemaName } from '../helpers/schemas.ts';
import { HAZARDS, WARNINGS } from '../posthog/samples-of-codes.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from './full-samples.ts';
import { sampleOf } from './samples-of-kinds.ts';
import { UNKNOWN_REASONS, type GuardReading } from '../../src/core/rollout/guard.ts';
import { otherCatalogs } from './samples-of-catalog.ts';
import { unreadReferencesSample, wholeReferencesSample } from './samples-of-references.ts';
import { staleSample } from './samples-of-stale.ts';
import { RESULT } from './samples.ts';
import { CHANGES_OF_KINDS, OUTCOMES as ALONE } from './samples-of-changes.ts';

const PLACE = { file: 'flags/a.yaml', line: 2, column: 3 };
const COMMIT = 'c'.repeat(40);
const RUN = '20260131T120000123Z-8a3f';
/** Members that only some changes of a kind have. */
const SINGLE = { source: PLACE, divergence: 'conflict', base_level: 'viewer' } as const;
const ROLE = { id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' };
const GRANT = { resource: 'role_access', ref: 'role_access:a:r', key: 'a', needs: [], base: { roles: [] } } as const;
const CHANGES: readonly Change[] = [
  ...Object.values(CHANGES_OF_KINDS),
  { ...GRANT, ...SINGLE, action: 'grant', id: 1, role: ROLE },
  { ...GRANT, ref: 'role_access:b:r', action: 'grant', role: ROLE, base: { roles: [], wire: 'unknown' } },
  { ...CHANGES_OF_KINDS['role_access adjust'], ...SINGLE } as Change,
  { ...GRANT, ...SINGLE, action: 'revoke', id: 1, role: ROLE, entry_id: 31 },
];
/** A rename, conditions in another order, one with another audience, and filters that this release does not know. */
const EFFECTS = planFor(
  desiredState(
    declared('renamed', { filters: { groups: [of('a', 1), of('b', 1)] } }, { previousKeys: ['former'] }),
    declared('opaque', { filters: { groups: [{}], later: 2 } }),
    declared('other', { filters: { groups: [{ properties: [is('a', 1), is('b', 2), is('d', 4)] }] } }),
  ),
  liveState([
    liveFlag(21, 'former', { filters: { groups: [of('b', 1), of('a', 1)] } }),
    liveFlag(22, 'opaque', { filters: { groups: [{}], later: 1 } }),
    liveFlag(23, 'other', { filters: { groups: [{ properties: [is('a', 1), is('b', 3), is('c', 3)] }] } }),
  ]),
).changes;

function of(key: string, value: number): JsonObject {
  return { properties: [is(key, value)] };
}

function is(key: string, value: number): JsonObject {
  return { key, type: 'person', operator: 'exact', value: String(value) };
}
const EARLIER = [{ key: 'a', fields: ['role_access'], commit: COMMIT }, { key: 'cohort:b' }];
const ROLLOUT = {
  key: 'a',
  pointer: '/rollout_percentage',
  from: 0,
  steps: [
    { at: '2026-12-01T08:00:00.000Z', to: 10 },
    { at: '2026-12-03T08:00:00.000Z', to: 33, done: true },
  ],
  catch_up: 'latest',
  guard: ['g'],
} as const;
const READINGS: readonly GuardReading[] = [
  { guard: 'g', source: { alert: 'Errors' }, says: 'pass', at: '2026-12-03T07:00:00.000Z' },
  { guard: 'g', source: { verdict: 'budget' }, says: 'hold', at: '2026-12-03T07:00:00.000Z', reason: 'No.' },
  ...UNKNOWN_REASONS.map((why) => ({ guard: 'g', says: 'unknown', why, detail: 'No.' }) as const),
];
const APPLIED = { step: 0, at: '2026-12-01T08:00:00.000Z' };
const STEPPED: PlannedRollout = {
  ...ROLLOUT,
  path: '/filters/groups/0/rollout_percentage',
  step: 1,
  applied: { ...APPLIED, key: 'former', let_through: READINGS },
  guard_readings: READINGS,
  due: '2026-12-03T08:00:00.000Z',
  then_due: '2026-12-05T08:00:00.000Z',
  reviewed: true,
  recorded_later: true,
  overdue: true,
  held: true,
  due_by: 'plan',
  switched_off: true,
  waits: 'edited',
  asked: 1,
  unknown_origin: true,
  taken_back: true,
  continued: 7,
  found_live: true,
};
const PLACED: PlacedRollout = {
  path: STEPPED.path,
  from: 0,
  steps: ROLLOUT.steps,
  catch_up: 'latest',
  guard: ['g'],
  step: -1,
};
const BASE = {
  kind: 'commit',
  commit: COMMIT,
  from: 'ref',
  earlier: EARLIER,
  rollouts: [
    {
      ...ROLLOUT,
      ...APPLIED,
      asked: 1,
      let_through: READINGS,
      approved: [{ rule: 'max-widen', by: 'ann', step: APPLIED.at, facts: { what: 'max-widen' }, jumps: true }],
    },
  ],
  unread: { remote: 'origin', detail: 'No.' },
  checkout: 'apart',
} as const;

const FORECAST = { requests: 1, seconds: 2, hour_percent: 3 };
const PARTS = { written: ['active'], id: 7, waiting: ['filters'], unsent: [] };
const OUTCOMES: readonly Outcome[] = [...ALONE, { outcome: 'skipped', reason: { code: 'interrupted' }, parts: PARTS }];

/** What each policy may find: a member for each, so that a new one is missing here until it is added. */
const FACTS: { readonly [What in Facts['what']]: readonly Extract<Facts, { readonly what: What }>[] } = {
  'max-widen': [
    { what: 'max-widen', points: 25, limit: 10, exact: true },
    { what: 'max-widen', points: 25.5, limit: 10, exact: false, flags: ['b'] },
  ],
  freeze: [
    {
      what: 'freeze',
      denied: true,
      window: { kind: 'dates', from: '2026-12-20', to: '2027-01-02', zone: 'UTC' },
      local: 'fri 2026-12-25 17:03',
    },
    {
      what: 'freeze',
      denied: false,
      window: { kind: 'weekly', days: ['fri'], from: '16:00', to: '24:00', zone: 'UTC' },
      local: 'mon 2026-12-21 17:03',
    },
  ],
  require: [
    { what: 'require', missing: 'description' },
    { what: 'require', missing: 'tag', pattern: 'owner:*' },
    { what: 'require', missing: 'owner', prefixes: ['owner:', 'team:'], unread: true },
  ],
  naming: [{ what: 'naming', patterns: ['shop-*'] }],
  'no-personal-data': [
    { what: 'no-personal-data', data: 'email', condition: 2, amount: 1 },
    { what: 'no-personal-data', data: 'phone', amount: 3 },
  ],
  expires: [
    { what: 'expires', problem: 'passed', date: '2026-01-31' },
    { what: 'expires', problem: 'too_far', date: '2030-01-31', max_days: 90 },
  ],
  'no-direct-production': [
    { what: 'no-direct-production', first: 'staging', problem: 'values', paths: ['/active'] },
    { what: 'no-direct-production', first: 'staging', problem: 'unknown', paths: [] },
  ],
  soaked: [
    { what: 'soaked', in: 'staging', for: '3d', problem: 'values', paths: ['/active'] },
    { what: 'soaked', in: 'staging', for: '3d', problem: 'unknown', paths: ['/active'], why: 'live' },
    {
      ...{ what: 'soaked', in: 'staging', for: '3d', problem: 'young', paths: ['/active'] },
      until: '2026-02-03T10:00:00.000Z',
    },
  ],
  'experiment-running': [{ what: 'experiment-running', experiments: [{ id: 7, name: 'Checkout' }, { id: 8 }] }],
  own: [{ what: 'own', message: 'Smaller steps' }],
  own_failed: [{ what: 'own_failed', detail: 'no such field' }],
  own_exhausted: [{ what: 'own_exhausted', judged: 1, changes: 9 }],
};

const FINDINGS: readonly Finding[] = Object.values(FACTS)
  .flat()
  .map((facts) => ({
    rule: facts.what,
    level: 'approve',
    approvers: ['ann'],
    resource: 'flag',
    key: 'a',
    live_name: 'b',
    ref: 'flag:a',
    facts,
    step: '2026-12-03T08:00:00.000Z',
    due: '2026-12-03T09:00:00.000Z',
    jump_since: '2026-12-01T08:00:00.000Z',
    place: PLACE,
    policy: PLACE,
    commit: COMMIT,
    lifted: { by: 'exception', granted_by: 'ann', reason: 'x', proof: 'none', until: '2026-12-31', source: PLACE },
  }));

const JUDGEMENT: Judgement = {
  source: { from: 'checkout', why: 'no_file' },
  findings: [...FINDINGS, { ...FINDINGS[0]!, level: 'error', lifted: { by: 'approval', approver: 'ann' } }],
};

const EXCEPTION = { rules: ['naming'], reason: 'x', until: '2026-12-31', granted_by: 'ann', source: PLACE } as const;
const EXCEPTED: readonly ExceptionReport[] = [
  ...(['unused', 'unmatched', 'expired', 'not_approved', 'not_approver'] as const).map(
    (what) => ({ code: `exception_${what}`, ...EXCEPTION, keys: ['a'] }) as const,
  ),
  { code: 'exception_unused', ...EXCEPTION, most: 5, needed: 6 },
  { code: 'exception_used', ...EXCEPTION, keys: ['a'], lifts: [{ rule: 'naming', key: 'a' }, { rule: 'deletes' }] },
];
const LIFTED: readonly NonNullable<Plan['lifted']>[number]['by'][] = [
  { by: 'option', option: '--allow-protected' },
  { by: 'exception', granted_by: 'ann', reason: 'x', proof: 'approval', until: '2026-12-31', source: PLACE },
];

const ORIGINS = [{ from: 'configuration', place: PLACE, commit: COMMIT }, { from: 'run' }] as const;
const ALL_HAZARDS: Plan['hazards'] = [
  ...Object.values(HAZARDS),
  ...(['deletes', 'deletes_percent', 'protected', 'dependents', 'dependencies_disabled', 'switched_off'] as const).map(
    (code) => ({ ...HAZARDS[code], step: '2026-12-03T08:00:00.000Z' }),
  ),
  ...ORIGINS.flatMap((origin) => [
    { ...HAZARDS.deletes, origin },
    { ...HAZARDS.deletes_percent, origin },
    { ...HAZARDS.protected, origin },
  ]),
  { ...HAZARDS.switched_off, edit: { at: '2026-11-28T10:00:00Z', by: 'ann@example.org' } },
  { ...HAZARDS.experiments, permit: { kind: 'risky', value: 'a' } },
  { ...HAZARDS.dependents, permit: { kind: 'risky', value: 'a' } },
];

const ALL_WARNINGS: Plan['warnings'] = [
  ...Object.values(WARNINGS),
  { ...WARNINGS.scheduled, value: true, repeats: 'daily' },
  { ...WARNINGS.renamed_back, previous: 'b', since: '2026-01-31' },
  { ...WARNINGS.renamed_away, previous: 'b', since: '2026-01-31' },
  { ...WARNINGS.renamed_deleted, since: '2026-01-31' },
  { ...WARNINGS.cohort_renamed, since: '2026-01-31' },
  { ...WARNINGS.cohort_renamed_away, since: '2026-01-31' },
  { ...WARNINGS.cohort_renamed_deleted, since: '2026-01-31' },
  { ...WARNINGS.access_refused, detail: 'No.' },
  { ...WARNINGS.not_enabled, url: 'https://x.test/7', by: 'ann', reason: 'No.' },
];

const STANDINGS: readonly RequestStanding[] = [
  { kind: 'open', by: 'ann', asks: 'other_resource', for: 'b' },
  { kind: 'rejected', by: 'ann', reason: 'No.' },
  { kind: 'withdrawn', by: 'ann' },
  { kind: 'failed', why: 'No.' },
  { kind: 'expired' },
];
const REQUESTS: readonly KnownRequest[] = STANDINGS.map((standing) => ({
  ref: 'flag:a',
  key: 'a',
  id: '7',
  url: 'https://x.test/7',
  action: 'feature_flag.enable',
  standing,
}));

const OFF = { reason: 'incident', already: [{ key: 'b', id: 2, paths: ['/active'] }] };
const ATTRIBUTIONS: readonly Attribution[] = [
  { kind: 'known', by: 'ann', at: '2026-01-31', via: 'api_client', client: 'curl', run: RUN, off: OFF, created: true },
  { kind: 'unknown', reason: 'overlapping', people: ['ann', 'ben'] },
];
/** Those of two changes. */
const attributed = (...refs: readonly string[]): ReadonlyMap<string, ReadonlyMap<string, Attribution>> =>
  new Map(refs.map((ref, index) => [ref, new Map([['/name', ATTRIBUTIONS[index]!]])]));

const FULL_SUMMARY = FULL_PLAN.plan.summary;
const SUMMARY: Plan['summary'] = {
  ...FULL_SUMMARY,
  kinds: { ...FULL_SUMMARY.kinds, early_access: { create: 1, update: 1, delete: 1, unchanged: 2 } },
};

const PLAN: Plan = {
  ...FULL_PLAN.plan,
  summary: SUMMARY,
  undoes: RUN,
  off: OFF,
  commit: COMMIT,
  base: BASE,
  safety: { from: 'base', commit: COMMIT, looser: ['limits.deletes'] },
  changes: [...CHANGES, ...EFFECTS],
  hazards: ALL_HAZARDS,
  lifted: LIFTED.map((by) => ({ hazard: HAZARDS.protected, by })),
  warnings: ALL_WARNINGS,
  unrecorded: EARLIER,
  identified: { a: 7, 'cohort:gone': null },
  other_names: { a: ['b'] },
};

const CONDITION = { number: 2, condition: { properties: [] } };
const SHARES = { turnsOn: 5, turnsOff: 0, changesVariant: 0, changesPayload: 0 };
const NO_PEOPLE = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 1, undecided: 0 };
const SECOND: NonNullable<Plan['left']>[number] = {
  ref: 'flag:second',
  resource: 'flag',
  key: 'second',
  id: 32,
  action: 'update',
  fields: [{ path: '/name', before: 'a', after: 'b' }],
};

const SCHEDULED: NonNullable<ReportOf<'plan'>['scheduled']> = {
  unknown: 'forbidden',
  changes: [
    {
      key: 'a',
      id: 1,
      at: '2026-12-01T09:00:00Z',
      operation: 'update_status',
      value: true,
      repeats: 'daily',
      until: '2026-12-31T09:00:00Z',
      by: 'ann',
      approval: { request: '7', state: 'pending' },
      outcome: 'made',
      effects: [{ what: 'switched', classes: ['enable'], on: true }],
      dormant: true,
      impact: [
        {
          key: 'a',
          by: 'change',
          estimate: {
            kind: 'audiences',
            audiences: [{ conditions: [], former: [], shares: SHARES, method: { kind: 'exact' } }],
            unmatched: [],
          },
        },
      ],
    },
  ],
};

const IMPACT: NonNullable<ReportOf<'plan'>['impact']> = {
  steps: [
    {
      at: '2026-12-03T08:00:00.000Z',
      jump_since: '2026-12-01T08:00:00.000Z',
      flags: [{ key: 'a', by: 'change', estimate: { kind: 'dormant' } }],
    },
    { at: '2026-12-03T08:00:00.000Z', due: '2026-12-03T09:00:00.000Z', flags: [] },
  ],
  flags: [
    {
      key: 'a',
      by: 'dependency',
      through: ['b'],
      source: PLACE,
      estimate: {
        kind: 'audiences',
        audiences: [
          {
            conditions: [CONDITION],
            former: [CONDITION],
            through: [{ ...CONDITION, key: 'b' }],
            without: { conditions: [CONDITION], former: [CONDITION] },
            enrolled: true,
            declined: true,
            others: true,
            upTo: true,
            shares: SHARES,
            method: { kind: 'exact' },
          },
        ],
        unmatched: [CONDITION],
        cohortChanges: true,
        uncounted: ['evaluation_runtime'],
      },
      persons: NO_PEOPLE,
    },
    { key: 'b', by: 'cohort', estimate: { kind: 'dormant' } },
    { key: 'c', by: 'change', estimate: { kind: 'unknown', why: 'combinations' } },
  ],
  persons: {
    source: 'file',
    counted: 1,
    duplicate: { count: 1, first: [2] },
    withoutId: { count: 1, first: [3] },
    malformed: { count: 1, first: [4] },
  },
};
const NAMED: NonNullable<ReportOf<'plan'>['named']> = {
  people: 1,
  changed: 1,
  total: 1,
  answers: [
    {
      person: 'ada',
      flag: 'a',
      before: { kind: 'undecided', why: 'filter_unknown' },
      after: {
        kind: 'decided',
        answer: { value: 'x', reason: 'condition_match', condition: CONDITION, conditions: 2 },
      },
      payloadChanges: false,
    },
  ],
};

const RECORDED: RecordedRun = {
  name: RUN,
  startedAt: '2026-01-31T12:00:00.123Z',
  endedAt: '2026-01-31T12:00:01.123Z',
  running: false,
  project: RESULT.project,
  follows: [RUN],
  undoes: RUN,
  off: OFF,
  commit: COMMIT,
  actor: { name: 'ann', host: 'laptop', ci: 'GitHub Actions', url: 'https://x.test/job/7' },
  changes: [
    ...CHANGES.flatMap((change) => OUTCOMES.map((result) => ({ change, result }))),
    ...CHANGES.map((change) => ({ change, open: 'unanswered' as const })),
  ],
};

const DECIDING = { ...CONDITION, place: PLACE };
const CASE = { project: 'production', flag: 'a', person: 'ada', place: PLACE, expected: { value: true } };
const CASES: ReportOf<'test'>['cases'] = [
  { ...CASE, verdict: { outcome: 'passed', answer: { value: true, reason: 'condition_match', conditions: 1 } } },
  {
    ...CASE,
    verdict: {
      outcome: 'failed',
      answer: { value: false, reason: 'no_condition_match', conditions: 2 },
      attempts: [
        { condition: DECIDING, result: { kind: 'no_group', type: 0 } },
        { condition: DECIDING, result: { kind: 'matched', identifier: 'u', variant: { kind: 'forced' } } },
        { condition: DECIDING, result: { kind: 'matched', identifier: 'u', variant: { kind: 'hashed', position: 5 } } },
        { condition: DECIDING, result: { kind: 'unreadable' } },
        { condition: DECIDING, result: { kind: 'no_device' } },
      ],
    },
  },
  { ...CASE, verdict: { outcome: 'undecided', why: { code: 'conditions_undeclared' } } },
  {
    ...CASE,
    verdict: {
      outcome: 'undecided',
      why: { code: 'filter_unknown', dependency: 'b', condition: DECIDING, filter: { key: 'x' } },
    },
  },
];

const ERROR = new FlagwrightError('refused', 'No.', { remedy: 'Yes.' });
const FILES = [{ file: 'flags/a.yaml', status: 'to_edit' }] as const;

/** All that it changes is applied. */
function resultWith(facts: Partial<ReportOf<'result'>['result']>): ReportOf<'result'> {
  const { result, ...report } = sampleOf('result');
  return { ...report, result: { ...result, changes: [], remainder: [], ...facts } };
}

const TO_APPLY: ReportOf<'plan'> = { kind: 'plan', plan: { ...sampleOf('plan').plan, hazards: [] } };

/** The reports of each kind that are documents. */
export const DOCUMENTS: { readonly [Kind in keyof typeof SCHEMA_OF]: readonly ReportOf<Kind>[] } = {
  projects: [
    sampleOf('projects'),
    {
      kind: 'projects',
      command: 'apply',
      projects: [
        ...[0, 3, 5, 130].map(
          (exit) => ({ kind: 'ran', project: `result-${exit}`, exit, report: sampleOf('result') }) as const,
        ),
        { kind: 'ran', project: 'refused', exit: 4, report: sampleOf('failure') },
        { kind: 'ran', project: 'nothing', exit: 0, report: sampleOf('nothing') },
        { kind: 'ran', project: 'in-sync', exit: 0, report: resultWith({}) },
        {
          kind: 'ran',
          project: 'applied',
          exit: 0,
          report: resultWith({ changes: sampleOf('result').result.changes.slice(0, 1) }),
        },
        { kind: 'ran', project: 'left', exit: 0, report: resultWith({ left: [] }) },
      ],
    },
    {
      kind: 'projects',
      command: 'drift',
      projects: [{ kind: 'ran', project: 'a', exit: 2, report: sampleOf('drift') }],
    },
    {
      kind: 'projects',
      command: 'export',
      projects: [{ kind: 'ran', project: 'a', exit: 0, report: sampleOf('export') }],
    },
    { kind: 'projects', command: 'plan', projects: [{ kind: 'ran', project: 'a', exit: 0, report: TO_APPLY }] },
    { ...sampleOf('projects'), refusal: new FlagwrightError('refused', 'a', { remedy: 'b' }) },
  ],
  plan: [
    sampleOf('plan'),
    FULL_PLAN,
    {
      ...FULL_PLAN,
      plan: {
        ...PLAN,
        rollouts: [STEPPED],
        rollout_changes: [{ ref: 'flag:a', key: 'a', before: [PLACED], after: [{ ...PLACED, step: 0 }] }],
      },
      judgement: JUDGEMENT,
      excepted: EXCEPTED,
      impact: IMPACT,
      scheduled: SCHEDULED,
      steps: [
        {
          at: '2026-12-03T08:00:00.000Z',
          jump_since: '2026-12-01T08:00:00.000Z',
          plan: PLAN,
          live: { flags: [], roleAccess: {} },
        },
        {
          at: '2026-12-03T08:00:00.000Z',
          due: '2026-12-03T09:00:00.000Z',
          plan: { ...PLAN, changes: [] },
          live: { flags: [], roleAccess: {} },
        },
      ],
      soon: [{ key: 'a', path: '/active', at: '2026-12-03T08:00:00.000Z', to: true, by: 'former_plan' }],
      named: NAMED,
      requests: REQUESTS,
      attributions: attributed('flag:a', 'cohort:a'),
      owners: new Map([['flag:a', { name: '@acme/a', by: 'code_owners' }]]),
      cohortNames: { 7: 'vips' },
      forecast: FORECAST,
    },
    { kind: 'plan', plan: { ...PLAN, base: { kind: 'none', reason: { code: 'no_repository' } } } },
    { kind: 'plan', plan: { ...PLAN, safety: { from: 'checkout', why: 'invalid' } } },
  ],
  drift: [
    sampleOf('drift'),
    FULL_DRIFT,
    {
      kind: 'drift',
      plan: PLAN,
      requests: REQUESTS,
      edits: [{ key: 'a', field: 'match_mode', before: 'any', after: 'all', at: '2026-01-31', by: 'ann' }],
    },
  ],
  result: [
    sampleOf('result'),
    FULL_RESULT,
    {
      ...FULL_RESULT,
      result: {
        ...FULL_RESULT.result,
        summary: SUMMARY,
        undoes: RUN,
        off: OFF,
        changes: CHANGES.flatMap((change) => OUTCOMES.map((result) => ({ change, result }))),
        left: [...(FULL_RESULT.result.left ?? []), SECOND],
        unwritable: [{ resource: 'cohort', key: 'cohort:a' }],
        notKnown: [{ code: 'not_known', key: 'schedules', why: 'failed' }],
      },
      attributions: attributed('flag:seasonal', 'flag:second'),
      rollouts: [{ ...STEPPED, waits: 'guarded' }],
    },
  ],
  nothing: [sampleOf('nothing')],
  undo: [
    sampleOf('undo'),
    FULL_UNDO,
    {
      ...FULL_UNDO,
      forecast: FORECAST,
      plan: {
        ...FULL_UNDO.plan,
        summary: SUMMARY,
        undoes: RUN,
        changes: [...CHANGES, ...EFFECTS],
        hazards: ALL_HAZARDS,
        warnings: ALL_WARNINGS,
      },
    },
  ],
  run: [sampleOf('run'), { kind: 'run', run: RECORDED }],
  history: [
    sampleOf('history'),
    { kind: 'history', history: { folder: '/x', runs: [RECORDED], unreadable: [], apart: [], more: false } },
  ],
  validation: [
    sampleOf('validation'),
    FULL_VALIDATION,
    { ...FULL_VALIDATION, policies: [{ project: 'production', judgement: JUDGEMENT, excepted: EXCEPTED }] },
  ],
  test: [sampleOf('test'), { kind: 'test', files: 1, people: 1, projects: ['production'], cases: CASES }],
  files: [sampleOf('files')],
  export: [
    sampleOf('export'),
    {
      kind: 'export',
      files: FILES,
      unchecked: [],
      notExported: [],
      unmanaged: [],
      merge: {
        overlaid: ['a'],
        limited: ['cohort:b'],
        notMerged: [
          { key: 'a', reason: 'not-editable', file: 'flags/a.yaml', suggestion: 'active: true\n' },
          ...(
            [
              ...(['reads-differently', 'renamed', 'declared-deleted', 'declared-only-here'] as const),
              ...(['static', 'behavioral', 'still-used'] as const),
            ] as const
          ).map((reason) => ({ key: 'b', reason })),
        ],
      },
    },
  ],
  promote: [
    sampleOf('promote'),
    {
      ...sampleOf('promote'),
      source: 'live',
      promoted: [
        {
          key: 'a',
          changes: [{ ref: 'flag:a', path: '/name', before: 'b', after: 'c', layer: 'project', place: PLACE }],
        },
      ],
      patch: '--- a\n',
    },
  ],
  parity: [
    sampleOf('parity'),
    {
      kind: 'parity',
      parity: {
        projects: ['a', 'b'],
        flags: 1,
        cohorts: 0,
        early_access: 1,
        rows: [
          {
            key: 'a',
            path: '/name',
            cells: [{ kind: 'value', value: 1 }, { kind: 'none' }],
            declared: true,
            others: true,
          },
        ],
        alike: [],
      },
      source: 'live',
      withDeclared: true,
    },
    {
      ...sampleOf('parity'),
      parity: withUnread(sampleOf('parity').parity, ['third', ...sampleOf('parity').parity.projects]),
      unread: [{ project: 'third', error: new FlagwrightError('network', 'c', { remedy: 'd' }) }],
    },
  ],
  doctor: [sampleOf('doctor')],
  refs: [sampleOf('refs'), wholeReferencesSample('a'), unreadReferencesSample('a')],
  catalog: [sampleOf('catalog'), ...otherCatalogs()],
  stale: [
    sampleOf('stale'),
    { ...staleSample('a'), tasks: true },
    { ...staleSample('a'), code: { repositories: [], gaps: [] } },
  ],
  rehearsal: [
    sampleOf('rehearsal'),
    {
      ...sampleOf('rehearsal'),
      verdicts: { from: 'random', seed: 7 },
      moments: sampleOf('rehearsal').moments.map((moment) => ({ ...moment, guard_readings: READINGS })),
    },
  ],
  explain: [
    sampleOf('explain'),
    ...(['missing', 'offline'] as const).map((kind) => ({ ...sampleOf('explain'), live: { kind } })),
    {
      ...sampleOf('explain'),
      rollouts: [{ ...STEPPED, waits: 'guarded' }],
      live: { kind: 'read', id: 7 },
      history: { kind: 'read' },
      scheduled: SCHEDULED,
      values: ATTRIBUTIONS.map((attribution) => ({
        path: '/name',
        value: 'a',
        place: PLACE,
        ownership: 'managed',
        line: { kind: 'uncommitted' },
        live: { differs: false },
        attribution,
      })),
    },
  ],
  accept: [
    sampleOf('accept'),
    {
      ...sampleOf('accept'),
      accepted: [
        {
          key: 'a',
          changes: [
            { ref: 'flag:a', path: '/name', divergence: 'conflict', base: 1, layer: 'project' },
            { ref: 'cohort:a', path: '/name', after: 2 },
          ],
        },
      ],
      attributions: attributed('flag:a', 'cohort:a'),
      base: { ...BASE, from: 'option' },
      patch: '--- a\n',
    },
    { ...sampleOf('accept'), base: { kind: 'none', reason: { code: 'not_recorded' } } },
  ],
  failure: [
    sampleOf('failure'),
    {
      kind: 'failure',
      error: ERROR,
      hazards: ALL_HAZARDS,
      findings: JUDGEMENT.findings,
      changes: CHANGES,
      refused: FULL_UNDO.refused,
    },
    {
      kind: 'failure',
      error: new FlagwrightError('run_under_way', 'Run r writes to a.', {
        run: { name: 'r', started_at: '2026-01-31T12:00:00.000Z', ended_at: '2026-01-31T12:00:09.000Z' },
      }),
    },
  ],
};

export const DOCUMENT_SAMPLES: readonly (readonly [kind: string, schema: SchemaName, report: Report])[] = (
  Object.keys(DOCUMENTS) as (keyof typeof SCHEMA_OF)[]
).flatMap((kind) => (DOCUMENTS[kind] ?? []).map((sample) => [kind, SCHEMA_OF[kind], sample] as const));
