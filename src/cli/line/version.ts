/** The version of this package, and its files outside `dist`, from the source and from the bundled command alike. */

import { existsSync, readFileSync } from 'node:fs';

export function version(): string {
  return (JSON.parse(readPackageFile('package.json')) as { readonly version: string }).version;
}

/** `name`: relative to the package's root. */
export function readPackageFile(name: string): string {
  return readFileSync(new URL(name, packageRoot()), 'utf8');
}

function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return folder;
}
