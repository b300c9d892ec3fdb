/** The version of this package, from its package.json. */

import { readPackageFile } from './package-file.ts';

export function version(): string {
  return (JSON.parse(readPackageFile('package.json')) as { readonly version: string }).version;
}
