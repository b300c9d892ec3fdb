/** The owners of what a plan changes: one for all is said once, others with their change. */

import { expect, test } from 'vitest';
import { planModel } from '../../../src/report/model/plan.ts';
import { reportMarkdown } from '../../../src/report/formats/markdown/page.ts';
import type { Report, ReportOf } from '../../../src/report/report.ts';
import { PLAN, VIEW } from '../samples.ts';
import { renderWhole } from '../render-whole.ts';

const keys = [...new Set(PLAN.changes.map(({ key }) => key))];
const refs = keys.map((key) => PLAN.changes.find((change) => change.key === key)?.ref ?? '');

function planWith(names: readonly string[]): ReportOf<'plan'> {
  const owners = new Map(names.map((name, index) => [refs[index] ?? '', { name, by: 'code_owners' as const }]));
  return { kind: 'plan', plan: PLAN, owners };
}

test('one owner of all is said once', async () => {
  const text = await renderWhole(planWith(keys.map(() => '@acme/shop')), 'text');
  expect(text.split('@acme/shop')).toHaveLength(2);
  expect(text).toContain('Owner: @acme/shop');
});

test('several are said with their changes, and nobody where nobody is known', async () => {
  const text = await renderWhole(planWith(['@acme/shop', '@acme/search']), 'text');
  expect(text.match(/owner: \S+/g)).toEqual(['owner: @acme/shop', 'owner: @acme/search']);
  expect(await renderWhole({ kind: 'plan', plan: PLAN } satisfies Report, 'text')).not.toMatch(/owner:/i);
});

test('a comment mentions no owner', async () => {
  const comment = await reportMarkdown(planWith(keys.map(() => '@acme/shop')), VIEW);
  expect(comment).toContain('`@acme/shop`');
  expect(
    planModel(planWith(['@a']), false)
      .page()
      .facts?.map(({ label }) => label),
  ).not.toContain('Owner');
});
