/** Chooses the layer in which a member of a declaration is written: what all projects share, or the overlay of one. */

import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Declaration } from '../manifest/declaration.ts';
import { layerDeclaration, type Layer } from '../manifest/layers.ts';
import { setIn, valueIn, type Path } from './members.ts';
import { patchTo } from './patch.ts';
import { sectionOf } from './sections.ts';
import type { LayerChoice } from './wish.ts';

/** A declaration whose value is edited. */
export interface Editing {
  readonly declaration: Declaration;
  /** The project that is to say something else. */
  readonly project: string;
  /** The other projects for which the flag or cohort is declared. */
  readonly others: readonly string[];
  readonly layer: LayerChoice;
}

/** The declaration's value, so far. */
export type Members = JsonObject;

export interface MemberWish {
  readonly path: Path;
  /** `undefined`: no member. */
  readonly value: JsonValue | undefined;
}

/** The value with the member, or without it; `undefined` if no layer can have it. */
export function sayMember(members: Members, { path, value }: MemberWish, editing: Editing): Members | undefined {
  const isSaid = ({ value: layer }: Layer): boolean => jsonEquals(valueIn(layer, path), value);
  if (isSaid(layerOf(members, editing))) return members;
  const overlay = [...overlayPath(editing), ...path];
  const inOverlay = (): Members => toMembers(setIn(members, overlay, patchOf(members, { path, value }, overlay)));
  const inBase = (): Members => toMembers(setIn(members, path, value));
  const candidates: Readonly<Record<LayerChoice, readonly (() => Members)[]>> = {
    auto: isOverlaid(members, path, overlay) ? [inOverlay] : [inBase, inOverlay],
    base: [() => toMembers(setIn(inBase(), overlay, undefined))],
    project: [inOverlay],
  };
  return firstThat(candidates[editing.layer], members, { isSaid, editing });
}

/**
 * The value with the member in what all projects share, and with the former one in the overlays of the others: for null, which
 * an overlay cannot say.
 */
export function sayApart(members: Members, member: MemberWish, editing: Editing): Members | undefined {
  const { path, value } = member;
  const isSaid = ({ value: layer }: Layer): boolean => jsonEquals(valueIn(layer, path), value);
  const inBase = toMembers(setIn(setIn(members, path, value), [...overlayPath(editing), ...path], undefined));
  const apart = (): Members =>
    editing.others.reduce<Members>((all, project) => {
      const former = valueIn(layerOf(members, editing, project).value, path);
      const overlay = [...overlayPath({ project }), ...path];
      return toMembers(setIn(all, overlay, patchOf(all, { path, value: former }, overlay)));
    }, inBase);
  return firstThat([apart], members, { isSaid, editing });
}

/** Whether the overlay gives the member, or alone has the mapping that the member belongs into. */
function isOverlaid(members: Members, path: Path, overlay: Path): boolean {
  if (valueIn(members, overlay) !== undefined) return true;
  const isMapped = path.length > 1 && valueIn(members, overlay.slice(0, -1)) !== undefined;
  return isMapped && valueIn(members, path.slice(0, -1)) === undefined;
}

function patchOf(members: Members, { path, value }: MemberWish, overlay: Path): JsonValue | undefined {
  const base = valueIn(members, path);
  if (value !== undefined) return patchTo(base, valueIn(members, overlay), value);
  return base === undefined ? undefined : null;
}

/** The first candidate that says what is wished and changes no other project. */
export function firstThat(
  candidates: readonly (() => Members | undefined)[],
  members: Members,
  { isSaid, editing }: { readonly isSaid: (layer: Layer) => boolean; readonly editing: Editing },
): Members | undefined {
  for (const make of candidates) {
    const candidate = make();
    if (candidate === undefined || !isSaid(layerOf(candidate, editing)) || !isSound(candidate, editing)) continue;
    if (editing.layer === 'base' || keepsOthers(members, candidate, editing)) return candidate;
  }
  return undefined;
}

/** An overlay may name a part of the base that is gone. */
function isSound(members: Members, { declaration }: Editing): boolean {
  const { errorsOf } = sectionOf(declaration);
  const known = new Set(errorsOf(declaration));
  const { place } = declaration.places;
  return errorsOf({ ...declaration, value: members, places: { place } }).every((error) => known.has(error));
}

/** The declaration with these members, as it applies to the project. */
export function layerOf(members: Members, { declaration, project }: Editing, other: string = project): Layer {
  const { place } = declaration.places;
  const { prepareLayers } = sectionOf(declaration);
  return layerDeclaration({ ...declaration, value: members, places: { place } }, other, prepareLayers);
}

function keepsOthers(before: Members, after: Members, editing: Editing): boolean {
  return editing.others.every((project) =>
    jsonEquals(layerOf(before, editing, project).value, layerOf(after, editing, project).value),
  );
}

export function overlayPath({ project }: Pick<Editing, 'project'>): string[] {
  return ['projects', project];
}

export function overlayIn(members: Members, editing: Editing): JsonObject {
  return toMembers(valueIn(members, overlayPath(editing)));
}

export function toMembers(value: JsonValue | undefined): Members {
  return isJsonObject(value) ? value : {};
}
