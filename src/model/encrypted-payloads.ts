/**
 * Payloads that the service keeps encrypted. A personal key reads them in plain text, so nothing that leaves the
 * process may show them: in plans a digest stands in for each. (docs/service.md, "Encrypted payloads")
 */

import { createHash } from 'node:crypto';
import { canonicalText, definedKeys, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** What a caller without the right to see an encrypted payload gets in its place; sent back, it keeps the secret. */
export const ENCRYPTED_PAYLOAD = '"********* (encrypted)"';

const DIGEST_MEMBER = 'encrypted_payload';
/** Enough to see that a payload changed, too few to be the secret's fingerprint. */
const DIGEST_LENGTH = 12;

/** Whether the payloads of a flag with these fields are secrets. */
export function hasEncryptedPayloads(fields: JsonObject): boolean {
  return fields['has_encrypted_payloads'] === true;
}

/** The fields with a digest in place of each payload. They must be canonical, so that equal payloads give equal digests. */
export function withPayloadDigests(fields: JsonObject): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || !isJsonObject(filters['payloads'])) return fields;
  const payloads = filters['payloads'];
  const digests = definedKeys(payloads).map((variant) => [variant, digest(payloads[variant] as JsonValue)] as const);
  return { ...fields, filters: { ...filters, payloads: Object.fromEntries(digests) } };
}

/** Whether a body holds digests instead of payloads, and so cannot be sent. */
export function holdsPayloadDigest(fields: JsonObject): boolean {
  const { filters } = fields;
  const payloads = isJsonObject(filters) ? filters['payloads'] : undefined;
  return (
    isJsonObject(payloads) &&
    definedKeys(payloads).some((variant) => {
      const payload = payloads[variant];
      return isJsonObject(payload) && Object.hasOwn(payload, DIGEST_MEMBER);
    })
  );
}

function digest(payload: JsonValue): JsonValue {
  if (payload === ENCRYPTED_PAYLOAD) return payload;
  const hash = createHash('sha256').update(canonicalText(payload)).digest('hex');
  return { [DIGEST_MEMBER]: `sha256:${hash.slice(0, DIGEST_LENGTH)}` };
}
