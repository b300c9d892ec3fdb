/** What somebody who reads no YAML asks of a project of 300 flags, answered by the page alone, in a real browser. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { CHROMIUM, openBrowser } from '../../helpers/browser.ts';
import { stage } from './stage.ts';

const asks = (key: string, operator: string, value: JsonValue, type = 'person'): JsonObject => ({
  properties: [{ key, type, operator, value }],
  rollout_percentage: 100,
});
const GERMANY = asks('country', 'exact', ['DE']);
const SEVERAL = asks('country', 'exact', ['US', 'FR', 'IT', 'ES', 'NL', 'BE', 'DE']);
const ELSEWHERE = asks('country', 'is_not', ['US']);
const TESTERS = asks('id', 'in', 42, 'cohort');
const PRO = asks('plan', 'exact', ['pro']);
const KINDS: readonly (readonly [name: string, group: JsonObject])[] = [
  ['germany', GERMANY],
  ['several', SEVERAL],
  ['elsewhere', ELSEWHERE],
  ['testers', TESTERS],
  ...Array.from({ length: 6 }, (_, index) => [`model-${index}`, PRO] as const),
];

/** A tenth of each kind; their texts have parts that look like the code of a country. */
const FLAGS = Array.from({ length: 300 }, (_, index) => {
  const [kind, group] = KINDS[index % KINDS.length] ?? ['', {}];
  const key = `${kind}-${String(index).padStart(3, '0')}`;
  return {
    key,
    group,
    description: `Decides about the sidebar ${index}`,
    tags: [`team:${index % 7 === 0 ? 'growth' : 'core'}`],
  };
});

const MANIFEST = [
  'flags:',
  ...FLAGS.map(
    ({ key, group, description, tags }) =>
      `  ${key}: ${stringifyJson({ description, tags, active: true, filters: { groups: [group] } })}`,
  ),
  '  stepped:',
  '    active: true',
  '    rollout_percentage: { from: 10, steps: [{ at: 2026-06-03T08:00:00Z, to: 50 }, { at: 2026-06-09T08:00:00Z, to: 100 }] }',
  '',
].join('\n');
const LIVE: readonly JsonObject[] = [
  ...FLAGS.map(({ key, group, description, tags }) => ({
    ...{ key, name: description, tags },
    filters: { groups: [group === TESTERS ? withName(group, 'Beta testers') : group] },
  })),
  { key: 'stepped', filters: { groups: [{ properties: [], rollout_percentage: 10 }] } },
];

function withName({ properties, ...group }: JsonObject, name: string): JsonObject {
  return { ...group, properties: (properties as JsonObject[]).map((one) => ({ ...one, cohort_name: name })) };
}

const ofKind = (...kinds: readonly JsonObject[]): string[] =>
  FLAGS.filter(({ group }) => kinds.includes(group))
    .map(({ key }) => key)
    .toSorted();
const GROWTH = FLAGS.filter(({ tags }) => tags.includes('team:growth')).map(({ key }) => key);
const IN_GERMANY = ofKind(GERMANY, SEVERAL, ELSEWHERE);

const FOUND: readonly (readonly [query: string, keys: readonly string[]])[] = [
  // Which are on for customers in Germany?
  ['germany country', IN_GERMANY],
  ['DE', IN_GERMANY],
  ['is:on de', IN_GERMANY],
  ['"country is DE"', ofKind(GERMANY)],
  ['italy', ofKind(SEVERAL, ELSEWHERE)],
  ['"united kingdom"', ofKind(ELSEWHERE)],
  // Who gets it?
  ['country is not US', ofKind(ELSEWHERE)],
  ['"country is not US"', ofKind(ELSEWHERE)],
  ['"beta testers"', ofKind(TESTERS)],
  ['cohort beta', ofKind(TESTERS)],
  ['hans germany-', ofKind(GERMANY)],
  ['mary germany-', []],
  // Whose is it?
  ['owner:growth', GROWTH.toSorted()],
  // What can be removed? Without code that reads flags, nobody can say.
  ['is:stale', []],
];

test.skipIf(CHROMIUM === undefined)(
  'a page of 300 flags answers',
  async () => {
    const { run, work, world } = await stage(LIVE, { 'flags/a.yaml': MANIFEST });
    const config = work.read('flagwright.yaml').replace('project_id: "1"', 'project_id: "1", cohorts: { beta: 42 }');
    work.write('flagwright.yaml', config);
    await world.edit('model-0-004', { active: false });
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'catalog-questions-')), 'page.html');
    writeFileSync(file, (await run('-f', 'html')).stdout);
    const browser = await openBrowser(CHROMIUM ?? '');
    onTestFinished(async () => browser.close());
    await browser.open(`file://${file}`, { width: 1400 });
    const find = async (query: string): Promise<string[]> =>
      browser.evaluate(`(() => { const q = document.getElementById('q'); q.value = ${JSON.stringify(query)};
      q.dispatchEvent(new Event('input', { bubbles: true }));
      return [...document.querySelectorAll('details[id]')].filter((one) => !one.hidden).map((one) => one.querySelector('b').textContent).sort(); })()`);
    for (const [query, keys] of FOUND) expect([query, await find(query)]).toEqual([query, keys]);
    expect(await find('model-0-004')).toEqual(['model-0-004']);
    expect(await browser.evaluate(`document.querySelector('details[id]:not([hidden]) .o').textContent`)).toBe('core');
    await find('');
    const show = async (view: string): Promise<string> => {
      await browser.evaluate(`document.querySelector('nav a[href*="view=${view}"]').click()`);
      return (await browser.evaluate<string>(`document.querySelector('.v.on').innerText`)).replaceAll(/\s+/g, ' ');
    };
    // By the clock of the reader, the week is over.
    const [, next = ''] = (await show('calendar')).split('Mon 8 Jun to Sun 14 Jun');
    expect(next).toContain('Rollout step stepped in production: 100%');
    expect(await show('changed')).toMatch(
      /by \S+.* in PostHog model-0-004: The flag is disabled, and off for everybody/,
    );
  },
  120_000,
);
