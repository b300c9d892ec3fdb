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

/** Keeps the text of a page, made of those of its `results`, which come last. Each of them keeps its own. */
export function keepPageText(page: JsonObject, results: readonly JsonObject[]): JsonObject {
  const { results: _results, ...rest } = page;
  kept.set(page, `${stringifyJson(rest).slice(0, -1)},"results":[${results.map(keepText).join()}]}`);
  return page;
}
