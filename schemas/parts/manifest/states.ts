/** What a declaration of a flag, or an overlay of one, may be like: the questions of the rules for editors. */

import { among, is, open, type Keywords, type Schema } from '../../../src/base/schema.ts';

export const deleted: Keywords = open({ deleted: is(true) });

/** `unknown_members: allow` */
export const consents: Keywords = open({ unknown_members: is('allow') });

export const hasFilters: Keywords = hasObject('filters');

export const hasShorthand: Keywords = open({ rollout_percentage: { type: ['number', 'object'] } });

export const hasUnchecked: Keywords = open({ fields: hasObject('filters') });

/** Filters of a version that flagwright does not know. */
export const opaqueFlag: Keywords = open({ filters: open({ version: not(among([1])) }) });

/** The same for an overlay, in which null removes the version of the flag. */
export const opaqueLayer: Keywords = open({ filters: open({ version: not(among([1, null])) }) });

export function hasObject(name: string): Keywords {
  return open({ [name]: { type: 'object' } });
}

export function has(name: string): Keywords {
  return { type: 'object', required: [name] };
}

export function not(schema: Schema): Keywords {
  return { not: schema };
}

/** Every overlay of a flag. */
export function overlays(schema: Schema): Keywords {
  return { properties: { projects: { additionalProperties: schema } } };
}
