import fc from 'fast-check';
import * as markdown from 'prettier/plugins/markdown';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { buildPlan } from '../../../src/posthog/build-plan.ts';
import type { Action, Change, Hazard, Plan } from '../../../src/posthog/plan.ts';
import { GITHUB_COMMENT } from '../../../src/report/comment-limits.ts';
import { formatsOf, render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { runs } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../../helpers/states.ts';
import { KINDS, sampleOf } from '../samples-of-kinds.ts';
import { CHANGES, PLAN, RESULT, VIEW } from '../samples.ts';

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

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

function nodesOf(text: string): readonly Node[] {
  const flat = (node: Node): readonly Node[] => [node, ...(node.children ?? []).flatMap(flat)];
  return flat((markdown.parsers.markdown.parse as (source: string, options: object) => Node)(text, {}));
}

/** The part that every hostile string below contains. */
const MARK = 'zq9';
const hostile = fc
  .array(
    fc.constantFrom(
      ...['`', '```', '````', ' ', '\n', '\n\n', '</details>', '<img src=x>', '<!--', '@everyone', '/close', '#1'],
      ...['![a](http://x)', '[a](http://x)', '**', '_', '|', '\\', '~~~', '- ', '::error::', '> ', '# ', '%', '&#64;'],
    ),
    { maxLength: 8 },
  )
  .map((parts) => [...parts.slice(0, 4), MARK, ...parts.slice(4)].join(''));

function countActions(changes: readonly Change[]): Readonly<Record<string, number>> {
  const amount = (action: string): number => changes.filter((change) => change.action === action).length;
  return Object.fromEntries(changes.map(({ action }) => [action, amount(action)]));
}

function planWith(keys: readonly string[]): Plan {
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

function reportsOf(keys: readonly string[]): readonly Report[] {
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

describe('strings of others', () => {
  test('stay in code, whatever they contain', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 15 }), async (keys) => {
        for (const report of reportsOf(keys)) {
          const text = await comment(report);
          expect(text).not.toMatch(/^\//m);
          for (const { type, value = '' } of nodesOf(text)) {
            expect(['link', 'image', 'blockquote', 'table', 'delete']).not.toContain(type);
            if (type === 'html') expect(value).toMatch(/^<details><summary>[^<>]*<\/summary>$|^<\/details>$/);
            if (type !== 'code' && type !== 'inlineCode') expect(value).not.toContain(MARK);
          }
          expect(text).toContain(MARK);
        }
      }),
      { numRuns: runs(60) },
    );
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
    await fc.assert(
      fc.asyncProperty(number, fc.integer({ min: 3_000, max: GITHUB_COMMENT }), hostile, async (size, limit, word) => {
        const keys = Array.from({ length: size }, (_, index) => `${word.slice(0, index % 300)}${index}`);
        for (const report of reportsOf(keys)) {
          const length = Buffer.byteLength(await comment(report, limit));
          expect([report.kind, length <= limit ? 'fits' : length]).toEqual([report.kind, 'fits']);
        }
        const text = await comment({ kind: 'plan', plan: planWith(keys) }, limit);
        expect(text).toContain('**Plan: ');
        expect(text).toContain('Apply would refuse this plan');
        expect(text).toContain('**Warnings**');
      }),
      { numRuns: runs(25) },
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
    const plan = buildPlan(
      desiredState(...steps.flatMap(([keys, , wanted]) => keys.map((key) => declared(key, wanted)))),
      liveState(steps.flatMap(([keys, live]) => keys.map((key, index) => liveFlag(index + 1, key, live)))),
      planOptions(),
    );
    const text = await comment({ kind: 'plan', plan: { ...plan, hazards: [], warnings: [] } }, 3_000);
    const shown = [...text.matchAll(/^! update +([a-z]+)-\d+/gm)].map(([, effect = '']) => effect);
    expect([...new Set(shown)].slice(0, 3)).toEqual(['kill', 'widen', 'narrow']);
    expect(shown.filter((effect) => effect !== 'metadata')).toHaveLength(45);
    expect(text).toMatch(/\d+ entries are not listed/);
  });

  test('names each change before it shows the details of one', async () => {
    const keys = Array.from({ length: 70 }, (_, index) => `flag-${index}`);
    const plan = { ...planWith(keys), hazards: [], warnings: [] };
    const whole = await comment({ kind: 'plan', plan });
    expect(whole).not.toContain('Shortened');
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
