/** The source of manifests: the files on disk, or the same files in another place. */

import type { Diagnostic, DiagnosticOf } from '../../base/diagnostic.ts';
import type { YamlFile } from '../../base/yaml/read.ts';
import type { ManifestFile } from './declaration.ts';
import type { ManifestReadingProblems } from './problems.ts';

export interface ManifestSource {
  /** The files that match the patterns, which are relative to the configuration's folder. */
  find(patterns: readonly string[]): Promise<FoundFiles>;
  /** The text of a file, or why it cannot be read. */
  read(file: string): Promise<ReadText>;
  /** The file as another source had it, where that has the same content: it is neither read nor parsed again. */
  parsed?(file: string): Promise<ParsedFile | undefined>;
}

/** The declarations of a file, and all problems with its form. */
export interface ParsedFile {
  readonly file: ManifestFile;
  /** Its text as it was read, which an edit of the text need not read again. */
  readonly yaml: YamlFile;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file that was read. `bytes` as in `ReadText`. */
export interface ReadFile {
  readonly parsed: ParsedFile;
  readonly bytes?: Uint8Array;
}

export interface FoundFiles {
  /** Relative to the configuration's folder, `/` between folders, sorted. */
  readonly files: readonly string[];
  readonly diagnostics: readonly FileDiagnostic[];
}

/**
 * `bytes`: the file as it is stored; absent for text that comes from no file. `start`: how a file begins that is too large or
 * not UTF-8, as far as it can be read.
 */
export type ReadText =
  | { readonly text: string; readonly bytes?: Uint8Array }
  | { readonly problem: FileDiagnostic; readonly start?: string };

export type FileDiagnostic = DiagnosticOf<ManifestReadingProblems>;
