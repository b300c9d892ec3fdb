/** The reports of a plan with many refusals, by the real command over HTTP: what several flags have in common is said once, and named everywhere. */

// @module-tag untimely
import { expect, onTestFinished, test } from 'vitest';
import { CHROMIUM } from '../helpers/browser.ts';
import { startBusyProject, type BusyProject } from '../helpers/busy-project.ts';
import { checkPicture } from '../helpers/pictures.ts';
import { elementsOf, parseXml, textOf } from '../helpers/xml.ts';

const start = async (): Promise<BusyProject> => startBusyProject(onTestFinished);

/** Without what marks code. */
const plain = (text: string): string => text.replaceAll('`', '').replaceAll('%25', '%');

test('every format says once what a rule says of several flags, and names each flag with its line', async () => {
  const { run } = await start();
  const plan = (await run('plan', '-f', 'json')).document() as {
    readonly broken_rules: readonly {
      rule: string;
      key: string;
      refuses: boolean;
      place: { file: string; line: number; column: number };
    }[];
  };
  const frozen = plan.broken_rules.filter(({ rule }) => rule === 'freeze');
  expect(frozen).toHaveLength(21);
  const page = textOf(parseXml((await run('plan', '-f', 'html')).stdout));
  const texts = {
    html: page,
    ...Object.fromEntries(
      await Promise.all(
        ['text', 'markdown', 'github'].map(async (format) => [format, plain((await run('plan', '-f', format)).stdout)]),
      ),
    ),
  } as Record<string, string>;
  for (const [format, text] of Object.entries(texts)) {
    const [before = '', said = '', ...others] = text.split('Each of these 21 flags changes at a forbidden time');
    expect({ format, others, isRepeated: before.includes('at a forbidden time') }).toEqual({
      format,
      others: [],
      isRepeated: false,
    });
    for (const { key, place } of frozen) expect(said).toContain(`${key} ${place.file}:${place.line}:${place.column}`);
    expect(text.split('Each of these 7 flags turns on for 50%')).toHaveLength(2);
  }
  for (const format of ['text', 'markdown', 'html']) {
    const text = texts[format] ?? '';
    // One remedy and one source for each rule.
    expect(text.split('Change the manifests, or get an exception')).toHaveLength(3);
    expect(text).toContain('max-widen refuses 17 flags.');
    expect(text).toContain('flagwright accept search-box shop-de -p production');
  }
});

test('a comment names the flags that lose people even if all changes are folded, and groups edits by person', async () => {
  const { run } = await start();
  const { stdout } = await run('plan', '-f', 'markdown');
  const [top = ''] = stdout.split('<details>');
  expect(top).toMatch(
    /\bEffects: 1 opaque \(`recommendations`\), 1 kill \(`login-form`\), 2 delete \(`old-banner`, `old-footer`\), 1 re-bucket \(`chat-window`\), /,
  );
  expect(top.indexOf('**✗ Apply would refuse this plan (exit code 4)**')).toBeLessThan(top.indexOf('**Plan: '));
  const [, authors = ''] = top.split('**Changed in the service**');
  expect(authors.split('`ann@example.org`')).toHaveLength(2);
  expect(authors).toMatch(
    /^- `ann@example\.org`\n(?: {2}- .*\n)* {2}- \[`new-checkout`\]\(.*\n(?: {2}- .*\n)* {2}- \[`search-box`\]\(/m,
  );
  expect(authors).toMatch(/^- `bob@example\.org`\n {2}- \[`shop-de`\]\(/m);
});

test.each(['plan', 'drift', 'apply'])('the JUnit cases of %s keep their names between runs', async (command) => {
  const { run, nextHour } = await start();
  const names = async (): Promise<string[]> => {
    const { stdout } = await run(command, '-f', 'junit', ...(command === 'apply' ? ['--yes'] : []));
    return elementsOf(parseXml(stdout), 'testcase').map(
      ({ attributes }) => `${attributes['classname']} ${attributes['name']}`,
    );
  };
  const before = await names();
  nextHour();
  expect(before.length).toBeGreaterThan(30);
  expect(await names()).toEqual(before);
  expect(new Set(before).size).toBe(before.length);
  expect(before.filter((name) => /\d%|\d{4}-\d\d|\d+ (?:to|flags?)/.test(name))).toEqual([]);
});

test.skipIf(CHROMIUM === undefined)('the documentation has a picture of the page', async () => {
  const { run } = await start();
  const html = (await run('plan', '--impact', '-f', 'html')).stdout;
  await checkPicture('refused-plan.png', { html, width: 900, height: 1300, scheme: 'dark' });
});
