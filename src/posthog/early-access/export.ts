/** The early access features of exported flags: each is declared under an alias that names its flag. */

import { arrayOrEmpty, memberOf, objectFrom, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Block } from '../../manifest/write/layout.ts';
import type { Order } from '../../manifest/write/order.ts';
import type { ExportedFamily, NamedLive } from '../exported.ts';
import { ARCHIVED, canonicalFeature, isNothing, type LiveFeature } from './feature.ts';

export interface ExportedFeature {
  /** One that is offered can be declared, unless its values refuse it. */
  readonly reason: never;
  /** No manifest can declare the early access feature of the flag. */
  readonly note: { readonly kind: 'early-access-undeclared'; readonly key: string; readonly name: string };
}

export const EXPORTED_FEATURES: ExportedFamily<'early_access'> = {
  file: 'early-access.yaml',
  // The service names the features of a flag in the flag, and writes into its filters whether people can enrol.
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
    named.map(({ key, live }) => [key, writeFeature(live, { alias: key, flag: names.flag(live.id) ?? key, minimal })]),
  notes: ({ id, key }, { live, reasons }) => {
    const feature = live.get(id);
    return feature === undefined || !reasons.has(id)
      ? []
      : [{ kind: 'early-access-undeclared', key, name: feature.name }];
  },
};

/** The parts in block style. */
export const FEATURE_BLOCK: Block = { members: { projects: {} } };

const WRITTEN = ['flag', 'name', 'description', 'documentation_url', 'payload', 'stage'];
const MEMBERS = [...WRITTEN, 'intended', 'deleted', 'only_in', 'projects'];

/** The usual order of the members. */
export const FEATURE_ORDER: Order = { names: MEMBERS, members: { projects: { each: { names: MEMBERS } } } };

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
