/** Writes a requested edit of a flag: the member and layer of each value, in the existing form. */

import { fieldAt } from '../../core/engine/field-kind.ts';
import {
  without,
  arrayOrEmpty,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { compareStrings } from '../../base/compare-strings.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { createSuggest } from '../../base/text.ts';
import { rolloutAt } from '../../core/manifest/at-moment.ts';
import { membersIn, type WrittenRollout } from '../../core/manifest/declaration.ts';
import { stringsOf } from '../../core/manifest/members.ts';
import { findIntended } from '../../posthog/flag/checks/slips.ts';
import { CONSENT, hasConsent, needsConsent } from '../../posthog/flag/checks/unknown-members.ts';
import { plainRollout, writeFilters, writeUncheckedFilters } from '../../posthog/flag/layout.ts';
import {
  declaredFilters,
  findTargeting,
  isUnchecked,
  resolveCohorts,
  SHORTHAND,
  toFields,
} from '../../posthog/flag/manifest/fields.ts';
import { EXPORTED_FIELDS, MEMBER_NAMES } from '../../posthog/flag/model/fields.ts';
import type { Filters, Flag } from '../../posthog/flag/model/flag.ts';
import { lookupNames, nameCohorts, namedFlags, nameFlags } from '../../posthog/flag/model/references.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../posthog/flag/model/canonical.ts';
import { layerOf, writeApart, writeMember, writePresence, type LayerMembers } from '../choose-layer.ts';
import { editingOf, type EditingContext, type EditingIn } from '../context.ts';
import type { FileEdit, FlagEdit, KeyUse, TextEdits, UnwrittenEdit } from '../edit.ts';
import type { EditWriteOptions, BeforeAndNow } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { editsBetween, setIn, valueIn, withMember, type MemberPath, reconcile } from '../members.ts';
import { orderedEdit, suggestMembers } from '../texts.ts';
import { writeAccessEdit } from './access.ts';
import { withWrittenTexts, writeTargeting } from './targeting.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import type { DeclaredFlag, DesiredFlag } from '../../posthog/desired.ts';
import { compareFlag } from '../../posthog/flag/compare-flag.ts';
import { withDeclaredSecrecy } from '../../posthog/flag/model/encrypted-payloads.ts';
import { EDITOR } from '../../posthog/role-access/access.ts';

const { section } = EDITED.flags;

/** `isFallback` writes the filters unchecked, since they break rules. */
export function writeFlagEdit(
  context: EditingContext,
  edit: FlagEdit,
  { layer, isFallback }: EditWriteOptions,
): TextEdits | UnwrittenEdit {
  const { key, fields = {}, renamed } = edit;
  const { project, read, live } = context;
  const editing = editingOf(context, key, layer);
  if (editing === undefined) return { key, reason: { code: 'not-declared' } };
  const task: FlagWriteTask = { ...editing, context, unchecked: isFallback };
  const { declaration } = task;
  const { place } = declaration.places;
  const used = renamed === undefined ? undefined : findKeyUse(task, renamed);
  if (used !== undefined) return used;
  const before = membersIn(declaration);
  const former = stringsOf(before['previous_keys']).filter((one) => one !== renamed);
  const named = renamed === undefined ? before : withMember(before, 'previous_keys', [...former, key]);
  const wanted = wantedFlag(context, edit);
  const changed = definedKeys(fields).reduce<LayerMembers | undefined>(
    (all, field) => {
      if (all === undefined) return undefined;
      return field === 'filters' ? writeOwnFilters(all, wanted, task) : writeField(all, { field, wanted }, task);
    },
    writePresence(named, edit, editing),
  );
  if (changed === undefined) return { key, reason: { code: 'not-expressible' }, place };
  const { role: roleName } = lookupNames(live.flags, project);
  const access =
    edit.access === undefined
      ? { members: changed, edits: [] }
      : writeAccessEdit(changed, edit.access, { ...task, key, roles: project.roles, roleName, lists: read.roleLists });
  if ('reason' in access) return { place, ...access, key };
  const { rollouts, written: stepped } = declaration;
  const members = rollouts === undefined ? access.members : withSteps(access.members, rollouts, task);
  const isSplit = renamed !== undefined && isApart(task);
  if (members === undefined || (isSplit && rollouts !== undefined)) {
    return { key, reason: { code: 'changes-over-time' }, place };
  }
  if (isSplit) return { key, edits: [...splitEdits(task, renamed, members), ...access.edits] };
  const { file } = declaration;
  const own = editsBetween(rollouts === undefined ? before : objectOrEmpty(stepped), members, [section, key]);
  const edits = [...own.map((one) => ({ file, edit: orderedEdit(one) })), ...access.edits];
  return { key, edits, ...(renamed !== undefined && { rename: { section, file, from: key, to: renamed } }) };
}

interface FlagWriteTask extends EditingIn {
  /** Filters are written under `fields`, since they break rules. */
  readonly unchecked: boolean;
  readonly context: EditingContext;
}

function writeField(
  members: LayerMembers,
  { field, wanted }: { readonly field: string; readonly wanted: FlagToWrite },
  task: FlagWriteTask,
): LayerMembers | undefined {
  const member = MEMBER_NAMES.get(field);
  const path = member === undefined ? ['fields', field] : [member];
  const live = memberOf(wanted.flag, field) ?? null;
  const { write, usual = [] } = EXPORTED_FIELDS.find(({ api }) => api === field) ?? {};
  const written = valueIn(layerOf(members, task).value, path);
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
  const { project, live } = task.context;
  const { value: layer } = layerOf(members, task);
  const unchecked = task.unchecked || isUnchecked(layer);
  const cohorts = { project, aliases: Object.keys(project.cohorts), suggest: createSuggest() };
  const means = (one: JsonObject): boolean =>
    wanted.isMet({ filters: unchecked ? one : resolveCohorts(one, cohorts).filters });
  const { filters: held } = wanted.flag;
  const names = lookupNames(live.flags, project);
  const exported = unchecked ? writeUncheckedFilters(wanted.flag, names) : writeFilters(wanted.flag, names);
  if (!isJsonObject(exported) || !isJsonObject(held)) return undefined;
  const isShorthand = findTargeting(layer).join() === SHORTHAND;
  const rollout = layer['rollout_percentage'];
  // A shorthand counts as the filters that people would write for it.
  const written =
    isShorthand && rollout !== undefined
      ? { groups: [{ rollout_percentage: rollout }] }
      : (declaredFilters(layer) ?? {});
  const declared = PARTS_OF_OTHER_PRODUCTS.filter(
    (part) => Object.hasOwn(written, part) && (memberOf(held, part) ?? null) !== null,
  );
  const parts = Object.fromEntries(declared.map((part) => [part, memberOf(held, part)]));
  const edit = { ...withWrittenTexts(exported, written), ...nameCohorts(nameFlags(parts, names), names) };
  const kept = reconcile(written, edit, (candidate) => isJsonObject(candidate) && means(candidate));
  const filters = isShorthand && plainRollout(edit) !== undefined ? edit : objectOrEmpty(kept);
  const [path, value] = CONSENT;
  const consenting = !unchecked && !hasConsent(layer) && needsConsent(filters as Filters);
  const allowed = consenting ? writeMember(members, { path: [path], value }, task) : members;
  const silenced = arrayOrEmpty(layer['intended']);
  const slips = unchecked ? [] : findIntended(filters).filter((one) => !silenced.includes(one));
  const intended =
    slips.length === 0
      ? allowed
      : allowed && writeMember(allowed, { path: ['intended'], value: [...silenced, ...slips] }, task);
  return intended && writeTargeting(intended, { filters, unchecked, means }, task);
}

/**
 * What else uses the declared key of a flag that has another key now: other declarations would name a key that no flag has, and other
 * projects would rename theirs. `undefined`: only the declaration uses it.
 */
function findKeyUse(task: FlagWriteTask, renamed: string): UnwrittenEdit | undefined {
  const { declaration, others, layer, context } = task;
  const { key, places } = declaration;
  const refuse = (use: KeyUse, { place } = places, edits: readonly FileEdit[] = []): UnwrittenEdit => {
    const reason = { code: 'key-in-use', key, renamed, use } as const;
    return { key, reason, place, ...defined({ suggestion: suggestMembers(edits) }) };
  };
  const taken = context.read.declarations.get(renamed);
  if (taken !== undefined) return refuse({ by: 'declaration' }, taken.places);
  // In the layer of the base, every project gets the new key.
  const states = (layer === 'base' ? context.projects : [context.project]).map(
    (project) => context.read.resolve(project).desired,
  );
  const dependents = states
    .flatMap(EDITED.flags.desired)
    .filter((flag) => flag.kind === 'declared' && namedFlags(flag.fields['filters']).includes(key));
  if (dependents[0] !== undefined) {
    return refuse({ by: 'flags', names: keysOf(dependents) }, dependents[0].places);
  }
  const features = states.flatMap(EDITED.early_access.desired).filter(({ flag }) => flag === key);
  if (features[0] !== undefined) {
    const names = keysOf(features).map(EDITED.early_access.nameOf);
    return refuse({ by: 'features', names }, features[0].places);
  }
  const lists = context.read.roleLists.filter(({ value }) => stringsOf(value).includes(key));
  if (lists[0] !== undefined) return refuse({ by: 'roles', names: keysOf(lists) }, lists[0].places);
  if (layer === 'base' || isApart(task) || others.length === 0) return undefined;
  const names = others.toSorted(compareStrings);
  return refuse({ by: 'projects', names }, places, splitEdits(task, renamed, membersIn(declaration)));
}

function keysOf(named: readonly { readonly key: string }[]): string[] {
  return [...new Set(named.map(({ key }) => key))].toSorted(compareStrings);
}

/** Whether the project gets its own declaration, since others keep the key. */
function isApart({ others, layer }: FlagWriteTask): boolean {
  return others.length > 0 && layer === 'project';
}

/** The other projects keep the declaration; this one gets its own, with what these members declare for it. */
function splitEdits(task: FlagWriteTask, renamed: string, members: LayerMembers): FileEdit[] {
  const { declaration, project, others } = task;
  const { file, key } = declaration;
  const { value } = layerOf(members, task);
  const former = stringsOf(value['previous_keys'] ?? membersIn(declaration)['previous_keys']).filter(
    (one) => one !== renamed && one !== key,
  );
  const schema = defined({ payload_schema: members['payload_schema'] });
  const own = { ...value, ...schema, previous_keys: [...former, key], only_in: [project] };
  const overlays = Object.keys(objectOrEmpty(membersIn(declaration)['projects']));
  const overlay = overlays.length > 1 ? ['projects', project] : ['projects'];
  return [
    { file, edit: { path: [section, key, 'only_in'], value: others } },
    ...(overlays.includes(project)
      ? [{ file, edit: { path: [section, key, ...overlay] as const, value: undefined } }]
      : []),
    { file, edit: orderedEdit({ path: [section, renamed], value: own }) },
  ];
}

/**
 * The members to write, with steps instead of the values at the moment. `undefined` if an edit moves or removes a value that changes over
 * time: its steps would be lost.
 */
function withSteps(
  members: LayerMembers,
  rollouts: readonly WrittenRollout[],
  task: FlagWriteTask,
): LayerMembers | undefined {
  const { value: before } = task.declaration;
  if (members['deleted'] === true) return members;
  return rollouts.reduce<LayerMembers | undefined>((after, rollout) => {
    if (after === undefined) return undefined;
    const path = fromPointer(rollout.pointer);
    const place = findPlace(path, before, after);
    const value = place && valueIn(after, place);
    if (place === undefined || value === undefined) return undefined;
    const isSame = jsonEquals(value, valueIn(before, path));
    const steps = isSame ? rollout.written : endedAt(value, rollout, task);
    return steps && objectOrEmpty(setIn(after, place, steps));
  }, members);
}

/** The path after the edit. Elements of a list are identified by everything but their percentage. */
function findPlace(path: MemberPath, before: JsonValue, after: JsonValue): MemberPath | undefined {
  const list = path.findIndex((_, index) => isJsonArray(valueIn(before, path.slice(0, index))));
  if (list === -1) return path;
  const [outer, index, inner] = [path.slice(0, list), Number(path[list]), path.slice(list + 1)];
  const [had, has] = [arrayOrEmpty(valueIn(before, outer)), arrayOrEmpty(valueIn(after, outer))];
  const targeting = (one: JsonValue | undefined): JsonObject => without(objectOrEmpty(one), ['rollout_percentage']);
  const own = targeting(had[index]);
  const same = has.flatMap((one, at) => (jsonEquals(targeting(one), own) ? [at] : []));
  const isInPlace = same.includes(index) || (had.length === has.length && same.length === 0);
  const place = isInPlace ? index : same.length === 1 ? same[0] : undefined;
  return place === undefined ? undefined : [...outer, String(place), ...inner];
}

/** The steps that were made, with the value as the last one. */
function endedAt(
  value: JsonValue,
  rollout: WrittenRollout,
  { declaration, context }: FlagWriteTask,
): JsonObject | undefined {
  const { moment } = context.project;
  const at = rolloutAt(declaration, rollout, moment);
  if (moment === undefined || at === undefined || typeof value !== typeof at.from) return undefined;
  const made = (at.applied?.step ?? at.step) + 1;
  const last = at.steps[made - 1];
  if (last !== undefined && Date.parse(last.at) >= moment.now) return undefined;
  const time = new Date(moment.now).toISOString().replace(/\.\d+Z$/, 'Z');
  const written = arrayOrEmpty(rollout.written['steps']).slice(0, made);
  return { ...rollout.written, steps: [...written, { at: time, to: value, done: true }] };
}

export function isFlagWritten(
  edit: FlagEdit,
  { before, now }: BeforeAndNow<DesiredFlag>,
  context: EditingContext,
): boolean {
  const { fields = {}, access } = edit;
  if (edit.deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const { isMet } = wantedFlag(context, edit);
  const hasFields = definedKeys(fields).every(
    (name) => Object.hasOwn(now.fields, name) && isMet({ [name]: memberOf(now.fields, name) }),
  );
  const former = before?.kind === 'declared' ? before : undefined;
  const roles = access?.roles === undefined ? former && rolesOf(former) : Object.fromEntries(access.roles);
  const everyone = access?.everyone === undefined ? former?.everyone?.level : access.everyone;
  return (
    hasFields &&
    (former === undefined || isSameBut(former, now, fields)) &&
    ((former === undefined && access?.roles === undefined) || jsonEquals(rolesOf(now), roles)) &&
    ((former === undefined && access?.everyone === undefined) || now.everyone?.level === everyone)
  );
}

function isSameBut(former: DeclaredFlag, now: DeclaredFlag, changed: JsonObject): boolean {
  const names = [...new Set([...definedKeys(former.fields), ...definedKeys(now.fields)])];
  const isSame = (name: string): boolean => jsonEquals(memberOf(former.fields, name), memberOf(now.fields, name));
  return (
    names.every((name) => Object.hasOwn(changed, name) || isSame(name)) &&
    (former.key !== now.key || jsonEquals(former.previousKeys, now.previousKeys))
  );
}

function rolesOf({ roleAccess }: DeclaredFlag): JsonObject | undefined {
  return roleAccess && Object.fromEntries(roleAccess.map(({ id, level = EDITOR }) => [id, level]));
}

/** A flag as an edit has it. */
interface FlagToWrite {
  readonly flag: Flag;
  /** Whether a plan has nothing to change in these fields, by API name. */
  readonly isMet: (fields: JsonObject) => boolean;
}

function wantedFlag(context: EditingContext, { key, fields = {} }: FlagEdit): FlagToWrite {
  const { read, project, snapshot } = context;
  const declaration = read.declarations.get(key);
  const declared = declaration && toFields(layerDeclaration(declaration, project.name, EDITED.flags.layering)).fields;
  const edited = { id: 0, ...snapshot.flags.byKey(key), deleted: false, key, ...fields };
  const flag = withDeclaredSecrecy<Flag>(edited, declared ?? {});
  const desired = EDITED.flags.desired(read.resolve(project).desired).find((one) => one.key === key);
  const ownership = desired?.kind === 'declared' ? desired.ownership : undefined;
  const identity = { kind: 'declared', key, previousKeys: [], ...defined({ ownership }) } as const;
  const places = { place: { file: '', line: 1, column: 1 } };
  return {
    flag,
    isMet: (own) => {
      const pair = { desired: { ...identity, fields: own, places }, live: flag };
      const { differences } = compareFlag(pair, snapshot.flags);
      return !differences.some(({ path }) => Object.hasOwn(own, fieldAt(path)));
    },
  };
}
