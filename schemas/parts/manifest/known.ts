/** The names that filters may have, from the table of known members: rules for editors. */

import { define, type Keywords, type Schema } from '../../../src/base/schema.ts';
import { consents, deleted, opaqueLayer } from './states.ts';
import { KNOWN_MEMBERS } from '../../../src/posthog/flag/model/flag.ts';

const NONE = false;
/** In an overlay, null removes a member, whatever its name is. */
const REMOVED: Schema = { type: 'null' };

const knownProperty = define('knownProperty', known('property', NONE));
const knownVariant = define('knownVariant', known('variant', NONE));
const inCondition = { properties: { items: knownProperty } };
const knownCondition = define('knownCondition', known('condition', NONE, inCondition));

export const knownFilters = define('knownFilters', {
  description: 'The names that filters may have without `unknown_members: allow`.',
  ...filtersWith(NONE),
});

const knownOverlayFilters = define('knownOverlayFilters', {
  description: 'The same for filters of an overlay, in which null removes a name.',
  ...filtersWith(REMOVED),
});

const knownOverlayCondition = define('knownOverlayCondition', known('condition', REMOVED, inCondition));
const knownOverlayVariant = define('knownOverlayVariant', known('variant', REMOVED));

export const knownOverlay = define('knownOverlay', {
  description: 'The names in an overlay without `unknown_members: allow`.',
  allOf: [
    {
      if: { not: { anyOf: [deleted, consents, opaqueLayer] } },
      then: {
        properties: {
          filters: knownOverlayFilters,
          conditions: { additionalProperties: knownOverlayCondition },
          variants: { additionalProperties: knownOverlayVariant },
        },
      },
    },
  ],
});

function filtersWith(others: Schema): Keywords {
  const { properties, ...rest } = known('filters', others, {
    groups: { items: knownCondition },
    multivariate: known('multivariate', others, { variants: { items: knownVariant } }),
  });
  return { properties: { ...properties, version: true }, ...rest };
}

/** The members of a part: those of the table and those for anchors. `inside`: the schemas of some, while the others hold anything. */
function known(
  part: keyof typeof KNOWN_MEMBERS,
  others: Schema,
  inside: Readonly<Record<string, Schema>> = {},
): Keywords & { readonly properties: Readonly<Record<string, Schema>> } {
  return {
    properties: Object.fromEntries(KNOWN_MEMBERS[part].map((name) => [name, inside[name] ?? true])),
    patternProperties: { '^x-': true },
    additionalProperties: others,
  };
}
