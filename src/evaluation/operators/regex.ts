/** `regex` and `not_regex`: JavaScript's engine stands in for the service's (docs/evaluation.md, "Regular expressions"). */

import { memberOf } from '../../base/json.ts';
import type { SearchRegex } from '../../base/search-regex.ts';

const MAX_PATTERN = 1000;
const MAX_TEXT = 10_000;

/** A repeated group that is itself one repetition, such as `(a+)+`: exponential in JavaScript. */
const REPEATED_REPETITION = /\((\?:)?(\\.|\[[^\]]*\]|[^()\\[\]])[*+][?+]?\)[*+{]/;

/** Whether the pattern occurs in the text; `undefined`, which matches nothing, for a pattern that is invalid, not tried, or too slow. */
export function findsPattern(
  text: string,
  pattern: string,
  search: SearchRegex = (regex, searched) => regex.test(searched),
): boolean | undefined {
  if (pattern.length > MAX_PATTERN || text.length > MAX_TEXT || REPEATED_REPETITION.test(pattern)) return undefined;
  const regex = compile(pattern);
  return regex === undefined ? undefined : search(regex, text);
}

// With the flag `u` a character is a code point, as in the service, but escapes such as `\-`, which the service
// accepts, are errors. Without the flag such escapes work, but unknown letters would stand for themselves.
function compile(pattern: string): RegExp | undefined {
  const { source, flags } = translate(pattern);
  return tryCompile(source, `${flags}u`) ?? (isForeign(source) ? undefined : tryCompile(source, flags));
}

const TRANSLATED: Readonly<Record<string, string>> = { '\\A': '(?<![^])', '\\z': '(?![^])' };
const ESCAPE = /\\[^]/g;

/** Translates what JavaScript writes differently: flags at the start, `(?P<name>`, and the anchors `\A` and `\z`. */
function translate(pattern: string): { readonly source: string; readonly flags: string } {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const source = pattern
    .slice(flags?.[0].length ?? 0)
    .replaceAll('(?P<', '(?<')
    .replaceAll(ESCAPE, (escape) => memberOf(TRANSLATED, escape) ?? escape);
  return { source, flags: [...new Set(flags?.[1] ?? '')].join('') };
}

function isForeign(source: string): boolean {
  const escapes = source.match(ESCAPE) ?? [];
  return source.includes('[:') || escapes.some((escape) => /[a-z]/i.test(escape) && !/[bdswfnrtvxcpk]/i.test(escape));
}

function tryCompile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
