/** Deletes the flags with given ids, or those that a list with the same filters has; what cannot be deleted is named. */

import { plainText } from '../../../src/base/json-text.ts';
import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { formatOf } from '../filters/format.ts';
import { modification } from '../flags/change.ts';
import { changeFlagWithRules } from '../flags/change-rules.ts';
import { checkGuards } from '../flags/guards.ts';
import { claimKey, keyAfterDelete } from '../flags/keys.ts';
import { findMatching } from '../flags/read.ts';
import { recordDeletion } from '../flags/record.ts';
import { canEdit } from '../flags/serialise.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { Refusal } from '../handler/envelope.ts';
import { countedVersion, type StoredFlag } from '../store/flag.ts';
import { readIds, type SentIds } from './ids.ts';
import { rolloutState } from './rollout-summary.ts';

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
