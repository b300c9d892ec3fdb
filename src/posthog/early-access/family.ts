/** Early access features as a family: how they are declared, matched, named, read, identified, compared between projects and explained. */

import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Identity } from '../../engine/desired.ts';
import { mixDeclared, knownFields } from '../../engine/field-kind.ts';
import { matchResources, ONLY_PAIRS } from '../../engine/match.ts';
import { indexResources } from '../../engine/snapshot.ts';
import { explainFields, type ExplainedFamily } from '../declared/explain.ts';
import type { Family, MatchedFamily, ToMatch } from '../family.ts';
import { nameResource } from '../names/resource-name.ts';
import type { ComparableFamily, ComparableValues } from '../parity/parity-values.ts';
import { FEATURE_BLOCK, FEATURE_ORDER } from './export.ts';
import {
  ARCHIVED,
  canonicalFeature,
  compareFeature,
  FIELDS,
  findByFlag,
  parseFeaturePath,
  snapshotFeatures,
  type DesiredFeature,
  type MatchedFeature,
} from './feature.ts';
import { findFeature, listFeatures, openFeatures } from './write.ts';

/** The values of declared features. */
const COMPARABLE: ComparableFamily<'early_access'> = {
  declared: (feature) =>
    feature.kind === 'retired' ? undefined : { fields: canonicalFeature(feature.fields), isPartial: true },
  elsewhere: ({ key }) => [key],
  live: (live, _project, declared) => {
    const flags = new Map(declared.flatMap((features) => features.map(({ key, flag }) => [key, flag] as const)));
    const [own = []] = declared;
    return [...flags].flatMap(([alias, flag]): [string, ComparableValues][] => {
      const feature = findByFlag(flag, live);
      const isGone = feature?.stage === ARCHIVED && !own.some(({ key, kind }) => key === alias && kind === 'declared');
      if (feature === undefined || isGone) return [];
      return [[alias, { fields: canonicalFeature(feature), isPartial: false }]];
    });
  },
};

/** The service records no changes of features, so the author of a value is unknown. */
const EXPLAINED: ExplainedFamily<'early_access'> = {
  values: (_feature, { declaration, project, ...path }) =>
    explainFields(declaration, project, {
      partsOf: (fields) => FIELDS.flatMap((field) => ((fields[field] ?? null) === null ? [] : toPointer([field]))),
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
};

export const EARLY_ACCESS_FAMILY: Family<'early_access'> = {
  section: 'early_access',
  refersTo: ['flags'],
  form: {
    block: FEATURE_BLOCK,
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
  comparable: COMPARABLE,
  explained: EXPLAINED,
  // The service records no changes of features.
  inquire: () => [],

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

/** A feature is the one of its flag; an archived one keeps it. */
const BY_FLAG: Identity<DesiredFeature> = {
  namesOf: ({ flag }) => [flag],
  idOf: () => undefined,
  tracedAs: () => [],
  deletedKeepName: true,
  mayShareNames: false,
};

/** Unread state never counts as absent. */
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
  const found = matchResources(desired, indexResources(all), { identity: BY_FLAG, ...defined({ base }) });
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
