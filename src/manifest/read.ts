/** Reads manifest files to checked declarations: find, read, parse, check the shape. Needs no project. */

import { sortDiagnostics, type Diagnostic } from '../base/diagnostic.ts';
import { defined } from '../base/optional.ts';
import { TextMemo } from '../base/text-memo.ts';
import { readYaml } from '../base/yaml/read.ts';
import type { ManifestFile } from './declaration.ts';
import { readDocument } from './document.ts';
import { diskSource } from './tree-source.ts';
import type { ManifestForm } from './section.ts';
import type { ManifestSource, ParsedFile, ReadFile, ReadText } from './source.ts';
import { findUnmatched } from './unmatched.ts';

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
  const unmatched = reportUnmatched ? await findUnmatched({ root, patterns, files: found.files }) : [];
  const diagnostics: Diagnostic[] = [...found.diagnostics, ...unmatched];
  const files: ManifestFile[] = [];
  for await (const { name, read } of readAhead(source, found.files)) {
    checkpoint?.();
    const parsed = parseRead(name, read, form);
    onRead?.({ parsed, ...('bytes' in read ? defined({ bytes: read.bytes }) : {}) });
    files.push(parsed.file);
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

function parseRead(name: string, read: ReadText | ParsedFile, form: ManifestForm): ParsedFile {
  if ('file' in read) return read;
  return 'text' in read ? parseFile(name, read.text, form) : unread(name, read.problem);
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
  const known = new Set(yaml.diagnostics.flatMap(({ path }) => path ?? []));
  const documents = yaml.documents.map((document) => readDocument(document, known, form));
  return {
    file: {
      file: name,
      complete: yaml.diagnostics.length === 0,
      declarations: documents.flatMap(({ declarations }) => declarations),
    },
    diagnostics: [...yaml.diagnostics, ...documents.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function unread(name: string, problem: Diagnostic): ParsedFile {
  return { file: { file: name, complete: false, declarations: [] }, diagnostics: [problem] };
}
