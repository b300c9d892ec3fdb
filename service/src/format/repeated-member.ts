/** Finds a member that an object of a JSON text has twice: parsers keep the last one, and hide the other. */

import { parseJson } from '../../../src/base/json-text.ts';

const TOKEN = /("(?:[^"\\]|\\.)*")\s*(:)?|[{}[\]]/g;

/** The name of the first such member. `text` is valid JSON. */
export function repeatedMember(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string === undefined) {
      if (token === '{' || token === '[') open.push(new Set());
      else open.pop();
    } else if (colon !== undefined) {
      const name = parseJson(string) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
  }
  return undefined;
}
