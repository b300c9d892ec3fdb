/** A report of every kind, with strings that a terminal, a build log or a spreadsheet would obey. */

import { FlagwrightError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import type { ExpectationCase } from '../../src/review/expectations/expectation.ts';
import type { RefusedInversion } from '../../src/posthog/planning/invert-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import type { ReportKind, ReportOf } from '../../src/report/report.ts';
import type { RecordedRun } from '../../src/report/run-record.ts';
import { checkSamples } from './samples-of-checks.ts';
import { CHANGES, PLAN, RESULT } from './samples.ts';
import { catalogSample } from './samples-of-catalog.ts';
import { staleSample } from './samples-of-stale.ts';
import { readersSample, referencesSample } from './samples-of-references.ts';

export const EVIL = '::error::x\u001b[2J\u202e##[add-mask]=1+1';

const DIAGNOSTIC: Diagnostic = {
  code: 'flag-key-invalid',
  severity: 'error',
  place: { file: EVIL, line: 2, column: 3 },
  path: '/flags/a b',
  args: { key: EVIL },
};
const EVIL_PLAN = { ...PLAN, project: { ...PLAN.project, name: EVIL }, unmanaged: [EVIL] } satisfies Plan;
const RUN: RecordedRun = {
  name: '20260131T120000123Z-8a3f',
  startedAt: '2026-01-31T12:00:00.123Z',
  running: false,
  project: EVIL_PLAN.project,
  changes: [
    { change: { ...CHANGES[0]!, key: EVIL }, open: 'unanswered' },
    { change: CHANGES[1]!, result: { outcome: 'failed', error: { code: EVIL, message: EVIL } } },
  ],
};
const REFUSED: RefusedInversion = {
  ref: 'flag:search',
  key: EVIL,
  refusal: 'moved',
  moved: [{ path: '/name', before: EVIL, after: 'b' }],
};
const ABOUT = {
  name: 'flags get',
  source: { project: { name: EVIL, host: EVIL, project_id: EVIL }, at: '2026-01-31T12:00:00Z' },
};
const RECORD: JsonObject = { id: 7, name: EVIL, properties: { [EVIL]: EVIL } };
const ERROR = new FlagwrightError('refused', EVIL, { remedy: EVIL, diagnostics: [DIAGNOSTIC] });

const CASE = {
  project: EVIL,
  flag: EVIL,
  person: EVIL,
  name: EVIL,
  place: { file: EVIL, line: 2, column: 3 },
  expected: { value: EVIL, payload: { [EVIL]: EVIL } },
};
const CONDITION = {
  number: 1,
  condition: { properties: [{ key: EVIL, type: 'person', operator: 'exact', value: [EVIL] }], rollout_percentage: 10 },
  place: { file: EVIL, line: 4, column: 5 },
};
const CASES: readonly ExpectationCase[] = [
  {
    ...CASE,
    verdict: {
      outcome: 'failed',
      answer: { value: EVIL, payload: EVIL, reason: 'condition_match', condition: CONDITION, conditions: 1 },
      attempts: [
        { condition: { ...CONDITION, number: 2 }, result: { kind: 'unmatched', filter: 0, found: EVIL } },
        { condition: CONDITION, result: { kind: 'left_out', identifier: EVIL, position: 7.1 } },
      ],
    },
  },
  { ...CASE, verdict: { outcome: 'undecided', why: { code: 'dependency_unknown', flags: [EVIL] } } },
];

async function* records(): AsyncGenerator<JsonObject> {
  yield RECORD;
  yield { id: 8 };
}

/** Each call makes its own list, since a list is read once. */
export function sampleOf<Kind extends ReportKind>(kind: Kind): ReportOf<Kind> {
  const samples: { readonly [K in ReportKind]: ReportOf<K> } = {
    plan: {
      kind: 'plan',
      plan: EVIL_PLAN,
      forecast: { requests: 3, seconds: 2 },
      soon: [{ key: EVIL, path: '/active', at: '2026-12-01T08:00:00.000Z', to: 10, by: 'former_plan' }],
      sections: {
        readers: readersSample(
          EVIL,
          EVIL_PLAN.changes.map(({ ref }) => ref),
        ),
      },
    },
    drift: { kind: 'drift', plan: EVIL_PLAN },
    result: { kind: 'result', result: { ...RESULT, project: EVIL_PLAN.project }, durationMs: 12, run: RUN.name },
    nothing: { kind: 'nothing', project: EVIL_PLAN.project, reason: { code: 'nothing_to_resume' } },
    get projects(): ReportOf<'projects'> {
      return {
        kind: 'projects',
        command: 'plan',
        projects: [
          { kind: 'ran', project: EVIL, exit: 0, report: sampleOf('plan') },
          { kind: 'ran', project: 'b', exit: 1, report: sampleOf('failure') },
          { kind: 'held', project: 'c', by: EVIL },
        ],
      };
    },
    undo: { kind: 'undo', run: RUN.name, plan: EVIL_PLAN, refused: [REFUSED] },
    resuming: { kind: 'resuming', run: RUN },
    run: { kind: 'run', run: RUN },
    history: {
      kind: 'history',
      history: {
        folder: EVIL,
        runs: [RUN],
        unreadable: [{ name: EVIL, problem: ERROR }],
        apart: [[EVIL, RUN.name]],
        more: true,
      },
    },
    validation: { kind: 'validation', files: 1, flags: 2, cohorts: 0, tests: 0, diagnostics: [DIAGNOSTIC] },
    test: { kind: 'test', files: 1, people: 1, projects: [EVIL], cases: CASES },
    files: {
      kind: 'files',
      files: [
        { file: EVIL, status: 'written' },
        { file: 'b', status: 'kept' },
      ],
    },
    export: {
      kind: 'export',
      files: [{ file: EVIL, status: 'written' }],
      unchecked: [{ key: 'a', reasons: ['variants-sum'] }],
      notExported: [{ key: 'b', id: 7, reasons: ['key-shared'] }],
      unmanaged: [{ member: 'tags', flags: 1, reason: 'minimal' }],
    },
    promote: {
      kind: 'promote',
      from: EVIL,
      to: EVIL,
      source: 'manifests',
      files: [{ file: EVIL, status: 'edited' }],
      promoted: [
        {
          key: EVIL,
          changes: [{ ref: `flag:${EVIL}`, path: `/filters/payloads/${EVIL}`, after: EVIL, layer: 'base' }],
        },
      ],
      same: [EVIL],
      kept: [
        { key: EVIL, path: `/filters/payloads/${EVIL}`, reason: 'source-omits' },
        { key: EVIL, path: '/tags', reason: 'others' },
      ],
      left: [
        { key: EVIL, reason: { code: 'cohort-missing', alias: EVIL, project: EVIL }, suggestion: EVIL },
        { key: 'c', reason: { code: 'dependency-left', chain: [EVIL, `cohort:${EVIL}`] } },
        { key: 'b', reason: { code: 'alias' }, place: { file: EVIL, line: 1, column: 2 } },
      ],
      warnings: [DIAGNOSTIC],
    },
    rehearsal: {
      kind: 'rehearsal',
      project: EVIL,
      isRefused: true,
      verdicts: { from: 'file', file: EVIL },
      moments: [
        { at: '2026-12-01T07:45:00.000Z', key: EVIL, step: 0, steps: 1, share: { least: 0, most: 0 } },
        { at: '2026-12-01T08:00:00.000Z', key: EVIL, step: 1, steps: 1, share: { least: 5, most: 80 } },
        {
          ...{ at: '2026-12-02T08:00:00.000Z', key: EVIL, step: 1, steps: 2, share: { least: 5, most: 80 } },
          guard_readings: [{ guard: EVIL, source: { verdict: EVIL }, says: 'hold', reason: EVIL }],
          overdue: true,
        },
      ],
    },
    parity: {
      kind: 'parity',
      parity: {
        projects: [EVIL, 'production'],
        flags: 3,
        cohorts: 1,
        early_access: 0,
        rows: [
          {
            key: EVIL,
            path: '/name',
            cells: [{ kind: 'value', value: EVIL }, { kind: 'unmanaged' }],
            declared: false,
          },
          { key: 'b', path: '', cells: [{ kind: 'present' }, { kind: 'absent' }], declared: true },
          { key: `cohort:${EVIL}`, path: '', cells: [{ kind: 'present' }, { kind: 'absent' }], declared: false },
        ],
        alike: [{ key: `c${EVIL}`, fields: { active: true, filters: { groups: [{ rollout_percentage: 10 }] } } }],
      },
      source: 'live',
      withDeclared: true,
      withAlike: true,
    },
    explain: {
      kind: 'explain',
      omitted: [],
      project: EVIL_PLAN.project,
      key: EVIL,
      values: [
        {
          path: '/name',
          value: EVIL,
          place: { file: EVIL, line: 3, column: 5 },
          layer: 'overlay',
          ownership: { between: [0, 25] },
          replaces: { value: EVIL, place: { file: EVIL, line: 9, column: 1 } },
          line: { kind: 'commit', commit: 'a'.repeat(40), author: EVIL, at: EVIL, summary: EVIL },
          live: { value: EVIL, differs: true },
          attribution: { kind: 'known', by: EVIL, at: EVIL, via: 'api_client', client: EVIL },
        },
        {
          path: '/active',
          value: true,
          ownership: 'initial',
          place: { file: 'b', line: 1, column: 1 },
          line: { kind: 'unknown', detail: EVIL },
        },
      ],
      live: { kind: 'unread', reason: EVIL },
      history: { kind: 'none', reason: EVIL },
    },
    accept: {
      kind: 'accept',
      project: EVIL_PLAN.project,
      files: [{ file: EVIL, status: 'edited' }],
      accepted: [
        {
          key: EVIL,
          changes: [
            {
              ref: 'flag:search',
              path: '/name',
              before: 'b',
              after: EVIL,
              divergence: 'drifted',
              place: { file: EVIL, line: 2, column: 3 },
              layer: 'base',
            },
            { ref: 'role_access:search:1', path: `/role_access/roles/${EVIL}`, after: 'editor' },
            { ref: 'role_access:search:everyone', path: '/role_access/default', after: 'viewer' },
          ],
        },
      ],
      added: [{ key: EVIL, place: { file: EVIL, line: 2, column: 3 } }],
      left: [
        {
          key: EVIL,
          reason: { code: 'alias' },
          place: { file: EVIL, line: 2, column: 3 },
          suggestion: `a:\n  ${EVIL}`,
        },
        { key: EVIL, reason: { code: 'granted-by-pattern', role: EVIL, pattern: EVIL } },
        {
          key: EVIL,
          reason: { code: 'invalid', problem: { code: 'flag-key-invalid', severity: 'error', args: { key: EVIL } } },
        },
      ],
      pending: [{ key: EVIL, paths: ['/name'] }],
      attributions: new Map([
        [
          'flag:search',
          new Map([['/name', { kind: 'known', by: EVIL, at: '2026-01-31T12:00:00Z', via: 'web_or_key' }]]),
        ],
      ]),
    },
    service: {
      kind: 'service',
      url: 'http://127.0.0.1:8765',
      projectId: '1',
      environment: { POSTHOG_HOST: 'http://127.0.0.1:8765' },
    },
    'flag-manifest': { kind: 'flag-manifest', manifest: { flags: { [EVIL]: { description: EVIL } } } },
    script: { kind: 'script', text: 'complete -F _flagwright flagwright\n' },
    records: { kind: 'records', records: records(), columns: ['id', 'name'], about: ABOUT },
    record: { kind: 'record', record: RECORD, about: ABOUT },
    done: { kind: 'done', text: EVIL, record: RECORD, about: ABOUT },
    warnings: { kind: 'warnings', warnings: [{ code: 'target_unknown', key: EVIL }] },
    diagnostics: { kind: 'diagnostics', diagnostics: [DIAGNOSTIC] },
    refs: referencesSample(EVIL),
    stale: staleSample(EVIL),
    catalog: catalogSample(EVIL),
    doctor: {
      kind: 'doctor',
      results: checkSamples(EVIL, DIAGNOSTIC),
      values: [
        {
          name: `/projects/${EVIL}/host`,
          value: EVIL,
          from: { kind: 'file', place: { file: EVIL, line: 1, column: 2 } },
        },
        { name: '/manifests', value: [EVIL], from: { kind: 'environment', variable: 'X' } },
        { name: '/default_project', value: EVIL, from: { kind: 'option', option: '--project' } },
        { name: '/drift', value: 'revert', from: { kind: 'default' } },
      ],
    },
    failure: { kind: 'failure', error: ERROR, hazards: PLAN.hazards, refused: [REFUSED] },
  };
  return samples[kind];
}

export const KINDS = Object.keys({
  plan: 0,
  drift: 0,
  result: 0,
  nothing: 0,
  undo: 0,
  resuming: 0,
  run: 0,
  history: 0,
  validation: 0,
  test: 0,
  files: 0,
  export: 0,
  promote: 0,
  parity: 0,
  rehearsal: 0,
  projects: 0,
  explain: 0,
  accept: 0,
  service: 0,
  script: 0,
  'flag-manifest': 0,
  records: 0,
  record: 0,
  done: 0,
  warnings: 0,
  diagnostics: 0,
  doctor: 0,
  refs: 0,
  stale: 0,
  catalog: 0,
  failure: 0,
} satisfies Record<ReportKind, 0>) as readonly ReportKind[];
