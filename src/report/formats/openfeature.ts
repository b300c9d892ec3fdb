/** The flag manifest of the OpenFeature CLI. */

import type { Renderer } from '../renderer.ts';
import { indentedJson, sealJson } from './json/seal.ts';

export const OPENFEATURE: Renderer = {
  forms: { 'flag-manifest': ({ manifest }) => indentedJson(manifest) },
  seal: sealJson,
};
