// Joins flagwright/testing into one CommonJS file, since Jest loads no other modules, with the packages' licences beside it.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { licencesOf, packagesIn, trimPackages } from './bundle-command.mjs';

const ENTRY = 'dist/testing/index';

/** Replaces the compiled entry in dist/testing of the project at `root`, and gives its types to both module systems. */
export async function bundleTesting(root) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/testing/index.ts'],
    outfile: `${ENTRY}.cjs`,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Only the embedded service asks for its own address, which is not part of the bundle.
    define: { 'import.meta.url': 'undefined' },
    metafile: true,
    plugins: [trimPackages],
  });
  // One copy for both: a program that uses both module systems has one state and one class of errors.
  writeFileSync(
    join(root, `${ENTRY}.js`),
    `import testing from './index.cjs';\nexport const { loadFlags } = testing;\n`,
  );
  writeFileSync(join(root, 'dist/testing/LICENSES.txt'), licencesOf(packagesIn(metafile, root)));
  copyTypes(join(root, `${ENTRY}.d.ts`), new Set());
}

/** Copies a file of types, and those that it imports, as types of CommonJS. */
function copyTypes(file, copied) {
  if (copied.has(file)) return;
  copied.add(file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), text.replaceAll(/from '(\.[^']+)\.(?:ts|js)'/g, "from '$1.cjs'"));
  for (const [, name] of text.matchAll(/from '(\.[^']+)\.(?:ts|js)'/g))
    copyTypes(join(dirname(file), `${name}.d.ts`), copied);
}
