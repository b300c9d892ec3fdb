/** Manifest files to checked declarations: find, read, parse, check the shape. No project is needed for it. */

import type { ManifestDiagnostic } from '../posthog/manifest-problems.ts';
import { sortDiagnostics } from '../base/diagnostic.ts';
import { readYaml } from '../base/yaml/read.ts';
import { readDocument } from './document.ts';
import { findFiles, readText } from './files.ts';
import type { ManifestFile } from './manifest.ts';

export type { ManifestFile } from './manifest.ts';

export interface ReadOptions {
  /** Absolute folder that the patterns and the names of files are relative to. */
  readonly root: string;
  /** Globs, or names of files. */
  readonly patterns: readonly string[];
  /** Called every now and then; what it throws ends the work. */
  readonly checkpoint?: () => void;
}

/** Reads every file that matches. Problems come back as diagnostics, sorted; nothing is thrown for them. */
export async function readManifests({ root, patterns, checkpoint }: ReadOptions): Promise<{
  readonly files: readonly ManifestFile[];
  readonly diagnostics: readonly ManifestDiagnostic[];
}> {
  const found = await findFiles(root, patterns);
  const diagnostics = [...found.diagnostics];
  const files: ManifestFile[] = [];
  for await (const { name, read } of readAhead(root, found.files)) {
    checkpoint?.();
    const parsed = 'text' in read ? parseManifest(name, read.text) : unread(name, read.problem);
    files.push(parsed.file);
    for (const diagnostic of parsed.diagnostics) diagnostics.push(diagnostic);
  }
  return { files, diagnostics: sortDiagnostics(diagnostics) };
}

/** Files that are read while one before them is parsed; more would only fill the memory. */
const READ_AHEAD = 8;

async function* readAhead(
  root: string,
  names: readonly string[],
): AsyncGenerator<{ readonly name: string; readonly read: Awaited<ReturnType<typeof readText>> }> {
  const reading = names.slice(0, READ_AHEAD).map((name) => readText(root, name));
  for (const [index, name] of names.entries()) {
    const read = await reading.shift();
    const next = names[index + READ_AHEAD];
    if (next !== undefined) reading.push(readText(root, next));
    if (read !== undefined) yield { name, read };
  }
}

/** The same for the text of one file that is at hand. */
export function parseManifest(
  name: string,
  text: string,
): { file: ManifestFile; diagnostics: readonly ManifestDiagnostic[] } {
  const yaml = readYaml(name, text);
  const known = new Set(yaml.diagnostics.flatMap(({ path }) => path ?? []));
  const documents = yaml.documents.map((document) => readDocument(document, known));
  return {
    file: {
      file: name,
      complete: yaml.diagnostics.length === 0,
      flags: documents.flatMap(({ flags }) => flags),
      roles: documents.flatMap(({ roles }) => roles),
    },
    diagnostics: [...yaml.diagnostics, ...documents.flatMap((document) => document.diagnostics)],
  };
}

function unread(name: string, problem: ManifestDiagnostic): ReturnType<typeof parseManifest> {
  return { file: { file: name, complete: false, flags: [], roles: [] }, diagnostics: [problem] };
}
