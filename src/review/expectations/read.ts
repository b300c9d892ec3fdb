/** Reads test files: finds them, parses them, and checks their shape. */

import { sortDiagnostics } from '../../base/diagnostic.ts';
import { validateExpectations } from '../../base/generated/expectation-validators.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { arrayOrEmpty, memberOf, objectOrEmpty } from '../../base/json.ts';
import { checkShape } from '../../base/shape/check.ts';
import { readYaml, type YamlDocument } from '../../base/yaml/read.ts';
import type { FileDiagnostic, ManifestSource } from '../../core/manifest/source.ts';
import type { ExpectationDiagnostic } from './problems.ts';
import { DEFAULT_TESTS, type TestDocument, type WrittenExpectation, type WrittenPerson } from './expectation.ts';

export interface ReadTestsOptions {
  /** Globs relative to the configuration's folder; absent: `DEFAULT_TESTS`. */
  readonly patterns?: readonly string[];
  readonly source: ManifestSource;
  /** Called regularly; throws to abort the work. */
  readonly checkpoint?: () => void;
}

export interface TestFiles {
  /** Relative to the configuration's folder. */
  readonly files: readonly string[];
  readonly documents: readonly TestDocument[];
  /** False where a file with people could not be read. */
  readonly arePeopleComplete: boolean;
  /** Sorted. A folder without test files is `tests-none`. */
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

export async function readTests({ patterns, source, checkpoint }: ReadTestsOptions): Promise<TestFiles> {
  const searched = patterns ?? DEFAULT_TESTS;
  const found = await source.find(searched);
  const files: string[] = [];
  const parsed: ParsedTests[] = [];
  for (const file of found.files) {
    checkpoint?.();
    const read = await readFile(file, source, patterns === undefined);
    if (read === undefined) continue;
    files.push(file);
    parsed.push(read);
  }
  const diagnostics = [...found.diagnostics.flatMap(ofFolder), ...parsed.flatMap((one) => one.diagnostics)];
  if (files.length === 0 && diagnostics.length === 0) {
    diagnostics.push({ code: 'tests-none', severity: 'error', args: { patterns: searched } });
  }
  return {
    files,
    documents: parsed.flatMap(({ documents }) => documents),
    arePeopleComplete: parsed.every(({ arePeopleComplete }) => arePeopleComplete),
    diagnostics: sortDiagnostics(diagnostics),
  };
}

/** `undefined` for a file of another program, where `isShared`: the patterns match those too. */
async function readFile(file: string, source: ManifestSource, isShared: boolean): Promise<ParsedTests | undefined> {
  const read = await source.read(file);
  if ('problem' in read) {
    if (isShared && !isOfTests(file, read.start ?? '')) return undefined;
    return { documents: [], arePeopleComplete: false, diagnostics: ofFolder(read.problem) };
  }
  return isShared && !isOfTests(file, read.text) ? undefined : parseTests(file, read.text);
}

/** Whether a document has a member of the schema at its top, in any style; what cannot be read counts by how it looks. */
function isOfTests(file: string, text: string): boolean {
  if (!/people|expect/.test(text)) return false;
  if (AT_LINE_START.test(text)) return true;
  const { documents, diagnostics } = readYaml(file, text);
  const hasMember = documents.some(({ value }) =>
    MEMBERS.some((name) => memberOf(objectOrEmpty(value), name) !== undefined),
  );
  return hasMember || (diagnostics.length > 0 && IN_BRACES.test(text));
}

const MEMBERS = ['people', 'expect'] as const;
const AT_LINE_START = /^(?:\uFEFF)?(?:people|expect|"people"|"expect"|'people'|'expect')[ \t]*:(?:\s|$)/m;
/** A text that begins with a brace, after comments and a document mark, and has one of the names as a key. */
const IN_BRACES = /^\uFEFF?(?:\s|#.*\n|---\s)*\{[^]*(?<=[{,\s])["']?(?:people|expect)["']?[ \t]*:/;

/** Tests themselves report that no file matches. */
function ofFolder(diagnostic: FileDiagnostic): ExpectationDiagnostic[] {
  return diagnostic.code === 'manifests-none' ? [] : [diagnostic as ExpectationDiagnostic];
}

type ParsedTests = Pick<TestFiles, 'documents' | 'arePeopleComplete' | 'diagnostics'>;

/** Reads the text of one file. */
export function parseTests(file: string, text: string): ParsedTests {
  const { documents, diagnostics } = readYaml(file, text);
  const checked = documents.map((document) => ({ document, problems: checkDocument(document, diagnostics) }));
  const problems = [...diagnostics, ...checked.flatMap((one) => one.problems)];
  return {
    documents: checked.map((one) => toDocument(one.document, [...diagnostics, ...one.problems])),
    arePeopleComplete: problems.every(({ path }) => path !== undefined && path !== '' && path !== '/people'),
    diagnostics: problems,
  };
}

/** A value that the reader refused is null in the document, and is not reported twice. */
function checkDocument(
  { value, places }: YamlDocument,
  known: readonly { readonly path?: string }[],
): ExpectationDiagnostic[] {
  if (value === null) return [];
  const refused = new Set(known.map(({ path }) => path));
  return checkShape(validateExpectations, value, places).filter(({ path }) => path === undefined || !refused.has(path));
}

/** A mistake in one person or expectation leaves out nothing else. */
function toDocument({ value, places }: YamlDocument, problems: readonly ExpectationDiagnostic[]): TestDocument {
  const wrong = new Set(problems.flatMap(({ path }) => (path === undefined ? [] : partOf(path))));
  const isSound = (at: string): boolean => !wrong.has(at);
  const { people = null, expect = null } = objectOrEmpty(value);
  const named = Object.entries(isSound('/people') ? objectOrEmpty(people) : {}).map(
    ([name, written]): [string, WrittenPerson | undefined] => [
      name,
      isSound(toPointer(['people', name])) ? ((written ?? {}) as WrittenPerson) : undefined,
    ],
  );
  const expected = (isSound('/expect') ? arrayOrEmpty(expect) : []).map((written, index) => ({
    written: written as unknown as WrittenExpectation,
    at: `/expect/${index}`,
  }));
  return { people: new Map(named), expectations: expected.filter(({ at }) => isSound(at)), places };
}

/** `/people/ada` or `/expect/0`; `/people` for a problem of the whole. */
function partOf(path: string): string {
  return toPointer(fromPointer(path).slice(0, 2));
}
