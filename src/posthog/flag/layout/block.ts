/** The parts of a flag that are in block style in an exported manifest. */

import type { Block } from '../../../manifest/write/block-style.ts';

const FILTERS: Block = {
  members: {
    groups: { each: { members: { properties: {} } } },
    multivariate: { members: { variants: {} } },
    payloads: {},
  },
};

/** Of an export that is as short as it can be. */
export const SHORT_FLAG_BLOCK: Block = {
  members: {
    filters: { members: { groups: { each: {} }, multivariate: { members: { variants: {} } } } },
    rollback_conditions: {},
    fields: { isLine: true, members: { filters: FILTERS } },
    projects: {},
  },
};

export const FLAG_BLOCK: Block = {
  members: { filters: FILTERS, rollback_conditions: {}, fields: { members: { filters: FILTERS } }, projects: {} },
};
