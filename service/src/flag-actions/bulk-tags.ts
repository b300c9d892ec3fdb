/** Adds, removes or replaces the tags of several flags. */

import { compareStrings } from '../../../src/base/compare-strings.ts';
import { arrayOrEmpty, memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { choice, integer, list, tags } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';
import { canEdit } from '../flags/serialise.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { plainText } from '../../../src/base/json-text.ts';

const LIMIT = 500;

type TagChange = (current: readonly JsonValue[], sent: readonly JsonValue[]) => JsonValue[];

const CHANGES: Readonly<Record<string, TagChange>> = {
  add: (current, sent) => [...current, ...sent],
  remove: (current, sent) => current.filter((tag) => !sent.includes(tag)),
  set: (_current, sent) => [...sent],
};

const BULK_TAGS: readonly BodyField[] = [
  { name: 'ids', type: list(integer, { minLength: 1, maxLength: LIMIT }), required: true },
  { name: 'action', type: choice(Object.keys(CHANGES)), required: true },
  { name: 'tags', type: tags, required: true },
];

/** Does not change the version of a flag. */
export function bulkUpdateTags(service: ServiceContext, call: Call): Answer {
  const { ids, action = null, tags: sent } = readFields(call.body, BULK_TAGS);
  const name = plainText(action);
  const change = memberOf(CHANGES, name);
  const named = arrayOrEmpty(sent);
  if (change === undefined || (name !== 'set' && named.length === 0)) {
    throw invalid('invalid_input', `tags must not be empty for the action ${name}.`, 'tags');
  }
  return service.store.transaction(() => {
    const outcomes = [...new Set(arrayOrEmpty(ids))].map((id) => {
      const flag = service.store.flags.find(call.projectId, Number(id));
      if (flag === undefined) return { skipped: { id, reason: 'There is no such flag.' } };
      if (!canEdit(flag)) return { skipped: { id, reason: 'You do not have permission to edit this flag.' } };
      return { updated: { id, tags: writeTags(service, flag, change(tagsOf(flag), named)) } };
    });
    return {
      status: 200,
      body: {
        updated: outcomes.flatMap(({ updated }): JsonObject[] => (updated === undefined ? [] : [updated])),
        skipped: outcomes.flatMap(({ skipped }): JsonObject[] => (skipped === undefined ? [] : [skipped])),
      },
    };
  });
}

/** Returns the tags, sorted. */
function writeTags(service: ServiceContext, before: StoredFlag, changed: readonly JsonValue[]): JsonValue[] {
  const sorted = [...new Set(changed.filter((tag) => typeof tag === 'string'))].toSorted(compareStrings);
  const after = { ...before, fields: { ...before.fields, tags: sorted } };
  service.store.flags.update(after);
  return sorted;
}

function tagsOf({ fields }: StoredFlag): readonly JsonValue[] {
  return arrayOrEmpty(fields['tags']);
}
