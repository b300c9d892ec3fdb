/** The version of this package and what it runs on, from its package.json. */

import { readPackageFile } from './package-file.ts';

export function version(): string {
  return readPackage().version;
}

/** The versions of Node.js that this package supports: `>=20.19`. */
export function neededNode(): string {
  return readPackage().engines.node;
}

function readPackage(): { readonly version: string; readonly engines: { readonly node: string } } {
  return JSON.parse(readPackageFile('package.json')) as ReturnType<typeof readPackage>;
}
