/** Files of this package outside `dist`: found from the source as well as from the joined files of the built command. */

import { existsSync, readFileSync } from 'node:fs';

/** `name`: relative to the package's root. */
export function readPackageFile(name: string): string {
  return readFileSync(new URL(name, packageRoot()), 'utf8');
}

function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return folder;
}
