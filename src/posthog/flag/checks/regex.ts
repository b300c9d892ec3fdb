/** Checks a regular expression of the service with JavaScript's engine. */

/** Syntax that the service's engines have and JavaScript does not, with a replacement for the check. */
const DIALECT: readonly (readonly [RegExp, string])[] = [
  [/\(\?[aiLmRsuUx]*(?:-[imRsuUx]+)?:/g, '(?:'],
  [/\(\?(?!\))[aiLmRsuUx]*(?:-[imRsuUx]+)?\)/g, ''],
  [/\(\?P</g, '(?<'],
  [/\(\?P=(\w+)\)/g, '\\k<$1>'],
  [/\(\?>/g, '(?:'],
  [/\(\?#[^)]*\)/g, ''],
  [/([*+?}])\+/g, '$1'],
];

/** Why a pattern is invalid, or `undefined` if it is valid. */
export function regexProblem(pattern: string): string | undefined {
  const translated = DIALECT.reduce((text, [from, to]) => text.replace(from, to), pattern);
  try {
    new RegExp(translated);
    return undefined;
  } catch (error) {
    return error instanceof Error ? reasonOf(error.message) : 'unknown';
  }
}

// The message repeats the translated pattern: `Invalid regular expression: /(/: Unterminated group`.
function reasonOf(message: string): string {
  return message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
}
