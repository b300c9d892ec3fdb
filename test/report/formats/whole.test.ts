/** What the text of a report says, its page and its Markdown say too: nobody has to run the command to learn the rest. */

import { describe, expect, test } from 'vitest';
import { render } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { parseXml, textOf } from '../../helpers/xml.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from '../full-samples.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { VIEW } from '../samples.ts';

const REPORTS: readonly Report[] = [
  FULL_PLAN,
  FULL_DRIFT,
  FULL_UNDO,
  FULL_RESULT,
  FULL_VALIDATION,
  sampleOf('nothing'),
  sampleOf('test'),
  sampleOf('failure'),
];

/** The words of a text without what only lays them out. */
const wordsOf = (text: string): string => text.replaceAll(BY, ' ').replaceAll(/[\s`*•…]+|\\u003a|:/g, '');

/** Markdown says who did it above what they did, and which field it was beside its flag. */
const BY = /(?:\S+: )?(?=changed )|(?<=changed)(?: by \S+)(?= on )/g;

async function linesOf(report: Report): Promise<readonly string[]> {
  const text = (await render(report, 'text', VIEW)) as string;
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^(?:error|warning|lifted) {2}|^[→~↺»«] |\.$/g, ''))
    .filter((line) => line !== '' && !LAID_OUT.some((pattern) => pattern.test(line)));
}

/** Lines whose words another format has in an order of its own. */
const LAID_OUT: readonly RegExp[] = [
  // The project, which is a heading there.
  /^[\w -]+ \S+ \((?:https:|embedded)/,
  /^::error/,
  /\(::error/,
  /^Nothing to resume in/,
  // Headings.
  /:$/,
  /; --verbose lists (?:it|them)$/,
  // The project of the rules is beside them.
  /^Broken rules: /,
];

describe.each(REPORTS)('$kind', (report) => {
  test('the page has every line of the text', async () => {
    const page = wordsOf(textOf(parseXml((await render(report, 'html', VIEW)) as string)));
    expect((await linesOf(report)).filter((line) => !page.includes(wordsOf(line)))).toEqual([]);
  });

  test('the Markdown has every line of the text', async () => {
    const markdown = wordsOf((await render(report, 'markdown', { ...VIEW, documentLimit: 1_000_000 })) as string);
    expect((await linesOf(report)).filter((line) => !markdown.includes(wordsOf(line)))).toEqual([]);
  });
});
