/** A place in a file where a value is written, kept with the value from reading to reporting. */

import { fromPointer } from './json-pointer.ts';

/** A place in a file: `file` relative to the configuration's folder, `line` and `column` counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The places of a value and of everything in it. An array's elements are the children `0`, `1` …. */
export interface PlaceTree {
  readonly place: Place;
  readonly children?: { readonly [segment: string]: PlaceTree };
}

/** The place of the value at a pointer, or of the nearest value around it that has one. */
export function placeAt(tree: PlaceTree, pointer: string): Place {
  let current = tree;
  for (const segment of fromPointer(pointer)) {
    const children = current.children;
    const child = children && Object.hasOwn(children, segment) ? children[segment] : undefined;
    if (child === undefined) break;
    current = child;
  }
  return current.place;
}

/** The tree with another place for the value at a pointer; the same tree where it has no such value. */
export function withPlace(tree: PlaceTree, pointer: string, place: Place): PlaceTree {
  return replaceIn(tree, fromPointer(pointer), place);
}

function replaceIn(tree: PlaceTree, [segment, ...rest]: readonly string[], place: Place): PlaceTree {
  if (segment === undefined) return { ...tree, place };
  const { children } = tree;
  const child = children && Object.hasOwn(children, segment) ? children[segment] : undefined;
  return child === undefined ? tree : { ...tree, children: { ...children, [segment]: replaceIn(child, rest, place) } };
}
