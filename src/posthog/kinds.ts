/** The kinds of PostHog resources: a new kind is a folder and a row here. */

import { kindOf } from '../engine/kind.ts';
import { FLAG } from './flag/kind.ts';
import type { PostHog, PostHogKind } from './model.ts';
import type { Change } from './plan.ts';
import { ROLE_ACCESS } from './role-access/kind.ts';

export const KINDS: readonly PostHogKind[] = [FLAG, ROLE_ACCESS];

export function kindFor(change: Pick<Change, 'resource'>): PostHogKind {
  return kindOf<PostHog, PostHogKind>(KINDS, change);
}
