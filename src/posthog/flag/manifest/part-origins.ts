/** Where a member of filters is written after an overlay has changed parts of them: in the overlay, or at another index of the base. */

import { toPointer, valueAt } from '../../../base/json-pointer.ts';
import type { JsonValue } from '../../../base/json.ts';
import type { Origin } from '../../../manifest/layers.ts';
import { pathTo, SHORTHAND } from './targeting.ts';

/** A list of the filters in which an overlay has changed elements. */
export interface ListSources {
  /** The member of the overlay. */
  readonly part: string;
  /** The members of the filters that lead to the list. */
  readonly path: readonly string[];
  /** For each element that is left, its index in the base, and its name in the overlay if that changes it. */
  readonly sources: readonly { readonly index: number; readonly name?: string }[];
}

interface Changed {
  /** The form of the base's filters. */
  readonly form: string;
  readonly lists: readonly ListSources[];
  readonly overlay: JsonValue;
}

/** `pointer` is one into the changed flag, as segments. */
export function originOfPart(pointer: readonly string[], { form, lists, overlay }: Changed): Origin | undefined {
  const prefix = pathTo(form);
  const path = restAfter(prefix, pointer);
  if (path === undefined) return undefined;
  const { inOverlay, inBase } = locate(path, lists);
  if (inOverlay !== undefined && valueAt(overlay, toPointer(inOverlay)) !== undefined) {
    return { layer: 'overlay', pointer: toPointer(inOverlay) };
  }
  return { layer: 'base', pointer: form === SHORTHAND ? SHORTHAND : toPointer([...prefix, ...inBase]) };
}

interface Candidates {
  /** Where the overlay has the member, if it has it. */
  readonly inOverlay?: readonly string[];
  readonly inBase: readonly (string | number)[];
}

function locate(path: readonly string[], lists: readonly ListSources[]): Candidates {
  if (path[0] === 'payloads') return { inOverlay: path, inBase: path };
  const list = lists.find((each) => restAfter(each.path, path) !== undefined);
  if (list === undefined) return { inBase: path };
  const [index, ...member] = path.slice(list.path.length);
  if (index === undefined) return { inOverlay: [list.part], inBase: path };
  const source = list.sources[Number(index)];
  if (source === undefined) return { inBase: path };
  const inBase = [...list.path, source.index, ...member];
  // The element itself has the place of the base's.
  return source.name === undefined || member.length === 0
    ? { inBase }
    : { inBase, inOverlay: [list.part, source.name, ...member] };
}

/** The segments after a prefix; `undefined` if the pointer does not begin with it. */
function restAfter(prefix: readonly string[], pointer: readonly string[]): readonly string[] | undefined {
  return prefix.every((segment, index) => pointer[index] === segment) ? pointer.slice(prefix.length) : undefined;
}
