/** The parts of a flag that are in block style in an exported manifest. */

import type { Block } from '../../../manifest/write/layout.ts';

const FILTERS: Block = {
  members: {
    groups: { each: { members: { properties: {} } } },
    multivariate: { members: { variants: {} } },
    payloads: {},
  },
};

export const FLAG_BLOCK: Block = {
  members: { filters: FILTERS, rollback_conditions: {}, fields: { members: { filters: FILTERS } }, projects: {} },
};
