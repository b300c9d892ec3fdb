/** The values that manifests declare of a flag, a cohort or an early access feature, with who decides about each. */

import { toPointer } from '../../base/json-pointer.ts';
import type { Ownership } from '../../engine/ownership.ts';
import type { Declaration } from '../../manifest/declaration.ts';
import { explainedParts } from '../../posthog/cohort/explain.ts';
import { FIELDS } from '../../posthog/early-access/canonical.ts';
import {
  explainAccess,
  explainDeclaration,
  explainFields,
  ownershipOf,
  type DeclaredValue,
} from '../../posthog/explain.ts';
import type { FieldPath } from '../../posthog/flag/field-path.ts';
import type { FamilyName, FamilyTypes } from '../../posthog/kind-types.ts';

interface DeclarationScope {
  readonly declaration: Declaration;
  readonly project: string;
  /** Absent: every value. */
  readonly path?: FieldPath;
}

export interface ExplainedFamily<Name extends FamilyName> {
  values(desired: FamilyTypes[Name]['desired'], declared: DeclarationScope): readonly DeclaredValue[];
  ownershipOf(desired: FamilyTypes[Name]['desired'], pointer: string): Ownership;
}

/** What git declares of the others, git decides. */
const managed = (): Ownership => 'managed';

export const EXPLAINED: { readonly [Name in FamilyName]: ExplainedFamily<Name> } = {
  flags: {
    values: (flag, { declaration, project, path }) => [
      ...explainDeclaration(declaration, project, path),
      ...explainAccess(flag, path),
    ],
    ownershipOf,
  },
  cohorts: {
    values: (_cohort, { declaration, project, ...path }) =>
      explainFields(declaration, project, { partsOf: explainedParts, ...path }),
    ownershipOf: managed,
  },
  early_access: {
    values: (_feature, { declaration, project, ...path }) =>
      explainFields(declaration, project, {
        partsOf: (fields) => FIELDS.flatMap((field) => ((fields[field] ?? null) === null ? [] : toPointer([field]))),
        ...path,
      }),
    ownershipOf: managed,
  },
};
