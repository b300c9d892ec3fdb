/**
 * Payloads that the service keeps encrypted. A personal key reads them in plain text, and no output may
 * show them: plans hold a digest of each. (docs/service.md, "Encrypted payloads")
 */

import { createHash } from 'node:crypto';
import {
  canonicalText,
  definedKeys,
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';

/** The value that a caller gets instead of an encrypted payload that it may not see; sent back, it keeps the secret. */
export const ENCRYPTED_PAYLOAD = '"********* (encrypted)"';

const DIGEST_MEMBER = 'encrypted_payload';
/** This is enough to show that a payload changed, and too short to identify the secret. */
const DIGEST_LENGTH = 12;

/** Whether the payloads of a flag with these fields are secrets. */
export function hasEncryptedPayloads(fields: JsonObject): boolean {
  return fields['has_encrypted_payloads'] === true;
}

/**
 * The flag, marked as encrypted if `declared` says so and the service's answer does not. Services without the field store these payloads in
 * plain text, but the manifest declares them secret.
 */
export function withDeclaredSecrecy<Fields extends JsonObject>(flag: Fields, declared: JsonObject): Fields {
  const isOpen = flag['has_encrypted_payloads'] === undefined && hasEncryptedPayloads(declared);
  return isOpen ? { ...flag, has_encrypted_payloads: true } : flag;
}

/** A service that encrypts keeps a secret for the mark. Any other service is sent the stored payload again. */
export function withMarksReplaced(fields: JsonObject, stored: JsonObject): JsonObject {
  const payloads = payloadsOf(stored);
  return mapPayloads(fields, (payload, variant) =>
    payload === ENCRYPTED_PAYLOAD && Object.hasOwn(payloads, variant) ? (payloads[variant] as JsonValue) : payload,
  );
}

/** The fields of a flag as it was read, with digests instead of payloads. They must be canonical. */
export function withPayloadDigests(fields: JsonObject): JsonObject {
  return mapPayloads(fields, digest);
}

/** The same for fields that may already hold digests, as those of a plan or a snapshot file do. */
export function withMissingDigests(fields: JsonObject): JsonObject {
  return mapPayloads(fields, (payload) => (isDigest(payload) ? payload : digest(payload)));
}

/** The fields with the mark that keeps a payload instead of each digest of a payload that stays. */
export function withKeptPayloads(
  fields: JsonObject,
  stays: (variant: string, digest: JsonValue) => boolean,
): JsonObject {
  return mapPayloads(fields, (payload, variant) =>
    isDigest(payload) && stays(variant, payload) ? ENCRYPTED_PAYLOAD : payload,
  );
}

/** Whether a body holds digests instead of payloads, and so cannot be sent. */
export function holdsPayloadDigest(fields: JsonObject): boolean {
  return Object.values(payloadsOf(fields)).some(isDigest);
}

export function payloadsOf({ filters }: JsonObject): JsonObject {
  const payloads = isJsonObject(filters) ? filters['payloads'] : undefined;
  return objectOrEmpty(payloads);
}

function mapPayloads(fields: JsonObject, change: (payload: JsonValue, variant: string) => JsonValue): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || !isJsonObject(filters['payloads'])) return fields;
  const payloads = filters['payloads'];
  const changed = definedKeys(payloads).map(
    (variant) => [variant, change(payloads[variant] as JsonValue, variant)] as const,
  );
  return { ...fields, filters: { ...filters, payloads: Object.fromEntries(changed) } };
}

/** Equal payloads have equal digests when they are canonical. */
function digest(payload: JsonValue): JsonValue {
  if (payload === ENCRYPTED_PAYLOAD) return payload;
  const hash = createHash('sha256').update(canonicalText(payload)).digest('hex');
  return { [DIGEST_MEMBER]: `sha256:${hash.slice(0, DIGEST_LENGTH)}` };
}

function isDigest(payload: JsonValue | undefined): boolean {
  if (!isJsonObject(payload) || Object.keys(payload).join() !== DIGEST_MEMBER) return false;
  const text = payload[DIGEST_MEMBER];
  return typeof text === 'string' && /^sha256:[0-9a-f]{12}$/.test(text);
}
