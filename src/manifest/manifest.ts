/** What a manifest file says, with where its shape is wrong, before any project is looked at. */

import type { JsonObject } from '../base/json.ts';
import type { Place, PlaceTree } from '../base/place.ts';

export interface ManifestFile {
  /** Relative to the configuration's folder, with `/` between folders. */
  readonly file: string;
  /** false: parts of the file could not be read, so what it does not seem to declare may yet be in it. */
  readonly complete: boolean;
  readonly flags: readonly ManifestFlag[];
  readonly roles: readonly ManifestRole[];
}

/** A flag as written, with its overlays. */
export interface ManifestFlag {
  readonly key: string;
  readonly value: JsonObject;
  /** The root is the flag's key. */
  readonly places: PlaceTree;
  /** false: something about the flag's shape was reported, so that it is no part of a desired state. */
  readonly sound: boolean;
  /** Where the flag holds what was reported, as pointers from the top of the file. */
  readonly mistakes: ReadonlySet<string>;
}

/** One role of the top-level `role_access`. */
export interface ManifestRole {
  /** Name or id, as written. */
  readonly role: string;
  readonly place: Place;
  readonly path: string;
  readonly targets: readonly RoleTarget[];
}

/** A flag key, or a glob over the keys of declared flags. */
export interface RoleTarget {
  readonly text: string;
  readonly place: Place;
  readonly path: string;
}
