/** Markdown around strings of others: each is in a code span or a code block that it cannot leave. */

import { disarmLines, escapeLine, quoteShort } from '../../escape.ts';

/** A CI system resolves no mention, reference, link, HTML or quick action in code. */
export function codeSpan(text: string): string {
  const shown = escapeLine(text);
  const ticks = '`'.repeat(longestRun(shown) + 1);
  // A span that begins or ends with a backtick, or consists of spaces, needs a space on each side.
  return /^[^ `].*[^ `]$|^[^ `]$/s.test(shown) ? `${ticks}${shown}${ticks}` : `${ticks} ${shown || ' '} ${ticks}`;
}

/** A value in a sentence. */
export function shortSpan(text: string, limit?: number): string {
  return codeSpan(quoteShort(text, limit));
}

/** GitLab obeys a line that begins with a slash, in some versions also in a block of code; a build log one with two colons. */
export function codeLine(line: string): string {
  return /^(?:\/|::)/.test(line) ? ` ${disarmLines(line)}` : line;
}

/** A fence that is longer than every run of backticks in the block. */
export function codeBlock(lines: readonly string[], language: 'diff' | 'text' | 'json'): string {
  const text = lines.join('\n');
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language}\n${text}\n${ticks}`;
}

export function bullets(lines: readonly { readonly text: string; readonly depth: number }[]): string[] {
  return lines.map(({ text, depth }) => `${'  '.repeat(depth)}- ${text}`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
