/** The documentation site: each page has one place, and the built site works in a real browser. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { glob } from 'tinyglobby';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLinks, withLinksOfSite } from '../../site/links.mjs';
import { PAGES, addressOf, anchorOf, titleOf } from '../../site/pages.mjs';
import { CHROMIUM, openBrowser, type Browser, type View } from '../helpers/browser.ts';
import { until } from '../helpers/until.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'site/dist');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

describe('the table of pages', () => {
  test('has a place for each page of docs and of the examples, and one title for each', async () => {
    const found = await glob(['docs/**/*.md', 'examples/**/README.md'], { cwd: ROOT });
    const root = ['README.md', 'UPGRADING.md', 'CHANGELOG.md'];
    expect(PAGES.toSorted()).toEqual([...found, ...root].toSorted());
    expect(new Set(PAGES.map((file) => titleOf(read(file)))).size).toBe(PAGES.length);
    expect(new Set(PAGES.map(addressOf)).size).toBe(PAGES.length);
  });

  test('has each address that messages and templates name', async () => {
    const files = await glob(['src/**/*.ts', 'templates/*'], { cwd: ROOT });
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/https:\/\/flagwright\.dev(\/[a-z/-]+)/g)].map(([, address = '']) => address),
    );
    expect(named).toContain('/exceptions');
    expect(named.filter((one) => !one.startsWith('/schemas/') && !PAGES.map(addressOf).includes(one))).toEqual([]);
  });
});

describe('a link', () => {
  const site = { root: ROOT, source: 'https://forge.example/blob/v1', base: '/v1/' };
  test.each([
    ['docs/base.md', 'clicks.md#git', '/clicks#git'],
    ['docs/base.md', '../examples/ci', '/examples/ci/'],
    ['README.md', 'docs/base.md', '/base'],
    ['docs/base.md', '../README.md', '/start'],
    ['docs/base.md', '../schemas/plan.schema.json', '/v1/schemas/plan.schema.json'],
    ['examples/ci/README.md', '../../action.yml', 'https://forge.example/blob/v1/action.yml'],
    ['docs/reviewing.md', 'img/review-page.png', '/docs/img/review-page.png'],
    ['docs/base.md', 'https://example.org/a.md', 'https://example.org/a.md'],
    ['docs/base.md', '#here', '#here'],
  ])('of %s to %s is %s', (file, link, expected) => {
    expect(withLinksOfSite(`[a](${link})`, { ...site, file })).toBe(`[a](${expected})`);
  });

  test('in a block of code stays, and one to a file that is missing ends the build', () => {
    const code = '```yaml\n# [a](b.md)\n```';
    expect(withLinksOfSite(code, { ...site, file: 'docs/base.md' })).toBe(code);
    expect(() => withLinksOfSite('[a](gone.md)', { ...site, file: 'docs/base.md' })).toThrow(
      'docs/base.md: the link to gone.md',
    );
  });

  test('to a heading or a page that is missing is found', () => {
    const pages = new Map([
      [
        '/a',
        '<h2 id="one"></h2><a href="/v1/b#two">x</a><a href="/v1/b#none">x</a><a href="#one">x</a><a href="#no">x</a>',
      ],
      ['/b', '<h2 id="two"></h2><a href="/v1/c">x</a><a href="/v1/a.json">x</a><a href="https://example.org">x</a>'],
    ]);
    expect(deadLinks(pages, '/v1/', (file: string) => file === '/a.json')).toEqual([
      '/a: /v1/b#none',
      '/a: #no',
      '/b: /v1/c',
    ]);
  });
});

describe.runIf(existsSync(path.join(ROOT, 'site/node_modules/vitepress')))('the built site', () => {
  const server = createServer((request, response) => {
    const file = fileOf(request.url ?? '/');
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[path.extname(file ?? '')] ?? 'text/plain',
    });
    response.end(file === undefined ? '' : readFileSync(file));
  });
  let origin = '';
  beforeAll(async () => {
    const { status, stderr } = spawnSync(process.execPath, ['site/build.mjs'], { cwd: ROOT, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  test('has every page, and every schema at its address', async () => {
    for (const file of PAGES) expect((await fetch(origin + addressOf(file))).status, file).toBe(200);
    for (const file of await glob('schemas/*.json', { cwd: ROOT }))
      expect(await (await fetch(`${origin}/${file}`)).text(), file).toBe(read(file));
  });

  test('has an overview and all pages in one file for programs that read them', async () => {
    const overview = await (await fetch(`${origin}/llms.txt`)).text();
    expect(overview).toMatch(/^# flagwright \d+\.\d+\.\d+\n\n> /);
    for (const file of PAGES)
      expect(overview).toContain(`- [${titleOf(read(file))}](https://flagwright.dev${addressOf(file)})\n`);
    const all = await (await fetch(`${origin}/llms-full.txt`)).text();
    for (const file of PAGES) expect(all).toContain(read(file));
  });

  describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser(CHROMIUM ?? '');
    });
    afterAll(() => browser.close());

    const VIEWS: readonly View[] = [400, 1400].flatMap((width) =>
      (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
    );
    const open = async (address: string, view: View): Promise<void> => {
      await browser.open(origin + address, view);
      await until(async () =>
        expect(await browser.evaluate("document.querySelector('#app')?.__vue_app__ !== undefined")).toBe(true),
      );
    };

    test.each(VIEWS)(
      'at $width pixels and in $scheme, pages fit, are readable and say nothing to the console',
      async (view) => {
        for (const address of ['/', '/start', '/commands', '/policies', '/examples/ci/']) {
          await open(address, view);
          expect(
            await browser.evaluate('document.documentElement.scrollWidth - innerWidth'),
            address,
          ).toBeLessThanOrEqual(0);
          expect(await browser.evaluate("document.documentElement.classList.contains('dark')")).toBe(
            view.scheme === 'dark',
          );
          expect(await browser.evaluate("document.querySelector('h1').getBoundingClientRect().width > 0")).toBe(true);
          expect(browser.messages(), address).toEqual([]);
        }
      },
    );

    test.each([400, 1400])('at %i pixels, code in a quote stays inside the quote', async (width) => {
      await open('/start', { width });
      const sticksOut = `[...document.querySelectorAll('.vp-doc blockquote div[class*=language-]')].map((code) => {
        const [inner, outer] = [code, code.closest('blockquote')].map((one) => one.getBoundingClientRect());
        return inner.left < outer.left || inner.right > outer.right;
      })`;
      expect(await browser.evaluate(sticksOut)).toEqual([false]);
    });

    test.each([400, 1400])('at %i pixels, the landing page shows the picture and the commands', async (width) => {
      await open('/', { width });
      await until(async () =>
        expect(await browser.evaluate("document.querySelector('.front img').naturalWidth")).toBeGreaterThan(0),
      );
      const widths = "[...document.querySelectorAll('.front img, .front pre')].map((one) => one.clientWidth)";
      for (const found of await browser.evaluate<number[]>(widths)) expect(found).toBeGreaterThan(width * 0.35);
      const text = await browser.evaluate("document.querySelector('.front').textContent");
      for (const words of ['It keeps no state file', 'npm run demo', 'npm test']) expect(text).toContain(words);
    });

    test.each(VIEWS)('at $width pixels and in $scheme, the search finds a page, which opens', async (view) => {
      await open('/glossary', view);
      await browser.evaluate("document.querySelector('.DocSearch-Button').click()");
      await until(async () =>
        expect(await browser.evaluate("document.querySelector('#localsearch-input') !== null")).toBe(true),
      );
      await browser.evaluate(`{
        const input = document.querySelector('#localsearch-input');
        input.value = 'max-widen';
        input.dispatchEvent(new Event('input'));
      }`);
      const found = "[...document.querySelectorAll('.VPLocalSearchBox a.result')].map((a) => a.getAttribute('href'))";
      await until(async () =>
        expect(await browser.evaluate<string[]>(found)).toContainEqual(
          expect.stringMatching(/^\/policies#.*max-widen/),
        ),
      );
      await browser.evaluate(`document.querySelector('.VPLocalSearchBox a.result[href^="/policies#"]').click()`);
      await until(async () => expect(await browser.evaluate('location.pathname')).toBe('/policies'));
      expect(browser.messages()).toEqual([]);
    });

    test('the page says its version, and the sidebar leads to every page', async () => {
      await open('/start', { width: 1400 });
      expect(await browser.evaluate("document.querySelector('.VPNavBar').textContent")).toContain(
        `v${JSON.parse(read('package.json')).version}`,
      );
      const links = await browser.evaluate<string[]>(
        "[...document.querySelectorAll('.VPSidebar a')].map((a) => a.getAttribute('href'))",
      );
      expect(links).toEqual(PAGES.map(addressOf));
    });

    test('a heading of a page is where a link of the repository leads', async () => {
      const [, heading = ''] = /^## (.+)$/m.exec(read('docs/safety.md')) ?? [];
      await open(`/safety#${anchorOf(heading)}`, { width: 1400 });
      expect(await browser.evaluate(`document.getElementById(${JSON.stringify(anchorOf(heading))})?.tagName`)).toBe(
        'H2',
      );
    });
  });
});

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** As hosts of static sites do it: `/base` is base.html. */
function fileOf(url: string): string | undefined {
  const name = new URL(url, 'http://127.0.0.1').pathname;
  const candidates = [name, `${name}.html`, `${name}index.html`].map((file) => path.join(DIST, file));
  return candidates.find((file) => path.extname(file) !== '' && existsSync(file));
}
