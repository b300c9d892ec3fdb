/** Formats agree: what one of them says of a report, the others say too, and count in the same way. */

import { describe, expect, test } from 'vitest';
import type { Attributions } from '../../../src/posthog/authors/attribution.ts';
import type { RefusedInversion } from '../../../src/posthog/planning/invert-plan.ts';
import type { Hazard } from '../../../src/posthog/plan.ts';
import { hazardText } from '../../../src/report/words/rules.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO } from '../full-samples.ts';
import { renderWhole } from '../render-whole.ts';
import { EMPTY_PLAN, RESULT, VIEW } from '../samples.ts';

const PEOPLE = ['text', 'markdown', 'html'] as const;

describe.each(PEOPLE)('%s', (format) => {
  test('lists every unmanaged flag of a drift report, and those of a plan with --verbose', async () => {
    const unmanaged = ['stray-one', 'stray-two'];
    const plan = { ...EMPTY_PLAN, unmanaged };
    for (const report of [{ kind: 'drift', plan } as const, { kind: 'plan', plan } as const]) {
      const text = await renderWhole(report, format, { ...VIEW, verbose: true });
      for (const key of unmanaged) expect(text).toContain(key);
    }
    expect(await renderWhole({ kind: 'drift', plan }, format)).toContain('stray-two');
  });

  test('says what an option lifts in an undo', async () => {
    const hazard: Hazard = { code: 'lockout', ref: 'flag:a', key: 'a', permit: { kind: 'override', value: 'a' } };
    const undo = {
      ...FULL_UNDO,
      plan: { ...FULL_UNDO.plan, lifted: [{ hazard, by: { by: 'option', option: '--override' } as const }] },
    };
    const text = (await renderWhole(undo, format)).replaceAll(/`|<\/?code>/g, '');
    expect(text).toContain('Allowed by --override.');
    expect(text).toContain(hazardText(hazard).slice(0, -1));
  });

  test('names who made what a run left', async () => {
    const attributions: Attributions = new Map([
      ['flag:seasonal', new Map([['/name', { kind: 'known', by: 'cy@example.com', at: '2026-11-21', via: 'staff' }]])],
    ]);
    expect(await renderWhole({ ...FULL_RESULT, attributions }, format)).toContain('cy@example.com');
  });

  test('has JSON pointers with --verbose only', async () => {
    const pointer = '/filters/groups/0/rollout_percentage';
    for (const report of [FULL_PLAN, FULL_DRIFT]) {
      expect(await renderWhole(report, format, { ...VIEW, documentLimit: 1_000_000 })).not.toContain(pointer);
      expect(await renderWhole(report, format, { ...VIEW, verbose: true, documentLimit: 1_000_000 })).toContain(
        pointer,
      );
    }
  });
});

test('Markdown sets the summary of a run without changes apart, and names its record, as a page does', async () => {
  const report = { ...FULL_RESULT, result: { ...RESULT, changes: [] } };
  const markdown = await renderWhole(report, 'markdown');
  expect(markdown).toMatch(/^\*\*In sync: .*\*\*$/m);
  expect(markdown).toContain(`Recorded as run \`${FULL_RESULT.run}\``);
});

test('Markdown counts what cannot be undone in changes, not in lines', async () => {
  const refused = Array.from({ length: 40 }, (_, index): RefusedInversion => ({
    ref: `flag:f${index}`,
    key: `f${index}`,
    refusal: 'moved',
    moved: [
      { path: '/name', before: 'a', after: 'b' },
      { path: '/active', before: true, after: false },
    ],
  }));
  const undo = { ...FULL_UNDO, plan: EMPTY_PLAN, refused };
  const markdown = await renderWhole(undo, 'markdown', { ...VIEW, documentLimit: 2_000 });
  const named = [...markdown.matchAll(/○ f\d+ /g)].length;
  expect(named).toBeLessThan(40);
  expect(markdown).toContain(`… and ${40 - named} more`);
});
