/** The sections of manifests whose declarations are edited: how each is layered, checked and laid out. */

import { memberOf } from '../base/json.ts';
import type { Declaration } from '../manifest/declaration.ts';
import type { PrepareLayers } from '../manifest/layers.ts';
import type { Block } from '../manifest/write/layout.ts';
import type { Order } from '../manifest/write/order.ts';
import { COHORT_BLOCK, COHORT_ORDER } from '../posthog/cohort/layout.ts';
import { COHORT_SECTION } from '../posthog/cohort/manifest.ts';
import { checkLayers } from '../posthog/flag/checks/layers.ts';
import { FLAG_BLOCK } from '../posthog/flag/layout/block.ts';
import { FLAG_ORDER } from '../posthog/flag/layout/order.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import type { FamilyName } from '../posthog/kind-types.ts';

interface EditedSection {
  readonly block: Block;
  readonly order: Order;
  readonly prepareLayers: PrepareLayers | undefined;
  /** Errors of the layers as written, each by code and place. */
  readonly errorsOf: (declaration: Declaration) => readonly string[];
}

const SECTIONS: Readonly<Record<FamilyName, EditedSection>> = {
  flags: {
    block: FLAG_BLOCK,
    order: FLAG_ORDER,
    prepareLayers: FLAG_SECTION.prepareLayers,
    errorsOf: (declaration) =>
      checkLayers(declaration).flatMap(({ code, at, severity }) => (severity === 'error' ? [`${code} ${at}`] : [])),
  },
  // Overlays of cohorts are plain merge patches: nothing in them can name a part of the base.
  cohorts: {
    block: COHORT_BLOCK,
    order: COHORT_ORDER,
    prepareLayers: COHORT_SECTION.prepareLayers,
    errorsOf: () => [],
  },
};

export const BLOCKS: Readonly<Record<string, Block>> = Object.fromEntries(
  Object.entries(SECTIONS).map(([name, { block }]) => [name, block]),
);

/** The usual order of the members of each declaration. */
export const ORDER: Order = {
  members: Object.fromEntries(Object.entries(SECTIONS).map(([name, { order }]) => [name, { each: order }])),
};

export function sectionOf({ section }: Pick<Declaration, 'section'>): EditedSection {
  const found = memberOf<EditedSection>(SECTIONS, section);
  if (found === undefined) throw new TypeError(`The section ${section} is not edited.`);
  return found;
}
