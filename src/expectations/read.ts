/** Reads test files: finds them, parses them, and checks their shape. */

import { sortDiagnostics } from '../base/diagnostic.ts';
import { validateExpectations } from '../base/generated/expectation-validators.ts';
import { objectOrEmpty } from '../base/json.ts';
import { checkShape } from '../base/shape/check.ts';
import { readYaml, type YamlDocument } from '../base/yaml/read.ts';
import type { FileDiagnostic, ManifestSource } from '../manifest/source.ts';
import { DEFAULT_TESTS } from './patterns.ts';
import type { ExpectationDiagnostic } from './problems.ts';
import type { TestDocument, WrittenTests } from './written.ts';

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
  /** Those of the right shape. */
  readonly documents: readonly TestDocument[];
  /** Sorted. A folder without test files is `tests-none`. */
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

export async function readTests({ patterns, source, checkpoint }: ReadTestsOptions): Promise<TestFiles> {
  const searched = patterns ?? DEFAULT_TESTS;
  const found = await source.find(searched);
  const files: string[] = [];
  const documents: TestDocument[] = [];
  const diagnostics: ExpectationDiagnostic[] = found.diagnostics.flatMap(ofFolder);
  for (const file of found.files) {
    checkpoint?.();
    const read = await source.read(file);
    if ('problem' in read) {
      if (patterns !== undefined) diagnostics.push(...ofFolder(read.problem));
      continue;
    }
    if (patterns === undefined && !LOOKS_LIKE_TESTS.test(read.text)) continue;
    const parsed = parseTests(file, read.text);
    files.push(file);
    documents.push(...parsed.documents);
    diagnostics.push(...parsed.diagnostics);
  }
  if (files.length === 0 && diagnostics.length === 0) {
    diagnostics.push({ code: 'tests-none', severity: 'error', args: { patterns: searched } });
  }
  return { files, documents, diagnostics: sortDiagnostics(diagnostics) };
}

/** A member of the schema at the top of a document. */
const LOOKS_LIKE_TESTS = /^(?:\uFEFF)?(?:people|expect|"people"|"expect"|'people'|'expect')[ \t]*:(?:\s|$)/m;

/** That no file matches is said once, of tests. */
function ofFolder(diagnostic: FileDiagnostic): ExpectationDiagnostic[] {
  return diagnostic.code === 'manifests-none' ? [] : [diagnostic as ExpectationDiagnostic];
}

/** Reads the text of one file. */
export function parseTests(file: string, text: string): Pick<TestFiles, 'documents' | 'diagnostics'> {
  const { documents, diagnostics } = readYaml(file, text);
  const checked = documents.map((document) => ({ document, problems: checkDocument(document, diagnostics) }));
  return {
    documents: checked
      .filter(({ problems }) => problems.length === 0)
      .map(({ document }) => ({ written: objectOrEmpty(document.value) as WrittenTests, places: document.places })),
    diagnostics: [...diagnostics, ...checked.flatMap(({ problems }) => problems)],
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
