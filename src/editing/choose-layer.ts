/** Chooses the layer in which a member of a declaration is written: what all projects share, or the overlay of one. */

import { jsonEquals, type JsonObject, type JsonValue, objectOrEmpty } from '../base/json.ts';
import type { Declaration } from '../core/manifest/declaration.ts';
import { layerDeclaration, type Layer } from '../core/manifest/layers.ts';
import type { LayerChoice } from './edit.ts';
import { kindOf } from './kinds.ts';
import { patchTo, setIn, valueIn, type MemberPath } from './members.ts';

/** A declaration whose value is edited. */
export interface Editing {
  readonly declaration: Declaration;
  /** The project that the edit is about. */
  readonly project: string;
  /** The other projects for which the resource is declared, and which the edit may not change. */
  readonly others: readonly string[];
  readonly layer: LayerChoice;
}

/** The declaration's value, so far. */
export type LayerMembers = JsonObject;

export interface MemberValue {
  readonly path: MemberPath;
  /** `undefined`: no member. */
  readonly value: JsonValue | undefined;
}

/** The value with the member, or without it; `undefined` if no layer can have it. */
export function writeMember(
  members: LayerMembers,
  { path, value }: MemberValue,
  editing: Editing,
): LayerMembers | undefined {
  const isWritten = ({ value: layer }: Layer): boolean => jsonEquals(valueIn(layer, path), value);
  if (isWritten(layerOf(members, editing))) return members;
  const overlay = [...overlayPath(editing), ...path];
  const inOverlay = (): LayerMembers =>
    objectOrEmpty(setIn(members, overlay, patchOf(members, { path, value }, overlay)));
  const inBase = (): LayerMembers => objectOrEmpty(setIn(members, path, value));
  const candidates: Readonly<Record<LayerChoice, readonly (() => LayerMembers)[]>> = {
    auto: isOverlaid(members, path, overlay) ? [inOverlay] : [inBase, inOverlay],
    base: [() => objectOrEmpty(setIn(inBase(), overlay, undefined))],
    project: [inOverlay],
  };
  return firstThat(candidates[editing.layer], members, { isWritten, editing });
}

/** Writes whether the resource is deleted. */
export function writePresence(
  members: LayerMembers,
  { deleted }: { readonly deleted?: boolean },
  editing: Editing,
): LayerMembers | undefined {
  if (deleted === undefined) return members;
  return writeMember(members, { path: ['deleted'], value: deleted ? true : undefined }, editing);
}

/**
 * The value with the member in the layer that all projects share, and with the former one in the overlays of the others: for null, which an
 * overlay cannot hold.
 */
export function writeApart(members: LayerMembers, member: MemberValue, editing: Editing): LayerMembers | undefined {
  const { path, value } = member;
  const isWritten = ({ value: layer }: Layer): boolean => jsonEquals(valueIn(layer, path), value);
  const inBase = objectOrEmpty(setIn(setIn(members, path, value), [...overlayPath(editing), ...path], undefined));
  const apart = (): LayerMembers =>
    editing.others.reduce<LayerMembers>((all, project) => {
      const former = valueIn(layerOf(members, editing, project).value, path);
      const overlay = [...overlayPath({ project }), ...path];
      return objectOrEmpty(setIn(all, overlay, patchOf(all, { path, value: former }, overlay)));
    }, inBase);
  return firstThat([apart], members, { isWritten, editing });
}

/** Whether the overlay gives the member, or is the only layer with the mapping that the member belongs in. */
function isOverlaid(members: LayerMembers, path: MemberPath, overlay: MemberPath): boolean {
  if (valueIn(members, overlay) !== undefined) return true;
  const isMapped = path.length > 1 && valueIn(members, overlay.slice(0, -1)) !== undefined;
  return isMapped && valueIn(members, path.slice(0, -1)) === undefined;
}

function patchOf(members: LayerMembers, { path, value }: MemberValue, overlay: MemberPath): JsonValue | undefined {
  const base = valueIn(members, path);
  if (value !== undefined) return patchTo(base, valueIn(members, overlay), value);
  return base === undefined ? undefined : null;
}

/** The first candidate with the wanted value that changes no other project. */
export function firstThat(
  candidates: readonly (() => LayerMembers | undefined)[],
  members: LayerMembers,
  { isWritten, editing }: { readonly isWritten: (layer: Layer) => boolean; readonly editing: Editing },
): LayerMembers | undefined {
  for (const make of candidates) {
    const candidate = make();
    if (candidate === undefined || !isWritten(layerOf(candidate, editing)) || !isSound(candidate, editing)) continue;
    if (editing.layer === 'base' || keepsOthers(members, candidate, editing)) return candidate;
  }
  return undefined;
}

/** An overlay may name a part of the base that is gone. */
function isSound(members: LayerMembers, { declaration }: Editing): boolean {
  const { errorsOf = () => [] } = kindOf(declaration);
  const known = new Set(errorsOf(declaration));
  const { place } = declaration.places;
  return errorsOf({ ...declaration, value: members, places: { place } }).every((error) => known.has(error));
}

/** The declaration with these members, as it applies to the project. */
export function layerOf(members: LayerMembers, { declaration, project }: Editing, other: string = project): Layer {
  const { place } = declaration.places;
  const { layering } = kindOf(declaration);
  return layerDeclaration({ ...declaration, value: members, places: { place } }, other, layering);
}

function keepsOthers(before: LayerMembers, after: LayerMembers, editing: Editing): boolean {
  return editing.others.every((project) =>
    jsonEquals(layerOf(before, editing, project).value, layerOf(after, editing, project).value),
  );
}

export function overlayPath({ project }: Pick<Editing, 'project'>): string[] {
  return ['projects', project];
}

export function overlayIn(members: LayerMembers, editing: Editing): JsonObject {
  return objectOrEmpty(valueIn(members, overlayPath(editing)));
}
