/** Who made the differences, in text, Markdown and JSON. */

import { describe, expect, test } from 'vitest';
import type { Attribution, Attributions, KnownAttribution } from '../../../src/posthog/authors/attribution.ts';
import { planDocument } from '../../../src/posthog/planning/plan-document.ts';
import { attributionText } from '../../../src/report/words/authors.ts';
import { quoteShort } from '../../../src/report/escape.ts';
import { PLAN, VIEW } from '../samples.ts';
import { driftMarkdown, driftText, planMarkdown, planText } from '../texts.ts';

const REF = 'flag:new-checkout';
const [ROLLOUT, NAME] = ['/filters/groups/1/rollout_percentage', '/name'];
const ada: KnownAttribution = {
  kind: 'known',
  by: 'ada@example.org',
  at: '2026-01-31T12:00:00.123Z',
  via: 'web_or_key',
};
const found = (answers: Readonly<Record<string, Attribution>>, ref = REF): Attributions =>
  new Map([[ref, new Map(Object.entries(answers))]]);
const text = (attributions: Attributions): string => driftText({ kind: 'drift', plan: PLAN, attributions }, VIEW);

const BY_ADA = 'changed by ada@example.org on 2026-01-31 12:00:00 UTC, in the web interface or with an API key';
const URL = 'https://us.posthog.com/project/5678/feature_flags/12';

test('one line where all fields have the same author, with the page of the flag', () => {
  const attributions = found({ [ROLLOUT]: ada, [NAME]: ada });
  expect(text(attributions)).toContain(`\n            ${BY_ADA}\n            ${URL}\n`);
  expect(planText({ kind: 'plan', plan: PLAN, attributions }, VIEW)).toContain(
    `            ${BY_ADA}\n            ${URL}\n`,
  );
});

test('a line for each field where the authors differ', () => {
  const attributions = found({ [ROLLOUT]: ada, [NAME]: { kind: 'unknown', reason: 'too_old' } });
  expect(text(attributions)).toContain(
    `            condition 2 · rollout_percentage: ${BY_ADA}
            description: author unknown: it is older than the activity log
`,
  );
});

describe('where the log names nobody, the last editor is named, and only once', () => {
  const edited = { by: 'ann@example.org', at: '2026-01-30T09:00:00Z' };
  const plan = {
    ...PLAN,
    changes: PLAN.changes.map((change) =>
      change.ref === REF && 'base' in change ? { ...change, base: { ...change.base, edited } } : change,
    ),
  } as typeof PLAN;
  const attributions = found({ [ROLLOUT]: ada, [NAME]: { kind: 'unknown', reason: 'not_logged' } });
  const EDIT = '2026-01-30 09:00:00 UTC (PostHog logged no change of it)';

  test.each([
    ['drift', driftText({ kind: 'drift', plan, attributions }, VIEW)],
    ['a plan', planText({ kind: 'plan', plan, attributions }, VIEW)],
  ])('in the text of %s', (_, shown) => {
    expect(shown).toContain(`description: last edited by ann@example.org on ${EDIT}\n`);
    expect(shown.match(/ann@example\.org|author unknown/g)).toEqual(['ann@example.org']);
  });

  test.each([
    ['drift', driftMarkdown({ kind: 'drift', plan, attributions }, VIEW)],
    ['a plan', planMarkdown({ kind: 'plan', plan, attributions }, VIEW)],
  ])('in the comment of %s', (_, shown) => {
    expect(shown).toContain(
      `- \`ann@example.org\`\n  - [\`new-checkout\`](${URL}), \`description\`: last edited on ${EDIT}\n`,
    );
    expect(shown.match(/ann@example\.org|author unknown/g)).toEqual(['ann@example.org']);
  });
});

test('a missing scope is said once', () => {
  const refusal: Attribution = { kind: 'unknown', reason: 'forbidden' };
  const attributions = new Map([...found({ [ROLLOUT]: refusal }), ...found({ '/deleted': refusal }, 'flag:search')]);
  const shown = text(attributions);
  expect(shown.match(/activity_log:read/g)).toHaveLength(1);
  expect(shown).toContain('Who made these changes is unknown: the API key cannot read the activity log');
});

test('Markdown has what each person changed below the person, with a link', () => {
  const attributions = found({
    [ROLLOUT]: ada,
    '/filters/payloads/one-page': ada,
    [NAME]: { ...ada, via: 'schedule' },
  });
  const sentences = `- \`ada@example.org\`
  - [\`new-checkout\`](${URL}), \`condition 2 · rollout_percentage\`, \`payload one-page\`: changed on 2026-01-31 12:00:00 UTC, in the web interface or with an API key
  - [\`new-checkout\`](${URL}), \`description\`: changed on 2026-01-31 12:00:00 UTC, by a scheduled change
`;
  expect(driftMarkdown({ kind: 'drift', plan: PLAN, attributions }, VIEW)).toContain(sentences);
  expect(planMarkdown({ kind: 'plan', plan: PLAN, attributions }, VIEW)).toContain(sentences);
});

test('the document has a list beside the plan, outside of the fingerprint', () => {
  const attributions = found({
    [ROLLOUT]: ada,
    [NAME]: { kind: 'unknown', reason: 'overlapping', people: ['ada', 'bob'] },
  });
  const document = planDocument(PLAN, { attributions });
  expect(document['attributions']).toEqual([
    { ref: REF, path: ROLLOUT, ...ada, url: URL },
    { ref: REF, path: NAME, kind: 'unknown', reason: 'overlapping', people: ['ada', 'bob'], url: URL },
  ]);
  const embedded = { ...PLAN, project: { ...PLAN.project, host: 'embedded' } };
  expect(JSON.stringify(planDocument(embedded, { attributions }))).not.toContain('"url"');
  expect(planDocument(PLAN)['fingerprint']).toBe(document['fingerprint']);
});

describe('the words', () => {
  const CASES: readonly [attribution: Attribution, expected: string][] = [
    [
      { ...ada, via: 'api_client', client: 'mcp' },
      'changed by ada@example.org on 2026-01-31 12:00:00 UTC, with the API client mcp',
    ],
    [
      { ...ada, via: 'apply', run: 'R-1' },
      'changed by ada@example.org on 2026-01-31 12:00:00 UTC, in run R-1 of flagwright',
    ],
    [
      { ...ada, via: 'apply' },
      'changed by ada@example.org on 2026-01-31 12:00:00 UTC, with flagwright, in a run that is not recorded here',
    ],
    [
      { ...ada, via: 'staff' },
      "changed by ada@example.org on 2026-01-31 12:00:00 UTC, by PostHog's staff in the name of that user",
    ],
    [
      { kind: 'known', at: ada.at, via: 'web_or_key' },
      'changed on 2026-01-31 12:00:00 UTC by a user whom the service does not name, in the web interface or with an API key',
    ],
    [{ kind: 'known', at: ada.at, via: 'system' }, 'changed on 2026-01-31 12:00:00 UTC, by the service itself'],
    [
      { ...ada, via: 'experiment', created: true },
      'set at its creation by ada@example.org on 2026-01-31 12:00:00 UTC, by an experiment',
    ],
    [
      { kind: 'unknown', reason: 'overlapping', people: ['ada', 'bob'] },
      'author unknown: several edits made the value together (ada, bob)',
    ],
  ];
  test.each(CASES)('%o', (attribution, expected) => {
    expect(attributionText(attribution, quoteShort)).toBe(expected);
  });
});

test('a hostile name or client cannot command a terminal, a comment or a build log', () => {
  const hostile = '\u001b]0;x\u0007\u202e](http://evil) ::error::`@all';
  const attributions = found({ [ROLLOUT]: { ...ada, by: hostile, via: 'api_client', client: hostile } });
  const shown = text(attributions);
  expect(shown).not.toMatch(/[^\P{C}\n]/u);
  expect(shown).toContain('\\u001b]0;x\\u0007\\u202e');
  const markdown = driftMarkdown({ kind: 'drift', plan: PLAN, attributions }, VIEW);
  expect(markdown).not.toMatch(/[^\P{C}\n]/u);
  expect(markdown).toContain('\n- ``\\u001b]0;x');
});
