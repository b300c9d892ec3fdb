/** Where manifests are read from: the files on disk, or the same files as another source has them. */

import type { DiagnosticOf } from '../base/diagnostic.ts';
import type { ManifestReadingProblems } from './problems.ts';

export interface ManifestSource {
  /** The files that match the patterns, which are relative to the configuration's folder. */
  find(patterns: readonly string[]): Promise<FoundFiles>;
  /** The text of a file, or why it cannot be read. */
  read(file: string): Promise<ReadText>;
}

export interface FoundFiles {
  /** Relative to the configuration's folder, `/` between folders, sorted. */
  readonly files: readonly string[];
  readonly diagnostics: readonly FileDiagnostic[];
}

/** `bytes`: the file as it is stored; absent for text that comes from no file. */
export type ReadText = { readonly text: string; readonly bytes?: Uint8Array } | { readonly problem: FileDiagnostic };

export type FileDiagnostic = DiagnosticOf<ManifestReadingProblems>;
