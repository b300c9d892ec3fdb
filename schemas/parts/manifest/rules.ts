/** Rules for editors about flags and overlays. */

import { among, define, number, object, open, string } from '../../../src/base/schema.ts';
import { filterRules, overlayFilterRules, payloadRules, propertyRules } from './filter-rules.ts';
import { knownFilters, knownOverlay } from './known.ts';
import {
  consents,
  deleted,
  has,
  hasFilters,
  hasObject,
  hasShorthand,
  hasUnchecked,
  not,
  opaqueFlag,
  opaqueLayer,
  overlays,
} from './states.ts';

const targetingRules = define('targetingRules', {
  description: 'Filters, their shorthand and unchecked filters exclude each other.',
  allOf: [
    not({ allOf: [hasFilters, hasShorthand] }),
    not({ allOf: [hasFilters, hasUnchecked] }),
    not({ allOf: [hasShorthand, hasUnchecked] }),
  ],
});

const harmlessOverlay = define('harmlessOverlay', {
  description: 'An overlay that leaves the filters of the flag as they are, but for shares.',
  properties: {
    conditions: {
      additionalProperties: object({
        'rollout_percentage?': { type: ['number', 'object'] },
        'description?': string(),
      }),
    },
    variants: { additionalProperties: object({ 'rollout_percentage?': number() }) },
  },
  not: {
    anyOf: ['filters', 'rollout_percentage', 'fields', 'deleted', 'unknown_members', 'payloads'].map(has),
  },
});

const overlayRules = define('overlayRules', {
  description: 'Rules for an overlay.',
  allOf: [
    {
      if: not({ anyOf: [deleted, opaqueLayer] }),
      then: {
        properties: {
          filters: overlayFilterRules,
          conditions: {
            propertyNames: { not: { pattern: '^0+$' } },
            additionalProperties: { properties: { properties: { items: propertyRules } } },
          },
          payloads: payloadRules,
        },
      },
    },
  ],
});

/** Values that say nothing about who gets the flag. */
const nothing = among([null, [], {}, false, { variants: [] }]);

const plainFilters = define('plainFilters', {
  description: 'Filters that `rollout_percentage` of an overlay may replace: no targeting, variants or payloads.',
  properties: {
    groups: {
      items: {
        properties: { rollout_percentage: true, description: true, sort_key: true },
        additionalProperties: nothing,
      },
    },
  },
  additionalProperties: nothing,
});

const targetedFilters = open({ filters: { type: 'object', not: plainFilters } });

export const flagRules = define('flagRules', {
  description:
    'Rules for a flag with its overlays. They are not applied where an overlay may change what they are about.',
  allOf: [
    targetingRules,
    {
      if: {
        allOf: [
          { properties: { only_in: { minItems: 1 }, projects: { additionalProperties: harmlessOverlay } } },
          hasFilters,
          not(opaqueFlag),
          not(deleted),
        ],
      },
      then: {
        properties: { filters: filterRules },
        if: not(consents),
        then: { properties: { filters: knownFilters } },
      },
    },
    {
      if: { allOf: [not(has('only_in')), not(deleted), not(hasUnchecked), not(opaqueFlag)] },
      then: { ...overlays(overlayRules), if: not(consents), then: overlays(knownOverlay) },
    },
    {
      if: { allOf: [not(deleted), not(hasFilters), not(hasShorthand), not(hasUnchecked)] },
      then: overlays({
        anyOf: [deleted, not({ anyOf: ['conditions', 'variants', 'payloads'].map(hasObject) })],
      }),
    },
    {
      if: {
        allOf: [
          not(deleted),
          {
            anyOf: [
              targetedFilters,
              open({ fields: targetedFilters }, { allOf: [not(hasFilters), not(hasShorthand)] }),
            ],
          },
        ],
      },
      then: overlays(not({ allOf: [{ type: 'object' }, hasShorthand, not(hasFilters), not(deleted)] })),
    },
  ],
});

export const overlayTargetingRules = define('overlayTargetingRules', {
  description: 'An overlay with filters of its own changes no parts of those of the flag.',
  allOf: [
    targetingRules,
    not({
      allOf: [
        { anyOf: ['conditions', 'variants', 'payloads'].map(has) },
        { anyOf: [has('filters'), has('rollout_percentage'), open({ fields: has('filters') })] },
      ],
    }),
  ],
});
