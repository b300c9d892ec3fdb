/** The kinds of PostHog resources: a new kind is a folder, a row here and a row of types in `kind-types.ts`. */

import { familyOf, nameOf } from '../core/engine/kind.ts';
import { COHORT } from './cohort/kind.ts';
import { EARLY_ACCESS } from './early-access/kind.ts';
import type { DesiredFlag } from './desired.ts';
import type { Flag } from './flag/model/flag.ts';
import { FLAG } from './flag/kind.ts';
import type { KindName } from './kind-types.ts';
import type { KindOf, PostHogKind } from './kind.ts';
import type { Change } from './plan.ts';
import { ROLE_ACCESS } from './role-access/kind.ts';

/** The first one is that of the main family. */
export const KIND_BY_NAME: { readonly [Name in KindName]: KindOf<Name> } = {
  flag: FLAG,
  role_access: ROLE_ACCESS,
  cohort: COHORT,
  early_access: EARLY_ACCESS,
};

export const KINDS: readonly PostHogKind[] = Object.values(KIND_BY_NAME);

/** The kinds that compare flags. */
export const FLAG_KINDS: readonly PostHogKind<Change, DesiredFlag, Flag>[] = KINDS.filter(
  (kind) => familyOf(kind) === FLAG.name,
);

export function kindFor({ resource }: Pick<Change, 'resource'>): PostHogKind {
  return KIND_BY_NAME[resource];
}

/** The changes of each kind that has any, in the order of the kinds. */
export function byKind(
  changes: readonly Change[],
): readonly { readonly kind: PostHogKind; readonly own: readonly Change[] }[] {
  return KINDS.map((kind) => ({ kind, own: changes.filter(({ resource }) => resource === kind.name) })).filter(
    ({ own }) => own.length > 0,
  );
}

/** Whether the change is about a flag, or about what is attached to it. */
export function isOfFlag(change: Pick<Change, 'resource'>): boolean {
  return familyOf(kindFor(change)) === FLAG.name;
}

/** The name in options of the resource of a change: the key of a flag, or `cohort:ALIAS`. */
export function nameOfChange(change: Pick<Change, 'resource' | 'key'>): string {
  return nameOf(KINDS, familyOf(kindFor(change)), change.key);
}
