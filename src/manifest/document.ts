/** One YAML document to the flags and roles that it declares, its shape checked against the JSON Schema. */

import type { ManifestDiagnostic } from '../posthog/manifest-problems.ts';
import { validateManifest } from '../base/generated/validators.ts';
import { fromPointer, toPointer } from '../base/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import type { YamlDocument } from '../base/yaml/read.ts';
import type { ManifestFlag, ManifestRole, RoleTarget } from './manifest.ts';
import { placedTexts } from './texts.ts';

export interface DeclaredDocument {
  readonly flags: readonly ManifestFlag[];
  readonly roles: readonly ManifestRole[];
  readonly diagnostics: readonly ManifestDiagnostic[];
}

/** `known` are the pointers of values that were reported already and stand in the document as null. */
export function readDocument({ value, places }: YamlDocument, known: ReadonlySet<string>): DeclaredDocument {
  const diagnostics = checkShape(validateManifest, value, places)
    .filter(({ path }) => path === undefined || !known.has(path))
    .map(asKeyProblem);
  if (!isJsonObject(value)) return { flags: [], roles: [], diagnostics };
  const mistakes = byPart([...diagnostics.flatMap(mistakeOf), ...known]);
  const unsound = byPart([...diagnostics.flatMap(({ path }) => path ?? []), ...known]);
  return {
    flags: readFlags(value['flags'], { places: childOf(places, 'flags'), unsound, mistakes }),
    roles: readRoles(value['role_access'], { places: childOf(places, 'role_access'), mistakes }),
    diagnostics,
  };
}

// The schema states what a flag's key may hold as a pattern on names; people asked for a key want other words.
function asKeyProblem(diagnostic: ManifestDiagnostic): ManifestDiagnostic {
  const segments = fromPointer(diagnostic.path ?? '');
  if (segments[0] !== 'flags' || segments.length !== 2) return diagnostic;
  if (diagnostic.code === 'value-pattern') {
    return { ...diagnostic, code: 'flag-key-invalid', args: { key: diagnostic.args.found } };
  }
  if (diagnostic.code === 'length-out-of-range') {
    const key = segments[1] ?? '';
    return { ...diagnostic, code: 'flag-key-too-long', args: { key, length: key.length } };
  }
  return diagnostic;
}

// What is missing leaves in doubt only itself, and a key that cannot be one says nothing of the flag's content.
function mistakeOf({ code, path, args }: ManifestDiagnostic): string[] {
  if (path === undefined || code === 'flag-key-invalid' || code === 'flag-key-too-long') return [];
  return [code === 'property-missing' ? path + toPointer([args.property]) : path];
}

type Pointers = ReadonlyMap<string, ReadonlySet<string>>;

// By the flag (`/flags/KEY`) or role that they are in.
function byPart(pointers: readonly string[]): Pointers {
  const parts = new Map<string, Set<string>>();
  for (const pointer of pointers) {
    const part = pointer.split('/', 3).join('/');
    parts.set(part, (parts.get(part) ?? new Set()).add(pointer));
  }
  return parts;
}

interface Section {
  readonly places: PlaceTree | undefined;
  readonly mistakes: Pointers;
}

function readFlags(
  section: JsonValue | undefined,
  { places, unsound, mistakes }: Section & { readonly unsound: Pointers },
): ManifestFlag[] {
  if (!isJsonObject(section) || places === undefined) return [];
  return Object.entries(section).flatMap(([key, value]) => {
    const tree = childOf(places, key);
    if (tree === undefined) return [];
    const path = toPointer(['flags', key]);
    const own = mistakes.get(path) ?? NO_MISTAKES;
    const fields = isJsonObject(value) ? value : {};
    return [{ key, value: fields, places: tree, sound: !unsound.has(path), mistakes: own }];
  });
}

const NO_MISTAKES: ReadonlySet<string> = new Set();

// Of a role with mistakes the targets that are texts remain; a name that is no name was reported.
function readRoles(section: JsonValue | undefined, { places, mistakes }: Section): ManifestRole[] {
  if (!isJsonObject(section) || places === undefined) return [];
  return Object.entries(section).flatMap(([role, targets]) => {
    const tree = childOf(places, role);
    const path = toPointer(['role_access', role]);
    if (tree === undefined || mistakes.get(path)?.has(path)) return [];
    return [{ role, place: tree.place, path, targets: readTargets(targets, { tree, path }) }];
  });
}

function readTargets(
  targets: JsonObject[string],
  { tree, path }: { readonly tree: PlaceTree; readonly path: string },
): RoleTarget[] {
  return placedTexts(targets).map(({ text, index }) => ({
    text,
    place: childOf(tree, String(index))?.place ?? tree.place,
    path: `${path}/${index}`,
  }));
}

function childOf(tree: PlaceTree, name: string): PlaceTree | undefined {
  return tree.children !== undefined && Object.hasOwn(tree.children, name) ? tree.children[name] : undefined;
}
