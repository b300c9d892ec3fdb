/** The content of a manifest file, and which parts of it have the wrong shape, before a project is considered. */

import { objectOrEmpty, type JsonObject, type JsonValue } from '../base/json.ts';
import type { PlaceTree } from '../base/place.ts';

export interface ManifestFile {
  /** Relative to the configuration's folder, with `/` between folders. */
  readonly file: string;
  /** Whether the whole file could be read. If not, what seems undeclared may be in the unread parts. */
  readonly complete: boolean;
  readonly declarations: readonly Declaration[];
}

/** One entry of a section, as written, with its overlays. */
export interface Declaration {
  /** The section that it is in, `flags`. */
  readonly section: string;
  /** The key of the resource. */
  readonly key: string;
  readonly value: JsonValue;
  /** The root is the key. */
  readonly places: PlaceTree;
  /** Pointer from the top of the file, `/flags/new-checkout`. */
  readonly path: string;
  /** Whether no problem of its shape was reported. An unsound declaration is not part of the desired state. */
  readonly sound: boolean;
  /** Pointers from the top of the file to reported problems. */
  readonly mistakes: ReadonlySet<string>;
}

/** The members of a declaration; none when it is not a mapping. */
export function membersIn({ value }: Declaration): JsonObject {
  return objectOrEmpty(value);
}
