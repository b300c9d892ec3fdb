/** The wished values of one document as a tree: what several edits say of the same mapping or list stands together. */

import { definedKeys, isJsonArray, isJsonObject, jsonEquals, objectFrom, type JsonValue } from '../../json.ts';
import type { YamlEdit, YamlPath } from './edits.ts';

export type WantedNode = WantedValue | WantedParts;

/** `undefined`: no value after the edits. */
interface WantedValue {
  readonly value: JsonValue | undefined;
  readonly edits: readonly YamlEdit[];
}

/** Keys are names of members or indices of elements before the edits. */
export interface WantedParts {
  readonly parts: Map<string | number, WantedNode>;
}

/** `overlapping`: edits of a value of which an earlier edit writes a part, or all. */
export function collectWanted(edits: readonly YamlEdit[]): { wanted: WantedParts; overlapping: readonly YamlEdit[] } {
  const wanted: WantedParts = { parts: new Map() };
  return { wanted, overlapping: edits.filter((edit) => !addWanted(wanted, edit.path, edit)) };
}

function addWanted({ parts }: WantedParts, [first = '', ...rest]: YamlPath, edit: YamlEdit): boolean {
  const known = parts.get(first);
  if (rest.length > 0) {
    if (known !== undefined && 'edits' in known) return false;
    const below = known ?? { parts: new Map() };
    parts.set(first, below);
    return addWanted(below, rest, edit);
  }
  if (known !== undefined && (!('edits' in known) || !isSame(known.value, edit.value))) return false;
  parts.set(first, { value: edit.value, edits: [...(known?.edits ?? []), edit] });
  return true;
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : jsonEquals(a, b);
}

export function editsIn(wanted: WantedNode): readonly YamlEdit[] {
  return 'edits' in wanted ? wanted.edits : [...wanted.parts.values()].flatMap(editsIn);
}

/** The value after the edits; `undefined` if it is removed or never existed. */
export function withWanted(value: JsonValue | undefined, wanted: WantedNode): JsonValue | undefined {
  if ('edits' in wanted) return wanted.value;
  return isJsonArray(value) ? withElements(value, wanted) : withMembers(value, wanted);
}

function withElements(value: readonly JsonValue[], { parts }: WantedParts): JsonValue {
  const added = [...parts.keys()].filter((index) => Number(index) >= value.length);
  const indices = [...value.keys(), ...added.map(Number).toSorted((a, b) => a - b)];
  return indices.flatMap((index) => {
    const part = parts.get(index);
    const after = part === undefined ? value[index] : withWanted(value[index], part);
    return after === undefined ? [] : [after];
  });
}

function withMembers(value: JsonValue | undefined, { parts }: WantedParts): JsonValue | undefined {
  const object = isJsonObject(value) ? value : {};
  const members = new Map(definedKeys(object).map((name) => [name, object[name] as JsonValue]));
  for (const [name, part] of parts) {
    const after = withWanted(members.get(String(name)), part);
    if (after === undefined) members.delete(String(name));
    else members.set(String(name), after);
  }
  // Removing what is not there adds no mapping.
  return isJsonObject(value) || members.size > 0 ? objectFrom(members) : value;
}
