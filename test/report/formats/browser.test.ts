/** The pages in a real browser: nothing overflows, everything is readable, the choices work, and nothing of others runs. */

// @module-tag untimely
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatsOf, render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { CHROMIUM, openBrowser, type Browser, type View } from '../../helpers/browser.ts';
import { OVERFLOWING, UNREADABLE } from '../../helpers/page-checks.ts';
import { HOSTILE } from '../../security/hostile.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from '../full-samples.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { CHANGES, EMPTY_PLAN, PLAN, VIEW } from '../samples.ts';

const ATTACK = `</pre></article><script>window.hacked=1</script><img src=x onerror="window.hacked=1">${HOSTILE}`;
const [CREATE] = CHANGES;
const LONG = 'x'.repeat(3_000);

/** A plan whose flag has this name in its key, its fields and its file. */
function named(name: string): Report {
  const field = { path: '/name', before: name, after: `${name}!` };
  const source = { file: name, line: 1, column: 1 };
  return {
    kind: 'plan',
    plan: { ...PLAN, changes: [{ ...CHANGES[1]!, key: name, source, fields: [field] }] as never },
  };
}

const many = Array.from({ length: 5_000 }, (_, index) => ({ ...CREATE!, key: `f${index}`, ref: `flag:f${index}` }));
const REPORTS: readonly (readonly [name: string, report: Report])[] = [
  ['a plan', FULL_PLAN],
  ['a drift report', FULL_DRIFT],
  ['an undo', FULL_UNDO],
  ['a result', FULL_RESULT],
  ['a validation', FULL_VALIDATION],
  ['tests', sampleOf('test')],
  ['a failure', sampleOf('failure')],
  ['nothing', sampleOf('nothing')],
  ['a plan without changes', { kind: 'plan', plan: EMPTY_PLAN }],
  ['strings of an attacker', named(ATTACK)],
  ['a string without a space', named(LONG)],
];

const LONG_NAMES: Report = {
  kind: 'projects',
  command: 'apply',
  projects: [
    { kind: 'ran', project: 'apac-production-with-a-rather-long-name', exit: 0, report: sampleOf('result') },
    { kind: 'held', project: 'us-production-with-a-rather-long-name', by: 'apac-production-with-a-rather-long-name' },
  ],
};

const SIX = ['staging-eu', 'staging-us', 'prod-eu', 'prod-us', 'qa', 'demo'];
const MATRIX: Report = {
  kind: 'parity',
  parity: {
    ...{ projects: SIX, flags: 100, cohorts: 0, early_access: 0, alike: [] },
    rows: Array.from({ length: 100 }, (_, index) => ({
      key: index === 7 ? ATTACK : `team-area-feature-${index}`,
      path: '/filters/groups/0/rollout_percentage',
      cells: SIX.map((_name, at) => ({ kind: 'value', value: index === 8 && at === 5 ? ATTACK : at }) as const),
      declared: false,
    })),
  },
  source: 'live',
  withDeclared: true,
};

describe.skipIf(CHROMIUM === undefined)('a browser', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pages-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(CHROMIUM ?? '');
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const show = async (report: Report, view: View, edit = (html: string): string => html): Promise<void> => {
    const file = path.join(folder, 'page.html');
    writeFileSync(file, edit(RENDERERS.html.seal((await render(report, 'html', VIEW)) as string)));
    await browser.open(file, view);
    // Cards that are not in sight are not laid out.
    await browser.evaluate(
      `for (const one of document.querySelectorAll('.card')) one.style.contentVisibility = 'visible'`,
    );
  };

  describe.each(REPORTS)('shows the page of %s', (_, report) => {
    test.each<View>([
      { width: 400, scheme: 'light' },
      { width: 400, scheme: 'dark' },
      { width: 1400, scheme: 'light' },
      { width: 1400, scheme: 'dark' },
      { width: 700, scheme: 'dark', media: 'print' },
    ])('which fits, is readable, and gives no cause for a message: %j', async (view) => {
      await show(report, view);
      expect(await browser.evaluate(OVERFLOWING)).toEqual([]);
      expect(await browser.evaluate(UNREADABLE)).toEqual([]);
      expect(browser.messages()).toEqual([]);
      expect(await browser.evaluate('typeof window.hacked')).toBe('undefined');
    });
  });

  test.each<View>([{ width: 400 }, { width: 1400 }, { width: 700, media: 'print' }])(
    'shows a table of six projects in its own box, with the names in sight: %j',
    async (view) => {
      await show(LONG_NAMES, view);
      const names = `document.documentElement.scrollWidth <= innerWidth &&
        [...document.querySelectorAll('.wide tbody th')].every((one) => one.getBoundingClientRect().right <= innerWidth / 2)`;
      expect(await browser.evaluate(names)).toBe(true);
      await show(MATRIX, view);
      const place = `(() => { const box = document.querySelector('.wide'); box.scrollLeft = 9_999;
        const name = box.querySelector('tbody th').getBoundingClientRect();
        return { moved: box.scrollLeft > 0, left: name.left >= 0 && name.right <= innerWidth / 2, page: document.documentElement.scrollWidth <= innerWidth }; })()`;
      expect(await browser.evaluate(place)).toMatchObject({
        left: true,
        page: true,
        ...(view.width === 400 ? { moved: true } : {}),
      });
      expect(await browser.evaluate(UNREADABLE)).toEqual([]);
      expect(await browser.evaluate('typeof window.hacked')).toBe('undefined');
    },
  );

  test('runs nothing of a page, even if a string had become an element', async () => {
    await show(FULL_PLAN, { width: 1400 }, (html) =>
      html.replace('</main>', `${ATTACK}<p style="color:red" id="p">x</p></main>`),
    );
    expect(await browser.evaluate('document.scripts.length')).toBe(1);
    expect(await browser.evaluate('typeof window.hacked')).toBe('undefined');
    expect(await browser.evaluate(`getComputedStyle(document.getElementById('p')).color`)).not.toBe('rgb(255, 0, 0)');
    expect(browser.messages().join('\n')).toContain('Content Security Policy');
  });

  test('indents what wraps, so that no part of a value looks like the next line', async () => {
    await show(named('word '.repeat(100)), { width: 400 });
    const lefts: number[][] = await browser.evaluate(`[...document.querySelectorAll('pre > span')].map((row) => {
      const range = document.createRange();
      range.selectNodeContents(row);
      return [...new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ left }) => Math.round(left)))];
    })`);
    const wrapped = lefts.filter((row) => row.length > 1);
    expect(wrapped.length).toBeGreaterThan(0);
    for (const [first = 0, ...others] of wrapped) expect(Math.min(...others)).toBeGreaterThan(first);
  });

  test('shows the changes of one class, and no heading without any', async () => {
    await show(FULL_PLAN, { width: 1400 });
    const cards = async (): Promise<number> => browser.evaluate(VISIBLE_CARDS);
    const all = await cards();
    await browser.evaluate(`document.querySelector('label[for="show-kill"]').click()`);
    expect(await cards()).toBe(1);
    expect(await browser.evaluate(`document.querySelectorAll('.group').length > 1`)).toBe(true);
    const groups = `[...document.querySelectorAll('.group')].filter((one) => one.getClientRects().length > 0).length`;
    expect(await browser.evaluate(groups)).toBe(1);
    await browser.evaluate(`document.querySelector('label[for="show-all"]').click()`);
    expect(await cards()).toBe(all);
  });

  test('uses the choices with the keyboard, and shows where it is', async () => {
    await show(FULL_PLAN, { width: 1400 });
    await browser.press('Tab');
    await browser.press('ArrowRight');
    expect(await browser.evaluate('document.activeElement.id')).toBe('show-kill');
    expect(await browser.evaluate(VISIBLE_CARDS)).toBe(1);
    const outline = `getComputedStyle(document.querySelector('label[for="show-kill"]')).outlineStyle`;
    expect(await browser.evaluate(outline)).toBe('solid');
  });

  test('folds a long list of what the run is not about, which the keyboard opens and paper shows', async () => {
    const unmanaged = Array.from({ length: 30 }, (_, index) => `stray-${index}`);
    const report: Report = { kind: 'drift', plan: { ...EMPTY_PLAN, unmanaged } };
    const isShown = `document.querySelector('details li').checkVisibility({ contentVisibilityAuto: true })`;
    await show(report, { width: 400 });
    expect(await browser.evaluate(isShown)).toBe(false);
    await browser.press('Tab');
    expect(await browser.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    expect(await browser.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await browser.press('Enter');
    expect(await browser.evaluate(isShown)).toBe(true);
    await show(report, { width: 700, media: 'print' });
    expect(await browser.evaluate(`document.querySelector('details').open`)).toBe(false);
    expect(
      await browser.evaluate(`document.querySelector('details li').getBoundingClientRect().height`),
    ).toBeGreaterThan(0);
  });

  test('reaches every link with the keyboard, in the order of the page', async () => {
    const attributions = new Map(
      CHANGES.map(({ ref }) => [
        ref,
        new Map([['', { kind: 'known', by: 'ann', at: '2026-01-01T00:00:00Z', via: 'staff' }]]),
      ]),
    );
    await show({ kind: 'plan', plan: PLAN, attributions } as Report, { width: 1400 });
    const links = await browser.evaluate<string[]>(`[...document.querySelectorAll('a')].map((one) => one.href)`);
    expect(links.length).toBeGreaterThan(1);
    const reached: string[] = [];
    for (let step = 0; step <= links.length; step += 1) {
      await browser.press('Tab');
      const at = await browser.evaluate<string>(`document.activeElement.href ?? ''`);
      if (at === '') continue;
      reached.push(at);
      expect(await browser.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    }
    expect(reached).toEqual(links);
  });

  test('shows the verdict first, larger than anything else', async () => {
    await show(FULL_PLAN, { width: 400 });
    const [first, ...others] = await browser.evaluate<[string, number][]>(
      `[...document.querySelectorAll('header > *, h2, h3, li, pre')].map((one) => [one.className, parseFloat(getComputedStyle(one).fontSize)])`,
    );
    expect(first?.[0]).toBe('verdict bad');
    expect(Math.max(...others.map(([, size]) => size))).toBeLessThan(first?.[1] ?? 0);
  });

  test('prints what is not chosen', async () => {
    await show(FULL_PLAN, { width: 700, media: 'print' });
    const all = await browser.evaluate<number>(VISIBLE_CARDS);
    await browser.evaluate(`document.getElementById('show-kill').checked = true`);
    expect(await browser.evaluate(VISIBLE_CARDS)).toBe(all);
  });

  test('opens and filters a page of 5,000 changes', async () => {
    await show({ kind: 'plan', plan: { ...PLAN, changes: [...CHANGES, ...many] } }, { width: 400 });
    await browser.evaluate(`document.querySelector('label[for="show-delete"]').click()`);
    expect(await browser.evaluate(VISIBLE_CARDS)).toBe(2);
  });

  test.each(REPORTS.filter(([, { kind }]) => formatsOf([kind]).includes('junit')))(
    'reads the JUnit XML of %s as XML with as many cases as it says',
    async (_, report) => {
      const text = RENDERERS.junit.seal((await render(report, 'junit', VIEW)) as string);
      const xml = `new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml')`;
      expect(await browser.evaluate(`${xml}.querySelectorAll('parsererror').length`)).toBe(0);
      const cases = await browser.evaluate<number>(`${xml}.querySelectorAll('testcase').length`);
      expect(cases).toBeGreaterThan(0);
      expect(await browser.evaluate(`${xml}.documentElement.getAttribute('tests')`)).toBe(`${cases}`);
    },
  );
});

const VISIBLE_CARDS = `[...document.querySelectorAll('.card')].filter((one) => one.getClientRects().length > 0).length`;
