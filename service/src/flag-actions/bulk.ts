/**
 * Deletes, tags and names several flags. Deletes those with given ids, or those that a list with the same filters has; what cannot be deleted
 * is named.
 */

import { plainText, stringifyJson } from '../../../src/base/json-text.ts';
import {
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
  arrayOrEmpty,
  memberOf,
  isJsonArray,
} from '../../../src/base/json.ts';
import { formatOf } from '../filters/conditions.ts';
import { modification } from '../flags/change.ts';
import { changeFlagWithRules } from '../flags/change-rules.ts';
import { checkGuards } from '../flags/check.ts';
import { claimKey, keyAfterDelete } from '../flags/keys.ts';
import { findMatching } from '../flags/read.ts';
import { recordDeletion } from '../flags/record.ts';
import { canEdit } from '../flags/serialize.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { Refusal, invalid } from '../handler/envelope.ts';
import { countedVersion, type StoredFlag } from '../store/flag.ts';
import { rolloutState } from './read.ts';
import { compareStrings } from '../../../src/base/compare-strings.ts';
import { choice, integer, list, tags } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';

/** The filters that the body accepts: a mistyped one must not select every flag. */
const FILTERS: ReadonlySet<string> = new Set([
  'active',
  'created_by_id',
  'search',
  'type',
  'evaluation_runtime',
  'excluded_properties',
  'tags',
  'excluded_tags',
  'has_evaluation_contexts',
  'archived',
]);

export function bulkDelete(service: ServiceContext, call: Call): Answer {
  const { filters: sentFilters, ids: sent } = objectOrEmpty(call.body);
  const filters = sentFilters ?? {};
  const ids = readIds(sent);
  if (!isJsonObject(filters) || ids === undefined) return refuse('filters must be an object, and ids a list.');
  const hasFilters = Object.keys(filters).length > 0;
  const hasIds = ids.valid.length + ids.invalid.length > 0;
  if (hasFilters === hasIds) return refuse('Either filters or ids is required, and not both.');
  const unknown = Object.keys(filters).filter((name) => !FILTERS.has(name));
  if (unknown.length > 0) return refuse(`Unknown filters: ${unknown.toSorted().join(', ')}.`);
  return service.store.transaction(() => {
    const found = (
      hasFilters ? findMatching(service, call.projectId, asQuery(filters)) : findByIds(service, call, ids)
    ).filter(canEdit);
    const outcomes = found.map((flag) => deleteOne(service, flag));
    return {
      status: 200,
      body: {
        deleted: outcomes.map(({ deleted }) => deleted).filter((one) => one !== undefined),
        errors: [...unusable(ids, found), ...outcomes.map(({ error }) => error).filter((one) => one !== undefined)],
      },
    };
  });
}

function findByIds({ store }: ServiceContext, { projectId }: Call, { valid }: SentIds): StoredFlag[] {
  const found = [...new Set(valid)].map((id) => store.flags.find(projectId, id));
  return found.filter((flag) => flag !== undefined).filter(({ deleted }) => !deleted);
}

/** The parameters of a list; a list is written as JSON. */
function asQuery(filters: JsonObject): URLSearchParams {
  return new URLSearchParams(
    Object.entries(filters).map(([name, value = null]): [string, string] => [name, asText(value)]),
  );
}

function asText(value: JsonValue): string {
  return plainText(value);
}

function unusable({ valid, invalid }: SentIds, found: readonly StoredFlag[]): JsonObject[] {
  const missing = valid.filter((id) => !found.some((flag) => flag.id === id));
  return [
    ...invalid.map((id): JsonObject => ({ id, reason: 'This is not a flag id.' })),
    ...missing.map((id): JsonObject => ({ id, reason: 'There is no such flag.' })),
  ];
}

interface BulkDeleteOutcome {
  readonly deleted?: JsonObject;
  readonly error?: JsonObject;
}

/** A refusal of one flag does not affect the others. */
function deleteOne(service: ServiceContext, flag: StoredFlag): BulkDeleteOutcome {
  const { id, key } = flag;
  try {
    if (formatOf(flag.filters) === 'rules') deleteWithRules(service, flag);
    else deleteWithConditions(service, flag);
    return { deleted: { id, key, ...rolloutState(flag.filters) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { error: { id, key, reason: error.message } };
  }
}

function deleteWithRules(service: ServiceContext, before: StoredFlag): void {
  const values = { deleted: true };
  changeFlagWithRules(service, { before, values, body: { ...values, version: countedVersion(before) } });
}

/** Unlike a PATCH it leaves the version, and its entry in the activity has no changes. */
function deleteWithConditions(service: ServiceContext, before: StoredFlag): void {
  const deleted = { ...before, deleted: true, fields: { ...before.fields, ...modification(service) } };
  checkGuards(service, before, deleted);
  const after = { ...deleted, key: keyAfterDelete(service, deleted) };
  claimKey(service, after.projectId, { key: after.key, id: after.id });
  service.store.flags.update(after);
  recordDeletion(service, before);
}

function refuse(error: string): Answer {
  return { status: 400, body: { error } };
}

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
      return { updated: { id, tags: writeTags(service, flag, change(arrayOrEmpty(flag.fields['tags']), named)) } };
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

/** Unknown ids are left out; values that are not ids are named in a warning. */
export function bulkKeys({ store }: ServiceContext, call: Call): Answer {
  const { body = {} } = call;
  const ids = isJsonObject(body) ? readIds(body['ids']) : undefined;
  if (ids === undefined || (ids.valid.length === 0 && ids.invalid.length > 0)) {
    return { status: 400, body: { error: 'None of the ids is a flag id.' } };
  }
  const found = ids.valid.flatMap((id) => {
    const flag = store.flags.find(call.projectId, id);
    return flag === undefined || flag.deleted ? [] : [[String(id), flag.key] as const];
  });
  const warning = `Ignored, since they are not flag ids: ${stringifyJson(ids.invalid)}`;
  return { status: 200, body: { keys: Object.fromEntries(found), ...(ids.invalid.length > 0 && { warning }) } };
}

interface SentIds {
  readonly valid: readonly number[];
  /** The values as they were sent. */
  readonly invalid: readonly JsonValue[];
}

/** `undefined` for anything but a list; absent counts as empty. */
function readIds(sent: JsonValue | undefined): SentIds | undefined {
  if (!isJsonArray(sent ?? [])) return undefined;
  const elements = (sent ?? []) as readonly JsonValue[];
  const ids = elements.map((element) => ({ element, id: toId(element) }));
  return {
    valid: ids.flatMap(({ id }) => (id === undefined ? [] : [id])),
    invalid: ids.flatMap(({ element, id }) => (id === undefined ? [element] : [])),
  };
}

function toId(element: JsonValue): number | undefined {
  if (typeof element === 'string' && /^\d{1,15}$/.test(element)) return Number(element);
  return typeof element === 'number' && Number.isSafeInteger(element) ? element : undefined;
}
