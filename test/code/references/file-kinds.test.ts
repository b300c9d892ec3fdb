/** What files are: which are code, in which a key is a mention alone, and which are of flagwright. */

import { catalogReportPage } from '../../../src/report/formats/html/catalog/page.ts';
import { catalogSample } from '../../report/samples-of-catalog.ts';
import { expect, test } from 'vitest';
import { readCode } from '../../../src/code/references/code-text.ts';
import { kindOfFile, type FileKind } from '../../../src/code/references/file-kinds.ts';
import { formsIn } from './support.ts';

test.each<[FileKind, readonly string[]]>([
  ['lock', ['package-lock.json', 'web/pnpm-lock.yaml', '.pnp.cjs', 'go.sum', 'dist/app.js.map']],
  [
    'own',
    ['flagwright.yaml', 'apps/web/flagwright.yml', '.flagwright/journal/20261128.jsonl', 'a/.flagwright/local.db'],
  ],
  ['documentation', ['README', 'docs/flags.md', 'LICENSE.txt', 'a.rst']],
  ['text', ['notes.txt', 'a.mdx', 'site.css', 'logo.svg', 'run.log', 'flags.csv', '__snapshots__/a.test.ts.snap']],
  ['text', ['po/de.po', 'app_en.arb', 'en.lproj/Localizable.strings', 'Texts.de.resx', 'messages.en.xlf']],
  ['text', ['src/locales/en/common.json', 'config/locales/de.yml', 'i18n/en.json5', '_locales/en/messages.json']],
  ['text', ['public/de.json', 'a/pt-BR.json', 'zh_Hant.yaml', 'messages_en.properties', 'res/values/strings.xml']],
  ['text', ['devise.en.yml', 'web/translations.json', 'lang/x.json', 'web/translations-de.json']],
  [
    'data',
    ['src/locales/en.ts', 'i18n/pt_BR.js', 'package.json', 'deploy/values.yaml', '.env.local', 'a.plist', 'pom.xml'],
  ],
  ['data', ['config/ui.json', 'events.jsonl', 'db.ini']],
  [
    'code',
    [
      'src/i18n/index.ts',
      'locales/load.py',
      'a.html',
      'a.vue',
      'seed.sql',
      'a.ipynb',
      'my-package-lock.json.ts',
      'app.map',
    ],
  ],
  ['code', ['Dockerfile', 'tools/run', '.flagwright/a.ts', 'src/messages.ts']],
])('%s: %s', (kind, files) => {
  expect(files.map((file) => [file, kindOfFile(file)])).toEqual(files.map((file) => [file, kind]));
});

/** Keys in a file, and the places at which code reads one for certain. */
test.each<[string, string, readonly string[]]>([
  ['src/locales/en.json', '{ "flags": { "new-checkout": "Flag" } }', []],
  ['src/locales/en.ts', `export default { 'new-checkout': 'New checkout' };`, []],
  ['src/locales/en.ts', `text(isFeatureEnabled('new-checkout'));`, ['1:24']],
  ['config/locales/de.yml', 'de:\n  new-checkout: Neue Kasse', []],
  ['src/text.json', '{ "new-checkout": "New checkout" }', []],
  ['src/text.json', '{\n  "pages": {\n    "new-checkout": "New checkout"\n  }\n}', []],
  ['a.yaml', 'title: new-checkout', []],
  ['a.xml', '<page>new-checkout</page>', []],
  ['a.toml', '[new-checkout]', []],
  ['.env', 'PAGE=new-checkout', []],
  // The place, what it is in, or the file says that it is about flags.
  ['a.json', '{ "flag": "new-checkout" }', ['1:12']],
  ['a.json', '{\n  "featureFlags": [\n    "search",\n    "new-checkout"\n  ]\n}', ['4:6']],
  ['a.yaml', 'flags:\n  web:\n    - new-checkout', ['3:7']],
  ['a.yaml', 'flags:\n- new-checkout', ['2:3']],
  ['a.json', '{ "new-checkout": "The flag of the page" }', []],
  ['a.yaml', 'flags:\n- x\npages:\n- new-checkout', []],
  ['a.yaml', 'flags:\n  web: x\npages:\n  - new-checkout', []],
  ['a.toml', '[feature-flags]\nnew-checkout = true', ['2:1']],
  ['a.toml', '[feature-flags]\nweb = true\n[pages]\nnew-checkout = true', []],
  ['.env', 'FLAG=new-checkout', ['1:6']],
  ['config/flags.json', '["new-checkout"]', ['1:3']],
  ['feature-flags/web.yaml', '- new-checkout', ['1:3']],
  ['a.json', `{ "run": "node -e \\"isFeatureEnabled('new-checkout')\\"" }`, ['1:39']],
  // A page is code: its content is text, its attributes are not.
  ['a.html', '<code>new-checkout</code>', []],
  ['a.html', '<div flag="new-checkout"></div>', ['1:12']],
  ['a.csv', 'key\n"new-checkout"', []],
])('%s: %j reads at %j', (file, text, places) => {
  const found = formsIn(text, { keys: ['new-checkout'], file });
  expect(found.length).toBeGreaterThan(0);
  const certain = found.filter((form) => !form.endsWith('?'));
  expect(certain.map((form) => form.split(' ')[0])).toEqual(places);
});

const PAGE =
  '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<meta name="generator" content="flagwright"/>\n</head>\n<body>new-checkout</body></html>\n';
const CATALOG = catalogReportPage(catalogSample('new-checkout'));
const MANIFEST = 'flags:\n  new-checkout:\n    active: true\n    rollout_percentage: 50\n';

test.each<[string, string, string]>([
  ['a page', 'report.html', PAGE],
  ['the page of the catalog', 'flags.html', CATALOG],
  [
    'a report of JUnit',
    'report.xml',
    '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="flagwright" tests="1">',
  ],
  ['a report of SARIF', 'r.json', '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[]}'],
  ['a report for GitLab', 'r.json', '[\n  {\n    "description": "x",\n    "check_name": "read_by_code"\n  }\n]'],
  ['a journal', 'journal.jsonl', '{"kind":"begun","format_version":"1.0","run":"a"}\n{"kind":"ended"}\n'],
  ['a seed', 'seed.json', '{"project_id":"1","flags":[{"key":"new-checkout","active":true}],"persons":[]}'],
  ['a seed of flags alone', 'seed.json', '[{"key":"new-checkout","active":true,"filters":{}}]'],
  [
    'a list of flags of the service',
    'seed.json',
    '{"count":1,"next":null,"previous":null,"results":[{"key":"new-checkout","filters":{}}]}',
  ],
  ['a manifest', 'a.yaml', MANIFEST],
  ['a manifest with a heading', 'a.yml', `# Checkout\n---\n${MANIFEST}cohorts: {}\n`],
  ['a manifest in brackets', 'a.yaml', 'flags: { new-checkout: { active: true } }\n'],
  [
    'a file with a schema',
    'a.yaml',
    '# yaml-language-server: $schema=https://flagwright.dev/schemas/tests.schema.json\ntests: []\n',
  ],
  [
    'a file with a schema of a folder',
    'a.yaml',
    '# yaml-language-server: $schema=../node_modules/flagwright/schemas/manifest.schema.json\nx: 1\n',
  ],
])('%s is of flagwright, and is not searched', (_what, file, text) => {
  expect(readCode(Buffer.from(text), file)).toEqual({ kind: 'generated' });
});

test.each<[string, string, string]>([
  [
    'a page with a script',
    'a.html',
    PAGE.replace('</body>', `<script>isFeatureEnabled('new-checkout')</script></body>`),
  ],
  [
    'the page of the catalog with a second script',
    'a.html',
    `${CATALOG}<script>isFeatureEnabled('new-checkout')</script>`,
  ],
  [
    'the page of the catalog with another policy',
    'a.html',
    CATALOG.replace("default-src 'none'", "default-src 'self'"),
  ],
  ['a page of another program', 'a.html', PAGE.replace('flagwright', 'hugo')],
  ['a list of flags to read', 'a.yaml', 'flags:\n  - new-checkout\n'],
  ['flags of an application', 'a.yaml', 'flags: { new-checkout: true }\n'],
  ['a manifest beside something else', 'a.yaml', `${MANIFEST}server: { port: 1 }\n`],
  ['an object with flags beside something else', 'a.json', '{"flags":[{"key":"new-checkout"}],"port":1}'],
  ['a list of strings', 'a.json', '["new-checkout"]'],
  ['a report of tests of another program', 'a.xml', '<testsuites name="jest"><testcase name="new-checkout"/>'],
  ['code that begins like a seed', 'a.ts', '[{"key":"new-checkout","filters":{}}].map(read)'],
])('%s is searched', (_what, file, text) => {
  expect(readCode(Buffer.from(text), file)).toMatchObject({ kind: 'code' });
});
