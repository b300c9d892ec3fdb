/** The problems of a YAML file: its bytes and its syntax. */

import type { DiagnosticOf, NoArgs } from '../diagnostic.ts';
import type { ValueProblems } from '../shape/problems.ts';

export interface YamlProblems {
  'file-unreadable': { readonly reason: string };
  'file-too-large': { readonly bytes: number; readonly limit: number };
  /** `encoding`: the actual one, when the first bytes of the file reveal it. */
  'file-not-utf8': { readonly offset: number; readonly encoding?: string };
  'yaml-syntax': { readonly detail: string };
  'yaml-tab': NoArgs;
  'yaml-merge-conflict': NoArgs;
  /** `first`: the line of the other one. */
  'yaml-duplicate-key': { readonly key: string; readonly first?: number };
  'yaml-alias-bomb': { readonly limit: number };
  'yaml-alias-unknown': { readonly alias: string };
  'yaml-merge-not-mapping': NoArgs;
  'yaml-too-deep': { readonly limit: number };
  'yaml-key-not-text': { readonly found: string };
}

/** What reading a YAML file reports. */
export type YamlDiagnostic = DiagnosticOf<YamlProblems & ValueProblems>;
