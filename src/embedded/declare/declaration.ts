/** What somebody declares the flags of a project to be: values only, as any reader of manifests can give them. */

import type { JsonObject } from '../../base/json.ts';

export interface Declaration {
  readonly projectId: string;
  /** All of them: one that was declared before and is not among them is removed. */
  readonly flags: readonly DeclaredFlag[];
  /** Keys of flags that shall not exist, whoever made them. */
  readonly removed: readonly string[];
}

export interface DeclaredFlag {
  readonly key: string;
  /** Keys under which the flag may be found still. */
  readonly previousKeys: readonly string[];
  /** By the names of the interface. A condition on another flag names it by its key, or by its id as a number. */
  readonly fields: JsonObject;
  /** Ids, and names where they are known; absent: role access is left as it is. */
  readonly roles?: readonly { readonly id: string; readonly name?: string }[];
}
