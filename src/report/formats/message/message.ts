/**
 * A report as a message to a chat, in one of three forms: plain text, the JSON of an incoming webhook of Slack, and that of a workflow of
 * Teams.
 */

import { type MessageFacts, type MessageSpan, layOut, type Message, type MessageLine } from '../../model/message.ts';
import {
  driftFacts,
  failureFacts,
  nothingFacts,
  planFacts,
  projectsFacts,
  resultFacts,
  undoFacts,
} from '../../model/message-facts.ts';
import type { Report, ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import type { JsonObject } from '../../../base/json.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import { indentedJson } from '../json/seal.ts';
import { quoteShort } from '../../escape.ts';

type MessagedKind = 'plan' | 'drift' | 'result' | 'nothing' | 'projects' | 'undo' | 'failure';

const FACTS: { readonly [Kind in MessagedKind]: (report: ReportOf<Kind>) => MessageFacts } = {
  plan: planFacts,
  drift: driftFacts,
  result: resultFacts,
  nothing: nothingFacts,
  projects: (report) => projectsFacts(report, factsOf),
  undo: undoFacts,
  failure: failureFacts,
};

const FORMS = { message: plainForm, slack: slackForm, teams: teamsForm } as const;

/** `facts`: those of a report of an optional room. */
export function messageText(
  report: ReportOf<MessagedKind> | MessageFacts,
  form: keyof typeof FORMS,
  { run }: Pick<View, 'run'>,
): string {
  return FORMS[form](layOut('kind' in report ? factsOf(report) : report, run));
}

function factsOf(report: Report): MessageFacts {
  const make = (FACTS as Readonly<Record<string, ((given: never) => MessageFacts) | undefined>>)[report.kind];
  const unknown: MessageSpan = report.kind;
  return make?.(report as never) ?? { head: [unknown], items: [] };
}

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

const JOINER = '\u2060';

const STARTS: readonly RegExp[] = [
  // Mentions, addresses, and the forms of Slack and Discord: @here, ann@example.org, <!channel>, <@U1>, <#C1>, #general.
  /(?<=[@<＠﹫#](?!\u2060))(?=\S)/gu,
  // Schemes: http://, mailto:.
  /(?<=:)(?=\/\/)/gu,
  /(?<=\b(?:mailto|tel|sms|callto|slack|msteams|javascript|data):)(?=\S)/giu,
  // Domains, also with the dots that clients take for a full stop: evil.example.
  /(?<=[\p{L}\p{N}\p{M}_-][.。．｡])(?=[\p{L}\p{M}])/gu,
  // Addresses of machines: 192.0.2.1.
  /(?<=\d\.)(?=\d+\.\d)/gu,
  // Links of Markdown, and functions of adaptive cards: [x](…), {{DATE(…)}}.
  /(?<=\])(?=[([:])/gu,
  /(?<=\{)(?=\{)/gu,
];

/**
 * One line, shortened to `limit` characters. No client reads a mention, a link or a date in it: a character without width (U+2060) stands where
 * a chat would begin one. All other text stays as it is, so that most keys can be copied.
 */
function defuse(text: string, limit?: number): string {
  return STARTS.reduce((shown, start) => shown.replace(start, JOINER), quoteShort(text, limit));
}

/** The same for a client that may read Markdown: a backtick would begin code that hides what follows. */
function defuseMarkdown(text: string, limit?: number): string {
  return defuse(text, limit).replaceAll('`', String.raw`\u0060`);
}
