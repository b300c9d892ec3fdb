/** The version of this package, what it runs on, and its files outside `dist`, from the source and from the bundled command alike. */

import { existsSync, readFileSync } from 'node:fs';
import { once } from '../../base/once.ts';

export function version(): string {
  return readPackage().version;
}

/** The versions of Node.js that this package supports: `>=20.19`. */
export function neededNode(): string {
  return readPackage().engines.node;
}

interface Package {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const readPackage = once(() => JSON.parse(readPackageFile('package.json')) as Package);

/** `name`: relative to the package's root. */
export function readPackageFile(name: string): string {
  return readFileSync(new URL(name, packageRoot()), 'utf8');
}

function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('schemas/', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href)
      throw new Error('This copy of flagwright is incomplete: it has no folder schemas. Install it again.');
    folder = parent;
  }
  return folder;
}
