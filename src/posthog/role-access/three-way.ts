/** Finds which side moved the level of a role, or of everyone, away from the base. */

import type { Divergence } from '../../engine/base.ts';
import { classify } from '../../engine/classify.ts';
import type { DesiredFlag } from '../desired.ts';
import { EDITOR } from './access.ts';
import { EVERYONE } from './change.ts';

export interface Levels {
  /** Null: none of the flag's own. */
  readonly live: string | null;
  readonly wanted: string | null;
}

/** The classification of a changed level. */
export interface LevelClass {
  readonly divergence: Divergence;
  /** The declared level in the base of a conflict; null for none. */
  readonly base_level?: string | null;
}

/** `base`: what the base says of the flag, null if it did not name it. */
export function classifyLevel(subject: string, { live, wanted }: Levels, base: DesiredFlag | null): LevelClass {
  const former = levelIn(base, subject);
  if (former === undefined) return { divergence: 'pending' };
  const { divergence } = classify('', { base: former, live, wanted });
  return divergence === 'conflict' ? { divergence, base_level: former } : { divergence };
}

/** `undefined` if the base did not manage it, so that it cannot tell who moved. */
function levelIn(base: DesiredFlag | null, subject: string): string | null | undefined {
  if (base === null || base.kind === 'retired') return undefined;
  if (subject === EVERYONE) return base.everyone?.level;
  if (base.roleAccess === undefined) return undefined;
  const role = base.roleAccess.find(({ id }) => id === subject);
  return role === undefined ? null : (role.level ?? EDITOR);
}
