/** A declaration as it applies to one project: what all projects share, with the project's overlay merged in. */

import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue, isJsonArray } from '../../base/json.ts';
import { toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { PlaceTree, Place } from '../../base/place.ts';
import { type Declaration, isDeclaredIn, membersIn } from './declaration.ts';

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

interface LayerOrigin {
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

/** `project`: `undefined` for the declaration without overlays. */
export function layerDeclaration(declaration: Declaration, project: string | undefined, layering?: Layering): Layer {
  const shared = mapMembers(declaration, (name, member) => (BASE_ONLY.has(name) ? undefined : member));
  const own = project === undefined ? undefined : overlayOf(declaration, project);
  const prepared: PreparedLayers | undefined = own && layering?.prepare(shared, own);
  const { base, overlay, originOf } = prepared ?? { base: shared, overlay: own };
  if (base === declaration && overlay === undefined && originOf === undefined) {
    const { key, value, places, path } = declaration;
    return { key, value: objectOrEmpty(value), places, pathOf: (pointer) => path + pointer };
  }
  const merged = overlay === undefined ? base : mergePatch(base, overlay);
  const paths = { base: declaration.path, overlay: declaration.path + toPointer(['projects', project ?? '']) };
  return {
    key: declaration.key,
    value: objectOrEmpty(merged.value),
    places: { place: declaration.places.place, ...defined({ children: merged.places.children }) },
    pathOf: (pointer) => {
      // Lists are replaced whole, so everything in a list of the overlay was written there.
      const isOverlaid = pointer !== '' && valueAt(overlay?.value, pointer) !== undefined;
      const origin = originOf?.(pointer) ?? { layer: isOverlaid ? 'overlay' : 'base', pointer };
      return paths[origin.layer] + origin.pointer;
    },
  };
}

function overlayOf(declaration: Declaration, project: string): Located | undefined {
  if (objectOrEmpty(declaration.value)['projects'] === undefined) return undefined;
  const overlay = partAt(declaration, ['projects', project]);
  return isJsonObject(overlay?.value) ? overlay : undefined;
}

export interface Located {
  readonly value: JsonValue;
  readonly places: PlaceTree;
}

/** The members of a mapping, each with its places. */
export function membersOf(located: Located | undefined): [string, Located][] {
  if (located === undefined || !isJsonObject(located.value)) return [];
  const { value, places } = located;
  const children = places.children ?? {};
  const members: [string, Located][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const tree = Object.hasOwn(children, name) ? children[name] : undefined;
    members.push([name, { value: member, places: tree ?? { place: places.place } }]);
  }
  return members;
}

/** The mapping with each member changed, or dropped if `change` returns `undefined`; the same object if nothing changed. */
export function mapMembers(located: Located, change: (name: string, member: Located) => Located | undefined): Located {
  const members = membersOf(located);
  const changed = members.map(([name, member]) => change(name, member));
  if (isJsonObject(located.value) && members.every(([, member], index) => changed[index] === member)) return located;
  const kept = members.flatMap(([name], index): [string, Located][] => {
    const member = changed[index];
    return member === undefined ? [] : [[name, member]];
  });
  return toMapping(located.places.place, kept);
}

export function toMapping(place: Place, members: readonly (readonly [string, Located])[]): Located {
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    places: { place, children: Object.fromEntries(members.map(([name, { places }]) => [name, places])) },
  };
}

export function toList(place: Place, elements: readonly Located[]): Located {
  return {
    value: elements.map(({ value }) => value),
    places: { place, children: Object.fromEntries(elements.map(({ places }, index) => [String(index), places])) },
  };
}

/** The part of a value at a path of members; `undefined` if there is none. */
export function partAt(located: Located, path: readonly string[]): Located | undefined {
  return path.reduce<Located | undefined>(
    (outer, name) => membersOf(outer).find(([member]) => member === name)?.[1],
    located,
  );
}

/** The elements of a list, each with its places. */
export function elementsOf({ value, places }: Located): Located[] {
  if (!isJsonArray(value)) return [];
  return value.map((element, index) => ({
    value: element,
    places: places.children?.[String(index)] ?? { place: places.place },
  }));
}

/** The patch replaces parts of the base: null removes, mappings are merged, lists are replaced whole. */
export function mergePatch(base: Located | undefined, patch: Located): Located {
  if (!isJsonObject(patch.value)) return patch;
  const original = base !== undefined && isJsonObject(base.value) ? base : undefined;
  const members = new Map(membersOf(original));
  for (const [name, part] of membersOf(patch)) {
    if (part.value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), part));
  }
  return toMapping((original ?? patch).places.place, [...members]);
}
