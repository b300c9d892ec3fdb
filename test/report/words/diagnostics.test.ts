import { readFileSync } from 'node:fs';
import { describe as suite, expect, it } from 'vitest';
import { SHAPE_WORDS, PATTERNS } from '../../../src/base/shape/problems.ts';
import { YAML_WORDS } from '../../../src/base/yaml/problems.ts';
import { CONFIG_WORDS } from '../../../src/config/problems.ts';
import { PROJECT_WORDS } from '../../../src/core/engine/project.ts';
import { EXPECTATION_WORDS } from '../../../src/review/expectations/problems.ts';
import { MANIFEST_WORDS } from '../../../src/core/manifest/problems.ts';
import { COHORT_WORDS } from '../../../src/posthog/cohort/problems.ts';
import { EARLY_ACCESS_WORDS } from '../../../src/posthog/early-access/problems.ts';
import { FLAG_WORDS } from '../../../src/posthog/flag/checks/words.ts';
import { ROLE_ACCESS_WORDS } from '../../../src/posthog/role-access/problems.ts';
import {
  DIAGNOSTIC_WORDS,
  describe,
  mayShowSource,
  type KnownDiagnostic,
} from '../../../src/report/words/diagnostics.ts';
import { readShape } from '../../helpers/schema-shape.ts';

const place = { file: 'a.yaml', line: 2, column: 3 };

/** One of each code, so that every sentence is checked. */
const SAMPLES: readonly KnownDiagnostic[] = [
  { code: 'file-unreadable', severity: 'error', args: { reason: 'EACCES' } },
  { code: 'file-too-large', severity: 'error', args: { bytes: 11, limit: 10 } },
  { code: 'file-not-utf8', severity: 'error', args: { offset: 3 } },
  { code: 'file-outside', severity: 'error', args: { pattern: '../x' } },
  { code: 'file-unmatched', severity: 'warning', args: { patterns: ['a', 'b'] } },
  { code: 'manifests-none', severity: 'error', args: { patterns: ['a', 'b'] } },
  { code: 'yaml-syntax', severity: 'error', args: { detail: 'Missing }.' } },
  { code: 'yaml-tab', severity: 'error', args: {} },
  { code: 'yaml-merge-conflict', severity: 'error', args: {} },
  { code: 'yaml-duplicate-key', severity: 'error', args: { key: 'a' } },
  { code: 'yaml-alias-bomb', severity: 'error', args: { limit: 10 } },
  { code: 'yaml-alias-unknown', severity: 'error', args: { alias: 'x' } },
  { code: 'yaml-merge-not-mapping', severity: 'error', args: {} },
  { code: 'yaml-too-deep', severity: 'error', args: { limit: 100 } },
  { code: 'yaml-key-not-text', severity: 'error', args: { found: 'array' } },
  { code: 'value-excludes-none', severity: 'error', args: { operator: 'is_not', list: true } },
  { code: 'value-allows-none', severity: 'warning', args: { operator: 'exact', list: true } },
  { code: 'text-in-quotes', severity: 'error', args: { text: '“a”' } },
  { code: 'text-spaces', severity: 'warning', args: { text: ' a' } },
  { code: 'text-variable', severity: 'warning', args: { text: '${X}' } },
  { code: 'filters-contradict', severity: 'warning', args: { key: 'a', earlier: 1, scale: 'number' } },
  { code: 'filter-repeated', severity: 'warning', args: { earlier: 1 } },
  { code: 'condition-shadowed', severity: 'warning', args: { number: 2, earlier: 1, everybody: true } },
  { code: 'intended-needless', severity: 'warning', args: { path: 'conditions.1' } },
  { code: 'cohort-empty', severity: 'warning', args: {} },
  { code: 'remote-for-nobody', severity: 'warning', args: {} },
  { code: 'value-missing', severity: 'error', args: { name: 'filters' } },
  { code: 'number-imprecise', severity: 'error', args: { found: '12345678901234567890' } },
  { code: 'character-forbidden', severity: 'error', args: { character: 'U+D800' } },
  { code: 'type-wrong', severity: 'error', args: { expected: ['object', 'null'], found: 'array' } },
  { code: 'property-unknown', severity: 'error', args: { property: 'activ', suggestion: 'active' } },
  { code: 'property-missing', severity: 'error', args: { property: 'key' } },
  { code: 'value-not-allowed', severity: 'error', args: { found: 'x', allowed: ['a', 'b'] } },
  { code: 'value-out-of-range', severity: 'error', args: { found: 101, minimum: 0, maximum: 100 } },
  { code: 'value-pattern', severity: 'error', args: { found: 'x', pattern: '^([0-9]+|@current)$' } },
  { code: 'length-out-of-range', severity: 'error', args: { found: 0, minimum: 1 } },
  { code: 'combination-forbidden', severity: 'error', args: { properties: ['a', 'b'] } },
  { code: 'flag-duplicate', severity: 'error', args: { key: 'a', other: place } },
  { code: 'flag-key-invalid', severity: 'error', args: { key: 'a b' } },
  { code: 'flag-key-too-long', severity: 'error', args: { key: 'a', length: 401 } },
  { code: 'flag-unknown', severity: 'error', args: { key: 'a', suggestion: 'b' } },
  { code: 'flag-depends-on-itself', severity: 'error', args: { cycle: ['a', 'b', 'a'] } },
  { code: 'flag-depends-on-deleted', severity: 'error', args: { key: 'a' } },
  { code: 'flag-depends-on-disabled', severity: 'warning', args: { key: 'a' } },
  { code: 'previous-key-taken', severity: 'error', args: { key: 'a', other: place } },
  { code: 'step-time-invalid', severity: 'error', args: { time: '2026-02-30T09:00Z' } },
  { code: 'steps-out-of-order', severity: 'error', args: { same: false } },
  { code: 'steps-too-close', severity: 'error', args: { seconds: 300, every: 900 } },
  { code: 'step-done-ahead', severity: 'error', args: { time: 'a' } },
  { code: 'steps-passed', severity: 'warning', args: { project: 'a' } },
  { code: 'step-changes-nothing', severity: 'warning', args: { value: 10 } },
  { code: 'jumps-too-many', severity: 'error', args: { jumps: 12_000, limit: 10_000 } },
  { code: 'guard-unknown', severity: 'error', args: { name: 'a', suggestion: 'b' } },
  { code: 'guard-skips-steps', severity: 'error', args: {} },
  { code: 'rollout-time-unknown', severity: 'error', args: {} },
  { code: 'project-unknown', severity: 'error', args: { project: 'a' } },
  { code: 'role-unknown', severity: 'error', args: { role: 'a', project: 'p' } },
  { code: 'cohort-unknown', severity: 'error', args: { cohort: 'a', project: 'p' } },
  { code: 'cohort-duplicate', severity: 'error', args: { alias: 'a', other: place } },
  { code: 'cohort-name-taken', severity: 'error', args: { name: 'A', alias: 'b', other: 'a' } },
  { code: 'cohort-undefined', severity: 'error', args: { alias: 'a' } },
  { code: 'cohort-definition', severity: 'error', args: { why: 'missing', member: 'value' } },
  { code: 'cohort-behavioral', severity: 'error', args: { key: 'a', alias: 'b' } },
  { code: 'cohort-depends-on-itself', severity: 'error', args: { cycle: ['a', 'b', 'a'] } },
  { code: 'cohort-deleted', severity: 'error', args: { alias: 'a' } },
  { code: 'cohort-ambiguous', severity: 'error', args: { alias: 'a', name: 'A', ids: [1, 2] } },
  { code: 'cohort-missing', severity: 'error', args: { alias: 'a', id: 12 } },
  { code: 'early-access-duplicate', severity: 'error', args: { alias: 'a', other: place } },
  { code: 'early-access-flag-taken', severity: 'error', args: { alias: 'a', other: 'b', flag: 'c' } },
  { code: 'early-access-flag-unknown', severity: 'error', args: { alias: 'a', flag: 'c', project: 'p', renamed: 'd' } },
  { code: 'early-access-flag-deleted', severity: 'error', args: { alias: 'a', flag: 'c' } },
  {
    code: 'early-access-contradicted',
    severity: 'error',
    args: { alias: 'a', flag: 'c', part: 'feature_enrollment', stage: 'beta' },
  },
  { code: 'role-unverified', severity: 'warning', args: { role: 'a', project: 'p' } },
  { code: 'access-conflict', severity: 'error', args: { key: 'a', role: 'r', level: 'viewer' } },
  { code: 'access-unsupported', severity: 'error', args: { key: 'a', level: 'viewer', role: 'r' } },
  { code: 'role-glob-matches-nothing', severity: 'warning', args: { glob: 'a*' } },
  { code: 'role-access-on-deleted', severity: 'warning', args: { key: 'a' } },
  { code: 'field-has-member', severity: 'error', args: { field: 'name', member: 'description' } },
  { code: 'field-computed', severity: 'error', args: { field: 'id' } },
  {
    code: 'ownership-path-invalid',
    severity: 'error',
    args: { path: 'version', problem: { kind: 'computed', field: 'version' } },
  },
  { code: 'ownership-fixed', severity: 'error', args: { path: 'key' } },
  { code: 'ownership-names-nothing', severity: 'error', args: { path: 'conditions.3' } },
  { code: 'ownership-unmanaged', severity: 'warning', args: { path: 'tags', field: 'tags' } },
  { code: 'ownership-bounds-order', severity: 'error', args: { low: 25, high: 0 } },
  { code: 'ownership-between-unfit', severity: 'error', args: { path: 'active', found: 'boolean' } },
  {
    code: 'ownership-value-outside',
    severity: 'error',
    args: { path: 'rollout_percentage', value: 30, low: 0, high: 25, rule: place },
  },
  { code: 'overlay-discards', severity: 'error', args: { lost: ['groups.0.properties'], unchecked: false } },
  { code: 'overlay-base-missing', severity: 'error', args: { member: 'conditions' } },
  { code: 'condition-unknown', severity: 'error', args: { condition: '3', known: ['staff', null] } },
  { code: 'condition-ambiguous', severity: 'error', args: { condition: 'a', numbers: [1, 3] } },
  { code: 'condition-duplicate', severity: 'error', args: { condition: 'a', first: '1' } },
  { code: 'conditions-none', severity: 'warning', args: {} },
  { code: 'filters-too-large', severity: 'error', args: { bytes: 524_289, limit: 524_288 } },
  { code: 'property-reserved', severity: 'error', args: { property: 'version' } },
  { code: 'variants-sum', severity: 'error', args: { sum: 99 } },
  { code: 'variant-duplicate', severity: 'error', args: { variant: 'a' } },
  { code: 'variant-unknown', severity: 'error', args: { variant: 'a' } },
  { code: 'payload-key-unknown', severity: 'error', args: { payload: 'a', allowed: ['true'] } },
  { code: 'payload-not-json', severity: 'error', args: { payload: 'a' } },
  { code: 'payload-schema-unreadable', severity: 'error', args: { schema: 's.json', reason: 'ENOENT' } },
  { code: 'payload-schema-not-json', severity: 'error', args: { schema: 's.json' } },
  {
    code: 'payload-schema-invalid',
    severity: 'error',
    args: { schema: 's.json', at: '/items', fault: 'keyword-unknown', keyword: 'contains' },
  },
  {
    code: 'payload-schema-mismatch',
    severity: 'error',
    args: { payload: 'true', schema: 's.json', at: '/steps', keyword: 'minimum', limit: '1' },
  },
  { code: 'payloads-unchecked', severity: 'warning', args: { schema: 's.json', payloads: ['true'] } },
  { code: 'operator-unfit', severity: 'error', args: { operator: 'in', type: 'person' } },
  { code: 'operator-refused', severity: 'error', args: { operator: 'between' } },
  {
    code: 'operator-value-unfit',
    severity: 'error',
    args: { operator: 'gt', expected: 'a number in quotes', found: '5' },
  },
  { code: 'regex-invalid', severity: 'error', args: { regex: '(', detail: 'unterminated group' } },
  { code: 'regex-refused', severity: 'warning', args: { regex: '\\h', detail: 'the escape \\h is unknown' } },
  { code: 'regex-unknown', severity: 'warning', args: { regex: '\\K', detail: '\\K is not translated' } },
  { code: 'aggregation-mixed', severity: 'error', args: { flagLevel: 0, condition: null } },
  { code: 'property-type-unfit', severity: 'error', args: { type: 'group', aggregation: 'person' } },
  { code: 'property-group-mismatch', severity: 'error', args: { found: 0, expected: 1 } },
  { code: 'config-key-in-file', severity: 'error', args: { property: 'api_key' } },
  { code: 'config-host-invalid', severity: 'error', args: { host: 'x' } },
  { code: 'config-host-plain-http', severity: 'error', args: { host: 'http://x' } },
  { code: 'config-host-not-allowed', severity: 'error', args: { host: 'https://x' } },
  { code: 'config-project-missing', severity: 'error', args: { available: ['a', 'b'] } },
  { code: 'config-key-missing', severity: 'error', args: { variable: 'POSTHOG_API_KEY' } },
  { code: 'config-key-of-project', severity: 'error', args: { variable: 'POSTHOG_API_KEY' } },
  { code: 'config-variable-invalid', severity: 'error', args: {} },
  { code: 'config-several-documents', severity: 'error', args: {} },
  { code: 'guard-source', severity: 'error', args: { name: 'a' } },
  { code: 'config-order-circular', severity: 'error', args: { cycle: ['a', 'b', 'a'] } },
  { code: 'config-two-files', severity: 'error', args: { beside: 'flagwright.yml' } },
  { code: 'key-pattern-invalid', severity: 'error', args: { pattern: '!a', problem: 'negation' } },
  {
    ...{ code: 'exception-path-invalid', severity: 'error' },
    args: { name: 'a', path: 'activ', problem: { kind: 'unknown', part: 'activ', outer: '', known: ['active'] } },
  },
  { code: 'date-invalid', severity: 'error', args: { date: '2026-02-30' } },
  { code: 'policy-zone-unknown', severity: 'error', args: { zone: 'Mars/Base' } },
  { code: 'policy-window-empty', severity: 'error', args: { from: '2026-12-02', to: '2026-12-01' } },
  { code: 'policy-expression-invalid', severity: 'error', args: { name: 'small-steps', problem: 'There is no x' } },
  { code: 'policy-name-taken', severity: 'error', args: { name: 'freeze' } },
  { code: 'exception-form', severity: 'error', args: { rule: 'deletes', form: 'most' } },
  { code: 'exception-impossible', severity: 'error', args: { rule: 'replay_linked' } },
  { code: 'exception-rule-unknown', severity: 'error', args: { rule: 'max-widn', suggestion: 'max-widen' } },
  { code: 'key-pattern-spaces', severity: 'warning', args: { pattern: 'a ' } },
  { code: 'tests-none', severity: 'error', args: { patterns: ['a', 'b'] } },
  { code: 'person-unknown', severity: 'error', args: { person: 'a' } },
  { code: 'person-duplicate', severity: 'error', args: { person: 'a', other: place } },
  { code: 'person-cohort-unknown', severity: 'error', args: { cohort: 'a' } },
  { code: 'expected-flag-unknown', severity: 'error', args: { flag: 'a', project: 'p' } },
  {
    code: 'expected-variant-unknown',
    severity: 'error',
    args: { flag: 'a', variant: 'b', project: 'p', variants: [] },
  },
  { code: 'expected-payload-of-off', severity: 'error', args: {} },
  { code: 'expected-time-invalid', severity: 'error', args: { time: '2026-13-01T00:00Z' } },
  { code: 'config-file-missing', severity: 'error', args: { project: 'a' } },
  { code: 'config-environment-partial', severity: 'error', args: { present: ['A'], missing: ['B', 'C'] } },
];

suite('the words', () => {
  it('come from one folder for each code', () => {
    const tables = [
      YAML_WORDS,
      SHAPE_WORDS,
      PROJECT_WORDS,
      MANIFEST_WORDS,
      FLAG_WORDS,
      COHORT_WORDS,
      EARLY_ACCESS_WORDS,
      ROLE_ACCESS_WORDS,
      CONFIG_WORDS,
      EXPECTATION_WORDS,
    ];
    expect(tables.flatMap((table) => Object.keys(table)).toSorted()).toEqual(Object.keys(DIAGNOSTIC_WORDS).toSorted());
  });

  it('have a sample of every code here', () => {
    expect(SAMPLES.map(({ code }) => code).toSorted()).toEqual(Object.keys(DIAGNOSTIC_WORDS).toSorted());
  });

  it.each(SAMPLES)('of $code are one sentence on what is wrong and one on how to fix it', (diagnostic) => {
    const { message, remedy } = describe(diagnostic);
    expect(message).toMatch(/^\S.*\.$/);
    expect(remedy).toMatch(/^\S.*[.?`]$/);
    expect(`${message}${remedy}`).not.toMatch(/undefined|\[object|NaN/);
    expect(DIAGNOSTIC_WORDS[diagnostic.code].severities).toContain(diagnostic.severity);
  });

  it('suggest the name that was probably meant', () => {
    const diagnostic: KnownDiagnostic = {
      code: 'property-unknown',
      severity: 'error',
      args: { property: 'activ', suggestion: 'active' },
    };
    expect(describe(diagnostic)).toEqual({ message: '"activ" is not known here.', remedy: 'Did you mean "active"?' });
  });

  it.each<[KnownDiagnostic, string]>([
    [
      { code: 'type-wrong', severity: 'error', args: { expected: ['array', 'null'], found: 'string' } },
      'Write a list.',
    ],
    [
      {
        code: 'type-wrong',
        severity: 'error',
        args: { expected: ['array'], found: 'object', example: '[{"keys":["a"]}]' },
      },
      'Write a list, such as `[{"keys":["a"]}]`.',
    ],
    [
      { code: 'type-wrong', severity: 'error', args: { expected: ['boolean'], found: 'string', quoted: true } },
      'Remove the quotes.',
    ],
    [{ code: 'type-wrong', severity: 'error', args: { expected: ['string'], found: 'number' } }, 'Put it in quotes.'],
    [
      { code: 'value-pattern', severity: 'warning', args: { found: 'a b', pattern: '^[A-Za-z0-9_\\-./]+$' } },
      'Write a string of letters, digits, `_`, `-`, `.` and `/`.',
    ],
    [
      { code: 'operator-unfit', severity: 'error', args: { operator: 'flag_evaluates_to', type: 'person' } },
      '`flag_evaluates_to` is for flags only: set `type: flag`, or use another operator.',
    ],
    [{ code: 'flag-key-invalid', severity: 'error', args: { key: '__proto__' } }, 'Choose another key.'],
    [{ code: 'flag-unknown', severity: 'error', args: { key: 'a' } }, 'Correct the key, or declare the flag.'],
    [
      { code: 'field-has-member', severity: 'error', args: { field: 'key', member: 'flags' } },
      "Change the flag's key under `flags`.",
    ],
    [
      { code: 'overlay-discards', severity: 'error', args: { lost: ['variants'], unchecked: true } },
      'Declare the change of one condition, `conditions: { 1: { rollout_percentage: 5 } }` with its number or description, or all filters of the project under `filters`.',
    ],
    [
      { code: 'condition-unknown', severity: 'error', args: { condition: '3', known: [] } },
      'Outside the overlay, the flag has no conditions: declare them under `filters` of the overlay.',
    ],
    [{ code: 'condition-unknown', severity: 'error', args: { condition: '3', known: [null] } }, 'Use 1.'],
    [
      { code: 'condition-unknown', severity: 'error', args: { condition: '3', known: ['staff', null] } },
      'Use 1 ("staff") or 2.',
    ],
    [{ code: 'variant-unknown', severity: 'error', args: { variant: 'c', allowed: ['a', 'b'] } }, 'Use "a" or "b".'],
    [
      { code: 'variant-unknown', severity: 'error', args: { variant: 'c', allowed: ['a'], suggestion: 'a' } },
      'Did you mean "a"?',
    ],
    [
      { code: 'operator-unfit', severity: 'error', args: { operator: 'in', type: 'person' } },
      '`in` and `not_in` are for cohorts only; to match one of several values, use `exact` or `is_not` with a list.',
    ],
    [
      { code: 'operator-unfit', severity: 'error', args: { operator: 'exact', type: 'flag' } },
      'Use `operator: flag_evaluates_to` with `true`, `false` or a variant as the value.',
    ],
    [
      { code: 'operator-unfit', severity: 'error', args: { operator: 'later', type: 'person' } },
      'Use another operator.',
    ],
    [
      { code: 'operator-refused', severity: 'error', args: { operator: 'not_between' } },
      'Use `lt` in one condition and `gt` in another.',
    ],
    [
      {
        code: 'operator-value-unfit',
        severity: 'error',
        args: { operator: 'gt', expected: 'a number in quotes', found: 'true' },
      },
      'Write a number in quotes.',
    ],
    [
      { code: 'property-type-unfit', severity: 'error', args: { type: 'person', aggregation: 'group' } },
      'Use a property of type "group", or remove `aggregation_group_type_index`.',
    ],
    [{ code: 'character-forbidden', severity: 'error', args: { character: 'U+0000' } }, 'Remove it.'],
    [
      {
        code: 'property-unknown',
        severity: 'error',
        args: { property: 'enabled', suggestion: 'active', owner: 'flag' },
      },
      'Did you mean "active" of the flag?',
    ],
    [
      { code: 'property-unknown', severity: 'error', args: { property: 'later', consent: 'unknown_members: allow' } },
      'Remove it, or check its name; `unknown_members: allow` allows unknown names.',
    ],
    [{ code: 'value-pattern', severity: 'error', args: { found: 'x', pattern: '^y$' } }, 'Write it in that form.'],
    [
      { code: 'length-out-of-range', severity: 'error', args: { found: 9, maximum: 8 } },
      'Keep within the required length.',
    ],
    [{ code: 'type-wrong', severity: 'error', args: { expected: ['null'], found: 'later' } }, 'Write nothing (null).'],
  ])('give a specific remedy: %j', (diagnostic, remedy) => {
    expect(describe(diagnostic).remedy).toBe(remedy);
  });

  it.each<[KnownDiagnostic, string]>([
    [
      {
        code: 'flag-depends-on-itself',
        severity: 'error',
        args: { cycle: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'a'] },
      },
      'This flag depends on itself: a → b → c → d → e → f → g → h ….',
    ],
    [
      { code: 'flag-unknown', severity: 'error', args: { key: 'a', project: 'p' } },
      'No manifest declares flag "a" for project "p".',
    ],
    [
      {
        code: 'condition-ambiguous',
        severity: 'error',
        args: { condition: 'a', numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
      },
      'Conditions 1, 2, 3, 4, 5, 6, 7, 8 … have the description "a".',
    ],
    [
      { code: 'aggregation-mixed', severity: 'error', args: { flagLevel: 1, condition: 2 } },
      'The flag aggregates by groups of type 1, this condition by groups of type 2.',
    ],
    [{ code: 'value-pattern', severity: 'error', args: { found: 'x', pattern: '^y$' } }, '"x" is not of the form ^y$.'],
    [
      { code: 'type-wrong', severity: 'error', args: { expected: ['later'], found: 'newer' } },
      'Expected later, found newer.',
    ],
    [
      { code: 'length-out-of-range', severity: 'error', args: { found: 9, maximum: 8 } },
      'The length is 9, which is not at most 8.',
    ],
    [{ code: 'value-out-of-range', severity: 'error', args: { found: -1, minimum: 0 } }, '-1 is not at least 0.'],
    [
      { code: 'file-unreadable', severity: 'error', args: { reason: 'ESTALE' } },
      'This file or folder cannot be read: ESTALE.',
    ],
    [
      { code: 'yaml-key-not-text', severity: 'error', args: { found: 'later' } },
      'A key must be a string; this one is later.',
    ],
  ])('name what is wrong: %j', (diagnostic, message) => {
    expect(describe(diagnostic).message).toBe(message);
  });

  it('say which source lines must not be printed', () => {
    expect(SAMPLES.filter((diagnostic) => !mayShowSource(diagnostic)).map(({ code }) => code)).toEqual([
      'file-not-utf8',
      'config-key-in-file',
      'config-host-invalid',
      'config-variable-invalid',
    ]);
  });

  it('explain every pattern of the schemas', () => {
    const text = ['manifest', 'config'].map((name) => JSON.stringify(readShape(name))).join('');
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map((match): string =>
      JSON.parse(match[1] ?? '""'),
    );
    expect(patterns.length).toBeGreaterThan(4);
    expect(patterns.filter((pattern) => PATTERNS[pattern] === undefined)).toEqual([]);
  });
});

suite('docs/diagnostics.md and docs/diagnostics/configuration.md', () => {
  const pages = ['docs/diagnostics.md', 'docs/diagnostics/configuration.md'].map((page) => readFileSync(page, 'utf8'));
  const rows = [...pages.join('\n').matchAll(/^- `([a-z0-9-]+)`(?: \((.*?)\))?: (.*)$/gm)];

  it('have every code once, in order, and no other', () => {
    expect(rows.map((row) => row[1])).toEqual(Object.keys(DIAGNOSTIC_WORDS));
  });

  it.each(Object.entries(DIAGNOSTIC_WORDS))('describe %s as the table does', (code, { severities, title }) => {
    const [, , severity = 'error', text] = rows.find(([, name]) => name === code) ?? [];
    expect([severity, text]).toEqual([severities.join(' or '), `${title}.`]);
  });
});
