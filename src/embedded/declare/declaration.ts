/** The declared flags of a project, as plain values. */

import type { JsonObject } from '../../base/json.ts';

export interface Declaration {
  readonly projectId: string;
  /** All declared flags: a flag of an earlier declaration that is missing here is removed. */
  readonly flags: readonly DeclaredFlag[];
  /** Keys of flags that must not exist, whoever created them. */
  readonly removed: readonly string[];
}

export interface DeclaredFlag {
  readonly key: string;
  /** Earlier keys, under which the flag may still exist. */
  readonly previousKeys: readonly string[];
  /** By their names in the interface. A condition on another flag names it by key, or by id as a number. */
  readonly fields: JsonObject;
  /** Ids and known names; where absent, role access is not changed. */
  readonly roles?: readonly { readonly id: string; readonly name?: string }[];
}
