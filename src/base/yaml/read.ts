/** Reads YAML text to JSON values with places: all documents of a file and all problems in it. */

import { parseAllDocuments, type Document, type YAMLError } from 'yaml';
import type { JsonValue } from '../json.ts';
import type { PlaceTree } from '../place.ts';
import { buildDocument } from './build.ts';
import { createPlacer, type Placer } from './lines.ts';
import { findDeepNesting, MAX_NESTING } from './nesting.ts';
import type { YamlDiagnostic } from './problems.ts';

/** One document as data. Members are placed at their keys, list elements where they begin. */
export interface YamlDocument {
  readonly value: JsonValue;
  readonly places: PlaceTree;
}

export interface YamlFile {
  /** The documents without syntax errors. */
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly YamlDiagnostic[];
}

/** Reads YAML 1.2 (core schema, merge keys); `file` is the name in places. */
export function readYaml(file: string, text: string): YamlFile {
  const { documents, diagnostics } = readSyntax(file, text, {});
  return { documents: documents.map(({ value, places }) => ({ value, places })), diagnostics };
}

/** A document with its syntax tree. */
export interface YamlSyntax extends YamlDocument {
  readonly syntax: Document.Parsed;
}

/** Reads as `readYaml` does. With `keepSourceTokens`, the nodes of the syntax trees have their tokens. */
export function readSyntax(
  file: string,
  text: string,
  options: { readonly keepSourceTokens?: boolean },
): { readonly documents: readonly YamlSyntax[]; readonly diagnostics: readonly YamlDiagnostic[] } {
  const placer = createPlacer(file, text);
  const deepAt = findDeepNesting(text);
  if (deepAt !== undefined) return { documents: [], diagnostics: [tooDeep(placer(deepAt))] };
  const parsed = parseText(text, options);
  if (parsed === undefined) return { documents: [], diagnostics: [tooDeep(placer(0))] };
  const documents: YamlSyntax[] = [];
  const diagnostics: YamlDiagnostic[] = [];
  const building = {
    placer,
    report: (diagnostic: YamlDiagnostic): number => diagnostics.push(diagnostic),
    aliased: { count: 0 },
  };
  for (const syntax of parsed) {
    const mistakes = [...syntax.errors, ...syntax.warnings];
    if (mistakes.length > 0) diagnostics.push(...syntaxDiagnostics(mistakes, { text, placer }));
    else documents.push({ ...buildDocument(syntax, building), syntax });
  }
  return { documents, diagnostics };
}

// Duplicate keys are found while building: the parser's own search takes quadratic time.
// Blocks that are indented a thousand times can still exhaust the stack.
function parseText(
  text: string,
  options: { readonly keepSourceTokens?: boolean },
): readonly Document.Parsed[] | undefined {
  try {
    const parsed = parseAllDocuments(text, {
      ...options,
      prettyErrors: false,
      uniqueKeys: false,
      schema: 'core',
      logLevel: 'error',
    });
    return [...parsed];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

// One mistake often causes several errors on a line; the first describes it.
function syntaxDiagnostics(
  mistakes: readonly YAMLError[],
  { text, placer }: { readonly text: string; readonly placer: Placer },
): YamlDiagnostic[] {
  // The parser reports an exhausted stack at every place where it gave up.
  const exhausted = mistakes.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) return [tooDeep(placer(exhausted.pos[0]))];
  const byLine = new Map<number, YamlDiagnostic>();
  for (const mistake of mistakes) {
    const place = placer(mistake.pos[0]);
    if (byLine.has(place.line)) continue;
    const line = text.slice(mistake.pos[0] - place.column + 1, mistake.pos[0] + 1);
    const tab = mistake.code === 'TAB_AS_INDENT' || /^ *\t/.test(line);
    byLine.set(
      place.line,
      tab
        ? { code: 'yaml-tab', severity: 'error', place, args: {} }
        : { code: 'yaml-syntax', severity: 'error', place, args: { detail: mistake.message } },
    );
  }
  return [...byLine.values()];
}

function tooDeep(place: YamlDiagnostic['place'] & object): YamlDiagnostic {
  return { code: 'yaml-too-deep', severity: 'error', place, args: { limit: MAX_NESTING } };
}
