/** Payloads that manifests hold as JSON text: if people wrote text, or if an overlay cannot hold the value. */

import { stringifyJson } from '../../base/json-text.ts';
import { definedKeys, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { toForm } from '../../posthog/flag/model/normal-forms.ts';
import { valueIn, withMember } from '../members.ts';

/** Text stays text: services before 2026 give programs what was sent, a string or an object. */
export function withWrittenTexts(filters: JsonObject, written: JsonObject): JsonObject {
  return withPayloads(filters, written, (value, before) => {
    if (typeof before !== 'string' || value === null) return value;
    return jsonEquals(toForm('payload', before, {}), value) ? before : stringifyJson(value);
  });
}

/**
 * The filters of an overlay, with a payload whose value contains null as text, since a null would remove. Payloads that are the same in the
 * base stay values, since the overlay does not name them. `written`: the declared ones; an unchanged payload stays as written.
 */
export function withTextPayloads(filters: JsonObject, base: JsonObject, written: JsonObject): JsonObject {
  const isKept = (name: string, value: JsonValue): boolean => jsonEquals(value, valueIn(written, ['payloads', name]));
  const texts = withWrittenTexts(filters, base);
  return withPayloads(filters, base, (value, before, name) => {
    if (isKept(name, value)) return value;
    const text = valueIn(texts, ['payloads', name]) ?? value;
    return typeof text !== 'string' && holdsNull(value) && !jsonEquals(value, before) ? stringifyJson(value) : text;
  });
}

/** Replaces each payload that is not text by the result of `form` for it and the one in `base`. */
function withPayloads(
  filters: JsonObject,
  base: JsonObject,
  form: (value: JsonValue, before: JsonValue | undefined, name: string) => JsonValue,
): JsonObject {
  const { payloads } = filters;
  if (!isJsonObject(payloads)) return filters;
  const formed = definedKeys(payloads).reduce<JsonObject>((all, name) => {
    const value = payloads[name] as JsonValue;
    return typeof value === 'string'
      ? all
      : withMember(all, name, form(value, valueIn(base, ['payloads', name]), name));
  }, payloads);
  return withMember(filters, 'payloads', formed);
}

/** An overlay replaces lists as a whole, with the nulls in them. */
function holdsNull(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && Object.values(value).some(holdsNull));
}
