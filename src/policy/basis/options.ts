/** Schemas of options that several policies have. */

import { array, define, string, type Definition } from '../../base/schema.ts';

export const names: Definition = define('names', array(string({ minLength: 1 }), { minItems: 1 }));

export const globs: Definition = define('globs', array(string({ minLength: 1 })));
