/** The early access features of exported flags: each is declared under an alias that names its flag. */

import { arrayOrEmpty, objectOrEmpty } from '../../base/json.ts';
import type { ExportedFamily, NamedLive } from '../exported.ts';
import { ARCHIVED, type LiveFeature } from './feature.ts';
import { chooseAlias, writeFeature } from './layout.ts';

export interface ExportedFeature {
  /** One that is offered can be declared, unless its values refuse it. */
  readonly reason: never;
  readonly note: UndeclaredFeature;
}

/** No manifest can declare the early access feature of the flag. */
interface UndeclaredFeature {
  readonly kind: 'early-access-undeclared';
  readonly key: string;
  readonly name: string;
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
