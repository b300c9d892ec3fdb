/** What a merge works with: the texts and live state that it edits, and what was decided so far. */

import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import type { NotMergedReason } from './not-merged.ts';

export interface MergeInput extends EditingInput {
  /** Whether the role access of every flag was read, and is declared where no manifest does. */
  readonly withRoleAccess: boolean;
  /** The keys of the flags to merge; absent: all. */
  readonly keys?: ReadonlySet<string>;
}

export interface Context extends EditingContext {
  readonly withRoleAccess: boolean;
  readonly isSelected: (key: string) => boolean;
}

export function contextOf(input: MergeInput): Context {
  return {
    ...toEditingContext(input),
    withRoleAccess: input.withRoleAccess,
    isSelected: (key) => input.keys?.has(key) !== false,
  };
}

export interface Decisions {
  /** Keys that are left as they are. */
  readonly excluded: ReadonlyMap<string, NotMergedReason>;
  /** Keys whose filters are written as they are, since they break rules. */
  readonly unchecked: ReadonlySet<string>;
}
