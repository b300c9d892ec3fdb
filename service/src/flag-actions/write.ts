/**
 * Enables, disables, archives and unarchives a flag, without a body and only if it is not so already; sets its rollout; and deletes or tags
 * several.
 */

import {
  type JsonObject,
  arrayOrEmpty,
  jsonEquals,
  type JsonValue,
  isJsonObject,
  objectOrEmpty,
  memberOf,
  isJsonArray,
} from '../../../src/base/json.ts';
import { gate } from '../approvals/gate.ts';
import { formatOf, groupsOf, propertiesOf, variantKeys, variantsOf } from '../filters/conditions.ts';
import { changeFlag, draftOf, modification, changeFlagWithRules, staleVersion } from '../flags/update.ts';
import { findEditableFlag, findMatching } from '../flags/read.ts';
import { serialize, canEdit } from '../flags/serialize.ts';
import type { Handler, ServiceContext, Answer, Call } from '../handler/call.ts';
import { type StoredFlag, countedVersion } from '../store/flag.ts';
import { wholeNumber, percentage, text, choice, integer, list, tags } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { invalid, invalidInput, Refusal } from '../handler/envelope.ts';
import { plainText, stringifyJson } from '../../../src/base/json-text.ts';
import { checkGuards } from '../flags/check.ts';
import { claimKey, keyAfterDelete } from '../flags/keys.ts';
import { recordDeletion } from '../flags/record.ts';
import { rolloutState } from './read.ts';
import { compareStrings } from '../../../src/base/compare-strings.ts';

export const enableFlag: Handler = transition(({ active }) => !active && { active: true });

export const disableFlag: Handler = transition(({ active }) => active && { active: false });

/** An archived flag must be disabled. */
export const archiveFlag: Handler = transition(
  ({ archived, active }) => !archived && { archived: true, ...(active && { active: false }) },
);

export const unarchiveFlag: Handler = transition(({ archived }) => archived && { archived: false });

/** `valuesFor`: what the action changes; false where it was done already. */
function transition(valuesFor: (flag: StoredFlag) => JsonObject | false): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const before = findEditableFlag(service, call);
      const refusal = refuseDeleted(before);
      if (refusal !== undefined) return refusal;
      const changed = valuesFor(before);
      if (changed === false) return { status: 200, body: serialize(service, before) };
      const asked = gate(service, {
        projectId: call.projectId,
        before,
        values: changed,
        draft: draftOf(service, before, changed),
        keepsOutdated: true,
      });
      return asked ?? { status: 200, body: serialize(service, write(service, before, changed)) };
    });
}

function write(service: ServiceContext, before: StoredFlag, values: JsonObject): StoredFlag {
  return formatOf(before.filters) === 'conditions'
    ? changeFlag(service, { before, values, keepsOutdated: true })
    : changeFlagWithRules(service, { before, values, body: values });
}

/** Null is the version of a flag that was last written before flags had one. */
const VERSION: BodyField = { name: 'version', type: wholeNumber, required: true, null: 'store' };

export const setConditionRollout: Handler = action(setRollout, [
  { name: 'condition_index', type: wholeNumber, required: true },
  { name: 'rollout_percentage', type: percentage, required: true },
  VERSION,
]);

export const rollOutToEveryone: Handler = action(rollOut, [
  VERSION,
  { name: 'variant_key', type: text(), null: 'ignore' },
]);

/** `transform` returns the filters after the action, or throws a 400. */
function action(
  transform: (filters: JsonObject, sent: JsonObject) => JsonObject,
  fields: readonly BodyField[],
): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const sent = readFields(call.body, fields);
      const before = findEditableFlag(service, call);
      const refusal = refuseDeleted(before);
      if (refusal !== undefined) return refusal;
      checkWritable(before, sent['version']);
      const filters = transform(before.filters, sent);
      if (jsonEquals(filters, before.filters)) return { status: 200, body: serialize(service, before) };
      const change = { before, values: { filters }, keepsOutdated: true };
      const { projectId } = call;
      const asked = gate(service, { ...change, projectId, draft: draftOf(service, before, change.values) });
      return asked ?? { status: 200, body: serialize(service, changeFlag(service, change)) };
    });
}

function checkWritable(flag: StoredFlag, sent: JsonValue | undefined): void {
  if (formatOf(flag.filters) !== 'conditions') {
    throw invalid('unsupported_config_version', 'A flag with rules has no conditions to roll out.', null);
  }
  const wanted = sent ?? 0;
  if (wanted !== countedVersion(flag)) throw staleVersion(wanted, countedVersion(flag));
}

function setRollout(
  filters: JsonObject,
  { condition_index: index, rollout_percentage: rollout = null }: JsonObject,
): JsonObject {
  const groups = arrayOrEmpty(filters['groups']);
  const at = Number(index);
  if (at >= groups.length) {
    const count = groups.length === 0 ? 'no conditions' : `only the conditions 0 to ${groups.length - 1}`;
    throw invalidInput(`The flag has ${count}.`);
  }
  const changed = groupsOf(filters).map((group, place) =>
    place === at ? { ...group, rollout_percentage: rollout } : group,
  );
  return { ...filters, groups: changed };
}

function rollOut(filters: JsonObject, sent: JsonObject): JsonObject {
  if (filters['feature_enrollment'] === true) {
    throw invalidInput('The early access enrollment of the flag decides before its conditions do.');
  }
  const variant = checkedVariant(filters, sent['variant_key']);
  const variants = variantsOf(filters).map((one) => ({
    ...one,
    rollout_percentage: one['key'] === variant ? 100 : 0,
  }));
  const groups = groupsOf(filters);
  const everybody: JsonObject = { properties: [], rollout_percentage: 100 };
  return {
    ...filters,
    groups: isForEverybody(groups[0], variant) ? groups : [everybody, ...groups],
    ...(variant !== null && { multivariate: { variants } }),
  };
}

/** Null for a flag without variants. */
function checkedVariant(filters: JsonObject, sent: JsonValue | undefined): JsonValue {
  const known = variantKeys(filters);
  const names = known.map(String).join(', ');
  if (known.length === 0) {
    if (sent !== undefined) throw invalidInput('The flag has no variants; omit variant_key.');
    return null;
  }
  if (sent === undefined) throw invalidInput(`variant_key must name the variant for everyone: ${names}.`);
  if (!known.includes(sent)) throw invalidInput(`The flag has no such variant; it has ${names}.`);
  return sent;
}

function isForEverybody(group: JsonObject | undefined, variant: JsonValue): boolean {
  if (group?.['rollout_percentage'] !== 100 || propertiesOf(group).length > 0) return false;
  return (group['variant'] ?? variant) === variant;
}

/** `undefined` for a flag that is not deleted. */
function refuseDeleted(flag: StoredFlag): Answer | undefined {
  if (!flag.deleted) return undefined;
  return { status: 400, body: { success: false, error: 'The flag is deleted. Restore it first.' } };
}

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
    Object.entries(filters).map(([name, value = null]): [string, string] => [name, plainText(value)]),
  );
}

function unusable({ valid, invalid }: SentIds, found: readonly StoredFlag[]): JsonObject[] {
  const missing = valid.filter((id) => !found.some((flag) => flag.id === id));
  return [
    ...invalid.map((id): JsonObject => ({ id, reason: 'This is not a flag id.' })),
    ...missing.map((id): JsonObject => ({ id, reason: 'There is no such flag.' })),
  ];
}

/** A refusal of one flag does not affect the others. */
function deleteOne(service: ServiceContext, flag: StoredFlag): { deleted?: JsonObject; error?: JsonObject } {
  const { id, key } = flag;
  try {
    if (formatOf(flag.filters) === 'rules') {
      const values = { deleted: true };
      changeFlagWithRules(service, { before: flag, values, body: { ...values, version: countedVersion(flag) } });
    } else deleteWithConditions(service, flag);
    return { deleted: { id, key, ...rolloutState(flag.filters) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { error: { id, key, reason: error.message } };
  }
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

const CHANGES: Readonly<Record<string, (current: readonly JsonValue[], sent: readonly JsonValue[]) => JsonValue[]>> = {
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
