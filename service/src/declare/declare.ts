/**
 * Brings the flags of a project to a declaration, in one transaction. Ids stay, and the activity records each change.
 */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject, jsonEquals, type JsonObject } from '../../../src/base/json.ts';
import { NEW_FLAG } from '../flags/create.ts';
import { recordCreation, recordUpdate } from '../flags/record.ts';
import { type ServiceContext, EMBEDDED_USER } from '../handler/call.ts';
import { mapProperties } from '../filters/conditions.ts';
import { countedVersion, withValues, type StoredFlag } from '../store/flag.ts';
import { EDITOR_LEVEL } from '../store/people.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { ProjectDeclaration, FlagDeclaration } from './declaration.ts';

/**
 * Stores filters as declared, without checks, which the caller has made. Removes flags that only an earlier declaration
 * had, also after a restart, and leaves undeclared flags alone.
 */
export function declare(service: ServiceContext, declaration: ProjectDeclaration): void {
  const { store } = service;
  const { projectId } = declaration;
  store.transaction(() => {
    for (const key of declaration.removed) remove(service, store.flags.findByKey(projectId, key));
    // Creates all flags first, since conditions may refer to any of them.
    const targets = declaration.flags.map((flag) => ({ flag, target: findOrCreate(service, projectId, flag) }));
    for (const { flag, target } of targets) {
      update(service, target, { ...flag, fields: withIds(service, projectId, flag.fields) });
      setAccess(service, target, flag);
    }
    const ids = new Set(targets.map(({ target }) => target.id));
    const gone = store.declaredFlags.ids(projectId).filter((id) => !ids.has(id));
    for (const id of gone) remove(service, store.flags.find(projectId, id));
    store.declaredFlags.replace(projectId, [...ids]);
  });
}

function remove(service: ServiceContext, flag: StoredFlag | undefined): void {
  if (flag === undefined || flag.deleted) return;
  const deleted = { ...flag, deleted: true, version: countedVersion(flag) + 1 };
  service.store.flags.update(deleted);
  recordUpdate(service, flag, deleted);
}

function findOrCreate(service: ServiceContext, projectId: string, { key, previousKeys }: FlagDeclaration): StoredFlag {
  const { store, now } = service;
  const found = [key, ...previousKeys].map((name) => store.flags.findByKey(projectId, name));
  const existing = found.find((flag) => flag !== undefined);
  if (existing !== undefined) return existing;
  const time = formatTimestamp(now());
  const created = store.flags.insert({
    projectId,
    key,
    ...NEW_FLAG,
    createdAt: time,
    fields: { created_by: EMBEDDED_USER, last_modified_by: EMBEDDED_USER, updated_at: time },
  });
  recordCreation(service, created);
  return created;
}

/** Undeclared fields take the defaults of a new flag, so that the result does not depend on earlier declarations. */
function update(service: ServiceContext, before: StoredFlag, { key, fields }: FlagDeclaration): void {
  const { filters } = fields;
  const declared = {
    ...withValues(asNew(before), { ...fields, key }),
    ...(isJsonObject(filters) && { filters }),
  };
  if (jsonEquals({ ...declared }, { ...before })) return;
  const after = {
    ...declared,
    version: countedVersion(before) + 1,
    fields: { ...declared.fields, updated_at: formatTimestamp(service.now()), last_modified_by: EMBEDDED_USER },
  };
  service.store.flags.update(after);
  recordUpdate(service, before, after);
}

/** Fields that the service itself sets are kept. */
const NOTED: ReadonlySet<string> = new Set(['created_by', 'updated_at', 'last_modified_by', 'last_called_at']);

function asNew(flag: StoredFlag): StoredFlag {
  const noted = Object.entries(flag.fields).filter(([name]) => NOTED.has(name));
  return { ...flag, ...NEW_FLAG, version: flag.version, fields: Object.fromEntries(noted) };
}

/** Replaces keys of other flags by their ids, as the service stores them. */
function withIds({ store }: ServiceContext, projectId: string, fields: JsonObject): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  const mapped = mapProperties(filters, (property) => {
    const { type, key = null } = property;
    if (type !== 'flag' || key === null) return property;
    const id = typeof key === 'string' ? store.flags.findByKey(projectId, key)?.id : key;
    return { ...property, key: id === undefined ? key : stringifyJson(id) };
  });
  return { ...fields, filters: mapped };
}

function setAccess({ store, now }: ServiceContext, flag: StoredFlag, { roles, everyone }: FlagDeclaration): void {
  const { accessRules } = store;
  const time = formatTimestamp(now());
  const rules = accessRules.list(flag.id);
  const setLevel = (roleId: string | null, level: string | null): void => {
    const subject = { flagId: flag.id, roleId, memberId: null };
    const held = rules.find((rule) => rule.roleId === roleId && rule.memberId === null)?.level ?? null;
    if (level === null) accessRules.remove(subject);
    else if (level !== held) accessRules.put(subject, level, time);
  };
  if (everyone !== undefined) setLevel(null, everyone);
  if (roles === undefined) return;
  for (const { roleId } of rules) {
    if (roleId !== null && !roles.some(({ id }) => id === roleId)) setLevel(roleId, null);
  }
  for (const { id, name = id, level = 'editor' } of roles) {
    if (store.roles.find(id) === undefined) store.roles.put({ id, name, accessLevel: EDITOR_LEVEL, createdAt: time });
    setLevel(id, level);
  }
}
