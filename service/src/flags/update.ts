/** Updates a flag: a PATCH changes fields, soft-deletes and restores. */

import { formatOf } from '../filters/conditions.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { gate } from '../approvals/gate.ts';
import { changeFlag, draftOf } from './change.ts';
import { changeFlagWithRules } from './change-rules.ts';
import { findEditableFlag } from './read.ts';
import { serialize } from './serialize.ts';
import { flagBody, readWrite } from './write-fields.ts';
import {
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { conflict, invalid } from '../handler/envelope.ts';
import { countedVersion, storedValue, type StoredFlag } from '../store/flag.ts';

export function updateFlag(service: ServiceContext, call: Call): Answer {
  return update(service, call, { partial: true });
}

/** PUT: required fields must be present; omitted ones stay. */
export function replaceFlag(service: ServiceContext, call: Call): Answer {
  return update(service, call, { partial: false });
}

function update(service: ServiceContext, call: Call, { partial }: { readonly partial: boolean }): Answer {
  const { rules, store } = service;
  return store.transaction(() => {
    const before = findEditableFlag(service, call);
    const sent = readWrite(flagBody(call, { isNew: !partial }), { profile: rules.name, partial });
    const asked = gate(service, {
      projectId: call.projectId,
      before,
      values: sent,
      draft: draftOf(service, before, sent),
    });
    if (asked !== undefined) return asked;
    if (rules.formats && formatOf(before.filters) !== 'conditions') {
      const after = changeFlagWithRules(service, { before, body: call.body, text: call.text, values: sent });
      return { status: 200, body: serialize(service, after) };
    }
    const values = rules.optimisticLock ? applyLock(before, call.body, sent) : sent;
    return { status: 200, body: serialize(service, changeFlag(service, { before, values })) };
  });
}

/**
 * The optimistic lock (docs/service.md, "Lock"): returns the values to write. If the stored version is not the one that the caller read,
 * drops values that the caller did not change, and throws a 409 for a field that both sides changed to different values. `version` without
 * `original_flag` never conflicts.
 */
function applyLock(flag: StoredFlag, body: JsonValue | undefined, values: JsonObject): JsonObject {
  if (!isJsonObject(body)) return values;
  const { version = null, original_flag: original } = body;
  if (version !== null && !Number.isSafeInteger(version)) {
    throw invalid('invalid_input', 'A valid integer is required.', 'version');
  }
  if (version === null || version === countedVersion(flag) || !isJsonObject(original)) return values;
  const written = Object.entries(values).filter(
    ([name, value]) => memberOf(original, name) === undefined || !jsonEquals(value, memberOf(original, name)),
  );
  const lost = written.filter(([name, value]) => isLost(flag, memberOf(original, name), { name, value }));
  if (lost.length > 0) {
    const fields = lost.map(([name]) => name).join(', ');
    throw conflict(`${changedBy(flag)} changed the flag since it was read. In conflict: ${fields}.`);
  }
  return Object.fromEntries(written);
}

function isLost(
  flag: StoredFlag,
  original: JsonValue | undefined,
  { name, value }: { readonly name: string; readonly value: JsonValue | undefined },
): boolean {
  if (original === undefined) return false;
  const stored = storedValue(flag, name);
  // `filters` is one field, compared as it would be after the merge.
  const wanted = name === 'filters' && isJsonObject(value) ? { ...flag.filters, ...value } : value;
  return !jsonEquals(stored, original) && !jsonEquals(stored, wanted);
}

function changedBy(flag: StoredFlag): string {
  const { email, first_name: firstName } = objectOrEmpty(flag.fields['last_modified_by']);
  const name = email ?? firstName;
  return typeof name === 'string' ? name : 'Another user';
}
