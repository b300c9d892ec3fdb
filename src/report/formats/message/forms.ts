/** The three forms of a message: plain text, the JSON of an incoming webhook of Slack, and that of a workflow of Teams. */

import type { JsonObject } from '../../../base/json.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import type { Message, MessageLine, MessageSpan } from '../../model/message.ts';
import { indentedJson } from '../json/seal.ts';
import { defuse, defuseMarkdown } from './defuse.ts';

/** A message that has nothing to tell is one line in each form, by which a shell tells whether to post it. */
export function plainForm({ head, items, notes }: Message): string {
  return [head, ...items.map((item) => ['• ', ...item]), ...notes].map((line) => `${plainLine(line)}\n`).join('');
}

function plainLine(line: MessageLine): string {
  return line
    .map((span) => {
      if (typeof span === 'string') return span;
      return 'data' in span ? defuseMarkdown(span.data, span.limit) : `${span.link} ${span.url}`;
    })
    .join('');
}

/**
 * Text of others stands in elements of rich text, which Slack shows as it is: `mrkdwn`, which has no escape for its marks, would read them.
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
export function slackForm(message: Message): string {
  const { head, items, notes } = message;
  const section = (line: MessageLine, isBold = false): JsonObject => ({
    type: 'rich_text_section',
    elements: line.filter((span) => textOf(span) !== '').map((span) => slackElement(span, isBold)),
  });
  const list = items.map((item) => section(item));
  const elements = [
    section(head, true),
    ...(list.length === 0 ? [] : [{ type: 'rich_text_list', style: 'bullet', elements: list }]),
    ...notes.map((note, index) => section(index === 0 ? note : ['\n', ...note])),
  ];
  const text = head.map((span) => escapeSlack(textOf(span))).join('');
  return formText(message, { text, unfurl_links: false, blocks: [{ type: 'rich_text', elements }] });
}

function slackElement(span: MessageSpan, isBold: boolean): JsonObject {
  if (typeof span !== 'string' && 'link' in span) return { type: 'link', url: span.url, text: span.link };
  const isName = typeof span !== 'string' && span.isName === true;
  const style = { ...(isName && { code: true }), ...(isBold && { bold: true }) };
  return { type: 'text', text: textOf(span), ...(isName || isBold ? { style } : {}) };
}

/** For `text`, which notifications show. https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', "'");
}

/**
 * Text of others stands in runs of text, which Teams shows as they are: blocks of text would read Markdown.
 * https://adaptivecards.io/explorer/RichTextBlock.html
 */
export function teamsForm(message: Message): string {
  const { head, items, notes } = message;
  const block = (line: MessageLine, more: JsonObject = {}): JsonObject => ({
    type: 'RichTextBlock',
    inlines: line.filter((span) => textOf(span) !== '').map((span) => ({ ...teamsRun(span), ...more })),
  });
  const body = [
    block(head, { weight: 'Bolder' }),
    ...items.map((item) => block(['• ', ...item])),
    ...notes.map((note) => block(note, { isSubtle: true })),
  ];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body,
  };
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return formText(message, { type: 'message', attachments: [card] });
}

function teamsRun(span: MessageSpan): JsonObject {
  const run = { type: 'TextRun', text: textOf(span) };
  if (typeof span === 'string') return run;
  if ('link' in span) return { ...run, selectAction: { type: 'Action.OpenUrl', url: span.url } };
  return span.isName === true ? { ...run, fontType: 'Monospace' } : run;
}

function textOf(span: MessageSpan): string {
  if (typeof span === 'string') return span;
  return 'data' in span ? defuse(span.data, span.limit) : span.link;
}

function formText({ isQuiet }: Message, document: JsonObject): string {
  return isQuiet ? `${stringifyJson(document)}\n` : indentedJson(document);
}
