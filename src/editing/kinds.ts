/** How manifests declare each kind that is edited: its section and layers, its names, and what a declaration of it means. */

import { fromPointer } from '../base/json-pointer.ts';
import { memberOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Declaration } from '../manifest/declaration.ts';
import type { PrepareLayers } from '../manifest/layers.ts';
import type { Block } from '../manifest/write/layout.ts';
import type { Order } from '../manifest/write/order.ts';
import type { DesiredFeature } from '../posthog/early-access/desired.ts';
import { FEATURE_BLOCK, FEATURE_ORDER } from '../posthog/early-access/layout.ts';
import { EARLY_ACCESS_SECTION } from '../posthog/early-access/manifest.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import { nameResource } from '../posthog/resource-name.ts';
import { COHORT_BLOCK, COHORT_ORDER } from '../posthog/cohort/layout.ts';
import { COHORT_SECTION } from '../posthog/cohort/manifest.ts';
import type { DesiredFlag, DesiredState } from '../posthog/desired.ts';
import type { DesiredCohort } from '../posthog/cohort/desired.ts';
import { checkLayers } from '../posthog/flag/checks/layers.ts';
import { FLAG_BLOCK } from '../posthog/flag/layout/block.ts';
import { FLAG_ORDER } from '../posthog/flag/layout/order.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';

/** What desired state has of any kind. */
export type Desired = DesiredFlag | DesiredCohort | DesiredFeature;

/** The methods of a kind get the desired state of that kind only. */
export interface EditedKind<Own extends Desired = Desired> {
  readonly section: string;
  readonly block: Block;
  readonly order: Order;
  readonly prepareLayers: PrepareLayers | undefined;
  /** Errors of the layers as written, each by code and place. */
  readonly errorsOf: (declaration: Declaration) => readonly string[];
  /** How options name a declaration by its key. */
  readonly nameOf: (key: string) => string;
  readonly desired: (state: DesiredState) => readonly Own[];
  /** What a declaration means, without its places. */
  meaningOf(one: Own): JsonValue;
}

export const FLAGS: EditedKind<DesiredFlag> = {
  section: FLAG_SECTION.name,
  block: FLAG_BLOCK,
  order: FLAG_ORDER,
  prepareLayers: FLAG_SECTION.prepareLayers,
  errorsOf: (declaration) =>
    checkLayers(declaration).flatMap(({ code, at, severity }) => (severity === 'error' ? [`${code} ${at}`] : [])),
  nameOf: (key) => nameResource('flag', key),
  desired: ({ flags }) => flags,
  meaningOf: meaningOfFlag,
};

export const COHORTS: EditedKind<DesiredCohort> = {
  section: COHORT_SECTION.name,
  block: COHORT_BLOCK,
  order: COHORT_ORDER,
  prepareLayers: COHORT_SECTION.prepareLayers,
  // Overlays of cohorts are plain merge patches: nothing in them can name a part of the base.
  errorsOf: () => [],
  nameOf: (key) => nameResource('cohort', key),
  desired: ({ cohorts = [] }) => cohorts,
  meaningOf: ({ key, id = null, names, ...one }) => ({
    ...{ key, id, names },
    ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
  }),
};

export const FEATURES: EditedKind<DesiredFeature> = {
  section: EARLY_ACCESS_SECTION.name,
  block: FEATURE_BLOCK,
  order: FEATURE_ORDER,
  prepareLayers: EARLY_ACCESS_SECTION.prepareLayers,
  errorsOf: () => [],
  nameOf: (key) => nameResource('early_access', key),
  desired: ({ early_access: features = [] }) => features,
  meaningOf: ({ key, flag, ...one }) => ({
    ...{ key, flag },
    ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
  }),
};

const KINDS: Readonly<Record<FamilyName, EditedKind>> = { flags: FLAGS, cohorts: COHORTS, early_access: FEATURES };

export const EDITED_KINDS: readonly EditedKind[] = Object.values(KINDS);

export const BLOCKS: Readonly<Record<string, Block>> = Object.fromEntries(
  EDITED_KINDS.map(({ section, block }) => [section, block]),
);

/** The usual order of the members of each declaration. */
export const ORDER: Order = {
  members: Object.fromEntries(EDITED_KINDS.map(({ section, order }) => [section, { each: order }])),
};

export function kindOf({ section }: Pick<Declaration, 'section'>): EditedKind {
  const found = memberOf<EditedKind>(KINDS, section);
  if (found === undefined) throw new TypeError(`The section ${section} is not edited.`);
  return found;
}

export function nameOfDeclaration({ section, key }: Pick<Declaration, 'section' | 'key'>): string {
  return memberOf<EditedKind>(KINDS, section)?.nameOf(key) ?? key;
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

/** The declared fields, by API name; none of what is declared as deleted. */
export function fieldsOf(one: Desired | undefined): JsonObject {
  return one?.kind === 'declared' ? one.fields : {};
}

/** What each declaration means, by name. */
export function meaningsOf(state: DesiredState): ReadonlyMap<string, JsonValue> {
  return new Map(
    EDITED_KINDS.flatMap((kind) =>
      kind.desired(state).map((one) => [kind.nameOf(one.key), kind.meaningOf(one)] as const),
    ),
  );
}

function meaningOfFlag(flag: DesiredFlag): JsonValue {
  if (flag.kind === 'retired') return { key: flag.key, retired: true };
  const { key, previousKeys, fields, roleAccess, everyone } = flag;
  const roles = roleAccess?.map(({ id, level }) => (level === undefined ? id : { id, level }));
  return { key, previousKeys, fields, roleAccess: roles, everyone: everyone?.level } as unknown as JsonValue;
}
