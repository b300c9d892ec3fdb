/** Feature flags as a family: how declared flags are matched, named, read and identified. */

import {
  without,
  type JsonValue,
  isJsonObject,
  type JsonObject,
  definedKeys,
  memberOf,
  objectFrom,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { namedKeys } from '../../core/engine/desired.ts';
import { mixFields, knownFields } from '../../core/engine/field-kind.ts';
import { matchResources } from '../../core/engine/match.ts';
import type { Match } from '../../core/engine/matched.ts';
import { renameSome } from '../../core/engine/snapshot.ts';
import { findMissingKeys } from '../../core/engine/trace.ts';
import type { IdsByFamily } from '../as-live.ts';
import { findFlag, findTraces } from './find-traces.ts';
import type { DesiredFlag, DeclaredFlag, DesiredLevel, DesiredRole } from '../desired.ts';
import type { Family, MatchedFamily, ToMatch } from '../family.ts';
import { EDITOR, heldAccess, INHERITED } from '../role-access/access.ts';
import { inquireFlags, EXPLAINED_FLAGS } from './explain.ts';
import { isAsDeclared } from './find-changes.ts';
import { checkLayers, layering } from './manifest/layering.ts';
import { parseFieldPath, fieldOf, EXPORTED_FIELDS } from './model/fields.ts';
import { type Flag, isListed, viewFilters } from './model/flag.ts';
import { FLAG_BLOCK, FLAG_ORDER } from './layout.ts';
import { mapReferencesIn, withCohortIds, lookupNames, nameCohorts } from './model/references.ts';
import { openFlags } from './write.ts';
import { snapshotFlags, takeFlagSnapshot } from './snapshot.ts';
import { comparableFields } from './comparison.ts';
import { withCommonAggregation } from './model/normal-forms.ts';
import { emptyValue, PARTS_OF_OTHER_PRODUCTS } from './model/canonical.ts';
import type { Project } from '../project.ts';
import type { ComparableValues } from '../parity/parity.ts';

type FlagMatch = Match<DesiredFlag, Flag>;

export const FLAGS: Family<'flags'> = {
  section: 'flags',
  refersTo: ['cohorts'],
  form: {
    block: FLAG_BLOCK,
    order: FLAG_ORDER,
    layering,
    errorsOf: (declaration) =>
      checkLayers(declaration).flatMap(({ code, at, severity }) => (severity === 'error' ? [`${code} ${at}`] : [])),
    meaningOf: (flag) => {
      if (flag.kind === 'retired') return { key: flag.key, retired: true };
      const { key, previousKeys, fields, roleAccess, everyone, payloadSchema } = flag;
      const roles = roleAccess?.map(({ id, level }) => (level === undefined ? id : { id, level }));
      return {
        ...{ key, previousKeys, fields, roleAccess: roles, everyone: everyone?.level },
        payloadSchema: payloadSchema?.file,
      } as unknown as JsonValue;
    },
  },

  takeSnapshot: takeFlagSnapshot,
  match: matchFlags,
  name: ({ flags, ...others }, names) => {
    const renamed = new Map(names.map(([key, id]) => [id, key]));
    return { flags: snapshotFlags({ ...flags, keyOf: renameSome(flags, renamed) }), ...others };
  },
  // The service may have renamed a flag when it was deleted; a restore gives it back the key that it had.
  namesToUndo: ({ change }) => {
    if (change.resource !== 'flag' || change.action !== 'delete') return [];
    const key = change.base.flag['key'];
    return typeof key === 'string' ? [[key, change.id]] : [];
  },

  knownNames: namedKeys,
  mix: mixFlags,
  asLive: {
    idsOf: (former) => new Map(former.map(({ key }, index) => [key, index + 1])),
    known: (desired, former) => {
      const before = new Map(former.map((flag) => [flag.key, flag]));
      return desired.map((flag) => withKnownMembers(flag, before));
    },
    toLive,
  },
  comparable: {
    declared: (flag, project) => (flag.kind === 'retired' ? undefined : comparableDeclaration(flag, project)),
    elsewhere: (flag) => (flag.kind === 'declared' ? flag.previousKeys : namedKeys(flag)),
    live: (live, project) => {
      const flags = takeFlagSnapshot(live);
      const names = lookupNames([], project);
      return live.flags.filter(isListed).map((flag) => {
        const comparable = flags.comparable(flag);
        const own = EXPORTED_FIELDS.flatMap(({ api }): [string, JsonValue][] => {
          const value = memberOf(comparable, api);
          const isOpen = api === 'filters' && isJsonObject(value) && !viewFilters(value).isOpaque;
          return value === undefined ? [] : [[api, isOpen ? without(value, PARTS_OF_OTHER_PRODUCTS) : value]];
        });
        const access = live.roleAccess[String(flag.id)];
        const held = access === undefined ? undefined : heldAccess(access, live.organization);
        const roles = held?.roles.map(({ role, level }): [string, string] => [names.role(role.id) ?? role.name, level]);
        const everyone = held?.wire === 'levels' ? (held.everyone ?? INHERITED) : undefined;
        const fields = { ...withNames(objectFrom(own), project), ...accessField(roles, everyone) };
        return [flag.key, { fields, isPartial: false }];
      });
    },
  },
  explained: EXPLAINED_FLAGS,
  inquire: inquireFlags,

  parsePath: parseFieldPath,
  fieldsOf: (flag) => flag,

  list: (client) => client.listFlags(),
  find: (client, id) => findFlag(client, Number(id)),
  findMissing: (declared, live) =>
    findMissingKeys(declared, new Set(live.map(({ key }) => key))).map((key) => ({ key })),
  findRetired: (desired, former, live) => {
    const keys = new Set(live.flags.map(({ key }) => key));
    const declared = new Set(former.flags.flatMap(({ kind, key }) => (kind === 'declared' ? key : [])));
    const retired = desired.flags.filter(({ kind, key }) => kind === 'retired' && declared.has(key) && !keys.has(key));
    return retired.map(({ key }) => ({ key }));
  },
  trace: (client, missing, { listed, findRecorded }) =>
    findTraces(
      client,
      missing.map(({ key }) => key),
      { listed, ...defined({ findRecorded }) },
    ),

  openRun: ({ flags }, changes, { cohorts }) => openFlags(flags, changes, (alias) => cohorts?.idOf(alias)),
};

/** Conditions name cohorts by the ids of live ones; conditions of the base by the ids of that time. */
export function matchFlags({
  desired,
  live,
  former,
  snapshot: { flags },
  earlier: { cohorts },
}: ToMatch): MatchedFamily<DesiredFlag, Flag> {
  const aliases = new Map(cohorts?.names ?? []);
  const base = former && withCohorts(former.flags, cohorts?.formerNames ?? aliases);
  const found = matchResources(withCohorts(desired.flags, aliases), flags, {
    ...defined({ namedElsewhere: desired.namedElsewhere?.flags, traces: live.traces?.flags, base }),
    resembles: (wanted, flag) => isAsDeclared(wanted, flag, flags),
  });
  return {
    matches: { ...found, pairs: renameInBase(found.pairs) },
    names: [...found.renamed].map(([id, key]) => [key, id]),
    warnings: [],
    shared: [],
  };
}

function withCohorts(
  flags: readonly DesiredFlag[],
  aliases: ReadonlyMap<string, number | string>,
): readonly DesiredFlag[] {
  if (aliases.size === 0) return flags;
  return flags.map((flag) => {
    if (flag.kind === 'retired') return flag;
    const fields = withCohortIds(flag.fields, (alias) => aliases.get(alias));
    return fields === flag.fields ? flag : { ...flag, fields };
  });
}

/** The later declaration with fields of the earlier one; `undefined` if they cannot be told apart. */
function mixFlags(
  later: DesiredFlag,
  earlier: DesiredFlag | undefined,
  names: readonly string[],
): DesiredFlag | undefined {
  if (later.kind === 'retired') return undefined;
  const then = earlier?.kind === 'declared' ? earlier : undefined;
  const { roleAccess: _roles, everyone: _level, ownership, ...rest } = later;
  const access = names.includes('role_access') ? then : later;
  const isOf = (rule: NonNullable<DeclaredFlag['ownership']>[number]): boolean =>
    names.includes(fieldOf(rule.path) ?? '');
  const rules = [...(ownership ?? []).filter((rule) => !isOf(rule)), ...(then?.ownership ?? []).filter(isOf)];
  return {
    ...rest,
    fields: mixFields(later.fields, then?.fields, names),
    ...defined({
      roleAccess: access?.roleAccess,
      everyone: access?.everyone,
      ownership: rules.length === 0 ? undefined : rules,
    }),
  };
}

/** Returns the same pairs. If the manifests gave a flag another key, the base's conditions on it name the new one. */
function renameInBase(pairs: readonly FlagMatch[]): readonly FlagMatch[] {
  const newKeys = new Map(
    pairs.flatMap(({ desired, base }): [string, string][] =>
      base === undefined || base === null || base.key === desired.key ? [] : [[base.key, desired.key]],
    ),
  );
  if (newKeys.size === 0) return pairs;
  const flag = (key: string | number): string | number => (typeof key === 'string' ? (newKeys.get(key) ?? key) : key);
  return pairs.map((pair) => {
    const { base } = pair;
    if (base?.kind !== 'declared') return pair;
    const fields = mapReferencesIn(base.fields, { flag });
    return fields === base.fields ? pair : { ...pair, base: { ...base, fields } };
  });
}

function withKnownMembers(flag: DesiredFlag, former: ReadonlyMap<string, DeclaredFlag>): DesiredFlag {
  if (flag.kind === 'retired') return flag;
  const before = [flag.key, ...flag.previousKeys].map((key) => former.get(key)).find((one) => one !== undefined);
  if (before === undefined) return flag;
  const { roleAccess, everyone, ...declared } = flag;
  return {
    ...declared,
    fields: knownFields(flag.fields, before.fields),
    ...defined({
      roleAccess: before.roleAccess && roleAccess,
      everyone: before.everyone && everyone,
    }),
  };
}

/** Live conditions name other flags and cohorts by id. The service is one with levels of access. */
function toLive({ key, fields }: DeclaredFlag, { flags = new Map(), cohorts }: IdsByFamily): Flag {
  const known = { ...withCohortIds(fields, (alias) => cohorts?.get(alias)), user_access_level: EDITOR };
  const flag = (reference: string | number): string | number => String(flags.get(String(reference)) ?? reference);
  return { id: flags.get(key) ?? 0, key, ...mapReferencesIn(known, { flag }) };
}

/** `declared`: without places. */
export function comparableDeclaration(
  declared: Pick<DeclaredFlag, 'fields'> & {
    readonly roleAccess?: readonly Pick<DesiredRole, 'id' | 'name' | 'level'>[];
    readonly everyone?: Pick<DesiredLevel, 'level'>;
  },
  project: Project,
): ComparableValues {
  const { fields, roleAccess, everyone } = declared;
  const { filters } = fields;
  const meant = isJsonObject(filters) ? { ...fields, filters: withCommonAggregation(filters) } : fields;
  const comparable = comparableFields(meant, {}, { keyOf: () => undefined });
  // The comparable form lacks values that mean the same as none. A manifest that declares one still manages the field.
  const empty = definedKeys(fields).filter((field) => !Object.hasOwn(comparable, field));
  const every = { ...comparable, ...objectFrom(empty.map((field) => [field, emptyValue(field)] as const)) };
  const roles = roleAccess?.map(({ id, name, level }): [string, string] => [name ?? id, level ?? EDITOR]);
  const access = accessField(roles, everyone === undefined ? undefined : (everyone.level ?? INHERITED));
  return { fields: { ...withNames(every, project), ...access }, isPartial: true };
}

function accessField(roles: readonly [string, string][] | undefined, everyone: string | undefined): JsonObject {
  if (roles === undefined && everyone === undefined) return {};
  return { role_access: defined({ default: everyone, roles: roles && objectFrom(roles) }) };
}

function withNames(fields: JsonObject, project: Project): JsonObject {
  const { filters } = fields;
  return isJsonObject(filters) ? { ...fields, filters: nameCohorts(filters, lookupNames([], project)) } : fields;
}
