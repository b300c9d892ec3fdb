/** Changes the content of an answer that arrives whole: unknown members, links to another origin, missing entries. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Answer } from '../handler/call.ts';
import type { ContentEffects } from './script.ts';

/** Applies all effects; effects that do not fit the body do nothing. */
export function withContents(answer: Answer, effects: readonly ContentEffects[]): Answer {
  const { body } = answer;
  return body === undefined ? answer : { ...answer, body: effects.reduce(applyEffects, body) };
}

function applyEffects(body: JsonValue, { unknown_fields: extra, next, shrink }: ContentEffects): JsonValue {
  if (!isJsonObject(body)) return body;
  return withExtra(shrinkPage(withLinks(body, next), shrink), extra);
}

function withLinks(page: JsonObject, origin: string | undefined): JsonObject {
  if (origin === undefined) return page;
  const moved = (link: JsonValue | undefined): JsonValue | undefined => {
    if (typeof link !== 'string' || !URL.canParse(link)) return link;
    const { pathname, search } = new URL(link);
    return `${origin.replace(/\/+$/, '')}${pathname}${search}`;
  };
  return { ...page, next: moved(page['next']), previous: moved(page['previous']) };
}

/** The count stays: the service counted before the entries disappeared. */
function shrinkPage(page: JsonObject, shrink: ContentEffects['shrink']): JsonObject {
  const { results } = page;
  if (shrink === undefined || !isJsonArray(results)) return page;
  return { ...page, results: results.slice(0, Math.max(0, results.length - (shrink.by ?? 1))) };
}

function withExtra(body: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return body;
  const { results } = body;
  const entries = isJsonArray(results)
    ? { results: results.map((entry) => (isJsonObject(entry) ? { ...extra, ...entry } : entry)) }
    : {};
  return { ...extra, ...body, ...entries };
}
