/** Reads YAML text to JSON values with places: all documents of a file and all problems in it. */

import { parseAllDocuments, type Document, type YAMLError, Lexer } from 'yaml';
import type { JsonValue } from '../json.ts';
import { type Place, type PlaceTree, createPlacer, type Placer } from '../place.ts';
import { buildDocument, MAX_NESTING } from './build.ts';
import type { YamlDiagnostic } from './problems.ts';
import { readSimple } from './simple.ts';

/** One document as data. Members are placed at their keys, list elements where they begin. */
export interface YamlDocument {
  readonly value: JsonValue;
  readonly places: PlaceTree;
}

export interface YamlFile {
  /** The documents without syntax errors. */
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly YamlDiagnostic[];
  /** The names with nothing behind them, whose values are null. Files that people write now must have none. */
  readonly missing: readonly YamlDiagnostic[];
}

/** Reads YAML 1.2 (core schema, merge keys); `file` is the name in places. */
export function readYaml(file: string, text: string): YamlFile {
  const simple = readSimple(file, text);
  if (simple !== undefined) return { documents: [simple], diagnostics: [], missing: [] };
  const { documents, ...problems } = readSyntax(file, text, {});
  return { documents: documents.map(({ value, places }) => ({ value, places })), ...problems };
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
): { readonly documents: readonly YamlSyntax[] } & Pick<YamlFile, 'diagnostics' | 'missing'> {
  const placer = createPlacer(file, text);
  const deepAt = findDeepNesting(text);
  if (deepAt !== undefined) return { documents: [], diagnostics: [tooDeep(placer(deepAt))], missing: [] };
  const parsed = parseText(text, options);
  if (parsed === undefined) return { documents: [], diagnostics: [tooDeep(placer(0))], missing: [] };
  const documents: YamlSyntax[] = [];
  const diagnostics: YamlDiagnostic[] = [];
  const missing: YamlDiagnostic[] = [];
  const building = {
    ...{ text, placer },
    report: (diagnostic: YamlDiagnostic): number => diagnostics.push(diagnostic),
    reportMissing: (diagnostic: YamlDiagnostic): number => missing.push(diagnostic),
    aliased: { count: 0 },
  };
  for (const syntax of parsed) {
    const mistakes = [...syntax.errors, ...syntax.warnings];
    if (mistakes.length > 0) diagnostics.push(...syntaxDiagnostics(mistakes, { text, placer }));
    else documents.push({ ...buildDocument(syntax, building), syntax });
  }
  return { documents, diagnostics, missing };
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
      customTags: (tags) => [...tags, WHOLE_FLOAT],
      logLevel: 'error',
    });
    return [...parsed];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** `!!float 5`, which the parser does not know as a float. */
const WHOLE_FLOAT = { tag: 'tag:yaml.org,2002:float', default: true, test: /^[-+]?\d+$/, resolve: Number };

// One mistake often causes several errors on a line; the first describes it.
function syntaxDiagnostics(
  mistakes: readonly YAMLError[],
  { text, placer }: { readonly text: string; readonly placer: Placer },
): YamlDiagnostic[] {
  // The parser reports an exhausted stack at every place where it gave up.
  const exhausted = mistakes.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) return [tooDeep(placer(exhausted.pos[0]))];
  const conflicts = findConflicts(text);
  const byLine = new Map<number, YamlDiagnostic>();
  for (const mistake of mistakes) {
    const conflict = conflicts.find(({ from, to }) => from <= mistake.pos[0] && mistake.pos[0] <= to);
    const place = placer(conflict?.from ?? mistake.pos[0]);
    if (byLine.has(place.line)) continue;
    const line = text.slice(mistake.pos[0] - place.column + 1, mistake.pos[0] + 1);
    const tab = mistake.code === 'TAB_AS_INDENT' || /^ *\t/.test(line);
    byLine.set(place.line, describe(mistake, place, { conflict: conflict !== undefined, tab, text }));
  }
  return [...byLine.values()];
}

function describe(
  mistake: YAMLError,
  place: Place,
  { conflict, tab, text }: { readonly conflict: boolean; readonly tab: boolean; readonly text: string },
): YamlDiagnostic {
  const severity = 'error';
  if (conflict) return { code: 'yaml-merge-conflict', severity, place, args: {} };
  if (tab) return { code: 'yaml-tab', severity, place, args: {} };
  const detail =
    deeperLine(mistake, place, text) ??
    (mistake.code === 'BAD_SCALAR_START'
      ? `a value that begins with ${text[mistake.pos[0]]} needs quotes`
      : undefined) ??
    unquotedColon(mistake, place, text) ??
    mistake.message;
  return { code: 'yaml-syntax', severity, place, args: { detail } };
}

/** The parser takes a line below `a: b` that is deeper for a continuation of b, and finds a mapping inside it. */
function deeperLine({ code }: YAMLError, { line }: Place, text: string): string | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY' && code !== 'BAD_INDENT') return undefined;
  const lines = text.split(/\r?\n/);
  const isFilled = (at: number): boolean => /^ *[^ #]/.test(lines[at] ?? '');
  const indentation = (at: number): number => /^ */.exec(lines[at] ?? '')?.[0].length ?? 0;
  const above = lines.findLastIndex((_, at) => at < line && isFilled(at));
  const below = lines.findIndex((_, at) => at >= line && isFilled(at));
  if (above === -1 || below === -1 || indentation(below) <= indentation(above)) return undefined;
  return `line ${below + 1} is indented deeper than line ${above + 1}`;
}

/** `description: Note: it is new`: the parser takes the second colon for that of a mapping inside the value. */
function unquotedColon({ code }: YAMLError, { line }: Place, text: string): string | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY' && code !== 'BLOCK_IN_FLOW') return undefined;
  const written = text.split(/\r?\n/)[line - 1] ?? '';
  return /: +[^\s"'[{|>&*!#,][^"'[\]{},#]*:(?= |$)/.test(written)
    ? 'a value that contains ": " needs quotes'
    : undefined;
}

/** Finds the conflict markers that git writes, from `<<<<<<<` to `>>>>>>>`. The first ones are enough for a reader. */
function findConflicts(text: string): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  let from: number | undefined;
  for (const { 0: marker, index } of text.matchAll(/^(?:<{7}|>{7}) .*$/gm)) {
    if (marker.startsWith('<')) from ??= index;
    else if (from !== undefined) {
      found.push({ from, to: index + marker.length });
      from = undefined;
    }
    if (found.length === MOST_CONFLICTS) break;
  }
  return found;
}

const MOST_CONFLICTS = 100;

function tooDeep(place: YamlDiagnostic['place'] & object): YamlDiagnostic {
  return { code: 'yaml-too-deep', severity: 'error', place, args: { limit: MAX_NESTING } };
}

/** The offset at which brackets, or indicators in a row (`- - -`), nest deeper than `MAX_NESTING`. */
export function findDeepNesting(text: string): number | undefined {
  return mayNestDeeply(text) ? findInTokens(text) : undefined;
}

// A rough count, with brackets in quotes included: cheap, and never too low.
function mayNestDeeply(text: string): boolean {
  let brackets = 0;
  let indicators = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x5b: // [
      case 0x7b: // {
        if (++brackets > MAX_NESTING) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (brackets > 0) brackets--;
        break;
      case 0x2d: // -
      case 0x3f: // ?
      case 0x3a: // :
        if (++indicators > MAX_NESTING) return true;
        break;
      case 0x2c: // ,
      case 0x0a: // line feed
      case 0x0d: // carriage return
        indicators = 0;
        break;
      default:
    }
  }
  return false;
}

const SCALAR_FOLLOWS = '\u001f';

// The exact count, on the tokens of the lexer.
function findInTokens(text: string): number | undefined {
  let brackets = 0;
  let indicators = 0;
  let offset = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    const kind = scalar ? 'scalar' : kindOf(token);
    if (kind === 'open') brackets++;
    if (kind === 'close') brackets--;
    if (kind === 'indicator') indicators++;
    else if (kind !== 'space') indicators = 0;
    if (brackets > MAX_NESTING || indicators > MAX_NESTING) return offset;
    scalar = token === SCALAR_FOLLOWS;
    // The lexer marks documents and scalars with control characters that are not in the text.
    if (!scalar && token !== '\u0002' && token !== '\u0018') offset += token.length;
  }
  return undefined;
}

// Spaces and the properties of a node (anchor, tag) are allowed between two indicators that nest.
function kindOf(token: string): 'open' | 'close' | 'indicator' | 'space' | 'other' {
  if (token === '[' || token === '{') return 'open';
  if (token === ']' || token === '}') return 'close';
  if (token === '-' || token === '?' || token === ':') return 'indicator';
  return /^[ \t&!]/.test(token) ? 'space' : 'other';
}
