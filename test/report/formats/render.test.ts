import { describe, expect, test } from 'vitest';
import { FORMATS, formatsOf, render, RENDERERS, renderText, type Format } from '../../../src/report/formats/render.ts';
import type { Rendered } from '../../../src/report/formats/render.ts';
import { withoutAnnotations } from '../../security/hostile.ts';
import { EVIL, KINDS, sampleOf } from '../samples-of-kinds.ts';
import { VIEW } from '../samples.ts';

/** The whole document as a command writes it. */
async function wholeText(rendered: Rendered, format: Format): Promise<string> {
  const { seal } = RENDERERS[format];
  if (typeof rendered === 'string') return seal(rendered);
  let text = rendered.head;
  for await (const record of rendered.records) text += rendered.line(record);
  return seal(text);
}

const shown = FORMATS.flatMap((format) =>
  KINDS.filter((kind) => formatsOf([kind]).includes(format)).map((kind) => [format, kind] as const),
);
const refused = FORMATS.flatMap((format) =>
  KINDS.filter((kind) => !formatsOf([kind]).includes(format)).map((kind) => [format, kind] as const),
);

describe('a document', () => {
  test.each(shown)(
    'as %s of a %s report contains no character that a terminal or build log obeys',
    async (format, kind) => {
      // A CSV file keeps what a terminal would obey.
      for (const verbose of [false, true]) {
        const text = await wholeText(
          await render(sampleOf(kind), format, { ...VIEW, verbose, terminal: true }),
          format,
        );
        expect(text).not.toBe('');
        expect(text).not.toMatch(/[^\P{Cc}\r\n]|[\u202a-\u202e]/u);
        expect(format === 'github' ? withoutAnnotations(text) : text).not.toMatch(/^\s*::/m);
        expect(text).not.toContain('##[');
      }
    },
  );

  test.each(refused)('as %s is refused for a %s report', async (format, kind) => {
    await expect(render(sampleOf(kind), format, VIEW)).rejects.toMatchObject({
      code: 'usage',
      message: `--format ${format} cannot show this report.`,
    });
  });
});

test('every kind of report has a text', () => {
  for (const kind of KINDS) expect(formatsOf([kind])).toContain('text');
});

test('a format shows several kinds if it shows each of them', () => {
  expect(formatsOf(['records', 'record'])).toEqual(['text', 'json', 'table', 'jsonl', 'csv', 'markdown', 'html']);
  expect(formatsOf(['records', 'plan'])).toEqual(['text', 'json', 'markdown', 'html']);
  expect(formatsOf(['resuming'])).toEqual(['text']);
});

test('the text of a report contains its values', async () => {
  for (const kind of ['warnings', 'diagnostics', 'failure', 'done'] as const)
    expect(await renderText(sampleOf(kind), VIEW)).toContain(EVIL.slice(0, 9));
});
