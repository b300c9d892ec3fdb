/** Reports of 10,000 findings, and of strings of 1 MB, in every format that shows a plan. */

// @module-tag untimely
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { judge } from '../../../src/review/policy/judge.ts';
import type { Policy } from '../../../src/review/policy/built-in.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { GITHUB_COMMENT } from '../../../src/report/view.ts';
import { formatsOf, render, RENDERERS, type Format } from '../../../src/report/formats/render.ts';
import type { Report, ReportOf } from '../../../src/report/report.ts';
import { expectHarmless, HOSTILE, withoutAnnotations } from '../../security/hostile.ts';
import { SENTENCES } from '../../helpers/readers.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { VIEW } from '../samples.ts';

const source = { file: 'flagwright.yaml', line: 3, column: 5 };
const POLICIES: readonly Policy[] = [{ rule: 'require', description: true, tags: ['team:*'], level: 'error', source }];
const FORMATS = formatsOf(['plan']);

async function textOf(report: Report, format: Format): Promise<string> {
  const rendered = await render(report, format, { ...VIEW, documentLimit: GITHUB_COMMENT });
  return RENDERERS[format].seal(rendered as string);
}

/** With what the policies say of it. */
function reportOf(plan: Plan): ReportOf<'plan'> {
  const findings = judge(POLICIES, plan, { project: 'production', now: 0 });
  return { kind: 'plan', plan, judgement: { source: { from: 'checkout', why: 'no_base' }, findings } };
}

const many = reportOf(
  planFor(
    desiredState(...Array.from({ length: 5_000 }, (_, index) => declared(`f${index}`, { tags: [] }))),
    liveState([]),
  ),
);

/** What several flags have in common is said once, of all of them. */
const FOLDING: ReadonlySet<Format> = new Set(['text', 'html', 'github']);

const MESSAGES: ReadonlySet<Format> = new Set(['message', 'slack', 'teams']);

/** Annotations, and the character without width of messages, are ours. */
function withoutOwn(format: Format, text: string): string {
  if (format === 'github') return withoutAnnotations(text);
  return MESSAGES.has(format) ? text.replaceAll('\u2060', '') : text;
}

test.each(FORMATS)('10,000 findings are shown in %s', async (format): Promise<void> => {
  expect(many.judgement?.findings).toHaveLength(10_000);
  const text = await textOf(many, format);
  expectHarmless(withoutOwn(format, text));
  // Ten lines count what they do not name.
  if (MESSAGES.has(format)) {
    expect(Buffer.byteLength(text)).toBeLessThan(28_000);
    return;
  }
  if (format === 'markdown') expect(Buffer.byteLength(text)).toBeLessThanOrEqual(GITHUB_COMMENT);
  else expect(countIn(text, format)).toBe(FOLDING.has(format) ? 2 : 10_000);
  if (format === 'text' || format === 'html')
    for (const index of [0, 2_500, 4_999])
      expect(text).toContain(`f${index}<`.slice(0, format === 'html' ? undefined : -1));
});

/** How often the sentence of a finding is there; JUnit has it in the name, the message and the text of a case. */
function countIn(text: string, format: Format): number {
  if (format === 'junit') return text.split('<failure ').length - 1;
  const said = text.split(/has no description|has no tag that matches/).length - 1;
  return format === 'json' ? (JSON.parse(text) as { policy: { findings: unknown[] } }).policy.findings.length : said;
}

test.each(['github', 'gitlab', 'sarif', 'junit'] as const)(
  'a sentence of 1 MB is cut at a whole character in %s',
  async (format) => {
    // Each of the lengths before it lets the cut fall on another place of the repeated part. For that, the first has 1 MB and the others need little.
    for (let before = 0; before < 15; before += 1) {
      const message = 'x'.repeat(before) + '\u202e%👩\u200d💻'.repeat(before === 0 ? 1e5 : 1e3);
      const text = await textOf({ kind: 'failure', error: new FlagwrightError('internal', message) }, format);
      const said = SENTENCES[format](text)[0]?.split('\n')[0] ?? '';
      expect(said).toMatch(/^x*(?:\\u202e%👩\u200d💻)+(?:\\u202e)?%?(?:👩|👩\u200d💻)?…$/);
      expect(said.length).toBeGreaterThan(1990);
      expect(said.length).toBeLessThanOrEqual(2000);
    }
  },
);

test.each(['gitlab', 'sarif', 'junit'] as const)('the gravest 20,000 remarks are listed in %s', async (format) => {
  const problems = (severity: Diagnostic['severity'], count: number): Diagnostic[] =>
    Array.from({ length: count }, (_, index) => ({ code: 'flag-key-invalid', severity, args: { key: `k ${index}` } }));
  const diagnostics = [...problems('warning', 15_000), ...problems('error', 15_000)];
  const text = await textOf({ kind: 'validation', files: 1, flags: 0, cohorts: 0, tests: 0, diagnostics }, format);
  const said = SENTENCES[format](text);
  const others = said.filter((sentence) => !sentence.includes('is not a valid flag key'));
  expect(said).toHaveLength(20_001);
  expect(others).toHaveLength(1);
  expect(others[0]).toContain(`Not listed: 10000 ${format === 'junit' ? 'skipped cases' : 'warnings'} more. `);
});

/** What a terminal, a log or a page would obey. */
const LONG = HOSTILE.repeat(Math.ceil(1e6 / HOSTILE.length));
const DESCRIBED: JsonObject = {
  name: LONG,
  filters: {
    groups: [{ description: LONG, properties: [{ key: 'a', type: 'person', operator: 'exact', value: [LONG] }] }],
    payloads: { true: LONG },
  },
};

test.each(FORMATS)('strings of 1 MB are harmless in %s', async (format) => {
  const plan = planFor(
    desiredState(declared('a', DESCRIBED)),
    liveState([liveFlag(1, 'a', { name: '', filters: { groups: [{}] } })]),
  );
  const text = await textOf(reportOf(plan), format);
  expect(text.length).toBeLessThan(50e6);
  expectHarmless(withoutOwn(format, text));
});

test('a table of 10,000 rows fits a comment, which counts the others', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    ...{ key: `f${index}`, path: '/name', declared: false },
    cells: [{ kind: 'value', value: HOSTILE }, { kind: 'none' }] as const,
  }));
  const amounts = { flags: 10_000, cohorts: 0, early_access: 0 };
  const parity = { projects: ['a', 'b'], ...amounts, rows, alike: [] };
  const text = await textOf({ kind: 'parity', parity, source: 'live', withDeclared: false }, 'markdown');
  expectHarmless(text);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(GITHUB_COMMENT);
  const shown = text.split('\n| `f').length - 1;
  expect(shown).toBeGreaterThan(200);
  expect(text).toContain(`… and ${10_000 - shown} more rows`);
});
