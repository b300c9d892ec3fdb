/** Reads manifest files to checked declarations: find, read, parse, check the shape. Needs no project. */

import { type Diagnostic, sortDiagnostics, type DiagnosticOf } from '../../base/diagnostic.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { isJsonObject, type JsonValue, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { PlaceTree } from '../../base/place.ts';
import type { ShapeDiagnostic } from '../../base/shape/problems.ts';
import { TextMemo } from '../../base/text-memo.ts';
import { readYaml, type YamlDocument } from '../../base/yaml/read.ts';
import { findRollouts, type Declaration, type ManifestFile, membersIn, type NamedFile } from './declaration.ts';
import type { ManifestForm, SectionForm } from './section.ts';
import type { ManifestSource, ParsedFile, ReadFile, ReadText } from './source.ts';
import { diskSource, fromRoot } from './tree-source.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import path, { posix } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import type { ManifestProblems } from './problems.ts';
import { parseAsDoubles } from '../../base/json-text.ts';
import type { compileSchema } from '../../base/shape/compile.ts';

export interface ReadOptions {
  /** Absolute folder that the patterns and the names of files are relative to. */
  readonly root: string;
  /** Globs, or names of files. */
  readonly patterns: readonly string[];
  /** Default: the files on disk below `root`. */
  readonly source?: ManifestSource;
  /** Warn about files with flags near the manifests that match no pattern. */
  readonly reportUnmatched?: boolean;
  /** Called with each file. */
  readonly onRead?: (read: ReadFile) => void;
  /** Called regularly; throws to abort the work. */
  readonly checkpoint?: () => void;
}

/** Reads every file that matches. Problems are returned as sorted diagnostics; nothing is thrown for them. */
export async function readFiles(
  { root, patterns, checkpoint, onRead, source = diskSource(root), reportUnmatched = false }: ReadOptions,
  form: ManifestForm,
): Promise<{ readonly files: readonly ManifestFile[]; readonly diagnostics: readonly Diagnostic[] }> {
  const found = await source.find(patterns);
  const unmatched = reportUnmatched ? await findUnmatched(root, patterns, found.files) : [];
  const diagnostics: Diagnostic[] = [...found.diagnostics, ...unmatched];
  const files: ManifestFile[] = [];
  const readNamed = createNamedReader(source);
  for await (const { name, read } of readAhead(source, found.files)) {
    checkpoint?.();
    const parsed =
      'file' in read ? read : 'text' in read ? parseFile(name, read.text, form) : unread(name, read.problem);
    onRead?.({ parsed, ...('bytes' in read ? defined({ bytes: read.bytes }) : {}) });
    files.push(withNamed(parsed.file, form, await readNamed(parsed.file, form)));
    for (const diagnostic of parsed.diagnostics) diagnostics.push(diagnostic);
  }
  return { files, diagnostics: sortDiagnostics(diagnostics) };
}

/** The number of files that are read ahead of the parser; more would only take memory. */
const READ_AHEAD = 8;

async function* readAhead(
  source: ManifestSource,
  names: readonly string[],
): AsyncGenerator<{ readonly name: string; readonly read: ReadText | ParsedFile }> {
  const readOne = async (name: string): Promise<ReadText | ParsedFile> =>
    (await source.parsed?.(name)) ?? source.read(name);
  const reading = names.slice(0, READ_AHEAD).map(readOne);
  for (const [index, name] of names.entries()) {
    const read = await reading.shift();
    const next = names[index + READ_AHEAD];
    if (next !== undefined) reading.push(readOne(next));
    if (read !== undefined) yield { name, read };
  }
}

/** A few times the manifests of 10,000 flags. */
const MOST_REMEMBERED = 16_000_000;

const remembered = new WeakMap<ManifestForm, TextMemo<ParsedFile>>();

/** Reads the text of one file. What was read is remembered: equal texts are the same object. */
export function parseFile(name: string, text: string, form: ManifestForm): ParsedFile {
  const memo = remembered.get(form) ?? new TextMemo<ParsedFile>(MOST_REMEMBERED);
  remembered.set(form, memo);
  return memo.get(name, text, () => parseText(name, text, form));
}

function parseText(name: string, text: string, form: ManifestForm): ParsedFile {
  const yaml = readYaml(name, text);
  const unread = [...yaml.diagnostics, ...yaml.missing];
  const known = new Set(unread.flatMap(({ path }) => path ?? []));
  const documents = yaml.documents.map((document) => readDocument(document, known, form));
  return {
    file: {
      file: name,
      complete: yaml.diagnostics.length === 0,
      declarations: documents.flatMap(({ declarations }) => declarations),
    },
    yaml,
    diagnostics: [...unread, ...documents.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function unread(name: string, problem: Diagnostic): ParsedFile {
  const yaml = { documents: [], diagnostics: [], missing: [] };
  return { file: { file: name, complete: false, declarations: [] }, yaml, diagnostics: [problem] };
}

/** `known` are the pointers of values that were reported already; the document has null in their place. */
function readDocument(
  { value, places }: YamlDocument,
  known: ReadonlySet<string>,
  { checkShape, sections }: ManifestForm,
): { readonly declarations: readonly Declaration[]; readonly diagnostics: readonly Diagnostic[] } {
  const shape = checkShape(value, places).filter(({ path }) => path === undefined || !known.has(path));
  const problems = shape.map((problem) => ({ problem, reworded: rewordKeyProblem(problem, sections) }));
  const diagnostics = problems.map(({ problem, reworded }) => reworded ?? explainProblem(problem, value, sections));
  if (!isJsonObject(value)) return { declarations: [], diagnostics };
  // A problem with a key does not put the content of the declaration in doubt.
  const mistakes = problems.flatMap(({ problem, reworded }) => (reworded === undefined ? locateMistake(problem) : []));
  const doubts = {
    mistakes: groupByDeclaration([...mistakes, ...known]),
    unsound: groupByDeclaration([...diagnostics.flatMap(({ path }) => path ?? []), ...known]),
  };
  const declarations = sections.flatMap((section) =>
    readSection(section, { value: memberOf(value, section.name), places: childOf(places, section.name) }, doubts),
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

/** A mapping outside every section is usually meant as a flag. */
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

function readSection(
  { name: section, stepped }: SectionForm,
  { value, places }: { readonly value: JsonValue | undefined; readonly places: PlaceTree | undefined },
  { mistakes, unsound }: { readonly mistakes: Pointers; readonly unsound: Pointers },
): Declaration[] {
  if (!isJsonObject(value) || places === undefined) return [];
  return Object.entries(value).flatMap(([key, declared = null]) => {
    const tree = childOf(places, key);
    if (tree === undefined) return [];
    const path = toPointer([section, key]);
    const own = mistakes.get(path) ?? NO_MISTAKES;
    const rollouts = stepped && findRollouts(declared, stepped);
    const declaration = { section, key, value: declared, places: tree, path, sound: !unsound.has(path), mistakes: own };
    return [rollouts === undefined ? declaration : { ...declaration, rollouts }];
  });
}

const NO_MISTAKES: ReadonlySet<string> = new Set();

function childOf(tree: PlaceTree, name: string): PlaceTree | undefined {
  return memberOf(tree.children ?? {}, name);
}

/** The limits of the search, so that a large repository costs little. */
const MOST_FOLDERS = 1_000;
const MOST_FILES = 200;
const MOST_BYTES = 1_000_000;

/** Returns a warning for each file, except those that a pattern with `!` leaves out on purpose. `files`: those that match. */
async function findUnmatched(
  root: string,
  patterns: readonly string[],
  files: readonly string[],
): Promise<DiagnosticOf<Pick<ManifestProblems, 'file-unmatched'>>[]> {
  const negative = patterns.flatMap((pattern) => (pattern.startsWith('!') ? pattern.slice(1) : []));
  const positive = patterns.flatMap((pattern) => (pattern.startsWith('!') ? [] : fromRoot(root, pattern)));
  const known = new Set([
    ...files,
    ...(negative.length === 0 ? [] : await glob(negative, { cwd: root, expandDirectories: false })),
  ]);
  const neighbors = await findYaml(root, positive, files);
  const unmatched = neighbors.filter((file) => !known.has(file)).slice(0, MOST_FILES);
  const lines = await Promise.all(unmatched.map(async (file) => findFlags(path.join(root, file))));
  return unmatched.flatMap((file, index) => {
    const line = lines[index];
    if (line === undefined) return [];
    const place = { file, line, column: 1 };
    return [{ code: 'file-unmatched', severity: 'warning', place, args: { patterns } }];
  });
}

/** Finds the YAML files in the folders of the manifests, and in all folders below the fixed beginnings of the patterns. */
async function findYaml(root: string, patterns: readonly string[], matched: readonly string[]): Promise<string[]> {
  const pending = new Set(patterns.map(fixedFolder).filter((folder) => folder !== ''));
  const below = new Set(pending);
  for (const file of matched) pending.add(path.posix.dirname(file));
  const found: string[] = [];
  let searched = 0;
  for (const folder of pending) {
    searched += 1;
    if (searched > MOST_FOLDERS) break;
    const listed = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    // Hidden folders and dependencies hold no manifests. Symbolic links are not followed, so there are no circles.
    const shown = listed.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
    const files = shown.filter((entry) => entry.isFile()).map(({ name }) => name);
    if (folder !== '.' && below.has(folder) && files.some((name) => /^flagwright\.ya?ml$/.test(name))) continue;
    const inside = (name: string): string => (folder === '.' ? name : `${folder}/${name}`);
    found.push(...files.filter((name) => /\.ya?ml$/i.test(name)).map(inside));
    if (!below.has(folder)) continue;
    const folders = shown.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    for (const name of folders.toSorted()) {
      below.add(inside(name));
      pending.add(inside(name));
    }
  }
  return found.toSorted();
}

/** The folders before the first part with a wildcard; nothing for the whole repository, which is not searched. */
function fixedFolder(pattern: string): string {
  const parts = pattern.split('/');
  const wildcard = parts.findIndex((part) => isDynamicPattern(part));
  return wildcard === -1 ? '' : parts.slice(0, wildcard).join('/');
}

/** The line of `flags` at the top of a file; `undefined` if it declares none or cannot be read. */
async function findFlags(file: string): Promise<number | undefined> {
  try {
    if ((await stat(file)).size > MOST_BYTES) return undefined;
    const text = await readFile(file, 'utf8');
    const found = /^(?:\uFEFF)?(?:flags|"flags"|'flags')[ \t]*:(?:\s|$)/m.exec(text);
    return found === null ? undefined : text.slice(0, found.index).split('\n').length;
  } catch {
    return undefined;
  }
}

/** The files by their names relative to the configuration's folder. */
export type NamedFiles = ReadonlyMap<string, NamedFile>;

/** Reads the files that the declarations of a manifest name, each once for all manifests. */
function createNamedReader(source: ManifestSource): (file: ManifestFile, form: ManifestForm) => Promise<NamedFiles> {
  const reads = new Map<string, Promise<NamedFile>>();
  return async (file, form) => {
    const names = new Set(file.declarations.flatMap((one) => fileNamedBy(one, file.file, form) ?? []));
    for (const name of names) reads.set(name, reads.get(name) ?? readNamed(name, source));
    const read = await Promise.all([...names].map(async (name) => reads.get(name) as Promise<NamedFile>));
    return new Map(read.map((one) => [one.file, one]));
  };
}

/** The manifest with what its declarations name. Equal files give the same object. */
export function withNamed(file: ManifestFile, form: ManifestForm, named: NamedFiles): ManifestFile {
  if (named.size === 0) return file;
  const declarations = file.declarations.map((declaration) => {
    const name = fileNamedBy(declaration, file.file, form);
    const found = name === undefined ? undefined : named.get(name);
    return found === undefined ? declaration : joinNamed(declaration, found);
  });
  const known = joined.get(file);
  if (known?.declarations.every((one, index) => one === declarations[index]) === true) return known;
  const made = { ...file, declarations };
  joined.set(file, made);
  return made;
}

/** What the declarations of a manifest name. */
export function namedFilesOf({ declarations }: ManifestFile): NamedFiles {
  return new Map(declarations.flatMap(({ named }) => (named === undefined ? [] : [[named.file, named] as const])));
}

const joined = new WeakMap<ManifestFile, ManifestFile>();
const joinedDeclarations = new WeakMap<Declaration, Declaration>();

function joinNamed(declaration: Declaration, named: NamedFile): Declaration {
  const known = joinedDeclarations.get(declaration);
  if (known?.named === named) return known;
  const made = { ...declaration, named };
  joinedDeclarations.set(declaration, made);
  return made;
}

function fileNamedBy(declaration: Declaration, manifest: string, { sections }: ManifestForm): string | undefined {
  const member = sections.find(({ name }) => name === declaration.section)?.naming;
  const path = member === undefined ? undefined : memberOf(membersIn(declaration), member);
  if (typeof path !== 'string' || path === '') return undefined;
  return posix.isAbsolute(path) ? path : posix.join(posix.dirname(manifest), path);
}

/** The most bytes: a few times the schemas of a large repository. */
const parsed = new TextMemo<NamedFile>(4_000_000);

async function readNamed(file: string, source: ManifestSource): Promise<NamedFile> {
  // A file that does not exist has no real path to judge.
  if (file.startsWith('../') || posix.isAbsolute(file)) return { file, unreadable: 'file-outside' };
  const read = await source.read(file);
  if ('text' in read) {
    const { compileSchema } = await import('../../base/shape/compile.ts');
    return parsed.get(file, read.text, () => parse(file, read.text, compileSchema));
  }
  return { file, unreadable: read.problem.code === 'file-unreadable' ? read.problem.args.reason : read.problem.code };
}

function parse(file: string, text: string, compile: typeof compileSchema): NamedFile {
  try {
    return { file, value: parseAsDoubles(text), compile };
  } catch (error) {
    // The message may quote the file, which may be the wrong one and hold secrets.
    const [, position] = / at position (\d+)/.exec((error as SyntaxError).message) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    return { file, notJson: defined({ line }) };
  }
}
