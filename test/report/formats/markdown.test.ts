/** Markdown: the summary and what needs attention come first, and the whole fits a limit. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Action, Change } from '../../../src/posthog/plan.ts';
import { GITHUB_COMMENT } from '../../../src/report/view.ts';
import { formatsOf, render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { expectOnlyCode } from '../../helpers/readers.ts';
import { holdsAsync } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { planWith, reportsOf } from '../hostile-reports.ts';
import { KINDS, sampleOf } from '../samples-of-kinds.ts';
import { CHANGES, PLAN, VIEW } from '../samples.ts';

async function comment(report: Report, documentLimit?: number): Promise<string> {
  const view = documentLimit === undefined ? VIEW : { ...VIEW, documentLimit };
  return RENDERERS.markdown.seal((await render(report, 'markdown', view)) as string);
}

/** A change of every action; a new action does not compile without one. */
const sample = (action: string): Change => CHANGES.find((change) => change.action === action) ?? (CHANGES[0] as Change);
const actionSamples: Readonly<Record<Action, Change>> = {
  create: sample('create'),
  update: sample('update'),
  restore: sample('restore'),
  delete: sample('delete'),
  grant: sample('grant'),
  adjust: { ...sample('grant'), before: 'viewer', level: 'editor' } as unknown as Change,
  revoke: sample('revoke'),
};

/** The part that every hostile string below contains. */
const MARK = 'zq9';
const hostile = fc
  .array(
    fc.constantFrom(
      ...['`', '```', '````', ' ', '\n', '\n\n', '</details>', '<img src=x>', '<!--', '@everyone', '/close', '#1'],
      ...['![a](http://x)', '[a](http://x)', '**', '_', '|', '\\', '~~~', '- ', '::error::', '> ', '# ', '%', '&#64;'],
      ...[
        'www.x.org',
        'a@x.org',
        '[^1]',
        '[^1]: x',
        '~',
        '- [ ] ',
        '<script>',
        '$`x`$',
        '\t',
        '    ',
        '---',
        '| a |\n| - |',
      ],
    ),
    { maxLength: 8 },
  )
  .map((parts) => [...parts.slice(0, 4), MARK, ...parts.slice(4)].join(''));

describe('strings of others', () => {
  test('stay in code, whatever they contain', async () => {
    await holdsAsync(60, [fc.array(hostile, { minLength: 1, maxLength: 15 })], async (keys) => {
      for (const report of reportsOf(keys)) {
        const text = await comment(report);
        expect(text).not.toMatch(/^\//m);
        expectOnlyCode(text, MARK);
        expect(text).toContain(MARK);
      }
    });
  });
});

test.each(['plan', 'drift', 'undo'] as const)('a %s shows a change of every action', async (kind) => {
  const actions = Object.keys(actionSamples);
  const changes = actions.map(
    (action) => ({ ...actionSamples[action as Action], key: `${action}-it`, action }) as Change,
  );
  const plan = { ...PLAN, changes };
  const text = await comment(kind === 'undo' ? { kind, run: 'a', plan, refused: [] } : { kind, plan });
  for (const action of actions) expect(text).toContain(`${action}-it`);
});

describe('the limit', () => {
  test('holds for every report, and the summary, refusals and warnings are in it', async () => {
    const number = fc.integer({ min: 1, max: 400 });
    await holdsAsync(
      25,
      [number, fc.integer({ min: 3_000, max: GITHUB_COMMENT }), hostile],
      async (size, limit, word) => {
        const keys = Array.from({ length: size }, (_, index) => `${word.slice(0, index % 300)}${index}`);
        for (const report of reportsOf(keys)) {
          const length = Buffer.byteLength(await comment(report, limit));
          expect([report.kind, length <= limit ? 'fits' : length]).toEqual([report.kind, 'fits']);
        }
        const text = await comment({ kind: 'plan', plan: planWith(keys) }, limit);
        expect(text).toContain('**Plan: ');
        expect(text).toContain('Apply would refuse this plan');
        expect(text).toContain('**Warnings**');
      },
    );
  });

  test('a thousand changes are counted, and those that take something away come first', async () => {
    const keys = Array.from({ length: 7_000 }, (_, index) => `flag-${index}`);
    const text = await comment({ kind: 'plan', plan: { ...planWith(keys), hazards: [], warnings: [] } });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(GITHUB_COMMENT);
    expect(text.lastIndexOf('2000 to delete')).toBeLessThan(text.lastIndexOf('1000 to create'));
    const shown = text.match(/^[-+!] (?:delete|create|update|restore|grant|revoke) /gm)?.length ?? 0;
    const [, hidden = '0'] = /(\d+) entries are not listed/.exec(text) ?? [];
    expect(shown).toBeGreaterThan(500);
    expect(shown + Number(hidden)).toBe(7_000);
  });

  test('leaves out the least risky changes of an action, whatever their order in the plan', async () => {
    const [metadata, narrow, widen, kill] = ['metadata', 'narrow', 'widen', 'kill'].map((effect) =>
      Array.from({ length: 15 }, (_, index) => `${effect}-${index}`),
    ) as [string[], string[], string[], string[]];
    const conditions = (share: number): JsonObject => ({ filters: { groups: [{ rollout_percentage: share }] } });
    const steps: readonly [readonly string[], JsonObject, JsonObject][] = [
      [metadata, { name: 'old' }, { name: 'new' }],
      [narrow, conditions(60), conditions(50)],
      [widen, conditions(10), conditions(20)],
      [kill, { active: true }, { active: false }],
    ];
    const plan = planFor(
      desiredState(...steps.flatMap(([keys, , wanted]) => keys.map((key) => declared(key, wanted)))),
      liveState(steps.flatMap(([keys, live]) => keys.map((key, index) => liveFlag(index + 1, key, live)))),
    );
    const text = await comment({ kind: 'plan', plan: { ...plan, hazards: [], warnings: [] } }, 3_050);
    const shown = [...text.matchAll(/^! update +([a-z]+)-\d+/gm)].map(([, effect = '']) => effect);
    expect([...new Set(shown)].slice(0, 3)).toEqual(['kill', 'widen', 'narrow']);
    expect(shown.filter((effect) => effect !== 'metadata')).toHaveLength(45);
    expect(text).toMatch(/\d+ entries are not listed/);
  });

  test('is met in stages: whole, folded, one line for each change, counts', async () => {
    const of = (amount: number): Report => {
      const keys = Array.from({ length: amount }, (_, index) => `flag-${String(index).padStart(4, '0')}`);
      const plan = planFor(desiredState(...keys.map((key) => declared(key, { name: key }))), liveState([]));
      return { kind: 'plan', plan: { ...plan, hazards: [], warnings: [] } };
    };
    expect(await comment(of(12))).not.toContain('<details>');
    const folded = await comment(of(13));
    expect(folded).toContain('<details><summary>13 to create</summary>');
    expect(folded).not.toContain('Shortened');
    const many = await comment(of(400), 20_000);
    expect(many.match(/^\+ create +flag-/gm)).toHaveLength(400);
    expect(many).toMatch(/_Shortened to fit a comment: \d+ entries are without details\./);
    const counted = await comment(of(400), 3_000);
    expect(counted).toContain('… and ');
    expect(counted).toMatch(/_Shortened to fit a comment: .*\d+ entries are not listed\./);
    expect(await comment(of(400), 500)).toContain('**400 to create** (not listed)');
  });

  test('names each change before it shows the details of one', async () => {
    const keys = Array.from({ length: 70 }, (_, index) => `flag-${index}`);
    const plan = { ...planWith(keys), hazards: [], warnings: [] };
    expect(await comment({ kind: 'plan', plan })).not.toContain('Shortened');
    const text = await comment({ kind: 'plan', plan }, 8_000);
    expect(keys.filter((key) => !text.includes(`${key} `) && !text.includes(`${key}\n`))).toEqual([]);
    expect(text).toMatch(/_Shortened to fit a comment: \d+ entries are without details\./);
  });
});

test.each(KINDS.filter((kind) => formatsOf([kind]).includes('markdown')))(
  '%s ends with one line break',
  async (kind) => {
    expect(await comment(sampleOf(kind))).toMatch(/[^\n]\n$/);
  },
);

test('a plan without problems has three short paragraphs before its first change', async () => {
  const plan = { ...PLAN, hazards: [], warnings: [] };
  const text = await comment({ kind: 'plan', plan, forecast: { requests: 5, seconds: 0 } });
  const before = text.slice(0, text.indexOf('```'));
  // The heading, the summary, what is said of the whole, and the title of the first group.
  expect(before.trim().split('\n\n')).toHaveLength(4);
  expect(before).toContain('On `https://us.posthog.com`, project `5678` · ');
});
