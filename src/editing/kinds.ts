/** How manifests declare each family: its section and layers, its names, and the meaning of its declarations. */

import { fromPointer } from '../base/json-pointer.ts';
import { memberOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Declaration } from '../core/manifest/declaration.ts';
import type { Block } from '../core/manifest/write/layout.ts';
import type { Order } from '../core/manifest/write/group-files.ts';
import type { DesiredState } from '../posthog/desired.ts';
import { FAMILIES } from '../posthog/families.ts';
import type { DeclaredForm } from '../posthog/family.ts';
import type { FamilyName, FamilyTypes } from '../posthog/kind-types.ts';
import { nameResource } from '../posthog/names/resource-name.ts';

/** The desired state of any kind. */
export type Desired = FamilyTypes[FamilyName]['desired'];

/** The methods of a kind get the desired state of that kind only. */
export interface EditedKind<Own extends Desired = Desired> extends DeclaredForm<Own> {
  readonly section: FamilyName;
  /** The name in options of a declaration with the key. */
  readonly nameOf: (key: string) => string;
  readonly desired: (state: DesiredState) => readonly Own[];
}

export const EDITED_KINDS: readonly EditedKind[] = FAMILIES.map(({ kind, section, form }) => ({
  ...form,
  section,
  nameOf: (key) => nameResource(kind, key),
  desired: (state) => state[section] ?? [],
}));

type KindBySection = { readonly [Name in FamilyName]: EditedKind<FamilyTypes[Name]['desired']> };

/** The same by section. */
export const EDITED = Object.fromEntries(EDITED_KINDS.map((kind) => [kind.section, kind])) as unknown as KindBySection;

export const BLOCKS: Readonly<Record<string, Block>> = Object.fromEntries(
  EDITED_KINDS.map(({ section, block }) => [section, block]),
);

/** The usual order of the members of each declaration. */
export const ORDER: Order = {
  members: Object.fromEntries(EDITED_KINDS.map(({ section, order }) => [section, { each: order }])),
};

export function kindOf({ section }: Pick<Declaration, 'section'>): EditedKind {
  const found = memberOf<EditedKind>(EDITED, section);
  if (found === undefined) throw new TypeError(`The section ${section} is not edited.`);
  return found;
}

export function nameOfDeclaration({ section, key }: Pick<Declaration, 'section' | 'key'>): string {
  return memberOf<EditedKind>(EDITED, section)?.nameOf(key) ?? key;
}

/** `/cohorts/beta/filters` is about `cohort:beta`. */
export function nameAtPath(path: string): string {
  const [section = '', key = ''] = fromPointer(path);
  return nameOfDeclaration({ section, key });
}

/** Everything that manifests declare for a project, by name. */
export function desiredByName(state: DesiredState): ReadonlyMap<string, Desired> {
  return new Map(
    EDITED_KINDS.flatMap(({ desired, nameOf }) => desired(state).map((one) => [nameOf(one.key), one] as const)),
  );
}

/** The declared fields, by API name; none for a resource that is declared as deleted. */
export function fieldsOf(one: Desired | undefined): JsonObject {
  return one?.kind === 'declared' ? one.fields : {};
}

/** The meaning of each declaration, by name. */
export function meaningsOf(state: DesiredState): ReadonlyMap<string, JsonValue> {
  return new Map(
    EDITED_KINDS.flatMap((kind) =>
      kind.desired(state).map((one) => [kind.nameOf(one.key), kind.meaningOf(one)] as const),
    ),
  );
}
