/** The path of the manifest schema for the first line of exported files, from which editors take completion and checks. */

import { stat } from 'node:fs/promises';
import path from 'node:path';

const SCHEMA = 'node_modules/flagwright/schemas/manifest.schema.json';

/** Relative to the folder of the manifests. The package may be installed in a folder above the configuration. */
export async function findSchema(root: string, folder: string): Promise<string> {
  for (let above = root; ; above = path.dirname(above)) {
    const isInstalled = await stat(path.join(above, SCHEMA)).then(
      () => true,
      () => false,
    );
    if (isInstalled || above === path.dirname(above)) return relativeTo(folder, isInstalled ? above : root);
  }
}

function relativeTo(folder: string, above: string): string {
  const way = path.relative(folder, path.join(above, SCHEMA)).split(path.sep).join('/');
  return way.startsWith('.') ? way : `./${way}`;
}
