/** A flag or cohort that a merge could not write, and why. */

import { defined } from '../../base/optional.ts';
import { nameOfDeclaration } from '../declared.ts';
import { suggestMembers } from '../suggest.ts';
import type { RefusedFileEdit } from '../texts.ts';

/** Its declaration stays as it was. */
export interface NotMerged {
  /** Of a flag, or the name of a cohort, `cohort:ALIAS`. */
  readonly key: string;
  readonly reason: NotMergedReason;
  /** Where it is declared. */
  readonly file?: string;
  /** What to write by hand, as YAML. */
  readonly suggestion?: string;
}

export type NotMergedReason =
  /** An edit would change something else, such as what shares an anchor. */
  | 'not-editable'
  /** No overlay reads as what is live. */
  | 'reads-differently'
  /** The project has it under a former key or name; a plan renames it. */
  | 'renamed'
  /** Declared as deleted, and live. */
  | 'declared-deleted'
  /** Declared for this project alone, which lacks it. */
  | 'declared-only-here'
  /** The live cohort is a list of persons. */
  | 'static'
  /** The live definition of a cohort depends on events, and a declared flag uses it. */
  | 'behavioral'
  /** The project lacks the cohort, and flags or cohorts that are declared for the project use it. */
  | 'still-used';

export function ofRefused(refused: RefusedFileEdit): NotMerged {
  const [section, key] = refused.edit.path;
  const name = nameOfDeclaration({ section, key: String(key) });
  return { key: name, reason: 'not-editable', ...defined({ suggestion: suggestMembers([refused]) }) };
}
