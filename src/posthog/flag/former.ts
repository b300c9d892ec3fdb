/** What the base said of flags, as a comparison needs it. */

import { isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { mixFields } from '../../engine/field-kind.ts';
import type { Match } from '../../engine/matched.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { Flag } from './flag.ts';
import { fieldOf } from './ownership.ts';
import { mapReferences } from './references.ts';

/** The later declaration with fields of the earlier one; `undefined` where they cannot be told apart. */
export function mixFlags(
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

type FlagMatch = Match<DesiredFlag, Flag>;

/** The same pairs: where the manifests gave a flag another key, the base's conditions on it name the new one. */
export function renameInBase(pairs: readonly FlagMatch[]): readonly FlagMatch[] {
  const newKeys = new Map(
    pairs.flatMap(({ desired, base }): [string, string][] =>
      base === undefined || base === null || base.key === desired.key ? [] : [[base.key, desired.key]],
    ),
  );
  if (newKeys.size === 0) return pairs;
  const newKey = (reference: string | number): string | number =>
    typeof reference === 'string' ? (newKeys.get(reference) ?? reference) : reference;
  return pairs.map((pair) => {
    const { base } = pair;
    if (base?.kind !== 'declared' || !isJsonObject(base.fields['filters'])) return pair;
    const filters = mapReferences(base.fields['filters'], { flag: newKey });
    return filters === base.fields['filters']
      ? pair
      : { ...pair, base: { ...base, fields: { ...base.fields, filters } } };
  });
}
