/** A live early access feature as a manifest declares it. */

import { memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Block } from '../../manifest/write/block-style.ts';
import type { Order } from '../../manifest/write/order.ts';
import { canonicalFeature, isNothing } from './canonical.ts';
import type { LiveFeature } from './feature.ts';

/** The parts in block style. */
export const FEATURE_BLOCK: Block = { members: { projects: {} } };

const MEMBERS = [
  'flag',
  'name',
  'description',
  'documentation_url',
  'payload',
  'stage',
  'intended',
  'deleted',
  'only_in',
  'projects',
];

/** The usual order of the members. */
export const FEATURE_ORDER: Order = { names: MEMBERS, members: { projects: { each: { names: MEMBERS } } } };

export interface FeatureWriting {
  readonly alias: string;
  /** The key of the flag. */
  readonly flag: string;
  /** Omits what is empty. */
  readonly minimal: boolean;
}

export function writeFeature(feature: LiveFeature, { alias, flag, minimal }: FeatureWriting): JsonObject {
  const members: JsonObject = { ...(flag === alias ? {} : { flag }), ...canonicalFeature(feature) };
  return objectFrom(
    MEMBERS.flatMap((name): [string, JsonValue][] => {
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
