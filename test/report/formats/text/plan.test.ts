import { describe, expect, test } from 'vitest';
import { driftText } from '../../../../src/report/formats/text/drift.ts';
import { planText } from '../../../../src/report/formats/text/plan.ts';
import { resultText } from '../../../../src/report/formats/text/result.ts';
import { PLAIN, type Palette } from '../../../../src/report/view.ts';
import { CHANGES, EMPTY_PLAN, PLAN, RESULT } from '../../samples.ts';
import type { Outcome } from '../../../../src/apply/result.ts';

const options = { palette: PLAIN, verbose: false };

describe('plan as text', () => {
  test.each([
    [
      'a create',
      '  + create  help-centre  flags/help.yaml:3:3\n            description  "Help centre"\n            active       true\n',
    ],
    ['a percentage', 'condition 2 · rollout_percentage  10% → 25%  flags/checkout.yaml:9:13\n'],
    ['a value inside a property', 'condition 1 · property 1 · value  "@acme.com" → ["@acme.com", "@acme.org"]\n'],
    ['an added variant', 'variant 2                         (none) → { key: one-page, rollout_percentage: 50 }\n'],
    ['a removed payload', 'payload one-page                  { color: red } → (none)\n'],
    [
      'a long text as a diff with context 2',
      '… 3 equal lines\n                by card\n                or by bill\n              - in Europe\n              + in Europe and Asia\n',
    ],
    ['a restore', '  ↺ restore search  id 7 · flags/checkout.yaml:30:3\n            deleted  true → false\n'],
    ['a grant', '  » grant   new-checkout to engineering  flags/checkout.yaml:22:20\n'],
    ['a revoke of a role without a name', '  « revoke  search from 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12\n'],
    ['a retired flag', '  - delete  old-banner  id 3 · deleted: true · flags/checkout.yaml:40:3\n'],
    ['a pruned flag', '  - delete  stray  id 4 · in no manifest, --prune\n'],
    ['the option that permits', '6 flags would be deleted, and the limit is 5. Permit it with --allow-deletes 6\n'],
    [
      'protection',
      'billing-v2 is protected, and the plan would disable it. Permit it with --allow-protected billing-v2\n',
    ],
    ['a warning', 'warning  help-centre: it depends on help, which neither the manifests nor the service have.\n'],
    [
      'the sum',
      '\n\nPlan: 1 to create, 1 to update, 1 to restore, 2 to delete, 1 to grant, 1 to revoke · 40 unchanged · 3 unmanaged\n',
    ],
  ])('shows %s', (_, expected) => {
    expect(planText(PLAN, options)).toContain(expected);
  });

  test('says in one line that nothing differs', () => {
    expect(planText(EMPTY_PLAN, options)).toBe(
      'Plan for production (https://us.posthog.com, project 5678)\n\nIn sync: 41 flags are as declared.\n',
    );
  });

  test('gives each JSON pointer when verbose', () => {
    const text = planText(PLAN, { ...options, verbose: true });
    for (const change of CHANGES) {
      if (change.resource === 'flag' && change.action !== 'delete') {
        for (const field of change.fields) expect(text).toContain(field.path);
      }
    }
  });

  test('shortens a long diff unless verbose', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    const plan = { ...PLAN, changes: [{ ...CHANGES[1]!, fields: [{ path: '/name', after: lines }] }] } as typeof PLAN;
    expect(planText(plan, options)).toContain('… 160 more lines, all of them with --verbose');
    expect(planText(plan, options)).not.toContain('line 199');
    expect(planText(plan, { ...options, verbose: true })).toContain('+ line 199');
  });

  test('survives a text that differs in every line of many', () => {
    const text = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n');
    const fields = [{ path: '/name', before: text('old'), after: text('new') }];
    const plan = { ...PLAN, changes: [{ ...CHANGES[1]!, fields }] } as typeof PLAN;
    expect(planText(plan, options)).toContain('- old 0\n');
  });

  test('never lets a text of a manifest or the service reach the terminal as control characters', () => {
    const evil = 'a\u001b[2J\u0007\u202e\nb\u009bm\r';
    const change = {
      ...CHANGES[1]!,
      key: evil,
      fields: [{ path: `/filters/payloads/${evil}`, before: evil, after: [evil] }],
    };
    const plan = {
      ...PLAN,
      project: { ...PLAN.project, name: evil },
      changes: [change],
      unmanaged: [evil],
    } as typeof PLAN;
    for (const text of [planText(plan, { ...options, verbose: true }), driftText(plan, options)]) {
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(text).toContain('\\u001b[2J\\u0007\\u202e\\nb\\u009bm\\r');
    }
  });

  test('paints only through the palette', () => {
    const mark =
      (name: string) =>
      (text: string): string =>
        `<${name}>${text}</${name}>`;
    const palette: Palette = {
      add: mark('add'),
      change: mark('change'),
      remove: mark('remove'),
      strong: mark('strong'),
      dim: mark('dim'),
      warning: mark('warning'),
      error: mark('error'),
    };
    const text = planText(PLAN, { palette, verbose: false });
    expect(text).toContain('<add>+ create </add> <strong>help-centre</strong>');
    expect(text).toContain('<remove>10%</remove> → <add>25%</add>');
    expect(text.replaceAll(/<\/?(?:add|change|remove|strong|dim|warning|error)>/g, '')).toBe(planText(PLAN, options));
  });
});

describe('drift as text', () => {
  test.each([
    ['what is missing', '  - missing help-centre is declared and not live  flags/help.yaml:3:3\n'],
    ['declared before live', 'condition 2 · rollout_percentage  25% → 10%  flags/checkout.yaml:9:13\n'],
    ['a soft-deleted flag', '  - deleted search is declared and soft-deleted'],
    ['missing access', '  - role    new-checkout lacks access for engineering'],
    [
      'access that nobody declared',
      '  + role    search has access for 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12 that is not declared',
    ],
    ['a flag that should be gone', '  + live    old-banner is declared deleted and live'],
    ['unmanaged flags', 'Unmanaged, in no manifest:\n  ? legacy-flag\n  ? other\n'],
    [
      'the sum',
      'Drift: 1 missing, 1 different, 1 soft-deleted, 2 live though declared deleted, 1 without declared access, 1 with access not declared · 40 as declared · 3 unmanaged\n',
    ],
  ])('shows %s', (_, expected) => {
    expect(driftText(PLAN, options)).toContain(expected);
  });

  test('lists twenty unmanaged flags and counts the rest', () => {
    const unmanaged = Array.from({ length: 25 }, (_, index) => `flag-${index}`);
    expect(driftText({ ...EMPTY_PLAN, unmanaged }, options)).toContain('  ? flag-19\n  … 5 more');
    expect(driftText({ ...EMPTY_PLAN, unmanaged }, { ...options, verbose: true })).toContain('  ? flag-24\n');
  });
});

describe('result as text', () => {
  const text = resultText(RESULT, { ...options, durationMs: 1234 });

  test.each([
    ['an applied change', '  ✓ + create  help-centre\n'],
    [
      'a failure with its remedy',
      '✗ ~ update  new-checkout  failed\n      400 unique (key): taken\n      Another flag has this key',
    ],
    [
      'what moved under a stale change',
      '○ ↺ restore search  skipped\n      the flag was changed after the plan was made\n        active  true → false\n',
    ],
    ['a change that waits for another', 'it needs search, which was not applied\n'],
    ['an approval', '… - delete  old-banner  pending\n      409 approval_required: change request 9\n'],
    ['a lost answer', '? - delete  stray  unknown\n      It may have happened'],
    ['what the service changed', 'help-centre  description  /name: the service made "Help centre" of "Help centre "\n'],
    ['what the service dropped', 'help-centre  tags  /tags: the service dropped [a]\n'],
    ['a flag that vanished', '  help-centre: the service no longer has it\n'],
    ['the sum', 'Applied 2 of 7 changes: 1 failed, 2 skipped, 1 pending, 1 unknown · 12 requests · 1.2 s\n'],
  ])('shows %s', (_, expected) => {
    expect(text).toContain(expected);
  });

  test.each<[string, Outcome, string, string]>([
    [
      'a refusal, once',
      { outcome: 'failed', error: { code: 'forbidden', status: 403, message: 'You do not have access.' } },
      '      403 forbidden: You do not have access.\n',
      'Applied 0 of 1 change: 1 failed',
    ],
    [
      'a condition on a flag that the service does not know',
      {
        outcome: 'failed',
        error: {
          code: 'invalid_input',
          status: 400,
          field: 'filters',
          message: 'Invalid filters: a flag for persons can only have person and cohort conditions.',
        },
      },
      'This service accepts neither conditions on other flags',
      'Applied 0 of 1 change: 1 failed',
    ],
    [
      'a plan that was applied before',
      { outcome: 'applied', already: true },
      'was so already',
      'Nothing was left to do: 1 change made already',
    ],
  ])('shows %s', (_, result, line, sum) => {
    const [change] = CHANGES;
    const outcomes = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0, [result.outcome]: 1 };
    const changes = change === undefined ? [] : [{ change, result }];
    const found = resultText({ ...RESULT, changes, outcomes, remainder: [] }, { ...options, durationMs: 0 });
    expect(found).toContain(line);
    expect(found).toContain(sum);
  });

  test('says when nothing was verified', () => {
    expect(resultText({ ...RESULT, verified: false }, { ...options, durationMs: 0 })).toContain('Not verified:');
  });
});
