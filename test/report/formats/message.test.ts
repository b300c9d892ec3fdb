/** Messages to chats: ten lines, the worst first, in three forms, in which no text of others is more than text. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Format } from '../../../src/report/formats/render.ts';
import { type MessageItem, layOut, named } from '../../../src/report/model/message.ts';
import { plainForm, slackForm, teamsForm } from '../../../src/report/formats/message/message.ts';
import { holds } from '../../helpers/runs.ts';
import { reportsOf } from '../hostile-reports.ts';
import { renderWhole } from '../render-whole.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { VIEW } from '../samples.ts';

const FORMS = { message: plainForm, slack: slackForm, teams: teamsForm } as const;
const NAMES = Object.keys(FORMS) as readonly (keyof typeof FORMS)[];
const RUN = {
  actor: 'ann',
  page: 'https://ci.test/run/1',
  request: { name: 'Pull request #7', url: 'https://ci.test/pull/7' },
};

const item = (name: string, more: Partial<MessageItem> = {}): MessageItem => ({ label: 'Wider', name, ...more });
const off = (name: string): MessageItem => item(name, { label: 'Off for everybody', isGrave: true });
const linesOf = (items: readonly MessageItem[], run = RUN): readonly string[] =>
  plainForm(layOut({ head: [named('production')], items }, run))
    .trimEnd()
    .split('\n');

/** What a chat would make a mention, a link or a mark of. */
const DANGERS: readonly RegExp[] = [
  /@[^\s\u2060]/u,
  /<[^\s\u2060]/u,
  /#[^\s\u2060]/u,
  /:\/\//u,
  /[\p{L}\p{N}][.。．｡][\p{L}]/u,
  /\]\(/u,
  /\{\{/u,
  /mailto:[^\s\u2060]/iu,
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u,
];

/** All texts that a chat shows, without our own links. */
function textsIn(form: keyof typeof FORMS, written: string): readonly string[] {
  if (form === 'message') return [written.replaceAll(/https:\/\/ci\.test\/\S+/g, '').replaceAll(/#7(?=\s)/g, '')];
  const texts: string[] = [];
  const walk = (value: JsonValue): void => {
    if (isJsonArray(value)) value.forEach(walk);
    if (!isJsonObject(value) || value['url'] !== undefined || value['selectAction'] !== undefined) return;
    if (typeof value['text'] === 'string') texts.push(value['text']);
    Object.values(value).forEach((one) => one !== undefined && walk(one));
  };
  walk(JSON.parse(written) as JsonObject);
  return texts;
}

function dangersIn(form: keyof typeof FORMS, written: string): readonly string[] {
  return textsIn(form, written).flatMap((text) => DANGERS.filter((danger) => danger.test(text)).map(() => text));
}

const EVIL: readonly string[] = [
  '@here',
  '@channel and <!channel>',
  '<@U012ABCD> <#C1> <!subteam^S1|x>',
  '<https://evil.example|free>',
  '[x](http://evil.example)',
  'http://evil.example/x',
  'evil.example/x',
  'www.evil.example',
  '例え。テスト',
  'ann@evil.example',
  'mailto:ann',
  '192.0.2.1/x',
  '`code` ``` *bold*',
  'two\nlines\r\n• three',
  '\u202eeliated\u2066',
  '{{DATE(2026-01-01T00:00:00Z,LONG)}}',
  '"},{"type":"link","url":"https://evil.example"}',
  'x'.repeat(5_000),
];

describe.each(NAMES)('the form %s', (form) => {
  test.each(EVIL)('takes %j as text', (name) => {
    const told = { name, owner: name, project: name, text: [{ data: name }] };
    const written = FORMS[form](layOut({ head: [named(name)], items: [item(name, told)], approvers: [name] }, RUN));
    expect(dangersIn(form, written)).toEqual([]);
    expect(written).not.toContain('x'.repeat(300));
    if (form === 'message') expect(written.trimEnd().split('\n')).toHaveLength(3);
  });

  test('takes any text as text', () => {
    const part = fc.oneof(fc.constantFrom(...EVIL), fc.string({ unit: 'grapheme' }));
    holds(400, [fc.array(part, { minLength: 1, maxLength: 3 })], (parts) => {
      const name = parts.join('');
      const facts = { head: [named(name)], items: [item(name, { text: [{ data: name }] }), off(name)] };
      expect(dangersIn(form, FORMS[form](layOut(facts, RUN)))).toEqual([]);
    });
  });

  test.each(reportsOf(EVIL).filter(({ kind }) => kind !== 'validation'))(
    'of $kind has no more than ten lines',
    async (report) => {
      const written = await renderWhole(report, form as Format, { ...VIEW, run: RUN });
      expect(dangersIn(form, written)).toEqual([]);
      expect((await renderWhole(report, 'message', VIEW)).trimEnd().split('\n').length).toBeLessThanOrEqual(10);
      // Teams takes 28 KB.
      expect(Buffer.byteLength(JSON.stringify(form === 'message' ? written : JSON.parse(written)))).toBeLessThan(
        28_000,
      );
    },
  );

  test('is one line if there is nothing to tell', async () => {
    const written = await renderWhole(sampleOf('nothing'), form as Format, { ...VIEW, run: RUN });
    expect(written.trimEnd().split('\n')).toHaveLength(1);
    const more = await renderWhole(sampleOf('result'), form as Format, { ...VIEW, run: RUN });
    expect(more.trimEnd().split('\n').length).toBeGreaterThan(1);
  });
});

describe('a message', () => {
  test('names all that fits', () => {
    expect(linesOf([item('a'), item('b')])).toEqual([
      'production',
      '• Wider: a',
      '• Wider: b',
      'Run by ann · Pull request #7 https://ci.test/pull/7 · The run https://ci.test/run/1',
    ]);
  });

  test('counts what does not fit, and names what turned off', () => {
    const many = Array.from({ length: 20 }, (_, index) => item(`w${index}`));
    const lines = linesOf([off('a'), off('b'), ...many]);
    expect(lines).toHaveLength(10);
    expect(lines.slice(1, 3)).toEqual(['• Off for everybody: a', '• Off for everybody: b']);
    expect(lines.at(-2)).toBe('• and 15 more: the run https://ci.test/run/1');
  });

  test('names many that turned off in one line', () => {
    const many = Array.from({ length: 40 }, (_, index) => off(`flag-${index}`));
    const lines = linesOf([...many, item('w')]);
    expect(lines[1]).toMatch(/^• Off for everybody \(40\): flag-0, .*flag-39$/);
    expect(lines[2]).toBe('• Wider: w');
  });

  test('says how many of thousands it cannot name', () => {
    const lines = linesOf(Array.from({ length: 3_000 }, (_, index) => off(`flag-${index}`)));
    expect(lines[1]).toMatch(/ and \d+ more$/);
    expect(lines[1]?.length).toBeLessThan(2_000);
  });

  test('has no more than ten lines of grave ones of many sorts', () => {
    const sorts = Array.from({ length: 12 }, (_, index) =>
      item(`f${index}`, { label: `Sort ${index}`, isGrave: true }),
    );
    const lines = linesOf([...sorts, ...sorts, item('w'), item('v')]);
    expect(lines.length).toBeLessThanOrEqual(10);
    for (let index = 0; index < 12; index += 1) expect(lines.join('\n')).toContain(`f${index}`);
  });

  test('says the next step that comes first, and who approved', () => {
    const steps = [
      { name: 'b', to: 'to 50%', at: '2026-12-05 08:00:00 UTC' },
      { name: 'a', to: 'on', at: '2026-12-03 08:00:00 UTC' },
    ];
    const text = plainForm(layOut({ head: ['x'], items: [item('w')], steps, approvers: ['ann', 'bob', 'ann'] }));
    expect(text).toBe('x\n• Wider: w\nNext step: a on on 2026-12-03 08:00:00 UTC, and 1 more\nApproved by ann, bob\n');
  });
});

test('the form of Slack has only elements that a webhook takes', () => {
  const { blocks, text } = JSON.parse(slackForm(layOut({ head: [named('<a> & b')], items: [item('c')] }, RUN)));
  expect(text).toBe('&lt;\u2060a&gt; &amp; b');
  const [{ type, elements }, ...others] = blocks;
  expect([type, others]).toEqual(['rich_text', []]);
  const sections = elements.flatMap((one: { type: string; elements: unknown[] }) =>
    one.type === 'rich_text_list' ? one.elements : [one],
  );
  for (const section of sections) {
    expect(section.type).toBe('rich_text_section');
    for (const one of section.elements) {
      expect(['text', 'link']).toContain(one.type);
      expect(one.text.length).toBeGreaterThan(0);
      expect(one.text.length).toBeLessThanOrEqual(3_000);
    }
  }
});

test('the form of Teams is an adaptive card of runs of text', () => {
  const message = JSON.parse(teamsForm(layOut({ head: [named('a')], items: [item('c')] }, RUN)));
  expect(Object.keys(message)).toEqual(['type', 'attachments']);
  const [{ contentType, content }] = message.attachments;
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' });
  for (const block of content.body) {
    expect(Object.keys(block).toSorted()).toEqual(['inlines', 'type']);
    for (const run of block.inlines) {
      expect(run.type).toBe('TextRun');
      expect(run.text.length).toBeGreaterThan(0);
      if (run.selectAction)
        expect(run.selectAction).toEqual({
          type: 'Action.OpenUrl',
          url: expect.stringMatching(/^https:\/\/ci\.test\//),
        });
    }
  }
});
