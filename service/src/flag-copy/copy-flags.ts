/** Copies a flag from one project of the organization into others. */

import {
  arrayOrEmpty,
  type JsonObject,
  type JsonValue,
  isJsonArray,
  isJsonObject,
  isJsonNumber,
} from '../../../src/base/json.ts';
import { boolean, integer, list, text } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { canEdit, serialize, defaultOf } from '../flags/serialize.ts';
import { formatOf, allProperties, mapProperties } from '../filters/conditions.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { Refusal, conflict, forbidden, invalid } from '../handler/envelope.ts';
import { type StoredFlag, storedValue } from '../store/flag.ts';
import { plainText, stringifyJson } from '../../../src/base/json-text.ts';
import type { Store } from '../store/store.ts';
import { defined } from '../../../src/base/optional.ts';
import { gate } from '../approvals/gate.ts';
import { changeFlag, draftOf } from '../flags/update.ts';
import { addFlag, draftFlag } from '../flags/create.ts';
import { reach, targetsFirst } from '../../../src/base/graph.ts';
import { cohortIds, listLeaves } from '../filters/cohorts.ts';
import type { CohortStore } from '../store/cohorts.ts';

const LIMIT = 50;

const BODY: readonly BodyField[] = [
  { name: 'feature_flag_key', type: text(), required: true },
  { name: 'from_project', type: integer, required: true },
  { name: 'target_project_ids', type: list(integer, { minLength: 1, maxLength: LIMIT }), required: true },
  // Scheduled changes are not copied.
  { name: 'copy_schedule', type: boolean },
  { name: 'disable_copied_flag', type: boolean },
  { name: 'copy_dependencies', type: boolean },
];

export function copyFlags(service: ServiceContext, { body }: Call): Answer {
  const sent = readFields(body, BODY);
  const { store, projectIds } = service;
  const sourceId = String(Number(sent['from_project']));
  const { feature_flag_key: key = null } = sent;
  const source = projectIds.includes(sourceId) ? findLive(store.flags, sourceId, plainText(key)) : undefined;
  if (source === undefined) return refuse(400, 'Feature flag to copy does not exist.');
  if (!canEdit(source)) return refuse(403, 'You do not have permission to copy this flag.');
  if (formatOf(source.filters) !== 'conditions') {
    return refuse(400, 'The flag uses another configuration format and cannot be copied.');
  }
  const found = sent['copy_dependencies'] === true ? findDependencies(store, source) : { flags: [] };
  if ('refusal' in found) return found.refusal;
  const copying = { source, dependencies: found.flags, isDisabled: sent['disable_copied_flag'] === true };
  const targets = arrayOrEmpty(sent['target_project_ids']);
  const outcomes = targets.map((target) => copyInto(service, target, copying));
  return {
    status: 200,
    body: {
      success: outcomes.flatMap(({ success }) => (success === undefined ? [] : [success])),
      failed: outcomes.flatMap(({ failed }) => (failed === undefined ? [] : [failed])),
    },
  };
}

interface CopyTask {
  readonly source: StoredFlag;
  /** All dependencies of the source, each after its own. */
  readonly dependencies: readonly StoredFlag[];
  readonly isDisabled: boolean;
  readonly targetId: string;
}

interface CopyOutcome {
  readonly success?: JsonObject;
  readonly failed?: JsonObject;
}

/** The flag, its cohorts and its dependencies are created together or not at all; other targets are not affected. */
function copyInto(service: ServiceContext, target: JsonValue, copying: Omit<CopyTask, 'targetId'>): CopyOutcome {
  const targetId = String(Number(target));
  const fail = (message: string): CopyOutcome => ({ failed: { project_id: target, error_message: message } });
  if (!service.projectIds.includes(targetId)) return fail('Project not found.');
  try {
    return { success: service.store.transaction(() => copyAll(service, { ...copying, targetId })) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { type, code } = error.facts;
    return fail(type === 'validation_error' ? `${error.message} (${code})` : error.message);
  }
}

function copyAll(service: ServiceContext, task: CopyTask): JsonObject {
  const { targetId } = task;
  // Each is copied whole: one whose own conditions could not hold is not chosen.
  const copied = chooseDependencies(service.store, task);
  for (const source of copied) copyFlag(service, { source, targetId, isDisabled: false });
  const { flag, isUpdate, warnings } = copyFlag(service, task);
  return {
    ...serialize(service, flag),
    team_id: Number(targetId),
    updated_existing: isUpdate,
    ...(warnings.length > 0 && { flag_dependency_warnings: [...warnings] }),
    ...(copied.length > 0 && { copied_dependency_keys: copied.map(({ key }) => key) }),
  };
}

/**
 * The dependencies that the target project lacks, in the order of creation. Without one that is disabled, or whose own
 * dependencies are, nothing that leads to it is created: the copy drops the condition instead.
 */
function chooseDependencies(store: Store, { source, dependencies, targetId }: CopyTask): StoredFlag[] {
  const isUsable = new Map<number, boolean>();
  const missing = new Set<number>();
  const direct = (flag: StoredFlag): StoredFlag[] =>
    referencesOf(flag.filters)
      .map((reference) => resolveReference(store, flag.projectId, reference))
      .filter((found) => found !== undefined);
  for (const flag of dependencies) {
    const existing = findLive(store.flags, targetId, flag.key);
    const canCreate = existing === undefined && direct(flag).every(({ id }) => isUsable.get(id) === true);
    isUsable.set(flag.id, flag.active && (existing?.active ?? canCreate));
    if (existing === undefined) missing.add(flag.id);
  }
  const needed = new Set<number>();
  const need = (flag: StoredFlag): void => {
    for (const dependency of direct(flag)) {
      if (isUsable.get(dependency.id) !== true || !missing.has(dependency.id) || needed.has(dependency.id)) continue;
      needed.add(dependency.id);
      need(dependency);
    }
  };
  need(source);
  return dependencies.filter(({ id }) => needed.has(id));
}

/** Tags, dashboards and evaluation contexts are not copied: they are data of a project. */
const COPIED = [
  'key',
  'name',
  'ensure_experience_continuity',
  'evaluation_runtime',
  'bucketing_identifier',
  'is_remote_configuration',
  'has_encrypted_payloads',
];

/** Members of `filters` that an update would keep where they are omitted. */
const NO_MEMBERS: JsonObject = {
  aggregation_group_type_index: null,
  multivariate: null,
  payloads: null,
  holdout: null,
  feature_enrollment: null,
  early_exit: null,
};

/** Runs in the transaction of the caller. Throws a refusal of the new flag, or of the update. */
function copyFlag(
  service: ServiceContext,
  { source, targetId, isDisabled }: Omit<CopyTask, 'dependencies'>,
): { readonly flag: StoredFlag; readonly isUpdate: boolean; readonly warnings: readonly string[] } {
  const { store, rules } = service;
  const existing = findLive(store.flags, targetId, source.key);
  if (existing !== undefined && !canEdit(existing)) {
    throw forbidden('You do not have permission to copy flags to this project.');
  }
  const projects = { sourceId: source.projectId, targetId };
  const ownCohorts = copyCohorts(store.cohorts, { ...NO_MEMBERS, ...source.filters }, projects);
  const { filters, warnings } = remapDependencies(store, ownCohorts, projects);
  const values: JsonObject = {
    ...Object.fromEntries(COPIED.map((name) => [name, storedValue(source, name) ?? defaultOf(rules.name, name)])),
    filters,
    deleted: false,
    // A condition without its dependency may match everyone.
    active: source.active && !isDisabled && warnings.length === 0,
  };
  const draft =
    existing === undefined ? () => draftFlag(service, targetId, values) : draftOf(service, existing, values);
  // No change request is opened: the transaction is rolled back.
  if (gate(service, { projectId: targetId, values, draft, ...defined({ before: existing }) }) !== undefined) {
    throw conflict('The copy needs an approval in the target project.');
  }
  const flag =
    existing === undefined ? addFlag(service, targetId, values) : changeFlag(service, { before: existing, values });
  return { flag, isUpdate: existing !== undefined, warnings };
}

/**
 * The keys of flags are the same in all projects, their ids are not. There is a warning for each dropped condition, and for each that then
 * has no properties left.
 */
function remapDependencies(
  store: Store,
  filters: JsonObject,
  projects: CopyProjects,
): { readonly filters: JsonObject; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const changed = arrayOrEmpty(filters['groups']).map((group) => {
    if (!isJsonObject(group) || !isJsonArray(group['properties'])) return group;
    const kept = group['properties'].flatMap((property): JsonValue[] => {
      if (!isJsonObject(property) || property['type'] !== 'flag') return [property];
      const { key = null } = property;
      const outcome = remapOne(store, key, projects);
      if ('key' in outcome) return [{ ...property, key: outcome.key }];
      warnings.push(outcome.warning);
      return [];
    });
    if (kept.length === 0 && group['properties'].length > 0) {
      warnings.push('A condition has no properties left and matches everyone; check it before the flag is enabled.');
    }
    return { ...group, properties: kept };
  });
  return { filters: { ...filters, groups: changed }, warnings };
}

function remapOne(
  store: Store,
  key: JsonValue,
  { sourceId, targetId }: CopyProjects,
): { readonly key: string } | { readonly warning: string } {
  const reference = referenceOf(key);
  const source = reference === undefined ? undefined : resolveReference(store, sourceId, reference);
  if (source === undefined || !canEdit(source)) {
    return {
      warning: `Removed the dependency ${stringifyJson(key)}, which could not be resolved in the source project.`,
    };
  }
  const dropped = `Removed the dependency on ${stringifyJson(source.key)}`;
  if (!source.active) return { warning: `${dropped}, which is disabled in the source project.` };
  const target = findLive(store.flags, targetId, source.key);
  if (target === undefined) return { warning: `${dropped}: the target project has no flag with that key.` };
  if (!target.active) return { warning: `${dropped}, which is disabled in the target project.` };
  return { key: String(target.id) };
}

interface CopyProjects {
  readonly sourceId: string;
  readonly targetId: string;
}

/** Returns the filters for the target project. A copied static cohort has no persons. */
function copyCohorts(cohorts: CohortStore, filters: JsonObject, { sourceId, targetId }: CopyProjects): JsonObject {
  if (sourceId === targetId) return filters;
  const childrenOf = (id: number): number[] => cohortIds(listLeaves(cohorts.find(sourceId, id)?.properties ?? {}));
  const reached = reach(cohortIds(allProperties(filters)), childrenOf);
  const graph = new Map([...reached].map((id) => [id, childrenOf(id)]));
  const copies = new Map<number, number>();
  const redirect = (leaf: JsonObject): JsonObject => redirected(leaf, copies);
  for (const id of targetsFirst(graph)) {
    const { name = null, properties = null } = cohorts.find(sourceId, id) ?? {};
    if (name === null) continue;
    const existing = cohorts.list(targetId).find((cohort) => cohort.name === name);
    const copy = existing?.id ?? cohorts.nextId();
    copies.set(id, copy);
    if (existing !== undefined) continue;
    const copied = properties === null ? null : mapLeaves(properties, redirect);
    cohorts.put(targetId, { id: copy, name, properties: copied });
  }
  return mapProperties(filters, redirect);
}

/** A cohort that does not exist, or has no name, cannot be found in another project. */
function redirected(property: JsonObject, copies: ReadonlyMap<number, number>): JsonObject {
  if (property['type'] !== 'cohort') return property;
  const value = copies.get(Number(property['value']));
  if (value === undefined) throw invalid('cohort_does_not_exist', 'A cohort of the flag cannot be copied.', 'filters');
  return { ...property, value };
}

function mapLeaves(node: JsonObject, change: (leaf: JsonObject) => JsonObject): JsonObject {
  const { values } = node;
  if (!isJsonArray(values)) return change(node);
  const mapped = values.map((value): JsonValue => (isJsonObject(value) ? mapLeaves(value, change) : value));
  return { ...node, values: mapped };
}

/** A copy takes at most so many other flags along. */
const MOST_DEPENDENCIES = 50;

/** Every flag that `source` depends on, also through others, each after those that it depends on itself; or why they cannot be copied. */
function findDependencies(store: Store, source: StoredFlag): { flags: readonly StoredFlag[] } | { refusal: Answer } {
  const found = new Map<number, StoredFlag>();
  const open = new Set<number>();
  const visit = (flag: StoredFlag): Answer | undefined => {
    if (open.has(flag.id)) return refuse(400, 'The dependencies form a cycle; copy the flag without them.');
    if (found.has(flag.id)) return undefined;
    if (open.size + found.size > MOST_DEPENDENCIES) {
      return refuse(400, `The flag depends on more than ${MOST_DEPENDENCIES} flags; copy it without them.`);
    }
    open.add(flag.id);
    for (const reference of referencesOf(flag.filters)) {
      const dependency = resolveReference(store, flag.projectId, reference);
      const refusal = refuseDependency(reference, dependency) ?? (dependency && visit(dependency));
      if (refusal !== undefined) return refusal;
    }
    open.delete(flag.id);
    found.set(flag.id, flag);
    return undefined;
  };
  const refusal = visit(source);
  if (refusal !== undefined) return { refusal };
  found.delete(source.id);
  return { flags: [...found.values()] };
}

function refuseDependency(reference: string, dependency: StoredFlag | undefined): Answer | undefined {
  if (dependency === undefined) return refuse(400, `The dependency ${reference} does not exist in the source project.`);
  if (!canEdit(dependency)) return refuse(403, 'You do not have permission to copy a flag that this flag depends on.');
  if (formatOf(dependency.filters) === 'conditions') return undefined;
  return refuse(400, `Dependency flag '${dependency.key}' uses another configuration format and cannot be copied.`);
}

/** The flags that conditions name, each once, in the order of the conditions. */
function referencesOf(filters: JsonObject): string[] {
  const properties = allProperties(filters).filter(({ type }) => type === 'flag');
  const references = properties.map(({ key }) => referenceOf(key)).filter((reference) => reference !== undefined);
  return [...new Set(references)];
}

/** The name of another flag in a condition; `undefined` for a value that names none. */
function referenceOf(key: JsonValue | undefined): string | undefined {
  const text = isJsonNumber(key) ? String(key) : typeof key === 'string' ? key.trim() : '';
  return text === '' ? undefined : text;
}

/** The live flag with this id or, where no flag has it, with this key. */
function resolveReference({ flags }: Store, projectId: string, reference: string): StoredFlag | undefined {
  const byId = /^\d{1,15}$/.test(reference) ? flags.find(projectId, Number(reference)) : undefined;
  return byId !== undefined && !byId.deleted ? byId : findLive(flags, projectId, reference);
}

function findLive(flags: Store['flags'], projectId: string, key: string): StoredFlag | undefined {
  const flag = flags.findByKey(projectId, key);
  return flag?.deleted === true ? undefined : flag;
}

function refuse(status: 400 | 403, error: string): Answer {
  return { status, body: { error } };
}
