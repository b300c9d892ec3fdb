/**
 * Makes text of others harmless for chats: no client reads a mention, a link or a date in it. A character without width (U+2060) stands
 * where a chat would begin one; all other text stays as it is, so that most keys can be copied.
 */

import { quoteShort } from '../../escape.ts';

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

/** One line, shortened to `limit` characters. */
export function defuse(text: string, limit?: number): string {
  return STARTS.reduce((shown, start) => shown.replace(start, JOINER), quoteShort(text, limit));
}

/** The same for a client that may read Markdown: a backtick would begin code that hides what follows. */
export function defuseMarkdown(text: string, limit?: number): string {
  return defuse(text, limit).replaceAll('`', String.raw`\u0060`);
}
