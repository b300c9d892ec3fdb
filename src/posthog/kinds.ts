/** The kinds of PostHog resources: a new kind is a folder and a row here. */

import { FLAG } from './flag/kind.ts';
import type { PostHogKind } from './model.ts';
import { ROLE_ACCESS } from './role-access/kind.ts';

export const KINDS: readonly PostHogKind[] = [FLAG, ROLE_ACCESS];
