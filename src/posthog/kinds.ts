/** The kinds of PostHog resources: a new kind is a folder and a row here. */

import { familyOf, kindOf, nameOf } from '../engine/kind.ts';
import { COHORT } from './cohort/kind.ts';
import type { DesiredFlag } from './desired.ts';
import type { Flag } from './flag/flag.ts';
import { FLAG } from './flag/kind.ts';
import type { PostHog, PostHogKind } from './model.ts';
import type { Change } from './plan.ts';
import { ROLE_ACCESS } from './role-access/kind.ts';

export const KINDS: readonly PostHogKind[] = [FLAG, ROLE_ACCESS, COHORT];

/** The kinds that compare flags. */
export const FLAG_KINDS: readonly PostHogKind<Change, DesiredFlag, Flag>[] = KINDS.filter(
  (kind) => familyOf(kind) === FLAG.name,
);

export function kindFor(change: Pick<Change, 'resource'>): PostHogKind {
  return kindOf<PostHog, PostHogKind>(KINDS, change);
}

/** How options name what a change is about: the key of a flag, or `cohort:ALIAS`. */
export function nameOfChange(change: Pick<Change, 'resource' | 'key'>): string {
  return nameOf(KINDS, familyOf(kindFor(change)), change.key);
}
