/** Writes a requested edit of a flag: the member and layer of each value, in the existing form. */

import {
  arrayOrEmpty,
  definedKeys,
  isJsonObject,
  memberOf,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
  isJsonArray,
  jsonEquals,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { createSuggest } from '../../base/text.ts';
import { membersIn, type Declaration, type WrittenRollout } from '../../manifest/declaration.ts';
import { stringsOf } from '../../manifest/members.ts';
import { findIntended } from '../../posthog/flag/checks/slips.ts';
import { CONSENT, hasConsent, needsConsent } from '../../posthog/flag/checks/unknown-members.ts';
import { EXPORTED_FIELDS, MEMBER_NAMES } from '../../posthog/flag/model/fields.ts';
import type { Filters } from '../../posthog/flag/model/flag.ts';
import { plainRollout, writeFilters, writeUncheckedFilters } from '../../posthog/flag/layout/flag.ts';
import {
  resolveCohorts,
  declaredFilters,
  findTargeting,
  isUnchecked,
  SHORTHAND,
} from '../../posthog/flag/manifest/fields.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../posthog/flag/model/tolerances.ts';
import { lookupNames, nameCohorts, nameFlags, namedFlags } from '../../posthog/flag/model/references.ts';
import { layerOf, writeApart, writeMember, writePresence, type LayerMembers, type Editing } from '../choose-layer.ts';
import { editingOf, type EditingContext, type EditingIn } from '../context.ts';
import type { FlagEdit, TextEdits, UnwrittenEdit, FileEdit, KeyUse } from '../edit.ts';
import type { EditWriteOptions } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { editsBetween, withMember, setIn, valueIn, type MemberPath } from '../members.ts';
import { reconcile } from '../reconcile.ts';
import { orderedEdit, suggestMembers, type DeclaredIn } from '../texts.ts';
import { writeAccessEdit } from './access.ts';
import { wantedFlag, type FlagToWrite } from './is-written.ts';
import { writeTargeting, withWrittenTexts } from './targeting.ts';
import { compareStrings } from '../../base/compare-strings.ts';
import type { Place } from '../../base/place.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { rolloutAt } from '../../manifest/at-moment.ts';
import { without } from '../../posthog/flag/layout/members.ts';
import type { Moment } from '../../rollout/rollout.ts';

/** `isFallback` writes the filters unchecked, since they break rules. */
export function writeFlagEdit(
  context: EditingContext,
  edit: FlagEdit,
  { layer, isFallback }: EditWriteOptions,
): TextEdits | UnwrittenEdit {
  const { key } = edit;
  const editing = editingOf(context, key, layer);
  if (editing === undefined) return { key, reason: { code: 'not-declared' } };
  const task: FlagWriteTask = { ...editing, context, edit, unchecked: isFallback };
  const { declaration } = task;
  const before = membersIn(declaration);
  const used = findUse(task);
  if (used !== undefined) return used;
  const changed = writeFields(writePresence(withPreviousKey(before, edit), edit, task), task);
  if (changed === undefined) return { key, reason: { code: 'not-expressible' }, place: declaration.places.place };
  const access =
    edit.access === undefined
      ? { members: changed, edits: [] }
      : writeAccessEdit(changed, edit.access, accessTask(task));
  if ('reason' in access) return { place: declaration.places.place, ...access, key };
  const { renamed } = edit;
  const { rollouts, written: stepped } = declaration;
  const { moment } = context.project;
  const members =
    rollouts === undefined ? access.members : withSteps(access.members, { declaration, rollouts, moment });
  const isSplit = renamed !== undefined && isApart(task);
  if (members === undefined || (isSplit && rollouts !== undefined)) {
    return { key, reason: { code: 'changes-over-time' }, place: declaration.places.place };
  }
  if (isSplit) return { key, edits: [...splitEdits({ ...task, renamed }, members), ...access.edits] };
  const written = rollouts === undefined ? before : objectOrEmpty(stepped);
  const own = editsBetween(written, members, [EDITED.flags.section, key]);
  const edits = [...own.map((one) => ({ file: declaration.file, edit: orderedEdit(one) })), ...access.edits];
  const rename =
    renamed === undefined
      ? undefined
      : { section: EDITED.flags.section, file: declaration.file, from: key, to: renamed };
  return { key, edits, ...defined({ rename }) };
}

interface FlagWriteTask extends EditingIn {
  /** Filters are written under `fields`, since they break rules. */
  readonly unchecked: boolean;
  readonly context: EditingContext;
  readonly edit: FlagEdit;
}

/** Other declarations would name a key that no flag has, and other projects would rename theirs. */
function findUse(task: FlagWriteTask): UnwrittenEdit | undefined {
  const { key, renamed } = task.edit;
  const used = renamed === undefined ? undefined : findKeyUse({ ...task, renamed }, task.context);
  if (used === undefined || renamed === undefined) return undefined;
  const { use, place, edits } = used;
  const reason = { code: 'key-in-use', key, renamed, use } as const;
  return { key, reason, place, ...defined({ suggestion: suggestMembers(edits) }) };
}

function withPreviousKey(members: LayerMembers, { key, renamed }: FlagEdit): LayerMembers {
  if (renamed === undefined) return members;
  const former = stringsOf(members['previous_keys']).filter((one) => one !== renamed);
  return withMember(members, 'previous_keys', [...former, key]);
}

function writeFields(members: LayerMembers | undefined, task: FlagWriteTask): LayerMembers | undefined {
  const { fields } = task.edit;
  if (members === undefined || fields === undefined) return members;
  const wanted = wantedFlag(task.context, task.edit);
  return definedKeys(fields).reduce<LayerMembers | undefined>((all, field) => {
    if (all === undefined) return undefined;
    return field === 'filters' ? writeOwnFilters(all, wanted, task) : writeField(all, { field, wanted }, task);
  }, members);
}

interface FieldValue {
  readonly field: string;
  readonly wanted: FlagToWrite;
}

function writeField(
  members: LayerMembers,
  { field, wanted }: FieldValue,
  task: FlagWriteTask,
): LayerMembers | undefined {
  const member = MEMBER_NAMES.get(field);
  const path = member === undefined ? ['fields', field] : [member];
  const live = memberOf(wanted.flag, field) ?? null;
  const { write, usual = [] } = EXPORTED_FIELDS.find(({ api }) => api === field) ?? {};
  const written = path.reduce<JsonValue | undefined>(
    (outer, name) => (isJsonObject(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined),
    layerOf(members, task).value,
  );
  const means = (candidate: JsonValue): boolean => wanted.isMet({ [field]: candidate });
  const value = reconcile(written, write?.(live) ?? live, means);
  const changed = writeMember(members, { path, value }, task);
  if (changed !== undefined) return changed;
  // An overlay cannot hold null, but perhaps another value that means the same.
  const other = usual.find((one) => one !== null && means(one));
  const saidSo = other === undefined ? undefined : writeMember(members, { path, value: other }, task);
  return saidSo ?? (task.layer === 'auto' ? writeApart(members, { path, value }, task) : undefined);
}

function writeOwnFilters(members: LayerMembers, wanted: FlagToWrite, task: FlagWriteTask): LayerMembers | undefined {
  const { value: layer } = layerOf(members, task);
  const unchecked = task.unchecked || isUnchecked(layer);
  const means = meaningOfFilters(wanted, { unchecked, context: task.context });
  const live = wanted.flag.filters;
  const names = lookupNames(task.context.live.flags, task.context.project);
  const written = writtenFilters(layer);
  const exported = unchecked ? writeUncheckedFilters(wanted.flag, names) : writeFilters(wanted.flag, names);
  if (!isJsonObject(exported) || !isJsonObject(live)) return undefined;
  const declared = PARTS_OF_OTHER_PRODUCTS.filter(
    (part) => Object.hasOwn(written, part) && (memberOf(live, part) ?? null) !== null,
  );
  const parts = Object.fromEntries(declared.map((part) => [part, memberOf(live, part)]));
  const edit = { ...withWrittenTexts(exported, written), ...nameCohorts(nameFlags(parts, names), names) };
  const kept = reconcile(written, edit, (candidate) => isJsonObject(candidate) && means(candidate));
  const isShort = findTargeting(layer).join() === SHORTHAND && plainRollout(edit) !== undefined;
  const filters = isShort ? edit : objectOrEmpty(kept);
  const consenting = !unchecked && !hasConsent(layer) && needsConsent(filters as Filters);
  const [path, value] = CONSENT;
  const allowed = consenting ? writeMember(members, { path: [path], value }, task) : members;
  const silenced = arrayOrEmpty(layer['intended']);
  const slips = unchecked ? [] : findIntended(filters).filter((path) => !silenced.includes(path));
  const intended =
    slips.length === 0
      ? allowed
      : allowed && writeMember(allowed, { path: ['intended'], value: [...silenced, ...slips] }, task);
  return intended && writeTargeting(intended, { filters, unchecked, means }, task);
}

/** A shorthand as the filters that people would write for it. */
function writtenFilters(layer: JsonObject): JsonObject {
  const filters = declaredFilters(layer) ?? {};
  const rollout = layer['rollout_percentage'];
  return findTargeting(layer).join() === SHORTHAND && rollout !== undefined
    ? { groups: [{ rollout_percentage: rollout }] }
    : filters;
}

function meaningOfFilters(
  wanted: FlagToWrite,
  { unchecked, context }: { readonly unchecked: boolean; readonly context: EditingContext },
): (filters: JsonObject) => boolean {
  const { project } = context;
  const cohorts = { project, aliases: Object.keys(project.cohorts), suggest: createSuggest() };
  return (filters) => wanted.isMet({ filters: unchecked ? filters : resolveCohorts(filters, cohorts).filters });
}

function accessTask(task: FlagWriteTask): Parameters<typeof writeAccessEdit>[2] {
  const { context, edit } = task;
  const { project, read, live } = context;
  const { role } = lookupNames(live.flags, project);
  return { ...task, key: edit.key, roles: project.roles, roleName: role, lists: read.roleLists };
}

interface Renaming extends Editing {
  readonly declaration: DeclaredIn;
  readonly renamed: string;
}

interface UsedKey {
  readonly use: KeyUse;
  /** The place of the use. */
  readonly place: Place;
  /** Edits to make by hand. */
  readonly edits: readonly FileEdit[];
}

/** `undefined`: only the declaration uses the key. */
function findKeyUse(renaming: Renaming, context: EditingContext): UsedKey | undefined {
  const { declaration, renamed, others, layer } = renaming;
  const { key, places } = declaration;
  const taken = context.read.declarations.get(renamed);
  if (taken !== undefined) return { use: { by: 'declaration' }, place: taken.places.place, edits: [] };
  // In the layer of the base, every project gets the new key.
  const states = (layer === 'base' ? context.projects : [context.project]).map(
    (project) => context.read.resolve(project).desired,
  );
  const dependents = states
    .flatMap(EDITED.flags.desired)
    .filter((flag) => flag.kind === 'declared' && namedFlags(flag.fields['filters']).includes(key));
  const [dependent] = dependents;
  if (dependent !== undefined) {
    return { use: { by: 'flags', names: keysOf(dependents) }, place: dependent.places.place, edits: [] };
  }
  const features = states.flatMap(EDITED.early_access.desired).filter(({ flag }) => flag === key);
  const [feature] = features;
  if (feature !== undefined) {
    const names = keysOf(features).map(EDITED.early_access.nameOf);
    return { use: { by: 'features', names }, place: feature.places.place, edits: [] };
  }
  const lists = context.read.roleLists.filter(({ value }) => stringsOf(value).includes(key));
  const [list] = lists;
  if (list !== undefined) {
    return { use: { by: 'roles', names: keysOf(lists) }, place: list.places.place, edits: [] };
  }
  if (layer === 'base' || isApart(renaming)) return undefined;
  const names = others.toSorted(compareStrings);
  if (names.length === 0) return undefined;
  return { use: { by: 'projects', names }, place: places.place, edits: splitEdits(renaming, membersIn(declaration)) };
}

/** Whether the project gets its own declaration, since others keep the key. */
function isApart({ others, layer }: Editing): boolean {
  return others.length > 0 && layer === 'project';
}

function keysOf(named: readonly { readonly key: string }[]): string[] {
  return [...new Set(named.map(({ key }) => key))].toSorted(compareStrings);
}

/** The other projects keep the declaration; this one gets its own, with what these members declare for it. */
function splitEdits(renaming: Renaming, members: LayerMembers): FileEdit[] {
  const { declaration, renamed, project, others } = renaming;
  const { file, key } = declaration;
  const { value } = layerOf(members, renaming);
  const former = stringsOf(value['previous_keys'] ?? membersIn(declaration)['previous_keys']).filter(
    (one) => one !== renamed && one !== key,
  );
  const schema = defined({ payload_schema: members['payload_schema'] });
  const own = { ...value, ...schema, previous_keys: [...former, key], only_in: [project] };
  const overlays = Object.keys(objectOrEmpty(membersIn(declaration)['projects']));
  const overlay = overlays.length > 1 ? ['projects', project] : ['projects'];
  return [
    { file, edit: { path: [EDITED.flags.section, key, 'only_in'], value: others } },
    ...(overlays.includes(project)
      ? [{ file, edit: { path: [EDITED.flags.section, key, ...overlay] as const, value: undefined } }]
      : []),
    { file, edit: orderedEdit({ path: [EDITED.flags.section, renamed], value: own }) },
  ];
}

/**
 * The members to write, with steps instead of the values at the moment. `undefined` if an edit moves or removes a value that changes over
 * time: its steps would be lost.
 */
function withSteps(members: LayerMembers, { declaration, rollouts, moment }: Stepped): LayerMembers | undefined {
  const { value: before } = declaration;
  if (members['deleted'] === true) return members;
  return rollouts.reduce<LayerMembers | undefined>((after, rollout) => {
    if (after === undefined) return undefined;
    const path = fromPointer(rollout.pointer);
    const place = findPlace(path, before, after);
    const value = place && valueIn(after, place);
    if (place === undefined || value === undefined) return undefined;
    const steps = jsonEquals(value, valueIn(before, path))
      ? rollout.written
      : endedAt(value, rollout, { declaration, moment });
    return steps && objectOrEmpty(setIn(after, place, steps));
  }, members);
}

interface Stepped {
  readonly declaration: Declaration;
  readonly rollouts: readonly WrittenRollout[];
  readonly moment: Moment | undefined;
}

/** The path after the edit. Elements of a list are identified by everything but their percentage. */
function findPlace(path: MemberPath, before: JsonValue, after: JsonValue): MemberPath | undefined {
  const list = path.findIndex((_, index) => isJsonArray(valueIn(before, path.slice(0, index))));
  if (list === -1) return path;
  const [outer, index, inner] = [path.slice(0, list), Number(path[list]), path.slice(list + 1)];
  const [had, has] = [arrayOrEmpty(valueIn(before, outer)), arrayOrEmpty(valueIn(after, outer))];
  const own = targeting(had[index]);
  const same = has.flatMap((one, at) => (jsonEquals(targeting(one), own) ? [at] : []));
  const isInPlace = same.includes(index) || (had.length === has.length && same.length === 0);
  const place = isInPlace ? index : same.length === 1 ? same[0] : undefined;
  return place === undefined ? undefined : [...outer, String(place), ...inner];
}

function targeting(condition: JsonValue | undefined): JsonObject {
  return isJsonObject(condition) ? without(condition, ['rollout_percentage']) : {};
}

/** The steps that were made, with the value as the last one. */
function endedAt(
  value: JsonValue,
  rollout: WrittenRollout,
  { declaration, moment }: { readonly declaration: Declaration; readonly moment: Moment | undefined },
): JsonObject | undefined {
  const at = rolloutAt(declaration, rollout, moment);
  if (moment === undefined || at === undefined || typeof value !== typeof at.from) return undefined;
  const made = (at.applied?.step ?? at.step) + 1;
  const last = at.steps[made - 1];
  if (last !== undefined && Date.parse(last.at) >= moment.now) return undefined;
  const time = new Date(moment.now).toISOString().replace(/\.\d+Z$/, 'Z');
  const written = arrayOrEmpty(rollout.written['steps']).slice(0, made);
  return { ...rollout.written, steps: [...written, { at: time, to: value, done: true }] };
}
