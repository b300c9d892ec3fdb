/** The problems of the configuration and of the environment variables that it uses. */

import type { DiagnosticOf, NoArgs } from '../base/diagnostic.ts';
import type { GlobProblem } from '../base/key-glob-parse.ts';
import type { ShapeProblems } from '../base/shape/problems.ts';
import type { YamlProblems } from '../base/yaml/problems.ts';
import type { ProjectProblems } from '../engine/problems.ts';
import type { OwnershipProblems } from '../posthog/flag/checks/problems.ts';

export interface ConfigProblems {
  'config-key-in-file': { readonly property: string };
  /** `unwanted`: parts of the address that a host must not have; absent when it is not an address at all. */
  'config-host-invalid': { readonly host: string; readonly unwanted?: readonly string[] };
  'config-host-plain-http': { readonly host: string };
  'config-host-not-allowed': { readonly host: string };
  'config-project-missing': { readonly available: readonly string[] };
  'config-key-missing': { readonly variable: string };
  'config-key-of-project': { readonly variable: string };
  'config-variable-invalid': NoArgs;
  'config-several-documents': NoArgs;
  /** `beside`: the second file, in the same folder. */
  'config-two-files': { readonly beside: string };
  /** `name`: what the file must be called. */
  'config-former-name': { readonly name: string };
  'config-environment-partial': { readonly present: readonly string[]; readonly missing: readonly string[] };
  /** `found`: the permissions that one permit names. */
  'permit-kind': { readonly found: readonly string[] };
  'permit-date-invalid': { readonly date: string };
  'policy-zone-unknown': { readonly zone: string };
  'policy-window-empty': { readonly from: string; readonly to: string };
  /** `problem` and `remedy`: of the expression's language. */
  'policy-expression-invalid': { readonly name: string; readonly problem: string; readonly remedy?: string };
  /** A built-in rule has the name. */
  'policy-name-taken': { readonly name: string };
  /** A waiver names the rule. */
  'policy-unknown': { readonly rule: string; readonly suggestion?: string };
  'key-pattern-invalid': { readonly pattern: string; readonly problem: GlobProblem };
  'key-pattern-spaces': { readonly pattern: string };
}

/** Everything that reading a configuration may report. */
export type ConfigReadingProblems = YamlProblems & ShapeProblems & ProjectProblems & ConfigProblems & OwnershipProblems;

export type ConfigDiagnostic = DiagnosticOf<ConfigReadingProblems>;

/** A problem of a member of a setting, before its place is known. */
export type MemberProblem = Pick<ConfigDiagnostic, 'code' | 'args'> & { readonly member: string };
