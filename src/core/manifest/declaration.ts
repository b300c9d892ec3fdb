/** The content of a manifest file, before a project is chosen: declarations, which parts are sound, and which change over time. */

import type { Diagnostic, Severity } from '../../base/diagnostic.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, objectOrEmpty } from '../../base/json.ts';
import { type PlaceTree, placeAt } from '../../base/place.ts';
import type { compileSchema } from '../../base/shape/compile.ts';

/** A JSON file that a declaration names. `file`: relative to the configuration's folder. */
export type NamedFile =
  /** `compile`: loaded only with a file that may be a schema. */
  | { readonly file: string; readonly value: JsonValue; readonly compile: typeof compileSchema }
  /** `unreadable`: the code of a system error, or of a diagnostic about files. */
  | { readonly file: string; readonly unreadable: string }
  | { readonly file: string; readonly notJson: { readonly line?: number } };

export interface ManifestFile {
  /** Relative to the configuration's folder, with `/` between folders. */
  readonly file: string;
  /** Whether the whole file could be read. If not, what seems undeclared may be in the unread parts. */
  readonly complete: boolean;
  readonly declarations: readonly Declaration[];
}

/** One entry of a section, as written, with its overlays. */
export interface Declaration {
  /** The section that it is in, such as `flags`. */
  readonly section: string;
  /** The key of the resource. */
  readonly key: string;
  readonly value: JsonValue;
  /** The root is the key. */
  readonly places: PlaceTree;
  /** Pointer from the top of the file, such as `/flags/new-checkout`. */
  readonly path: string;
  /** Whether no problem of its shape was reported. An unsound declaration is not part of the desired state. */
  readonly sound: boolean;
  /** Pointers from the top of the file to reported problems. */
  readonly mistakes: ReadonlySet<string>;
  /** The file that it names, read together with the manifests. */
  readonly named?: NamedFile;
  /** Values that change over time; absent if there are none. */
  readonly rollouts?: readonly WrittenRollout[];
  /** The value as written, with its steps; present if `value` is that of a moment. */
  readonly written?: JsonValue;
}

export interface WrittenRollout {
  /** The pointer from the declaration: `/projects/staging/rollout_percentage`. */
  readonly pointer: string;
  readonly written: JsonObject;
}

/** The members of a declaration; none when it is not a mapping. */
export function membersIn({ value }: Declaration): JsonObject {
  return objectOrEmpty(value);
}

/** Pointers are in the API's names, `/filters/groups/0`. */
export interface Soundness {
  /** No mistake was reported at the pointer or around it; there may be some below it. */
  readonly at: (pointer: string) => boolean;
  /** No mistake was reported at the pointer, around it or below. */
  readonly whole: (pointer: string) => boolean;
}

export const ALL_SOUND: Soundness = { at: () => true, whole: () => true };

/**
 * Finds which parts of a declaration have the right shape, so that checks cover exactly those. `mistakes`: pointers from the top of the
 * file, to which `locate` converts a pointer.
 */
export function soundness(mistakes: ReadonlySet<string>, locate: (pointer: string) => string): Soundness {
  if (mistakes.size === 0) return ALL_SOUND;
  const around = new Set([...mistakes].flatMap((mistake) => upTo(mistake).slice(0, -1)));
  const at = (pointer: string): boolean => !upTo(pointer).some((part) => mistakes.has(locate(part)));
  return { at, whole: (pointer) => at(pointer) && !around.has(locate(pointer)) };
}

function upTo(pointer: string): string[] {
  const segments = fromPointer(pointer);
  return [...segments.keys(), segments.length].map((length) => toPointer(segments.slice(0, length)));
}

/** Whether a declaration applies to a project. A lone string in place of the list was reported, but its meaning is clear. */
export function isDeclaredIn(declaration: Declaration, project: string): boolean {
  const onlyIn = membersIn(declaration)['only_in'];
  return onlyIn === undefined || (isJsonArray(onlyIn) ? onlyIn.includes(project) : onlyIn === project);
}

export interface ManifestFinding {
  readonly code: string;
  readonly severity: Severity;
  /** Pointer within the declaration: `/projects/staging`, or `/filters/groups/0` in the API's names. */
  readonly at: string;
  readonly args: object;
}

/** A finding with one of the codes of `Problems`, which maps each code to its arguments. */
export type FindingOf<Problems> = {
  readonly [Code in keyof Problems & string]: ManifestFinding & { readonly code: Code; readonly args: Problems[Code] };
}[keyof Problems & string];

/** Places a finding whose pointer is in the manifest's own names. */
export function placeFinding({ places, path }: Declaration, { at, ...finding }: ManifestFinding): Diagnostic {
  return { ...finding, place: placeAt(places, at), path: path + at };
}

/** The values of a declaration that change over time, at the places that the patterns allow; `undefined` if there are none. */
export function findRollouts(value: JsonValue, patterns: readonly string[]): readonly WrittenRollout[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const paths = known.get(patterns) ?? patterns.flatMap((one) => [one, `/projects/*${one}`]).map(fromPointer);
  known.set(patterns, paths);
  const found = paths.flatMap((path) => findAt(value, path, []));
  return found.length === 0 ? undefined : found;
}

/** Each section passes the same list every time, so its patterns are parsed once. */
const known = new WeakMap<readonly string[], readonly (readonly string[])[]>();

/** `names`: the way down to the value. */
function findAt(
  value: JsonValue | undefined,
  path: readonly string[],
  names: readonly string[],
): readonly WrittenRollout[] {
  const next = path[names.length];
  if (!isJsonObject(value) && !isJsonArray(value)) return NONE;
  if (next === '*') return Object.entries(value).flatMap(([name, part]) => findAt(part, path, [...names, name]));
  if (!isJsonObject(value)) return NONE;
  if (next !== undefined) return Object.hasOwn(value, next) ? findAt(value[next], path, [...names, next]) : NONE;
  return Object.hasOwn(value, 'steps') ? [{ pointer: toPointer(names), written: value }] : NONE;
}

const NONE: readonly WrittenRollout[] = [];
