/** The JSON text of a body. Bodies that are answered again and again keep theirs. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';

const kept = new WeakMap<JsonObject, string>();

export function bodyText(body: JsonValue): string {
  return (isJsonObject(body) ? kept.get(body) : undefined) ?? stringifyJson(body);
}

/** Keeps the text of a final body as long as the body itself is kept. */
export function keepText(body: JsonObject): string {
  const text = bodyText(body);
  kept.set(body, text);
  return text;
}

/** A page that was answered. Its results are final, so the same ones have the same text. */
interface AnsweredPage {
  readonly results: readonly JsonObject[];
  readonly text: string;
}

/** Clients read a list again and again, in pages of their size. The text of each may have megabytes. */
const MOST_PAGES = 8;
/** Answered pages by the text of the other members, the latest answer last. */
const answered = new Map<string, AnsweredPage>();

/** Keeps the text of a page, made of those of its `results`, which come last. Each of them keeps its own. */
export function keepPageText(page: JsonObject, results: readonly JsonObject[]): JsonObject {
  const { results: _results, ...rest } = page;
  const start = stringifyJson(rest).slice(0, -1);
  const known = answered.get(start);
  const text =
    known !== undefined && isSameList(known.results, results)
      ? known.text
      : `${start},"results":[${results.map(keepText).join()}]}`;
  kept.set(page, text);
  answered.delete(start);
  answered.set(start, { results, text });
  const [oldest] = answered.keys();
  if (answered.size > MOST_PAGES && oldest !== undefined) answered.delete(oldest);
  return page;
}

function isSameList(one: readonly JsonObject[], other: readonly JsonObject[]): boolean {
  return one.length === other.length && one.every((result, index) => result === other[index]);
}
