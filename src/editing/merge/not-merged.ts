/** A flag that a merge could not write, and why. */

/** A flag whose declaration a merge left as it is. */
export interface NotMergedFlag {
  readonly key: string;
  readonly reason: NotMergedReason;
  /** Where it is declared. */
  readonly file?: string;
  /** The members to add to its declaration by hand, as YAML. */
  readonly suggestion?: string;
}

export type NotMergedReason =
  /** An edit would change something else, such as what shares an anchor. */
  | 'not-editable'
  /** No overlay reads as the live flag does. */
  | 'reads-differently'
  /** The project has it under another key; a plan renames it. */
  | 'renamed'
  /** Declared as deleted, and live. */
  | 'declared-deleted'
  /** Declared for this project alone, which lacks it. */
  | 'declared-only-here';
