/** What the text of a report warns of, each format that shows remarks says too: nobody reads only the terminal. */

import { describe, expect, test } from 'vitest';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Report } from '../../../src/report/report.ts';
import { PLAIN } from '../../../src/report/view.ts';
import { hazardText } from '../../../src/report/words/rules.ts';
import { warningText } from '../../../src/report/words/warnings.ts';
import { SENTENCES } from '../../helpers/readers.ts';
import { HAZARDS, WARNINGS } from '../../posthog/samples-of-codes.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from '../full-samples.ts';
import { EMPTY_PLAN, VIEW } from '../samples.ts';

const FORMATS = ['github', 'gitlab', 'sarif', 'junit'] as const;

async function saidIn(format: (typeof FORMATS)[number], report: Report): Promise<string> {
  const text = RENDERERS[format].seal((await render(report, format, VIEW)) as string);
  return SENTENCES[format](text).join('\n');
}

describe.each(FORMATS)('%s', (format) => {
  test.each(Object.values(WARNINGS))('has the warning $code', async (warning) => {
    const plan = { ...EMPTY_PLAN, warnings: [warning] };
    expect(await saidIn(format, { kind: 'plan', plan })).toContain(warningText(warning));
  });

  test.each(Object.values(HAZARDS))('has the hazard $code, also where it is overridden', async (hazard) => {
    const refused = { ...EMPTY_PLAN, hazards: [hazard] };
    const overridden = { ...EMPTY_PLAN, lifted: [{ hazard, by: { by: 'option', option: '--override' } as const }] };
    for (const plan of [refused, overridden])
      expect(await saidIn(format, { kind: 'plan', plan })).toContain(hazardText(hazard));
  });

  test.each([
    ['plan', FULL_PLAN, 25],
    ['drift', FULL_DRIFT, 5],
    ['undo', FULL_UNDO, 20],
    ['result', FULL_RESULT, 0],
    ['result that was not verified', { ...FULL_RESULT, result: { ...FULL_RESULT.result, verified: false } }, 1],
    ['validation', FULL_VALIDATION, 1],
  ])('has every line that warns in the text of a %s', async (_, report, atLeast) => {
    const said = wordsOf(await saidIn(format, report));
    const warned = await warnedIn(report);
    expect(warned.length).toBeGreaterThanOrEqual(atLeast);
    expect(warned.filter((line) => !said.includes(wordsOf(line)))).toEqual([]);
  });
});

/** The lines that begin in the colour of a warning; the lines below a heading of that colour are among the hazards. */
async function warnedIn(report: Report): Promise<readonly string[]> {
  const palette = { ...PLAIN, warning: (text: string) => `⚠${text}` };
  const text = (await render(report, 'text', { ...VIEW, palette, verbose: true })) as string;
  return text.split('\n').flatMap((line) => {
    const [, words] = /^⚠(?:warning {2})?(.*[^:])$/.exec(line) ?? [];
    return words === undefined ? [] : [words];
  });
}

/** Without the place and the code, which these formats have beside the sentence, and without what only lays the words out. */
const wordsOf = (text: string): string =>
  text.replaceAll(/ [\w/.-]+:\d+:\d+| {2}[\w-]+$/gm, '').replaceAll(/[\s.]+/g, '');
