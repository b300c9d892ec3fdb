/** The usual order of the members of a flag's declaration, as an export writes them, and which of them are in block style. */

import type { Block } from '../../../manifest/write/layout.ts';
import type { Order } from '../../../manifest/write/order.ts';

export const AGGREGATION = 'aggregation_group_type_index';

export const FILTER_ORDER: readonly string[] = [AGGREGATION, 'groups', 'multivariate', 'payloads'];
export const CONDITION_ORDER: readonly string[] = [
  'description',
  AGGREGATION,
  'properties',
  'rollout_percentage',
  'variant',
];
export const PROPERTY_ORDER: readonly string[] = ['key', 'type', 'group_type_index', 'operator', 'value', 'negation'];
export const VARIANT_ORDER: readonly string[] = ['key', 'name', 'rollout_percentage'];

/** The order is by topic: what the flag is, who gets it, who may edit it, and what is about the declaration. */
const MEMBERS = [
  'description',
  'active',
  'filters',
  'rollout_percentage',
  'conditions',
  'variants',
  'payloads',
  'payload_schema',
  'ensure_experience_continuity',
  'tags',
  'rollback_conditions',
  'performed_rollback',
  'created_at',
  'unknown_members',
  'role_access',
  'access',
  'fields',
  'ownership',
  'intended',
  'deleted',
  'previous_keys',
  'only_in',
  'projects',
];

const CONDITION: Order = { names: CONDITION_ORDER, members: { properties: { each: { names: PROPERTY_ORDER } } } };
const VARIANT: Order = { names: VARIANT_ORDER };
const FILTERS: Order = {
  names: FILTER_ORDER,
  members: { groups: { each: CONDITION }, multivariate: { members: { variants: { each: VARIANT } } } },
};
const OVERLAY: Order & Required<Pick<Order, 'members'>> = {
  names: MEMBERS,
  members: {
    filters: FILTERS,
    conditions: { each: CONDITION },
    variants: { each: VARIANT },
    access: { names: ['default', 'roles'] },
    fields: { members: { filters: FILTERS } },
  },
};

export const FLAG_ORDER: Order = { names: MEMBERS, members: { ...OVERLAY.members, projects: { each: OVERLAY } } };

const FILTERS_BLOCK: Block = {
  members: {
    groups: { each: { members: { properties: {} } } },
    multivariate: { members: { variants: {} } },
    payloads: {},
  },
};

/** The layout of an export that is as short as it can be. */
export const SHORT_FLAG_BLOCK: Block = {
  members: {
    filters: { members: { groups: { each: {} }, multivariate: { members: { variants: {} } } } },
    rollback_conditions: {},
    fields: { isLine: true, members: { filters: FILTERS_BLOCK } },
    projects: {},
  },
};

export const FLAG_BLOCK: Block = {
  members: {
    filters: FILTERS_BLOCK,
    rollback_conditions: {},
    fields: { members: { filters: FILTERS_BLOCK } },
    projects: {},
  },
};
