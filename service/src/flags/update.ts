/** Updates a flag: by PATCH and PUT, and by other operations that change fields of it, with every check and side effect. */

import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonValue,
} from '../../../src/base/json.ts';
import { outdatedMembers, unsupportedFormat } from '../filters/posthog.ts';
import { FILTER_RULES } from '../filters/rules.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type ServiceContext, userOf, type Answer, type Call, type Handler } from '../handler/call.ts';
import { countedVersion, withValues, type StoredFlag, storedValue } from '../store/flag.ts';
import { checkFlag, filterContext, checkGuards } from './check.ts';
import { checkKey, claimKey, keyAfterDelete, keyAfterUndelete } from './keys.ts';
import { recordUpdate } from './record.ts';
import { formatOf } from '../filters/conditions.ts';
import { gate, refuseGoverned } from '../approvals/gate.ts';
import { findEditableFlag } from './read.ts';
import { serialize } from './serialize.ts';
import { flagBody, readWrite } from './fields.ts';
import { conflict, invalid } from '../handler/envelope.ts';
import { stringifyJson, parseJson } from '../../../src/base/json-text.ts';
import { acceptRules, checkRules } from '../filters/rule-document.ts';

interface StoredFlagChange {
  readonly before: StoredFlag;
  /** Checked values by their names in the interface. */
  readonly values: JsonObject;
  /** Whether outdated members of `filters`, which any other update removes, are kept: an action changes nothing else. */
  readonly keepsOutdated?: boolean;
}

/** Runs in the transaction of the caller, and returns the stored flag. */
export function changeFlag(service: ServiceContext, change: StoredFlagChange): StoredFlag {
  const after = draftChange(service, change);
  storeChange(service, change.before, after);
  return after;
}

/** The flag after the change, with every check of an update but that of its key. */
function draftChange(service: ServiceContext, change: StoredFlagChange): StoredFlag {
  const { before, values } = change;
  if (typeof values['key'] === 'string' && values['key'] !== before.key) checkKey(service, values['key']);
  const dashboards = values['analytics_dashboards'];
  const draft = withValues(before, {
    ...values,
    ...modification(service),
    // Enabling a flag resolves its rollback.
    ...(values['active'] === true && { performed_rollback: false }),
    // Dashboards are only ever added.
    ...(isJsonArray(dashboards) && {
      analytics_dashboards: [...new Set([...arrayOrEmpty(before.fields['analytics_dashboards']), ...dashboards])],
    }),
  });
  checkFlag(service, draft);
  const after = withKeyOfItsState(service, before, withFilters(service, draft, change));
  if (service.rules.guards) checkGuards(service, before, after);
  return after;
}

/** Stores a change that is already checked, and records it. */
function storeChange(service: ServiceContext, before: StoredFlag, after: StoredFlag): void {
  claimKey(service, after.projectId, { key: after.key, id: after.id });
  service.store.flags.update(after);
  recordUpdate(service, before, after);
}

/** The fields that name who changed a flag last, and when. */
export function modification(service: ServiceContext): JsonObject {
  return { last_modified_by: userOf(service), updated_at: formatTimestamp(service.now()) };
}

function withFilters(
  service: ServiceContext,
  draft: StoredFlag,
  { before, values, keepsOutdated = false }: StoredFlagChange,
): StoredFlag {
  const sent = isJsonObject(values['filters']) ? values['filters'] : undefined;
  const context = filterContext(service, draft, before);
  const filters = FILTER_RULES[service.rules.name].update(sent, before.filters, context);
  const kept = keepsOutdated ? outdatedMembers(before.filters) : {};
  return { ...draft, filters: { ...filters, ...kept }, version: countedVersion(draft) + 1 };
}

/** Deletion may change the key, and restoration changes it back. */
function withKeyOfItsState(service: ServiceContext, before: StoredFlag, after: StoredFlag): StoredFlag {
  if (after.deleted && !before.deleted) return { ...after, key: keyAfterDelete(service, after) };
  if (!after.deleted && before.deleted) return { ...after, key: keyAfterUndelete(service, after) };
  return after;
}

/** Throws where the write would be refused. A flag with rules is checked when the write is made. */
export function draftOf(service: ServiceContext, before: StoredFlag, values: JsonObject): () => StoredFlag {
  return () =>
    formatOf(before.filters) === 'conditions' ? draftChange(service, { before, values }) : withValues(before, values);
}

export const updateFlag: Handler = (service, call) => update(service, call, true);
/** PUT: required fields must be present; omitted ones stay. */
export const replaceFlag: Handler = (service, call) => update(service, call, false);

function update(service: ServiceContext, call: Call, partial: boolean): Answer {
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

interface RulesChange {
  readonly before: StoredFlag;
  readonly body: JsonValue | undefined;
  /** The JSON text of the body. */
  readonly text?: string | undefined;
  /** The checked fields of the body. */
  readonly values: JsonObject;
}

/** `original_flag` is accepted and ignored. */
const OPEN_MEMBERS: readonly string[] = ['version', 'active', 'deleted', 'original_flag'];
/** The members that a project with enabled rules accepts in addition. */
const MEMBERS_OF_OPENED: readonly string[] = ['filters', 'key', 'name', 'tags'];

/** Whether the project accepts the filters as rules. */
export function writesRules(service: ServiceContext, projectId: string, filters: JsonValue | undefined): boolean {
  const { rules, store } = service;
  return rules.formats && formatOf(objectOrEmpty(filters)) === 'rules' && store.flags.acceptsRules(projectId);
}

export function changeFlagWithRules(service: ServiceContext, change: RulesChange): StoredFlag {
  const { before, body, text, values } = change;
  const { filters } = values;
  const isOpened = service.store.flags.acceptsRules(before.projectId);
  // The reason for the refusal is the one that other flags give first.
  if ((isJsonObject(filters) && !isOpened) || !isOpen(before)) {
    FILTER_RULES[service.rules.name].update(objectOrEmpty(filters), before.filters, filterContext(service, before));
    throw unsupportedFormat();
  }
  const echoed = Object.keys(values).filter(
    (name) => name !== 'filters' && jsonEquals(values[name] ?? null, storedValue(before, name) ?? null),
  );
  const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !echoed.includes(name)));
  refuseClosedMembers({ ...(isJsonObject(body) && body), ...values }, { changed, echoed, isOpened });
  const disabled = changed['deleted'] === true ? { ...changed, active: false } : changed;
  if (typeof changed['key'] === 'string') checkKey(service, changed['key']);
  const draft = withValues(before, { ...disabled, ...modification(service) });
  const key = draft.deleted && !before.deleted ? keyAfterDelete(service, draft) : draft.key;
  const after = { ...draft, key, version: countedVersion(draft) + 1 };
  checkGuards(service, before, after);
  checkVersion(before, body);
  refuseGoverned(service, before.projectId);
  const written =
    filters === undefined
      ? after
      : { ...after, filters: readRules(service, { sent: filters, stored: before.filters, text }) };
  if (after.active && !before.active) checkRules(written.filters);
  storeChange(service, before, written);
  return written;
}

interface SentRules {
  readonly sent: JsonValue | undefined;
  readonly stored: JsonObject;
  readonly text: string | undefined;
}

/** The filters to store, with the ids and seeds of the service. */
export function readRules(service: ServiceContext, { sent = null, stored, text }: SentRules): JsonObject {
  const repeated = text === undefined ? undefined : repeatedMember(text);
  if (repeated !== undefined)
    throw invalid('invalid_input', `The key ${stringifyJson(repeated)} is repeated.`, 'filters');
  return acceptRules(sent, { stored, newId: service.randomUuid });
}

/** Whether the flag accepts any change: remote configurations and flags with encrypted payloads of this format do not. */
function isOpen({ filters, fields }: StoredFlag): boolean {
  return (
    formatOf(filters) === 'rules' &&
    fields['has_encrypted_payloads'] !== true &&
    fields['is_remote_configuration'] !== true
  );
}

interface SentMembers {
  readonly changed: JsonObject;
  readonly echoed: readonly string[];
  readonly isOpened: boolean;
}

/** Accepts a member that repeats the stored value, since it changes nothing. */
function refuseClosedMembers(sent: JsonObject, { changed, echoed, isOpened }: SentMembers): void {
  const open = new Set([...OPEN_MEMBERS, ...(isOpened ? MEMBERS_OF_OPENED : []), ...echoed]);
  const closed = Object.keys(sent).filter((name) => !open.has(name));
  if (changed['deleted'] === false) closed.push('deleted');
  if (changed['active'] === true && !isOpened) closed.push('active');
  if (closed.length === 0) return;
  const detail = `These fields of a flag with rules cannot be updated: ${closed.toSorted().join(', ')}.`;
  throw invalid('unsupported_config_version', detail, null);
}

/** Unlike for other flags, the version is required and any change since then is a conflict. */
function checkVersion(flag: StoredFlag, body: JsonValue | undefined): void {
  const sent = isJsonObject(body) ? (body['version'] ?? null) : null;
  const stored = countedVersion(flag);
  if (sent === null) throw invalid('required', 'The version is required for a flag with rules.', 'version');
  if (!Number.isSafeInteger(sent)) throw invalid('invalid_input', 'Must be an integer.', 'version');
  if (sent !== stored) throw staleVersion(sent, stored);
}

export function staleVersion(sent: JsonValue, stored: number): Error {
  return conflict(`The flag has changed since version ${stringifyJson(sent)}; its version is ${stored}.`);
}

const TOKEN = /("(?:[^"\\]|\\.)*")\s*(:)?|[{}[\]]/g;

/** The name of the first such member. `text` is valid JSON. */
function repeatedMember(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string === undefined) {
      if (token === '{' || token === '[') open.push(new Set());
      else open.pop();
    } else if (colon !== undefined) {
      const name = parseJson(string) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
  }
  return undefined;
}
