// Builds the documentation site from the pages of the repository: site/dist, with the schemas, llms.txt and llms-full.txt.
// With --base /v0.1/ for another place than the top of its origin.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { deadLinks, withLinksOfSite } from './links.mjs';
import { GROUPS, PAGES, addressOf, titleOf } from './pages.mjs';

const SITE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(SITE, '..');
const { version, homepage, description, bugs } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const option = process.argv.indexOf('--base');
const base = option === -1 ? '/' : process.argv[option + 1];
const source = `${bugs.replace(/\/issues$/, '')}/blob/v${version}`;

rmSync(join(SITE, 'pages'), { recursive: true, force: true });
for (const file of PAGES) write(`${place(file)}.md`, forSite(file));
write('index.md', landing());
cpSync(join(ROOT, 'docs/img'), join(SITE, 'pages/docs/img'), { recursive: true });
for (const file of readdirSync(join(ROOT, 'schemas')))
  if (file.endsWith('.json')) write(`public/schemas/${file}`, read(`schemas/${file}`));
write('public/llms.txt', overview());
write('public/llms-full.txt', PAGES.map((file) => `<!-- ${address(file)} -->\n\n${read(file)}`).join('\n\n'));
await build(SITE, { base });
refuseDeadLinks();

function read(file) {
  return readFileSync(join(ROOT, file), 'utf8');
}

function write(file, text) {
  mkdirSync(dirname(join(SITE, 'pages', file)), { recursive: true });
  writeFileSync(join(SITE, 'pages', file), text);
}

function forSite(file, text = read(file)) {
  return withLinksOfSite(text, { file, root: ROOT, source, base });
}

/** The README's first paragraph and its section `Try it` are there too, so that each is written once. */
function landing() {
  const [, sentences, commands] = /^# [^\n]+\n\n(.+?)\n\n.*?^## Try it\n\n(.+?)\n\n## /ms.exec(read('README.md'));
  return forSite('site/landing.md')
    .replace('<!-- README: what and why -->', () => forSite('README.md', sentences))
    .replace('<!-- README: Try it -->', () => forSite('README.md', commands));
}

/** The file of a page in the site, without its ending. */
function place(file) {
  const at = addressOf(file).slice(1);
  return at === '' || at.endsWith('/') ? `${at}index` : at;
}

function address(file) {
  return `${homepage}${base.slice(0, -1)}${addressOf(file)}`;
}

/** As llmstxt.org describes it: the name, one sentence, and lists of pages. */
function overview() {
  const groups = GROUPS.map(({ title, pages }) => {
    const lines = pages.map((file) => `- [${titleOf(read(file))}](${address(file)})`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const all = `All pages in one file: ${homepage}${base}llms-full.txt`;
  return `# flagwright ${version}\n\n> ${description}\n\n${all}\n\n${groups.join('\n\n')}\n`;
}

function refuseDeadLinks() {
  const html = (file) => readFileSync(join(SITE, 'dist', `${place(file)}.html`), 'utf8');
  const pages = new Map(PAGES.map((file) => [addressOf(file), html(file)]));
  pages.set('/', readFileSync(join(SITE, 'dist/index.html'), 'utf8'));
  const dead = deadLinks(pages, base, (path) => existsSync(join(SITE, 'dist', path)));
  if (dead.length === 0) return;
  process.stderr.write(`Links that lead nowhere:\n${dead.join('\n')}\n`);
  process.exit(1);
}
