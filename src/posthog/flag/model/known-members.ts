/** The members that the service knows in filters, by the part that has them. */

/** The parts of a flag's filters that have members. */
export type FiltersPart = 'filters' | 'multivariate' | 'condition' | 'property' | 'variant';

/** The names in docs/service.md, "Filters"; a test compares them with the schema. */
export const KNOWN_MEMBERS: { readonly [part in FiltersPart]: readonly string[] } = {
  filters: [
    'groups',
    'multivariate',
    'payloads',
    'aggregation_group_type_index',
    'early_exit',
    'feature_enrollment',
    'holdout',
    'holdout_groups',
    'super_groups',
  ],
  multivariate: ['variants'],
  condition: [
    'properties',
    'rollout_percentage',
    'variant',
    'description',
    'aggregation_group_type_index',
    'sort_key',
    'exposure_frozen',
    'exposure_frozen_cohort',
  ],
  property: [
    'key',
    'type',
    'operator',
    'value',
    'group_type_index',
    'negation',
    'label',
    'cohort_name',
    'group_key_names',
  ],
  variant: ['key', 'name', 'rollout_percentage', 'description'],
};
