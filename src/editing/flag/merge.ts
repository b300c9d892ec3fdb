/** Decides what a merge writes for each flag: the projects that it is declared for, and the overlay of the merged project. */

import { fieldsIn, pickFields } from '../../core/engine/field-kind.ts';
import {
  without,
  definedKeys,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import type { MemberEdit, YamlEdit } from '../../base/yaml/editing/edits.ts';
import { matchResources } from '../../core/engine/match.ts';
import { heldFor } from '../../loop/export/notes.ts';
import { membersIn } from '../../core/manifest/declaration.ts';
import { matchFlags } from '../../posthog/flag/family.ts';
import { writeAccess, writeFlag } from '../../posthog/flag/layout.ts';
import { declaredFilters, FILTERS, findTargeting, PARTS } from '../../posthog/flag/manifest/fields.ts';
import { MEMBER_NAMES } from '../../posthog/flag/model/fields.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import { FLAG_KINDS } from '../../posthog/kinds.ts';
import { declaresAccess } from '../../posthog/role-access/access.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { extendEdit, limitEdit, toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import { EDITED } from '../kinds.ts';
import { patchTo } from '../members.ts';
import type { NotMergedReason } from '../../loop/export/export.ts';
import type { ReadTexts } from '../texts.ts';
import { withTextPayloads } from './targeting.ts';
import { writeFlagEdit } from './write.ts';

export interface MergeInput extends EditingInput {
  /** Whether the role access of every flag was read. It is then declared where no manifest declares it. */
  readonly withRoleAccess: boolean;
  /** The keys of the flags to merge; absent: all. */
  readonly keys?: ReadonlySet<string>;
}

/** The input of a merge of flags. */
export interface MergeContext extends EditingContext {
  readonly withRoleAccess: boolean;
  readonly isSelected: (key: string) => boolean;
}

export function toMergeContext(input: MergeInput): MergeContext {
  const { withRoleAccess, keys } = input;
  return { ...toEditingContext(input), withRoleAccess, isSelected: (key) => keys?.has(key) !== false };
}

/** The decisions so far. */
export interface Decisions {
  /** Whether a flag is left as it is. */
  readonly isExcluded: (key: string) => boolean;
  /** Whether the filters of a flag break rules and are written unchecked. */
  readonly isUnchecked: (key: string) => boolean;
}

interface MemberMerge {
  readonly edits: readonly MemberEdit[];
  /** Keys of flags that are declared for the project from now on. */
  readonly joined: readonly string[];
  /** Keys of flags that the project lacks, and that are no longer declared for it. */
  readonly limited: readonly string[];
  /** What later runs see of the project: no run reads a deleted flag that is not declared for it. */
  readonly later: MergeContext;
  readonly failed: ReadonlyMap<string, NotMergedReason>;
  /** Keys of live flags that no manifest names. */
  readonly unnamed: ReadonlySet<string>;
}

export function decideMembership(context: MergeContext, { isExcluded }: Decisions): MemberMerge {
  const { read, project, allProjects, live, snapshot, isSelected } = context;
  const { desired } = read.resolve(project);
  // The same flag under another key counts as that, as in a plan.
  const { matches } = matchFlags({ desired, live, former: undefined, snapshot, earlier: {} });
  const edits: MemberEdit[] = [];
  const joined: string[] = [];
  const limited: string[] = [];
  const unread = new Set<number>();
  const failed = new Map<string, NotMergedReason>();
  const isOpen = (key: string): boolean => isSelected(key) && !isExcluded(key);
  for (const { desired: declared, live: flag } of matches.pairs) {
    const { key } = declared;
    if (!isOpen(key)) continue;
    if (flag !== undefined && flag.deleted !== true) {
      if (declared.kind === 'retired') failed.set(key, 'declared-deleted');
      else if (flag.key !== key) failed.set(key, 'renamed');
      continue;
    }
    if (declared.kind === 'retired') continue;
    const declaration = read.declarations.get(key);
    const edit = declaration && limitEdit(declaration, project.name, allProjects);
    if (edit === undefined) failed.set(key, 'declared-only-here');
    else {
      edits.push(edit);
      limited.push(key);
      if (flag !== undefined) unread.add(flag.id);
    }
  }
  for (const { key } of matches.namedElsewhere.filter((flag) => isOpen(flag.key))) {
    const declaration = read.declarations.get(key);
    if (declaration === undefined) failed.set(key, 'renamed');
    else {
      edits.push(extendEdit(declaration, project.name));
      joined.push(key);
    }
  }
  const unnamed = new Set(matches.unmanaged.map(({ key }) => key).filter(isOpen));
  const left = { ...live, flags: live.flags.filter(({ id }) => !unread.has(id)) };
  const later = unread.size === 0 ? context : { ...context, live: left, snapshot: takeSnapshot(left) };
  return { edits, joined, limited, later, failed, unnamed };
}

interface Overlays {
  readonly edits: readonly YamlEdit[];
  readonly keys: readonly string[];
  readonly targeted: ReadonlySet<string>;
}

export function decideOverlays(context: MergeContext, declared: ReadTexts, decisions: Decisions): Overlays {
  const { project, live, isSelected } = context;
  const names = lookupNames(live.flags, project);
  const edits: YamlEdit[] = [];
  const targeted = new Set<string>();
  const keys: string[] = [];
  const isOpen = (key: string): boolean => isSelected(key) && !decisions.isExcluded(key);
  for (const [key, { flag, differing }] of findDifferences(context, declared, isOpen)) {
    const declaration = declared.declarations.get(key);
    if (declaration === undefined) continue;
    const unchecked = decisions.isUnchecked(key);
    keys.push(key);
    if (differing.has('filters')) targeted.add(key);
    const parts = partEdits({ ...context, read: declared }, key, { flag, differing, unchecked });
    if (parts !== undefined) {
      edits.push(...parts);
      continue;
    }
    const base = membersIn(declaration);
    const form = unchecked ? 'unchecked' : 'checked';
    const held = heldFor(flag, live);
    // Access is written in the form of the base, if that form can hold it.
    const access = held && writeAccess(held, { names, minimal: !Object.hasOwn(base, 'access') });
    const exported = {
      ...writeFlag(flag, { form, access: undefined, names, minimal: false, full: true }),
      ...(access !== undefined && definedKeys(access).length === 0 ? { role_access: [] } : access),
    };
    edits.push(...overlayEdits({ key, project: project.name, declared: base, exported, differing }));
  }
  return { edits, keys, targeted };
}

/** Writes the fields into the overlay as `accept` does, condition by condition; `undefined` where that is impossible. */
function partEdits(
  context: EditingContext,
  key: string,
  { flag, differing, unchecked }: DifferingFlag & { readonly unchecked: boolean },
): readonly YamlEdit[] | undefined {
  const fields = pickFields(flag, [...differing]);
  // An edit of fields cannot hold access.
  if (differing.has(ACCESS) || definedKeys(fields).length < differing.size) return undefined;
  const made = writeFlagEdit(context, { resource: 'flag', key, fields }, { layer: 'project', isFallback: unchecked });
  return 'reason' in made ? undefined : made.edits.map(({ edit }) => edit);
}

interface DifferingFlag {
  readonly flag: Flag;
  /** API names of fields, or `ACCESS`. */
  readonly differing: ReadonlySet<string>;
}

/** The declared flags that a plan would change, by key, of those that are compared: the live state of others may be unread. */
export function findDifferences(
  { project, snapshot }: Pick<EditingContext, 'project' | 'snapshot'>,
  read: ReadTexts,
  isCompared: (key: string) => boolean,
): Map<string, DifferingFlag> {
  const { pairs } = matchResources(EDITED.flags.desired(read.resolve(project).desired), snapshot.flags);
  return new Map(
    pairs.flatMap((pair): [string, DifferingFlag][] => {
      const { desired: wanted, live: flag } = pair;
      const { key } = wanted;
      if (!isCompared(key) || wanted.kind === 'retired' || flag === undefined || flag.key !== key) return [];
      // Access that was not read is not known to be as declared.
      if (declaresAccess(wanted) && snapshot.roleAccess[String(flag.id)] === undefined) {
        return [[key, { flag, differing: new Set([ACCESS]) }]];
      }
      const changes = FLAG_KINDS.flatMap((kind) => kind.compare(pair, snapshot).changes);
      const differing = changes.flatMap((change): string[] => {
        if (change.resource !== 'flag') return [ACCESS];
        return fieldsIn(change.fields);
      });
      return changes.length === 0 ? [] : [[key, { flag, differing: new Set(differing) }]];
    }),
  );
}

/** Stands, among the names of fields, for who has access to a flag. */
const ACCESS = 'access';

interface OverlayEdit {
  readonly key: string;
  readonly project: string;
  /** The declaration as written, with its overlays. */
  readonly declared: JsonObject;
  /** The result of an export of the live flag alone. */
  readonly exported: JsonObject;
  /** The fields that differ, by their API names; `ACCESS` for access. */
  readonly differing: ReadonlySet<string>;
}

/** Edits that set the overlay: member by member, or as a whole if one is removed, which edits of single members cannot express. */
export function overlayEdits(edit: OverlayEdit): MemberEdit[] {
  const former = objectIn(objectIn(edit.declared, 'projects'), edit.project);
  const overlay = writeOverlay(edit, former);
  const path: MemberEdit['path'] = [EDITED.flags.section, edit.key, 'projects', edit.project];
  const isLost = (before: JsonObject, after: JsonObject): boolean =>
    definedKeys(before).some((name) => !Object.hasOwn(after, name));
  const isWhole =
    definedKeys(former).length === 0 ||
    isLost(former, overlay) ||
    isLost(objectIn(former, 'fields'), objectIn(overlay, 'fields'));
  return isWhole ? [{ path, value: overlay }] : editsOf(former, overlay, path);
}

function writeOverlay({ declared, exported, differing }: OverlayEdit, former: JsonObject): JsonObject {
  const isTargeted = differing.has('filters');
  const fields = objectIn(former, 'fields');
  const kept = isTargeted ? without(former, ['filters', 'rollout_percentage', ...PARTS]) : former;
  const targeting = isTargeted ? overlaidTargeting(declared, exported, former) : {};
  const plain = [...differing].filter((field) => field !== 'filters' && field !== ACCESS);
  const exportedFields = objectIn(exported, 'fields');
  const newFields = {
    ...(isTargeted ? without(fields, ['filters']) : fields),
    ...objectFrom(
      plain
        .filter((field) => !MEMBER_NAMES.has(field))
        .map((field) => [field, memberOf(exportedFields, field) ?? null] as const),
    ),
    ...objectIn(targeting, 'fields'),
  };
  const own = plain.flatMap((field) => MEMBER_NAMES.get(field) ?? []);
  return {
    ...without(kept, ['fields']),
    ...objectFrom(own.map((name) => [name, memberOf(exported, name) ?? null] as const)),
    ...(differing.has(ACCESS) ? writeAccessMembers(declared, exported) : {}),
    ...without(targeting, ['fields']),
    ...(definedKeys(newFields).length === 0 ? {} : { fields: newFields }),
  };
}

/** Overlaid filters are merged into the base's, so they hold only what changes; the other forms replace them. */
function overlaidTargeting(declared: JsonObject, exported: JsonObject, former: JsonObject): JsonObject {
  const { rollout_percentage: rollout, filters, unknown_members: consent } = exported;
  const [form] = findTargeting(declared);
  const unchecked = objectIn(exported, 'fields')['filters'];
  if (unchecked !== undefined) return { fields: { filters: unchecked } };
  const added = consent === undefined ? {} : { unknown_members: consent };
  const given = filters ?? { groups: [{ rollout_percentage: rollout ?? 100 }] };
  const whole = isJsonObject(given)
    ? withTextPayloads(given, declaredFilters(declared) ?? {}, objectIn(former, 'filters'))
    : given;
  if (form === FILTERS) return { filters: patchOf(declared['filters'] ?? null, whole), ...added };
  return filters === undefined && rollout !== undefined
    ? { rollout_percentage: rollout }
    : { filters: whole, ...added };
}

/** A list of roles and levels exclude each other, so the one that the live flag does not have is removed. */
function writeAccessMembers(declared: JsonObject, exported: JsonObject): JsonObject {
  const members = ['role_access', 'access'].flatMap((member): [string, JsonValue][] => {
    const [base, own] = [memberOf(declared, member), memberOf(exported, member)];
    if (own !== undefined) return [[member, patchOf(base ?? null, own)]];
    return base === undefined ? [] : [[member, null]];
  });
  return objectFrom(members);
}

/** The JSON Merge Patch from one value to another; an empty one if they are equal. */
function patchOf(from: JsonValue, to: JsonValue): JsonValue {
  return patchTo(from, undefined, to) ?? (isJsonObject(to) ? {} : to);
}

function editsOf(former: JsonObject, overlay: JsonObject, path: MemberEdit['path']): MemberEdit[] {
  return definedKeys(overlay).flatMap((name): MemberEdit[] => {
    const [before, value] = [memberOf(former, name), overlay[name] as JsonValue];
    if (jsonEquals(before, value)) return [];
    if (name === 'fields' && isJsonObject(before) && isJsonObject(value)) {
      return editsOf(before, value, [...path, name]);
    }
    return [{ path: [...path, name], value }];
  });
}

function objectIn(value: JsonObject, name: string): JsonObject {
  return objectOrEmpty(memberOf(value, name));
}
