/** Every format names all that it counts, and counts one thing by one word. */

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ApplyResult, ChangeResult, Outcome, OutcomeKind } from '../../src/loop/apply/result.ts';
import type { Format } from '../../src/report/formats/render.ts';
import { modelOf } from '../../src/report/model/model-of.ts';
import { plainText } from '../../src/report/phrase.ts';
import type { ReportOf } from '../../src/report/report.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { FULL_PLAN, FULL_RESULT, FULL_VALIDATION } from './full-samples.ts';
import { renderWhole } from './render-whole.ts';
import { CHANGES, EMPTY_PLAN, RESULT, VIEW } from './samples.ts';

const PEOPLE: readonly Format[] = ['text', 'markdown', 'html'];
const MACHINES: readonly Format[] = ['json', 'junit', 'sarif', 'gitlab'];

const REASONS: readonly Outcome[] = [
  { outcome: 'applied' },
  { outcome: 'failed', error: { code: 'forbidden', status: 403, message: 'No.' } },
  { outcome: 'failed', error: { code: 'unique', status: 400, message: 'Taken.' } },
  { outcome: 'skipped', reason: { code: 'interrupted' } },
  { outcome: 'unknown', error: { code: 'network', message: 'ECONNRESET' } },
];

function resultOf(amounts: readonly number[]): ApplyResult {
  const update = CHANGES[1]!;
  const changes = amounts.flatMap((amount, reason) =>
    Array.from({ length: amount }, (_, index): ChangeResult => {
      const key = `flag-${reason}-${index}-end`;
      return { change: { ...update, key, ref: `flag:${key}` }, result: REASONS[reason] as Outcome };
    }),
  );
  const count = (kind: OutcomeKind): number => changes.filter(({ result }) => result.outcome === kind).length;
  const outcomes = {
    ...{ applied: count('applied'), failed: count('failed'), skipped: count('skipped') },
    ...{ pending: count('pending'), unknown: count('unknown') },
  };
  return { ...RESULT, changes, outcomes, remainder: [] };
}

const amounts = fc.tuple(...REASONS.map(() => fc.nat(30)));

describe('a result', () => {
  it('names every change in every format, and the page counts changes as the summary does', () =>
    holdsAsync(40, [amounts], async (some) => {
      const result = resultOf(some);
      const report = { kind: 'result', result, durationMs: 1 } as const;
      for (const format of [...PEOPLE, ...MACHINES]) {
        const text = await renderWhole(report, format, { ...VIEW, documentLimit: 10_000_000 });
        const isListed = ({ result: { outcome } }: ChangeResult): boolean =>
          outcome !== 'applied' || (format !== 'sarif' && format !== 'gitlab');
        const missing = result.changes.filter((one) => isListed(one) && !text.includes(one.change.key));
        expect({ format, missing: missing.map(({ change }) => change.key) }).toEqual({ format, missing: [] });
      }
      const page = await renderWhole(report, 'html');
      const choices = [...page.matchAll(/for="show-(\w+)">(?:<span class="sign">.<\/span> )?\w+ (\d+)</g)].map(
        ([, name, amount]) => [name, Number(amount)],
      );
      const counted = Object.entries(result.outcomes).filter(([, amount]) => amount > 0);
      if (choices.length > 0)
        expect(new Map(choices as [string, number][])).toEqual(new Map([['all', result.changes.length], ...counted]));
    }));

  it('in Markdown says how many changes it leaves out, in changes', async () => {
    const markdown = await renderWhole(
      { kind: 'result', result: resultOf([0, 300, 0, 0, 0]), durationMs: 1 },
      'markdown',
      {
        ...VIEW,
        documentLimit: 4_000,
      },
    );
    const named = [...markdown.matchAll(/flag-1-\d+-end/g)].length;
    expect(markdown).toContain(`… and ${300 - named} more`);
  });

  it.each(['text', 'markdown', 'html', 'junit', 'sarif', 'json'] as const)(
    'of an undo says so as %s',
    async (format) => {
      const run = '20260131T120000123Z-8a3f';
      const undo = await renderWhole({ ...FULL_RESULT, result: { ...RESULT, undoes: run } }, format);
      const apply = await renderWhole(FULL_RESULT, format);
      const words = {
        text: 'Undo of run',
        markdown: 'Undo of run',
        html: 'Undo of run',
        junit: 'name="undo production"',
      };
      const word = { ...words, sarif: 'flagwright/undo/production/', json: '"undoes"' }[format];
      expect([undo.includes(word), apply.includes(word)]).toEqual([true, false]);
      expect(undo).not.toMatch(/Applied to|apply production|flagwright\/apply/);
    },
  );
});

test('the page of a result counts what was released, and not the hint below it', async () => {
  const released = [{ key: 'one' }];
  expect(await renderWhole({ ...FULL_RESULT, result: { ...RESULT, released } }, 'html')).toMatch(/Released[^<]*: 1</);
});

test.each(['text', 'markdown', 'html', 'json'] as const)(
  'a plan as %s names what is unmanaged with --verbose, and what others decide',
  async (format) => {
    const unmanaged = ['stray-one', 'stray-two'];
    const { observed = [] } = FULL_PLAN.plan;
    const plan = { ...EMPTY_PLAN, unmanaged, observed };
    const text = await renderWhole({ kind: 'plan', plan }, format, { ...VIEW, verbose: true });
    for (const name of [...unmanaged, 'ramp']) expect(text).toContain(name);
    if (format === 'html') expect(text).toMatch(new RegExp(`that others decide[^<]*: ${observed.length}<`));
  },
);

test.each<[string, ReportOf<'plan' | 'validation'>]>([
  ['a plan', FULL_PLAN],
  ['a validation', FULL_VALIDATION],
])('the number of the broken rules of %s is that of the rules in its lists', async (_, report) => {
  const { facts = [], notices = [] } = (await modelOf(report, VIEW)).page();
  const summaries = facts.flatMap(({ label, phrase }) => (label === 'Broken rules' ? plainText(phrase) : []));
  const counted = summaries
    .flatMap((summary) => summary.match(/\d+/g) ?? [])
    .reduce((sum, one) => sum + Number(one), 0);
  const listed = notices.flatMap(({ about, statements }) =>
    statements.filter(({ level }) => {
      if (about === 'lifted') return level === 'lifted';
      return about === 'refusals' || (about === 'policies' && level !== 'note');
    }),
  );
  expect(counted).toBeGreaterThan(4);
  expect(listed).toHaveLength(counted);
});
