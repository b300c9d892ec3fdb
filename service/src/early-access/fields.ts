/** The fields that a request may write of an early access feature. Others are ignored. */

import { isJsonNumber, type JsonValue } from '../../../src/base/json.ts';
import { address, anything, choice, integer, text } from '../flags/field-types.ts';
import type { BodyField } from '../flags/read-fields.ts';

/** People who enrolled get the flag in these stages only. */
const ACTIVE_STAGES: readonly JsonValue[] = ['alpha', 'beta', 'general-availability'];

export const STAGES: readonly string[] = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'];

export const FEATURE_FIELDS: readonly BodyField[] = [
  { name: 'name', type: text({ maxLength: 200 }), required: true },
  { name: 'description', type: text({ blank: true }) },
  { name: 'stage', type: choice(STAGES), required: true },
  { name: 'documentation_url', type: address({ maxLength: 800, blank: true }) },
];

/** The flag of a feature is chosen once. */
export const NEW_FEATURE_FIELDS: readonly BodyField[] = [
  ...FEATURE_FIELDS,
  { name: 'payload', type: anything },
  { name: 'feature_flag_id', type: integer },
];

export function isActiveStage(stage: JsonValue | undefined): boolean {
  return stage !== undefined && ACTIVE_STAGES.includes(stage);
}

/** An update takes any payload; an empty one of any type is stored as an empty object. */
export function storedPayload(sent: JsonValue): JsonValue {
  const isEmpty =
    sent === null ||
    sent === '' ||
    sent === false ||
    (isJsonNumber(sent) ? Number(String(sent)) === 0 : isHollow(sent));
  return isEmpty ? {} : sent;
}

function isHollow(sent: JsonValue): boolean {
  return typeof sent === 'object' && sent !== null && Object.keys(sent).length === 0;
}
