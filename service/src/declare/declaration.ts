/** The declared flags of a project, as plain values. */

import type { JsonObject } from '../../../src/base/json.ts';

export interface ProjectDeclaration {
  readonly projectId: string;
  /** All declared flags: a flag of an earlier declaration that is missing here is removed. */
  readonly flags: readonly FlagDeclaration[];
  /** Keys of flags that must not exist, whoever created them. */
  readonly removed: readonly string[];
}

export interface FlagDeclaration {
  readonly key: string;
  /** Earlier keys, under which the flag may still exist. */
  readonly previousKeys: readonly string[];
  /** Fields by their names in the interface. A condition on another flag names it by key, or by id as a number. */
  readonly fields: JsonObject;
  /** Absent: role access is not changed. */
  readonly roles?: readonly DeclaredRole[];
  /** The level of everyone; null: none of the flag's own. Where absent, it is not changed. */
  readonly everyone?: string | null;
}

interface DeclaredRole {
  readonly id: string;
  /** The name, if it is known. */
  readonly name?: string;
  /** Absent: editor. */
  readonly level?: string;
}
