import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { Palette, View } from '../../../src/report/view.ts';
import { CHANGES, EMPTY_PLAN, PLAN, VIEW } from '../samples.ts';
import { driftText, planText } from '../texts.ts';

const DETAILED: View = { ...VIEW, verbose: true };
const text = (plan: Plan, view = VIEW): string => planText({ kind: 'plan', plan }, view);

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
      '… 3 unchanged lines\n                by card\n                or by bill\n              - in Europe\n              + in Europe and Asia\n',
    ],
    ['a restore', '  ↺ restore search  id 7 · flags/checkout.yaml:30:3\n            deleted  true → false\n'],
    ['a grant', '  » grant   new-checkout to engineering  flags/checkout.yaml:22:20\n'],
    ['a revoke of a role without a name', '  « revoke  search from 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12\n'],
    ['a retired flag', '  - delete  old-banner  id 3 · deleted: true · flags/checkout.yaml:40:3\n'],
    ['a pruned flag', '  - delete  stray  id 4 · in no manifest, --prune\n'],
    [
      'the option that permits',
      '6 flags would be deleted; the limit is 5 (deletes).\n    Split the change into smaller ones.\n    Or allow it in this run with --allow-deletes 6\n',
    ],
    ['protection', 'Allow it in this run with --allow-protected billing-v2\n'],
    ['a warning', 'warning  help-centre: it depends on help, which is neither in the manifests nor in the project.\n'],
    [
      'the sum',
      '\nPlan: 1 to create, 1 to update, 1 to restore, 2 to delete, 1 to grant, 1 to revoke · 40 unchanged · 3 unmanaged\n',
    ],
  ])('shows %s', (_, expected) => {
    expect(text(PLAN)).toContain(expected);
  });

  test('says on one line that nothing differs', () => {
    expect(text(EMPTY_PLAN)).toBe(
      'Plan for production (https://us.posthog.com, project 5678)\n\nIn sync: 41 flags match the manifests.\n',
    );
  });

  test('shows an absent `deleted` as false', () => {
    const restore = { ...CHANGES[2]!, fields: [{ path: '/deleted', before: true }] } as (typeof CHANGES)[number];
    expect(text({ ...PLAN, changes: [restore] })).toContain('deleted  true → false');
  });

  test('gives each JSON pointer when verbose', () => {
    const shown = text(PLAN, DETAILED);
    for (const change of CHANGES) {
      if (change.resource === 'flag' && change.action !== 'delete') {
        for (const field of change.fields) expect(shown).toContain(field.path);
      }
    }
  });

  test('shortens a long diff unless verbose', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    const plan = { ...PLAN, changes: [{ ...CHANGES[1]!, fields: [{ path: '/name', after: lines }] }] } as typeof PLAN;
    expect(text(plan)).toContain('… 160 more lines; --verbose shows all');
    expect(text(plan)).not.toContain('line 199');
    expect(text(plan, DETAILED)).toContain('+ line 199');
  });

  test('diffs long strings that differ in every line', () => {
    const lines = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n');
    const fields = [{ path: '/name', before: lines('old'), after: lines('new') }];
    const plan = { ...PLAN, changes: [{ ...CHANGES[1]!, fields }] } as typeof PLAN;
    expect(text(plan)).toContain('- old 0\n');
  });

  test('escapes control characters from manifests and the service', () => {
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
    for (const shown of [text(plan, DETAILED), driftText({ kind: 'drift', plan }, VIEW)]) {
      expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(shown).toContain('\\u001b[2J\\u0007\\u202e\\nb\\u009bm\\r');
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
    const painted = text(PLAN, { ...VIEW, palette });
    expect(painted).toContain('<add>+ create </add> <strong>help-centre</strong>');
    expect(painted).toContain('<remove>10%</remove> → <add>25%</add>');
    expect(painted.replaceAll(/<\/?(?:add|change|remove|strong|dim|warning|error)>/g, '')).toBe(text(PLAN));
  });
});
