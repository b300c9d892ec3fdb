/** The problems of values that JSON Schema or JSON itself rules out. */

import type { DiagnosticOf } from '../diagnostic.ts';

/** Single values that cannot be represented, whatever the schema says. */
export interface ValueProblems {
  /** `example`: what may be meant: a list as JSON for a mapping, the member `a:` for a list with `key: a`, `10` for `10%`. */
  'type-wrong': { readonly expected: readonly string[]; readonly found: string; readonly example?: string };
  'number-imprecise': { readonly found: string };
  /** `character` as `U+0000`. */
  'character-forbidden': { readonly character: string };
}

export interface ShapeProblems extends ValueProblems {
  /**
   * `owner`: the part that has the suggested member, if not this one. `consent`: the member that allows unknown ones. `section`: where it
   * belongs if it is a declaration.
   */
  'property-unknown': {
    readonly property: string;
    readonly suggestion?: string;
    readonly owner?: string;
    readonly consent?: string;
    readonly section?: string;
  };
  'property-missing': { readonly property: string };
  'value-not-allowed': { readonly found: string; readonly allowed: readonly string[]; readonly suggestion?: string };
  'value-out-of-range': { readonly found: number; readonly minimum?: number; readonly maximum?: number };
  'value-pattern': { readonly found: string; readonly pattern: string };
  'length-out-of-range': { readonly found: number; readonly minimum?: number; readonly maximum?: number };
  'combination-forbidden': { readonly properties: readonly string[] };
}

export type ShapeDiagnostic = DiagnosticOf<ShapeProblems>;
