/** The fingerprint of a plan: equal plans have equal fingerprints, and that of an edited plan does not match. */

import { createHash } from 'node:crypto';
import { canonicalText, type JsonValue } from '../base/json.ts';

export function fingerprintOf(value: JsonValue): string {
  return `sha256:${createHash('sha256').update(canonicalText(value)).digest('hex')}`;
}
