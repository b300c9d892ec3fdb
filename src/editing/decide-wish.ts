/** Decides which edits make manifests say a wish: the member and layer of each value, in the form that is there. */

import { definedKeys, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import { defined } from '../base/optional.ts';
import { createSuggest } from '../base/suggest.ts';
import { membersIn } from '../manifest/declaration.ts';
import { stringsOf } from '../manifest/strings.ts';
import { CONSENT, hasConsent, needsConsent } from '../posthog/flag/checks/unknown-members.ts';
import { EXPORTED_FIELDS, MEMBER_NAMES } from '../posthog/flag/fields.ts';
import type { Filters } from '../posthog/flag/flag.ts';
import { plainRollout, writeFilters } from '../posthog/flag/layout/filters.ts';
import { writeUncheckedFilters } from '../posthog/flag/layout/unchecked.ts';
import { resolveCohorts } from '../posthog/flag/manifest/cohorts.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import { declaredFilters, findTargeting, isUnchecked, SHORTHAND } from '../posthog/flag/manifest/targeting.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../posthog/flag/tolerances.ts';
import { lookupNames, nameCohorts, nameFlags } from '../posthog/names.ts';
import { sayAccess } from './access.ts';
import { layerOf, sayApart, sayMember, toMembers, type Members } from './choose-layer.ts';
import { editingOf, type EditingContext, type EditingIn } from './context.ts';
import { editsBetween, withMember } from './members.ts';
import type { KeyRename } from './rename-key.ts';
import { reconcile } from './reconcile.ts';
import { findKeyUse, isApart, splitEdits } from './key-use.ts';
import { suggestMembers } from './suggest.ts';
import { sayTargeting } from './targeting.ts';
import { withWrittenTexts } from './text-payloads.ts';
import { orderedEdit, type FileEdit } from './texts.ts';
import type { FlagWish, LayerChoice, RefusalReason } from './wish.ts';
import { wishedFlag, type WishedFlag } from './wished-flag.ts';

export interface Decided {
  readonly key: string;
  /** The declaration gets another key. */
  readonly rename?: KeyRename;
  readonly edits: readonly FileEdit[];
}

export interface Undecided {
  readonly key: string;
  readonly reason: RefusalReason;
  readonly place?: Place;
  readonly suggestion?: string;
}

interface Deciding {
  readonly layer: LayerChoice;
  /** Filters are written under `fields`, since they break rules. */
  readonly unchecked: boolean;
}

export function decideWish(context: EditingContext, wish: FlagWish, deciding: Deciding): Decided | Undecided {
  const { key } = wish;
  const editing = editingOf(context, key, deciding.layer);
  if (editing === undefined) return { key, reason: { code: 'not-declared' } };
  const task: Task = { ...deciding, ...editing, context, wish };
  const { declaration } = task;
  const before = membersIn(declaration);
  const used = findUse(task);
  if (used !== undefined) return used;
  const said = sayFields(sayPresence(withPreviousKey(before, wish), task), task);
  if (said === undefined) return { key, reason: { code: 'not-expressible' }, place: declaration.places.place };
  const access =
    wish.access === undefined ? { members: said, edits: [] } : sayAccess(said, wish.access, accessTask(task));
  if ('reason' in access) return { place: declaration.places.place, ...access, key };
  const { renamed } = wish;
  if (renamed !== undefined && isApart(task)) {
    return { key, edits: [...splitEdits({ ...task, renamed }, access.members), ...access.edits] };
  }
  const own = editsBetween(before, access.members, [FLAG_SECTION.name, key]);
  const edits = [...own.map((edit) => ({ file: declaration.file, edit: orderedEdit(edit) })), ...access.edits];
  const rename = renamed === undefined ? undefined : { file: declaration.file, from: key, to: renamed };
  return { key, edits, ...defined({ rename }) };
}

interface Task extends EditingIn, Deciding {
  readonly context: EditingContext;
  readonly wish: FlagWish;
}

/** Other declarations would name a key that no flag has, and other projects would rename theirs. */
function findUse(task: Task): Undecided | undefined {
  const { key, renamed } = task.wish;
  const used = renamed === undefined ? undefined : findKeyUse({ ...task, renamed }, task.context);
  if (used === undefined || renamed === undefined) return undefined;
  const { use, place, edits } = used;
  const reason = { code: 'key-in-use', key, renamed, use } as const;
  return { key, reason, place, ...defined({ suggestion: suggestMembers(edits) }) };
}

function withPreviousKey(members: Members, { key, renamed }: FlagWish): Members {
  if (renamed === undefined) return members;
  const former = stringsOf(members['previous_keys']).filter((one) => one !== renamed);
  return withMember(members, 'previous_keys', [...former, key]);
}

function sayPresence(members: Members, task: Task): Members | undefined {
  const { deleted } = task.wish;
  if (deleted === undefined) return members;
  return sayMember(members, { path: ['deleted'], value: deleted ? true : undefined }, task);
}

function sayFields(members: Members | undefined, task: Task): Members | undefined {
  const { fields } = task.wish;
  if (members === undefined || fields === undefined) return members;
  const wished = wishedFlag(task.context, task.wish);
  return definedKeys(fields).reduce<Members | undefined>((all, field) => {
    if (all === undefined) return undefined;
    return field === 'filters' ? sayFilters(all, wished, task) : sayField(all, { field, wished }, task);
  }, members);
}

interface FieldWish {
  readonly field: string;
  readonly wished: WishedFlag;
}

function sayField(members: Members, { field, wished }: FieldWish, task: Task): Members | undefined {
  const member = MEMBER_NAMES.get(field);
  const path = member === undefined ? ['fields', field] : [member];
  const live = memberOf(wished.flag, field) ?? null;
  const { write, usual = [] } = EXPORTED_FIELDS.find(({ api }) => api === field) ?? {};
  const written = path.reduce<JsonValue | undefined>(
    (outer, name) => (isJsonObject(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined),
    layerOf(members, task).value,
  );
  const means = (candidate: JsonValue): boolean => wished.isMet({ [field]: candidate });
  const value = reconcile(written, write?.(live) ?? live, means);
  const said = sayMember(members, { path, value }, task);
  if (said !== undefined) return said;
  // An overlay cannot say null, but perhaps another value that means the same.
  const other = usual.find((one) => one !== null && means(one));
  const saidSo = other === undefined ? undefined : sayMember(members, { path, value: other }, task);
  return saidSo ?? (task.layer === 'auto' ? sayApart(members, { path, value }, task) : undefined);
}

function sayFilters(members: Members, wished: WishedFlag, task: Task): Members | undefined {
  const { value: layer } = layerOf(members, task);
  const unchecked = task.unchecked || isUnchecked(layer);
  const means = meaningOfFilters(wished, { unchecked, context: task.context });
  const live = wished.flag.filters;
  const names = lookupNames(task.context.live.flags, task.context.project);
  const written = writtenFilters(layer);
  const exported = unchecked ? writeUncheckedFilters(wished.flag, names) : writeFilters(wished.flag, names);
  if (!isJsonObject(exported) || !isJsonObject(live)) return undefined;
  const declared = PARTS_OF_OTHER_PRODUCTS.filter(
    (part) => Object.hasOwn(written, part) && (memberOf(live, part) ?? null) !== null,
  );
  const parts = Object.fromEntries(declared.map((part) => [part, memberOf(live, part)]));
  const wish = { ...withWrittenTexts(exported, written), ...nameCohorts(nameFlags(parts, names), names) };
  const kept = reconcile(written, wish, (candidate) => isJsonObject(candidate) && means(candidate));
  const isShort = findTargeting(layer).join() === SHORTHAND && plainRollout(wish) !== undefined;
  const filters = isShort ? wish : toMembers(kept);
  const consenting = !unchecked && !hasConsent(layer) && needsConsent(filters as Filters);
  const [path, value] = CONSENT;
  const allowed = consenting ? sayMember(members, { path: [path], value }, task) : members;
  return allowed && sayTargeting(allowed, { filters, unchecked, means }, task);
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
  wished: WishedFlag,
  { unchecked, context }: { readonly unchecked: boolean; readonly context: EditingContext },
): (filters: JsonObject) => boolean {
  const { project } = context;
  const cohorts = { project, aliases: Object.keys(project.cohorts), suggest: createSuggest() };
  return (filters) => wished.isMet({ filters: unchecked ? filters : resolveCohorts(filters, cohorts).filters });
}

function accessTask(task: Task): Parameters<typeof sayAccess>[2] {
  const { context, wish } = task;
  const { project, read, live } = context;
  const { role } = lookupNames(live.flags, project);
  return { ...task, key: wish.key, roles: project.roles, roleName: role, lists: read.roleLists };
}
