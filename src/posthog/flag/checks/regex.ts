/** Whether a regular expression of the service can be right, judged with JavaScript's. */

/** What the service's engines know and JavaScript does not, and what stands for it here. */
const DIALECT: readonly (readonly [RegExp, string])[] = [
  [/\(\?[aiLmRsuUx]*(?:-[imRsuUx]+)?:/g, '(?:'],
  [/\(\?(?!\))[aiLmRsuUx]*(?:-[imRsuUx]+)?\)/g, ''],
  [/\(\?P</g, '(?<'],
  [/\(\?P=(\w+)\)/g, '\\k<$1>'],
  [/\(\?>/g, '(?:'],
  [/\(\?#[^)]*\)/g, ''],
  [/([*+?}])\+/g, '$1'],
];

/** Why a pattern is not a regular expression, or `undefined` when it is one. */
export function regexProblem(pattern: string): string | undefined {
  const translated = DIALECT.reduce((text, [from, to]) => text.replace(from, to), pattern);
  try {
    new RegExp(translated);
    return undefined;
  } catch (error) {
    return error instanceof Error ? reasonOf(error.message) : 'unknown';
  }
}

// The message repeats the pattern, which was translated: `Invalid regular expression: /(/: Unterminated group`.
function reasonOf(message: string): string {
  return message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
}
