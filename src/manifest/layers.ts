/** A declaration as it applies to one project: what all projects share, with the project's overlay merged in. */

import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import type { PlaceTree } from '../base/place.ts';
import { type Declaration, isDeclaredIn, membersIn } from './declaration.ts';
import { type Located, mapMembers, membersOf, mergePatch } from './located.ts';

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

/** The base of a declaration and the overlay that is merged into it. */
interface Layers {
  readonly base: Located;
  readonly overlay: Located | undefined;
}

/** Layers whose members may differ from the written ones. */
export interface PreparedLayers extends Layers {
  /** The origin of a member of the merged layers; `undefined`: at the same pointer. */
  readonly originOf?: (memberPointer: string) => LayerOrigin | undefined;
}

export interface LayerOrigin {
  readonly layer: keyof Layers;
  /** Pointer within the layer as written. */
  readonly pointer: string;
}

/** Prepares the layers of a declaration before they are merged. */
export interface Layering {
  prepare(base: Located, overlay: Located): PreparedLayers;
}

/** The declarations that apply to a project. */
export function layerDeclarations(
  declarations: readonly Declaration[],
  project: string,
  layering?: Layering,
): LayeredDeclaration[] {
  return declarations
    .filter((declaration) => isDeclaredIn(declaration, project))
    .map((declaration) => {
      const known = withoutOverlays.get(declaration);
      if (known !== undefined) return known;
      const layer = layerDeclaration(declaration, project, layering);
      const layered = { declaration, layer, retired: layer.value['deleted'] === true };
      if (membersIn(declaration)['projects'] === undefined) withoutOverlays.set(declaration, layered);
      return layered;
    });
}

/** A declaration without an overlay is the same in every project, and so is what was found in it: projects share one object. */
const withoutOverlays = new WeakMap<Declaration, LayeredDeclaration>();

/** Members about projects, former keys or names, and the declaration itself, which overlays do not have. */
const BASE_ONLY: ReadonlySet<string> = new Set([
  ...['projects', 'only_in', 'payload_schema', 'previous_keys', 'previous_names'],
]);

export function layerDeclaration(declaration: Declaration, project: string, layering?: Layering): Layer {
  const shared = mapMembers(declaration, (name, member) => (BASE_ONLY.has(name) ? undefined : member));
  const own = overlayOf(declaration, project);
  const prepared: PreparedLayers | undefined = own && layering?.prepare(shared, own);
  const { base, overlay, originOf } = prepared ?? { base: shared, overlay: own };
  if (base === declaration && overlay === undefined && originOf === undefined) return asWritten(declaration);
  const merged = overlay === undefined ? base : mergePatch(base, overlay);
  const paths = { base: declaration.path, overlay: declaration.path + toPointer(['projects', project]) };
  return {
    key: declaration.key,
    value: objectOrEmpty(merged.value),
    places: { place: declaration.places.place, ...defined({ children: merged.places.children }) },
    pathOf: (pointer) => {
      const origin = originOf?.(pointer) ?? {
        layer: isWrittenIn(overlay?.value, pointer) ? 'overlay' : 'base',
        pointer,
      };
      return paths[origin.layer] + origin.pointer;
    },
  };
}

function asWritten({ key, value, places, path }: Declaration): Layer {
  return { key, value: objectOrEmpty(value), places, pathOf: (pointer) => path + pointer };
}

function overlayOf(declaration: Declaration, project: string): Located | undefined {
  if (objectOrEmpty(declaration.value)['projects'] === undefined) return undefined;
  const projects = membersOf(declaration).find(([name]) => name === 'projects')?.[1];
  const overlay = membersOf(projects).find(([name]) => name === project)?.[1];
  return overlay === undefined || !isJsonObject(overlay.value) ? undefined : overlay;
}

// Lists are replaced whole, so everything in a list of the overlay was written there.
function isWrittenIn(overlay: JsonValue | undefined, pointer: string): boolean {
  return fromPointer(pointer).length > 0 && valueAt(overlay, pointer) !== undefined;
}
