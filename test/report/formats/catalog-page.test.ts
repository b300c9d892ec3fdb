/** The catalogue's page in a real browser: without its script, its search held against the view, its addresses, and strings of an attacker. */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogPage } from '../../../src/report/formats/html/catalog/page.ts';
import type { CatalogFlagView, CatalogStateView } from '../../../src/report/model/catalog.ts';
import { CHROMIUM, openBrowser, type Browser, type View } from '../../helpers/browser.ts';
import { OVERFLOWING, UNREADABLE } from '../../helpers/page-checks.ts';
import { HOSTILE } from '../../security/hostile.ts';
import { anyView, CATALOG_WORDS, hostileView, largeView, TEAM_VIEW } from './catalog-samples.ts';

const ATTACK = `</script></summary></details><script>window.hacked=1</script><img src=x onerror="window.hacked=1">' onload=window.hacked=1 x='${HOSTILE}`;
const LONG = 'x'.repeat(3_000);
const VIEWS = ['live', 'projects', 'calendar', 'changed'] as const;

describe('the file', () => {
  const html = catalogPage(TEAM_VIEW);
  const only = (pattern: RegExp): string => {
    const found = [...html.matchAll(pattern)];
    expect(found).toHaveLength(1);
    return found[0]?.[1] ?? '';
  };
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

  test('may use its style and its script, and nothing else', () => {
    const style = hashOf(only(/<style>(.*?)<\/style>/gs));
    const script = hashOf(only(/<script>(.*?)<\/script>/gs));
    expect(only(/http-equiv=Content-Security-Policy content="([^"]*)"/g)).toBe(
      `default-src 'none'; style-src ${style}; script-src ${script}; base-uri 'none'; form-action 'none'`,
    );
    expect(only(/<meta name="generator" content="([^"]*)"/g)).toBe('flagwright');
  });

  test('has a script that makes no elements of text and runs no text', () => {
    expect(only(/<script>(.*?)<\/script>/gs)).not.toMatch(
      /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|fetch|XMLHttp|localStorage|cookie/,
    );
  });

  test('is the same each time', () => {
    expect(catalogPage(TEAM_VIEW)).toBe(html);
  });

  test('has a description of several lines in one', () => {
    const [flag] = TEAM_VIEW.flags;
    const page = catalogPage({ ...TEAM_VIEW, flags: [{ ...flag!, description: 'One page.\n\n  Ask first.\n' }] });
    expect(page).toContain('<span>One page. Ask first.</span>');
  });

  test('has 2,000 flags of 3 projects in 3 MB', () => {
    const size = Buffer.byteLength(catalogPage(largeView(2000)));
    process.stdout.write(`catalogue of 2,000 flags: ${(size / 1e6).toFixed(2)} MB\n`);
    expect(size).toBeLessThan(3_000_000);
  });
});

describe.skipIf(CHROMIUM === undefined)('a browser', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'catalog-'));
  const file = path.join(folder, 'page.html');
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(CHROMIUM ?? '');
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const show = async (html: string, hash = '', view: View = { width: 1400 }): Promise<void> => {
    writeFileSync(file, html);
    await browser.open('about://blank', view);
    await browser.open(`file://${file}${hash}`, view);
  };
  const search = async (query: string): Promise<string[]> => browser.evaluate(`${SEARCH}(${JSON.stringify(query)})`);
  const textOf = async (selector: string): Promise<string> =>
    browser.evaluate(`(() => { for (const one of document.querySelectorAll('details, tr')) one.style.contentVisibility = 'visible';
      return document.querySelector(${JSON.stringify(selector)}).innerText; })()`);
  const hash = async (): Promise<URLSearchParams> =>
    new URLSearchParams((await browser.evaluate<string>('location.hash')).slice(1));

  describe('without the script', () => {
    const bare = catalogPage(TEAM_VIEW).replace(/<script>.*?<\/script>/s, '');

    test('all views follow each other, with every flag, and nothing that needs the script', async () => {
      await show(bare);
      const visible = (selector: string): Promise<boolean[]> =>
        browser.evaluate(
          `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.checkVisibility())`,
        );
      expect(await visible('section.v')).toEqual([true, true, true, true]);
      expect(new Set(await visible('.js'))).toEqual(new Set([false]));
      expect(await visible('details[id] > summary')).toEqual(TEAM_VIEW.flags.map(() => true));
      const text = await textOf('body');
      for (const { key } of TEAM_VIEW.flags) expect(text.split(key).length).toBeGreaterThan(2);
    });

    test('every link within the page leads to something', async () => {
      await show(bare);
      const links = `[...document.querySelectorAll('a[href^="#"]')].map((one) => one.getAttribute('href').slice(1))`;
      const targets = await browser.evaluate<(boolean | undefined)[]>(
        `${links}.map((id) => document.getElementById(id) !== null)`,
      );
      expect(targets.length).toBeGreaterThan(10);
      expect(new Set(targets)).toEqual(new Set([true]));
    });
  });

  test('finds what the query language says, of random flags', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyView,
        fc.array(fc.array(anyTerm, { minLength: 1, maxLength: 4 }), { minLength: 40, maxLength: 60 }),
        async (view, queries) => {
          await show(catalogPage(view));
          const expected = queries.map((terms) => {
            const isKnown = terms.every(
              ({ name, value }) => name !== 'in' || view.projects.some((one) => one.name === value),
            );
            const found = view.flags.filter((flag) => isKnown && isFound(flag, terms)).map(({ key }) => key);
            return [
              terms.map(termText).join(' '),
              found.toSorted(),
              `${found.length} of ${view.flags.length} flags match.`,
            ];
          });
          const texts = expected.map(([query]) => query);
          // All at once: each answer takes the browser less than the question.
          const found = await browser.evaluate<[string, string[], string][]>(
            `${JSON.stringify(texts)}.map((query) => [query, ${SEARCH}(query), document.getElementById('found').textContent.match(/\\d+ of \\d+ flags match\\./)[0]])`,
          );
          expect(found).toEqual(expected);
        },
      ),
      // To find a smaller case takes minutes.
      { numRuns: 15, endOnFailure: true },
    );
  });

  test.each([
    ['in:staging -is:pending', ['checkout-germany', 'dark-mode']],
    ['-is:pending', ['checkout-germany', 'dark-mode', 'old-banner']],
    ['in:staging is:missing', ['old-banner']],
    ['-in:staging', ['old-banner']],
    ['is:off is:drifted', ['new-prices']],
    ['is:pending is:drifted', []],
    ['is:waiting', ['checkout-germany']],
    ['in:staging is:waiting', []],
    ['owner:none', ['new-prices', 'old-banner']],
    ['owner:DESIGN,payments', ['checkout-germany', 'dark-mode']],
    ['expires:1d', []],
    ['expires:8d', ['new-prices']],
    ['"country is germany"', ['checkout-germany']],
    // Who gets it, of the test people.
    ['berta', ['checkout-germany']],
    ['in:staging berta', []],
    ['paul', []],
    // A part of a longer word is meant by three letters.
    ['erm', ['checkout-germany']],
    ['er', []],
  ])('finds of %s', async (query, keys) => {
    await show(catalogPage(TEAM_VIEW));
    expect(await search(query)).toEqual(keys);
  });

  test.each([
    ['is:foo', 'is: takes on, off'],
    ['is:', 'is: takes on, off'],
    ['in:prod', 'in: takes production, staging, demo, not prod.'],
    ['expires:soon', 'expires: takes a number of days or weeks, as in 30d or 4w, not soon.'],
    ['color:red', 'color: is not a search term'],
    ['-color:red', 'color: is not a search term'],
  ])('says what is wrong with %s, and finds nothing', async (query, words) => {
    await show(catalogPage(TEAM_VIEW));
    expect(await search(`${query} dark`)).toEqual([]);
    expect(await textOf('#found')).toContain(words);
    expect(await search(`"${query}"`)).toEqual([]);
    expect(await textOf('#found')).toBe('0 of 4 flags match.');
  });

  test('says of whom a search for people leaves out that they get other flags too', async () => {
    await show(catalogPage(TEAM_VIEW));
    expect(await search('germany')).toEqual(['checkout-germany']);
    expect(await textOf('#also')).toBe('Also on in production, but no match: 1 for everybody, 0 for some people.');
  });

  test('keeps view, project, query and flag in the address', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          view: fc.constantFrom(...VIEWS),
          project: fc.constantFrom('production', 'staging', 'demo'),
          query: fc.constantFrom('', 'is:on', 'a & b=c#d', '"two words" -is:off', 'ä%20+', 'nothing:here'),
          flag: fc.constantFrom('', ...TEAM_VIEW.flags.map(({ key }) => key)),
        }),
        async ({ view, project, query, flag }) => {
          const written = new URLSearchParams({ view, project, q: query, flag }).toString();
          await show(catalogPage(TEAM_VIEW), `#${written}`);
          const read = await hash();
          expect({
            view: read.get('view'),
            project: read.get('project') ?? 'production',
            query: read.get('q') ?? '',
            flag: read.get('flag') ?? '',
          }).toEqual({ view, project, query, flag });
          expect(await browser.evaluate(`document.getElementById('q').value`)).toBe(query);
          expect(await browser.evaluate(`document.querySelector('input[name=p]:checked').value`)).toBe(project);
          expect(await browser.evaluate(VISIBLE_VIEWS)).toEqual([VIEWS.indexOf(view)]);
          const open = await browser.evaluate<string[]>(OPEN_FLAGS);
          expect(open).toEqual(flag === '' ? [] : [flag]);
          // The same page again from the address that it wrote.
          const address = await browser.evaluate<string>('location.hash');
          await show(catalogPage(TEAM_VIEW), address);
          expect(await browser.evaluate('location.hash')).toBe(address);
          expect(await browser.evaluate(OPEN_FLAGS)).toEqual(open);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('shows each project in groups of its words', async () => {
    await show(catalogPage(TEAM_VIEW));
    for (const [at, { name }] of TEAM_VIEW.projects.entries()) {
      await browser.evaluate(`document.getElementById('p${at}').click()`);
      const groups = await browser.evaluate<
        [string, [string, string][]][]
      >(`[...document.querySelectorAll('.l')].filter((one) => !one.hidden).map((one) =>
        [one.querySelector('h3').innerText, [...one.querySelectorAll('summary')].map((line) => [line.querySelector('b').textContent, line.querySelector('i').textContent])])`);
      const shown = new Map(
        groups.flatMap(([title, lines]) => lines.map(([key, who]) => [key, [title.replace(/ \d+$/, ''), who]])),
      );
      const expected = TEAM_VIEW.flags.map(({ key, states }) => {
        const state = states.find(({ project }) => project === name)!;
        const title = {
          off: 'Off',
          some: 'On for some',
          all: 'On for everybody',
          split: 'On for everybody',
          unknown: 'Not known',
          missing: 'Not in this project',
        }[state.word];
        return [key, [title, state.who === '' ? '–' : state.who]];
      });
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
      for (const [title, lines] of groups) expect(title).toMatch(new RegExp(` ${lines.length}$`));
    }
  });

  test('shows the project that is asked for alone', async () => {
    await show(catalogPage(TEAM_VIEW));
    await search('in:staging');
    await browser.evaluate(`document.getElementById('q').dispatchEvent(new Event('change'))`);
    expect(await textOf('#in')).toBe('staging');
    expect((await hash()).get('project')).toBe('staging');
    expect(await browser.evaluate(`document.getElementById('only').getAttribute('aria-pressed')`)).toBe('true');
    // The query follows the choice.
    await browser.evaluate(`document.getElementById('p0').click()`);
    expect((await hash()).get('q')).toBe('in:production');
    await browser.evaluate(`document.getElementById('only').click()`);
    expect((await hash()).get('q')).toBeNull();
  });

  test('has the words and the people of all projects below each other', async () => {
    await show(catalogPage(TEAM_VIEW).replaceAll('<details id=', '<details open id='));
    const columns = await browser.evaluate<number[][]>(`[...document.querySelectorAll('.s')].map((list) =>
      ['i:not(.m)', 'span'].map((part) => new Set([...list.querySelectorAll(':scope > li > ' + part)].map((one) => one.getBoundingClientRect().left)).size))`);
    expect(columns).toEqual(TEAM_VIEW.flags.map(() => [1, 1]));
  });

  test('says in its line what can be removed', async () => {
    await show(catalogPage(TEAM_VIEW));
    expect(await search('is:stale')).toEqual(['dark-mode', 'old-banner']);
    expect(await textOf('.l details:not([hidden]) > summary')).toContain('Next: turn it off. No code reads it');
  });

  test('opens a flag over any other view, and puts it back', async () => {
    await show(catalogPage(TEAM_VIEW), '#view=calendar');
    await browser.evaluate(`document.querySelector('.v.on a[href="#f0"]').focus()`);
    await browser.press('Enter');
    expect(await browser.evaluate(`document.querySelector('dialog').open`)).toBe(true);
    expect((await hash()).get('flag')).toBe('checkout-germany');
    expect(await textOf('dialog')).toContain('Next: wait for the next step.');
    // A flag that it depends on takes its place.
    await browser.evaluate(`document.querySelector('dialog dl a[href="#f2"]').click()`);
    expect((await hash()).get('flag')).toBe('new-prices');
    expect(await browser.evaluate('new Promise((done) => setTimeout(done, 50)), 0')).toBe(0);
    expect(await browser.evaluate(`document.querySelector('dialog b').textContent`)).toBe('new-prices');
    await browser.press('Escape');
    await until(browser, `!document.querySelector('dialog').open && !location.hash.includes('flag')`);
    expect(await browser.evaluate(`document.querySelectorAll('dialog details').length`)).toBe(0);
    expect(await browser.evaluate(`document.querySelectorAll('.l details').length`)).toBe(TEAM_VIEW.flags.length);
    expect(await browser.evaluate(`document.activeElement.getAttribute('href')`)).toBe('#f0');
  });

  test('is used with the keyboard alone', async () => {
    await show(catalogPage(TEAM_VIEW));
    await browser.press('/');
    expect(await browser.evaluate('document.activeElement.id')).toBe('q');
    expect(await search('is:off')).toEqual(['new-prices', 'old-banner']);
    await browser.press('Escape');
    expect(await browser.evaluate(`document.getElementById('q').value`)).toBe('');
    expect((await hash()).get('q')).toBeNull();
    const reached: string[] = [];
    await show(catalogPage(TEAM_VIEW));
    for (let step = 0; step < 30; step += 1) {
      await browser.press('Tab');
      reached.push(
        await browser.evaluate(
          `document.activeElement.tagName + ':' + document.activeElement.textContent.slice(0, 30)`,
        ),
      );
      if (reached.at(-1)?.startsWith('BODY')) break;
      expect(await browser.evaluate(FOCUS_SHOWN), reached.at(-1)).toBe(true);
    }
    expect(reached.filter((one) => one.startsWith('SUMMARY')).length).toBe(TEAM_VIEW.flags.length + 1);
    for (const title of ['A:Projects', 'A:Calendar', 'A:Changed']) expect(reached).toContain(title);
  });

  test('names weeks and days by the clock of the reader', async () => {
    const now = new Date();
    const before = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString();
    await show(catalogPage({ ...TEAM_VIEW, made_at: before(0), calendar: [] }), '#view=calendar');
    expect(await textOf('.v.on')).toMatch(/This week: .*Nothing is planned\..*Next week: .*Nothing is planned\./s);
    expect(await browser.evaluate(`document.getElementById('age').hidden`)).toBe(true);
    const flags = [{ ...TEAM_VIEW.flags[0]!, changes: [{ ...TEAM_VIEW.flags[0]!.changes![0]!, at: before(8) }] }];
    await show(catalogPage({ ...TEAM_VIEW, made_at: before(7), calendar: [], flags }), '#view=calendar');
    expect(await textOf('.v.on')).toMatch(/Last week: .*This week: /s);
    expect(await textOf('#age')).toContain('7 days old');
  });

  test('marks yesterday', async () => {
    const [flag] = TEAM_VIEW.flags;
    const at = new Date(Date.now() - 86_400_000).toISOString();
    const view = {
      ...TEAM_VIEW,
      made_at: new Date().toISOString(),
      flags: [{ ...flag!, changes: [{ ...flag!.changes![0]!, at }] }],
    };
    await show(catalogPage(view), '#view=changed');
    expect(await textOf('.v.on h3')).toMatch(/\(yesterday\)$/);
    expect(await textOf('.v.on .r')).toContain('by Ann Ito in git 1a2b3c4d');
  });

  test('hides what does not match in every view', async () => {
    await show(catalogPage(TEAM_VIEW));
    for (const view of VIEWS) {
      await browser.evaluate(`location.hash = 'view=${view}&q=new-prices'`);
      await until(browser, `document.getElementById('q').value === 'new-prices'`);
      await until(
        browser,
        `document.querySelectorAll('.v.on')[0] === document.querySelectorAll('.v')[${VIEWS.indexOf(view)}]`,
      );
      const text = await textOf('.v.on');
      expect(text).toContain('new-prices');
      expect(text).not.toContain('dark-mode');
    }
    await browser.evaluate(`location.hash = 'view=calendar&q=in:staging'`);
    await until(browser, `document.getElementById('q').value === 'in:staging'`);
    expect(await textOf('.v.on')).not.toContain('in production');
    expect(await textOf('.v.on')).toContain('Black Friday');
  });

  test('completes the addresses of a page that has their start once', async () => {
    const view = largeView(600);
    await show(catalogPage(view));
    const urls = await browser.evaluate<string[]>(
      `[...document.querySelectorAll('.s a, dl a')].map((one) => one.href)`,
    );
    const expected = new Set(
      view.flags.flatMap(({ states, place, code, changes }) => [
        ...states.map(({ url }) => url),
        ...[place, ...(code?.places ?? [])].map((one) => one?.url),
        // A forge finds a commit by the start of its name.
        ...(changes ?? []).map(({ url }) => url?.slice(0, url.lastIndexOf('/') + 11)),
      ]),
    );
    expect(new Set(urls.filter((url) => !url.includes('#f')))).toEqual(expected);
  });

  describe.each([
    ['markup', ATTACK],
    ['a string without a space', LONG],
    ['marks that reorder', '\u202e\u2066"\'`<b>&amp;\u200f'],
    ['an address that runs', 'javascript:window.hacked=1'],
    ['an address of a page with markup', `https://example.com/"><script>window.hacked=1</script>`],
  ])('with %s in every text', (_, text) => {
    test.each([VIEWS[0], VIEWS[1], VIEWS[2], VIEWS[3]])('runs nothing and fits, in the view %s', async (view) => {
      for (const width of [400, 1400]) {
        await show(catalogPage(hostileView(text)), `#view=${view}`, { width });
        await browser.evaluate(`for (const one of document.querySelectorAll('.v.on details')) one.open = true`);
        expect(browser.messages()).toEqual([]);
        expect(await browser.evaluate('typeof window.hacked')).toBe('undefined');
        expect(await browser.evaluate('document.scripts.length')).toBe(1);
        expect(await browser.evaluate(`document.querySelectorAll('img, [onerror], [onload], [style]').length`)).toBe(0);
        expect(
          await browser.evaluate(
            `[...document.links].filter(({ protocol }) => !/^(https?|file):$/.test(protocol)).length`,
          ),
        ).toBe(0);
        expect(await browser.evaluate(OVERFLOWING_OUTSIDE)).toEqual([]);
      }
    });

    test('opens, searches and shares a flag of this name', async () => {
      await show(catalogPage(hostileView(text)), '#view=projects', { width: 400 });
      await browser.evaluate(`document.querySelector('.v.on a[href="#f1"]').click()`);
      expect(await browser.evaluate(OVERFLOWING_OUTSIDE)).toEqual([]);
      const address = await browser.evaluate<string>('location.hash');
      await show(catalogPage(hostileView(text)), address);
      expect(await browser.evaluate(`document.querySelector('dialog details').id`)).toBe('f1');
      expect(await search(`"${text.slice(0, 5)}"`.replaceAll('"', ''))).toHaveLength(3);
      expect(browser.messages()).toEqual([]);
      expect(await browser.evaluate('typeof window.hacked')).toBe('undefined');
    });
  });

  test('runs no other script, even if a string had become one', async () => {
    await show(
      catalogPage(TEAM_VIEW).replace(
        '</main>',
        `<script>window.hacked=1</script><img src=x onerror="window.hacked=1"></main>`,
      ),
    );
    expect(await browser.evaluate('typeof window.hacked')).toBe('undefined');
    expect(browser.messages().join('\n')).toContain('Content Security Policy');
  });

  describe.each<View>([
    { width: 400, scheme: 'light' },
    { width: 400, scheme: 'dark' },
    { width: 1400, scheme: 'light' },
    { width: 1400, scheme: 'dark' },
  ])('at %j', (size) => {
    test.each(VIEWS)('is readable and fits, in the view %s', async (view) => {
      await show(catalogPage(TEAM_VIEW), `#view=${view}&q=-is:nothing`, size);
      await browser.evaluate(`location.hash = 'view=${view}'`);
      await browser.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      expect(await browser.evaluate(OVERFLOWING_OUTSIDE)).toEqual([]);
      expect(await browser.evaluate(UNREADABLE)).toEqual([]);
      expect(browser.messages()).toEqual([]);
    });
  });

  test('prints all views, with what each flag holds', async () => {
    await show(catalogPage(TEAM_VIEW), '#view=calendar', { width: 700, media: 'print' });
    expect(
      await browser.evaluate(`[...document.querySelectorAll('section.v')].map((one) => one.checkVisibility())`),
    ).toEqual([true, true, true, true]);
    const heights = `[...document.querySelectorAll('details[id] dl')].map((one) => one.getBoundingClientRect().height > 0)`;
    expect(await browser.evaluate(heights)).toEqual(TEAM_VIEW.flags.map(() => true));
    // Nothing on paper opens.
    const signs = `[...document.querySelectorAll('details[id] > summary')].map((one) => getComputedStyle(one, '::before').content)`;
    expect(await browser.evaluate(signs)).toEqual(TEAM_VIEW.flags.map(() => 'none'));
    expect(await browser.evaluate(OVERFLOWING)).toEqual([]);
    expect(await browser.evaluate(UNREADABLE)).toEqual([]);
  });

  test('searches 2,000 flags, and prints how long that takes', async () => {
    const amount = 2000;
    await show(catalogPage(largeView(amount)));
    const paint = await browser.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`,
    );
    const ready = await browser.evaluate<number>(
      `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`,
    );
    const lines = [`first paint ${paint.toFixed(0)} ms, ready ${ready.toFixed(0)} ms`];
    for (const view of VIEWS) {
      await browser.evaluate(`location.hash = 'view=${view}'`);
      await until(
        browser,
        `document.querySelectorAll('.v.on')[0] === document.querySelectorAll('.v')[${VIEWS.indexOf(view)}]`,
      );
      for (const query of view === 'live' ? ['checkout', 'is:on in:staging -tag:experiment'] : ['checkout']) {
        // The median of three; between them nothing matches.
        const [found, laidOut] = await browser.evaluate<[number, number]>(`(() => {
          const q = document.getElementById('q');
          const times = Array.from({ length: 3 }, () => {
            ${SEARCH}('zz');
            document.body.offsetHeight;
            q.value = ${JSON.stringify(query)};
            const start = performance.now();
            q.dispatchEvent(new Event('input', { bubbles: true }));
            const found = performance.now();
            document.body.offsetHeight;
            return [found - start, performance.now() - found];
          });
          return [0, 1].map((at) => times.map((one) => one[at]).sort((a, b) => a - b)[1]);
        })()`);
        lines.push(`${view}, "${query}": ${found.toFixed(1)} ms, layout ${laidOut.toFixed(1)} ms`);
      }
    }
    process.stdout.write(`catalogue of 2,000 flags\n  ${lines.join('\n  ')}\n`);
    await browser.evaluate(`location.hash = 'view=live'`);
    await until(browser, `document.querySelector('.v').classList.contains('on')`);
    expect(await search('checkout')).toHaveLength(
      largeView(amount).flags.filter((flag) => isFound(flag, [{ name: 'word', isNegative: false, value: 'checkout' }]))
        .length,
    );
  });
});

/** Waits for what an event brings. */
async function until(browser: Browser, condition: string): Promise<void> {
  await expect.poll(async () => browser.evaluate(condition)).toBe(true);
}

/** Returns the keys that are left. */
const SEARCH = `((query) => { const q = document.getElementById('q'); q.value = query;
  q.dispatchEvent(new Event('input', { bubbles: true }));
  return [...document.querySelectorAll('details[id]')].filter((one) => !one.hidden).map((one) => one.querySelector('b').textContent).sort(); })`;

const VISIBLE_VIEWS = `[...document.querySelectorAll('section.v')].flatMap((one, index) => one.checkVisibility() ? [index] : [])`;

const OPEN_FLAGS = `[...document.querySelectorAll('details[id][open]')].filter((one) => one.checkVisibility()).map((one) => one.querySelector('b').textContent)`;

/** The table of projects may be wider than its box. */
const OVERFLOWING_OUTSIDE = `(() => { const box = document.querySelector('.wide'); box.style.overflow = 'hidden';
  box.style.height = '10px'; for (const one of box.children) one.remove(); const found = ${OVERFLOWING}; return found.filter((one) => !one.startsWith('<div class="wide"')); })()`;

const FOCUS_SHOWN = `(() => { const one = document.activeElement; const shown = one.type === 'radio' ? document.querySelector('label[for=' + one.id + ']') : one;
  return getComputedStyle(shown).outlineStyle !== 'none' && parseFloat(getComputedStyle(shown).outlineWidth) >= 2; })()`;

/** A term as its parts: what is expected is computed from these, and not from the text. */
interface TestTerm {
  readonly name: 'word' | 'in' | 'is' | 'owner' | 'tag' | 'expires';
  readonly isNegative: boolean;
  readonly value: string;
}

const anyTerm: fc.Arbitrary<TestTerm> = fc
  .oneof(
    fc.record({
      name: fc.constant('word' as const),
      value: fc.constantFrom('germany', 'NEW', 'plan beta', 'growth', 'ärger', 'checkout-1', 'zz', 'two words'),
    }),
    fc.record({ name: fc.constant('in' as const), value: fc.constantFrom('prod', 'staging', 'Dev') }),
    fc.record({
      name: fc.constant('is' as const),
      value: fc.constantFrom(
        'on',
        'pending',
        'drifted',
        'differs',
        'in_sync',
        'unmanaged',
        'unread',
        'stale',
        'waiting',
        ...CATALOG_WORDS,
      ),
    }),
    fc.record({ name: fc.constant('owner' as const), value: fc.constantFrom('growth', 'Team Web', 'acme', 'none') }),
    fc.record({ name: fc.constant('tag' as const), value: fc.constantFrom('checkout', 'beta', 'two words', 'check') }),
    fc.record({ name: fc.constant('expires' as const), value: fc.constantFrom('0d', '7d', '30d', '1w', '5w') }),
  )
  .chain((term) => fc.boolean().map((isNegative) => ({ ...term, isNegative })));

function termText({ name, isNegative, value }: TestTerm): string {
  const text = value.includes(' ') ? `"${value}"` : value;
  return `${isNegative ? '-' : ''}${name === 'word' ? '' : `${name}:`}${text}`;
}

/** What the page says of its query language, of the view itself. */
function isFound(flag: CatalogFlagView, terms: readonly TestTerm[]): boolean {
  const has = (name: TestTerm['name']): readonly TestTerm[] =>
    terms.filter((term) => term.name === name && !term.isNegative);
  const seeksMissing = has('is').some(({ value }) => value === 'missing');
  const isThere = ({ word, standing }: CatalogStateView): boolean =>
    seeksMissing || word !== 'missing' || standing === 'pending' || standing === 'both';
  const places = flag.states.filter((state) =>
    has('in').every(({ value }) => value === state.project && isThere(state)),
  );
  const isSo = (state: CatalogStateView, { name, value }: TestTerm): boolean => {
    const lower = value.toLowerCase();
    switch (name) {
      case 'word': {
        const people = (flag.answers ?? []).filter(
          (one) => one.project === state.project && !['off', 'not known'].includes(one.value),
        );
        const texts = [flag.key, flag.description, flag.owner?.name, state.who, ...(flag.tags ?? [])];
        return [...texts, ...people.map(({ person }) => person)].some((text = '') =>
          lower.length > 2
            ? text.toLowerCase().includes(lower)
            : ` ${text.toLowerCase()} `.split(lower).some((part, at, all) => {
                const next = all[at + 1];
                return next !== undefined && !/[\p{L}\p{N}]$/u.test(part) && !/^[\p{L}\p{N}]/u.test(next);
              }),
        );
      }
      case 'is':
        return isOf(flag, state, value);
      case 'owner':
        return value === 'none' ? flag.owner === undefined : flag.owner?.name.toLowerCase().includes(lower) === true;
      case 'tag':
        return flag.tags?.some((tag) => tag.toLowerCase() === lower) === true;
      case 'expires': {
        const days = Number.parseInt(value, 10) * (value.endsWith('w') ? 7 : 1);
        return flag.expires !== undefined && Date.parse(flag.expires) <= Date.parse('2026-11-25') + days * 86_400_000;
      }
      case 'in':
        return true;
    }
  };
  const [wanted, unwanted] = [terms.filter((term) => !term.isNegative), terms.filter((term) => term.isNegative)];
  return (
    places.some((state) => wanted.every((term) => isSo(state, term))) &&
    unwanted.every((term) =>
      term.name === 'in'
        ? !flag.states.some((state) => state.project === term.value && isThere(state))
        : !places.some((state) => isSo(state, term)),
    )
  );
}

function isOf(
  { removal }: CatalogFlagView,
  { word, standing, rollouts = [], requests = [] }: CatalogStateView,
  value: string,
): boolean {
  switch (value) {
    case 'on':
      return ['some', 'all', 'split'].includes(word);
    case 'pending':
    case 'drifted':
      return standing === value || standing === 'both';
    case 'stale':
      return removal !== undefined;
    case 'waiting':
      return rollouts.some((one) => 'waits' in one) || requests.some(({ state }) => state === 'open');
    default:
      return word === value || standing === value;
  }
}
