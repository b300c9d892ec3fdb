/**
 * Early access features as a family: how they are declared, exported, matched, named, read, identified, compared between projects and
 * explained.
 */

import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { arrayOrEmpty, memberOf, objectFrom, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { knownFields, mixDeclared } from '../../core/engine/field-kind.ts';
import { matchResources, ONLY_PAIRS } from '../../core/engine/match.ts';
import { indexResources } from '../../core/engine/snapshot.ts';
import type { Order } from '../../core/manifest/write/group-files.ts';
import { explainFields } from '../declared/explain.ts';
import type { NamedLive } from '../exported.ts';
import type { Family, MatchedFamily, ToMatch } from '../family.ts';
import { nameResource } from '../names/resource-name.ts';
import type { ComparableValues } from '../parity/parity.ts';
import {
  ARCHIVED,
  canonicalFeature,
  compareFeature,
  FEATURE_MEMBERS,
  findByFlag,
  isNothing,
  parseFeaturePath,
  snapshotFeatures,
  type DesiredFeature,
  type LiveFeature,
  type MatchedFeature,
} from './feature.ts';
import { findFeature, listFeatures, openFeatures } from './write.ts';

// The stage, which changes most often, is the last.
const WRITTEN = ['flag', ...FEATURE_MEMBERS.filter((name) => name !== 'stage'), 'stage'];
const MEMBERS = [...WRITTEN, 'intended', 'deleted', 'only_in', 'projects'];

/** The usual order of the members. */
export const FEATURE_ORDER: Order = { names: MEMBERS, members: { projects: { each: { names: MEMBERS } } } };

export interface ExportedFeature {
  /** One that is offered can be declared, unless its values refuse it. */
  readonly reason: never;
  /** No manifest can declare the early access feature of the flag. */
  readonly note: { readonly kind: 'early-access-undeclared'; readonly key: string; readonly name: string };
}

export const EARLY_ACCESS_FAMILY: Family<'early_access'> = {
  section: 'early_access',
  refersTo: ['flags'],
  form: {
    block: { members: { projects: {} } },
    order: FEATURE_ORDER,
    meaningOf: ({ key, flag, ...one }) => ({
      ...{ key, flag },
      ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
    }),
  },

  takeSnapshot: ({ early_access: features = [] }) => snapshotFeatures(features),
  match,
  // Features are known by the ids of their flags, which have their names already.
  name: ({ early_access: features, ...others }, names) => ({
    ...others,
    early_access: snapshotFeatures(features.all, new Set(names.map(([, id]) => id))),
  }),
  namesToUndo: () => [],

  // A rule about the flag is also about its feature, which decides who gets it.
  knownNames: ({ key, flag }) => [nameResource('early_access', key), flag],
  mix: mixDeclared,
  asLive: {
    // Features have the ids of their flags.
    idsOf: () => new Map(),
    known: (desired, former) =>
      desired.map((feature) => {
        const before = former.find(({ flag }) => flag === feature.flag);
        if (feature.kind === 'retired' || before === undefined) return feature;
        return { ...feature, fields: knownFields(feature.fields, before.fields) };
      }),
    toLive: ({ key, flag, fields }, { flags }) => ({
      name: key,
      stage: 'draft',
      ...canonicalFeature(fields),
      // The id is unknown if the former manifests did not declare the flag.
      id: flags?.get(flag) ?? 0,
      feature_id: '',
    }),
  },
  comparable: {
    declared: (feature) =>
      feature.kind === 'retired' ? undefined : { fields: canonicalFeature(feature.fields), isPartial: true },
    elsewhere: ({ key }) => [key],
    live: (live, _project, declared) => {
      const flags = new Map(declared.flatMap((features) => features.map(({ key, flag }) => [key, flag] as const)));
      const [own = []] = declared;
      return [...flags].flatMap(([alias, flag]): [string, ComparableValues][] => {
        const feature = findByFlag(flag, live);
        const isGone =
          feature?.stage === ARCHIVED && !own.some(({ key, kind }) => key === alias && kind === 'declared');
        if (feature === undefined || isGone) return [];
        return [[alias, { fields: canonicalFeature(feature), isPartial: false }]];
      });
    },
  },
  // The service records no changes of features, so the author of a value is unknown.
  explained: {
    values: (_feature, { declaration, project, ...path }) =>
      explainFields(declaration, project, {
        partsOf: (fields) =>
          FEATURE_MEMBERS.flatMap((field) => ((fields[field] ?? null) === null ? [] : toPointer([field]))),
        ...path,
      }),
    live: ({ flag }, declared, live) => {
      const feature = findByFlag(flag, live);
      if (feature === undefined) return undefined;
      const held = canonicalFeature(feature);
      const wanted = new Map(declared.map(({ path, value }) => [path, value]));
      return {
        id: feature.id,
        sought: declared.map(({ path }) => ({ path, place: fromPointer(path) })),
        liveValueOf: ({ path }) => {
          const [field = ''] = fromPointer(path);
          const differs = compareFeature({ [field]: wanted.get(path) }, feature).length > 0;
          return { ...defined({ value: memberOf(held, field) }), differs };
        },
      };
    },
  },
  inquire: () => [],
  // Each feature of an exported flag is declared under an alias that names its flag.
  exported: {
    file: 'early-access.yaml',
    plural: 'early access features',
    disclosed: ['id', 'feature_id', ...FEATURE_MEMBERS, 'enrollment'],
    // The service names the features of a flag in the flag, and writes into its filters whether people can enroll.
    mayHave: ({ features, filters }) => {
      const { feature_enrollment: enrols = null, super_groups: groups = null } = objectOrEmpty(filters);
      return arrayOrEmpty(features).length > 0 || enrols === true || arrayOrEmpty(groups).length > 0;
    },
    // An archived feature offers nothing.
    idsOf: (flags, live) => {
      const ids = new Set(flags.map(({ id }) => id));
      return [...live.values()].flatMap(({ id, stage }) => (ids.has(id) && stage !== ARCHIVED ? id : []));
    },
    findUndeclarable: () => new Map<number, never>(),
    name: (features, { names, declared }) => {
      const offered = new Set(declared?.resources.map(({ flag }) => flag));
      const taken = new Set(declared?.keys);
      return features.flatMap((live): NamedLive<LiveFeature>[] => {
        const flag = names.flag(live.id);
        if (flag === undefined || offered.has(flag)) return [];
        const key = chooseAlias(flag, taken);
        taken.add(key);
        return [{ key, live }];
      });
    },
    write: (named, { names, minimal }) =>
      named.map(({ key, live }) => [
        key,
        writeFeature(live, { alias: key, flag: names.flag(live.id) ?? key, minimal }),
      ]),
    notes: ({ id, key }, { live, reasons }) => {
      const feature = live.get(id);
      if (feature === undefined || !reasons.has(id)) return [];
      return [{ kind: 'early-access-undeclared', key, name: feature.name }];
    },
  },

  parsePath: parseFeaturePath,
  fieldsOf: ({ feature }) => feature,

  list: listFeatures,
  find: findFeature,
  // The service records no changes of features, and a feature is found by its flag, so nothing tells more.
  findMissing: () => [],
  findRetired: () => [],
  trace: async () => ({ traces: [], found: [] }),

  openRun: ({ early_access: features = [] }, changes, { flags }) => openFeatures(features, changes, flags),
};

/** A feature is the one of its flag; an archived one keeps it. Unread state never counts as absent. */
function match({
  desired: { early_access: desired = [] },
  live: { early_access: live },
  former,
  snapshot: { flags },
}: ToMatch): MatchedFamily<DesiredFeature, MatchedFeature> | undefined {
  const base = former && (former.early_access ?? []);
  const isDeclared = desired.length > 0 || (base ?? []).length > 0;
  if (!isDeclared || live === undefined) return undefined;
  const all = live.flatMap((feature): MatchedFeature[] => {
    const key = flags.keyOf(feature.id);
    return key === undefined ? [] : [{ id: feature.id, key, feature }];
  });
  const found = matchResources(desired, indexResources(all), {
    identity: {
      namesOf: ({ flag }) => [flag],
      idOf: () => undefined,
      tracedAs: () => [],
      deletedKeepName: true,
      mayShareNames: false,
    },
    ...defined({ base }),
  });
  const pairs = found.pairs.map((pair) => ({
    ...pair,
    ...defined({ live: pair.live && { ...pair.live, key: pair.desired.key } }),
  }));
  const held = pairs.flatMap(({ live: one }) => one ?? []);
  const taken = new Set(held.map(({ id }) => id));
  return {
    matches: { ...ONLY_PAIRS, pairs, ...defined({ base: found.base }) },
    names: held.map(({ key, id }) => [key, id]),
    warnings: [],
    shared: [],
    released: [...found.declaredLive].flatMap(([key, one]) => (taken.has(one.id) ? [] : [{ ...one, key }])),
  };
}

/** `flag`: its key. `minimal`: omits what is empty. */
export function writeFeature(
  feature: LiveFeature,
  { alias, flag, minimal }: { readonly alias: string; readonly flag: string; readonly minimal: boolean },
): JsonObject {
  const members: JsonObject = { ...(flag === alias ? {} : { flag }), ...canonicalFeature(feature) };
  return objectFrom(
    WRITTEN.flatMap((name): [string, JsonValue][] => {
      const value = memberOf(members, name);
      return value === undefined || (minimal && isNothing(value)) ? [] : [[name, value]];
    }),
  );
}

/** The flag identifies a feature, so the alias names the flag. This is the longest alias. */
const LONGEST_ALIAS = 200;

export function chooseAlias(flag: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const alias = `${flag.slice(0, LONGEST_ALIAS - suffix.length)}${suffix}`;
    if (!taken.has(alias)) return alias;
  }
}
