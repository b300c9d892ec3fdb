/** Reads the declarations of one YAML document and checks its shape against the JSON Schema. */

import type { Diagnostic } from '../base/diagnostic.ts';
import { fromPointer, toPointer } from '../base/json-pointer.ts';
import { isJsonObject, memberOf, type JsonValue } from '../base/json.ts';
import type { PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import type { ShapeDiagnostic } from '../base/shape/problems.ts';
import type { YamlDocument } from '../base/yaml/read.ts';
import type { Declaration } from './declaration.ts';
import type { ManifestForm, SectionForm } from './section.ts';

export interface DeclaredDocument {
  readonly declarations: readonly Declaration[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `known` are the pointers of values that were reported already; the document has null in their place. */
export function readDocument(
  { value, places }: YamlDocument,
  known: ReadonlySet<string>,
  { validate, sections }: ManifestForm,
): DeclaredDocument {
  const shape = checkShape(validate, value, places).filter(({ path }) => path === undefined || !known.has(path));
  const problems = shape.map((problem) => ({ problem, reworded: rewordKeyProblem(problem, sections) }));
  const diagnostics = problems.map(({ problem, reworded }) => reworded ?? explainProblem(problem, value, sections));
  if (!isJsonObject(value)) return { declarations: [], diagnostics };
  // A problem of a key leaves the content of the declaration in no doubt.
  const mistakes = problems.flatMap(({ problem, reworded }) => (reworded === undefined ? locateMistake(problem) : []));
  const doubts = {
    mistakes: groupByDeclaration([...mistakes, ...known]),
    unsound: groupByDeclaration([...diagnostics.flatMap(({ path }) => path ?? []), ...known]),
  };
  const declarations = sections.flatMap(({ name }) =>
    readSection(name, { value: memberOf(value, name), places: childOf(places, name), ...doubts }),
  );
  return { declarations, diagnostics };
}

function rewordKeyProblem(problem: ShapeDiagnostic, sections: readonly SectionForm[]): Diagnostic | undefined {
  const [name, key, ...deeper] = fromPointer(problem.path ?? '');
  if (key === undefined || deeper.length > 0) return undefined;
  return sections.find((section) => section.name === name)?.keyProblem?.(problem, key);
}

function explainProblem(problem: ShapeDiagnostic, value: JsonValue, sections: readonly SectionForm[]): ShapeDiagnostic {
  const [name, key] = fromPointer(problem.path ?? '');
  const section = sections.find((each) => each.name === name);
  return key === undefined ? atTheTop(problem, value, sections) : (section?.explainProblem?.(problem) ?? problem);
}

/** A mapping outside every section is mostly a flag. */
function atTheTop(problem: ShapeDiagnostic, value: JsonValue, [first]: readonly SectionForm[]): ShapeDiagnostic {
  if (problem.code !== 'property-unknown' || problem.args.suggestion !== undefined || first === undefined)
    return problem;
  const { property } = problem.args;
  const isDeclaration = isJsonObject(value) && isJsonObject(memberOf(value, property));
  return isDeclaration ? { ...problem, args: { property, section: first.name } } : problem;
}

// A missing member leaves in doubt only itself.
function locateMistake({ code, path, args }: ShapeDiagnostic): string[] {
  if (path === undefined) return [];
  return [code === 'property-missing' ? path + toPointer([args.property]) : path];
}

type Pointers = ReadonlyMap<string, ReadonlySet<string>>;

function groupByDeclaration(pointers: readonly string[]): Pointers {
  const groups = new Map<string, Set<string>>();
  for (const pointer of pointers) {
    const declaration = pointer.split('/', 3).join('/');
    groups.set(declaration, (groups.get(declaration) ?? new Set()).add(pointer));
  }
  return groups;
}

interface SectionText {
  readonly value: JsonValue | undefined;
  readonly places: PlaceTree | undefined;
  readonly mistakes: Pointers;
  readonly unsound: Pointers;
}

function readSection(section: string, { value, places, mistakes, unsound }: SectionText): Declaration[] {
  if (!isJsonObject(value) || places === undefined) return [];
  return Object.entries(value).flatMap(([key, declared]) => {
    const tree = childOf(places, key);
    if (tree === undefined) return [];
    const path = toPointer([section, key]);
    const own = mistakes.get(path) ?? NO_MISTAKES;
    return [{ section, key, value: declared ?? null, places: tree, path, sound: !unsound.has(path), mistakes: own }];
  });
}

const NO_MISTAKES: ReadonlySet<string> = new Set();

function childOf(tree: PlaceTree, name: string): PlaceTree | undefined {
  return tree.children !== undefined && Object.hasOwn(tree.children, name) ? tree.children[name] : undefined;
}
