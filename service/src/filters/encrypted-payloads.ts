/** Encrypted payloads: kept where a request has no new one, and removed when encryption ends. */

import { isJsonObject, memberOf, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalidInput } from '../handler/envelope.ts';
import type { FilterSettings } from './types.ts';

/** The mark that callers without a personal key read instead of a secret. */
const SECRET_MARK = '"********* (encrypted)"';

/** Puts the mark in place of encrypted payloads that the request does not name. */
export function withMarks(sent: JsonObject, stored: JsonObject, { wasEncrypted }: FilterSettings): JsonObject {
  if (!wasEncrypted || Object.hasOwn(sent, 'payloads') || !isJsonObject(stored['payloads'])) return sent;
  return { ...sent, payloads: mapPayloads(stored, () => SECRET_MARK) };
}

/** Resolves the marks in checked filters: to the stored payloads, or to nothing when encryption ends. */
export function withoutMarks(filters: JsonObject, stored: JsonObject, context: FilterSettings): JsonObject {
  if (context.isEncrypted) return withSecrets(filters, stored);
  if (!context.wasEncrypted) return filters;
  return { ...filters, payloads: keepPayloads(filters, (_key, value) => value !== SECRET_MARK) };
}

/** The stored filters after a change of other fields; the end of encryption removes the secret. */
export function withoutEndedSecret(stored: JsonObject, context: FilterSettings): JsonObject {
  if (context.isEncrypted || !context.wasEncrypted) return stored;
  return { ...stored, payloads: keepPayloads(stored, (key) => key !== 'true') };
}

function withSecrets(filters: JsonObject, stored: JsonObject): JsonObject {
  const secrets = payloadsOf(stored);
  const restored = mapPayloads(filters, (key, value) =>
    value === SECRET_MARK ? (memberOf(secrets, key) ?? value) : value,
  );
  const { true: sent = SECRET_MARK } = payloadsOf(filters);
  if (sent !== SECRET_MARK) return { ...filters, payloads: restored };
  const { true: secret } = secrets;
  if (secret === undefined) throw invalidInput('Encryption requires a payload.');
  return { ...filters, payloads: { ...restored, true: secret } };
}

function mapPayloads(filters: JsonObject, map: (key: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(payloadsOf(filters)).map(([key, value = null]) => [key, map(key, value)]));
}

function keepPayloads(filters: JsonObject, keeps: (key: string, value: JsonValue) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(payloadsOf(filters)).filter(([key, value = null]) => keeps(key, value)));
}

function payloadsOf({ payloads }: JsonObject): JsonObject {
  return objectOrEmpty(payloads);
}
