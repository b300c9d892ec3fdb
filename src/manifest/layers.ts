/** A declaration as it applies to one project: what all projects share, with the project's overlay merged in. */

import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import type { PlaceTree } from '../base/place.ts';
import type { Declaration } from './declaration.ts';
import { mapMembers, membersOf, mergePatch, type Located } from './merge-patch.ts';
import { isDeclaredIn } from './projects.ts';

/** The members that apply to one project. */
export interface Layer {
  readonly key: string;
  readonly value: JsonObject;
  readonly places: PlaceTree;
  /** The pointer from the top of the file to a member, in the base or in the overlay. */
  readonly pathOf: (memberPointer: string) => string;
}

export interface LayeredDeclaration {
  readonly declaration: Declaration;
  readonly layer: Layer;
  /** Declared with `deleted: true`. */
  readonly retired: boolean;
}

/** Changes the base of a declaration, given the overlay that is merged into it next. */
export type PrepareBase = (base: Located, overlay: JsonValue | undefined) => Located;

/** The declarations that apply to a project. */
export function layerDeclarations(
  declarations: readonly Declaration[],
  project: string,
  prepareBase?: PrepareBase,
): LayeredDeclaration[] {
  return declarations
    .filter((declaration) => isDeclaredIn(declaration, project))
    .map((declaration) => {
      const layer = layerDeclaration(declaration, project, prepareBase);
      return { declaration, layer, retired: layer.value['deleted'] === true };
    });
}

/** Members about projects and former keys, which overlays do not have. */
const BASE_ONLY: ReadonlySet<string> = new Set(['projects', 'only_in', 'previous_keys']);

export function layerDeclaration(
  declaration: Declaration,
  project: string,
  prepareBase: PrepareBase = (base) => base,
): Layer {
  const overlay = overlayOf(declaration, project);
  const shared = mapMembers(declaration, (name, member) => (BASE_ONLY.has(name) ? undefined : member));
  const base = prepareBase(shared, overlay?.value);
  const merged = overlay === undefined ? base : mergePatch(base, overlay);
  const overlayPath = declaration.path + toPointer(['projects', project]);
  return {
    key: declaration.key,
    value: isJsonObject(merged.value) ? merged.value : {},
    places: { place: declaration.places.place, ...defined({ children: merged.places.children }) },
    pathOf: (pointer) => (isWrittenIn(overlay?.value, pointer) ? overlayPath : declaration.path) + pointer,
  };
}

function overlayOf(declaration: Declaration, project: string): Located | undefined {
  const projects = membersOf(declaration).find(([name]) => name === 'projects')?.[1];
  const overlay = membersOf(projects).find(([name]) => name === project)?.[1];
  return overlay === undefined || !isJsonObject(overlay.value) ? undefined : overlay;
}

// Lists are replaced whole, so whatever is in a list of the overlay was written there.
function isWrittenIn(overlay: JsonValue | undefined, pointer: string): boolean {
  return fromPointer(pointer).length > 0 && valueAt(overlay, pointer) !== undefined;
}
