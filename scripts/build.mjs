// Builds the published schemas from their parts, and dist/: validators from the schemas, the script of the catalogue's page, the types of the library with tsc, and a few files for the command and the library.
// With --if-changed only where the sources or dist/ are not those of the last build.

import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forgetBuild, isBuilt, rememberBuild } from './build-digest.mjs';
import { bundle } from './bundle.mjs';
import { compilePageScript } from './compile-page-script.mjs';
import { compileSchemas } from './compile-schemas.mjs';
import { publishSchemas } from './publish-schemas.mjs';
import { copyTypesAsCommonJs, rollTypes } from './roll-types.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
/** The `outDir` of tsconfig.build.json. */
const compiled = join(root, 'node_modules/.cache/flagwright/compiled');

if (process.argv.includes('--if-changed') && isBuilt(root)) process.exit();
forgetBuild(root);
await publishSchemas(root);
compileSchemas();
compilePageScript(root);
rmSync(join(root, 'dist'), { recursive: true, force: true });
rmSync(compiled, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
for (const entry of ['index', 'testing/index']) {
  await rollTypes({ root, compiled, from: `src/${entry}.d.ts`, to: `dist/${entry}.d.ts` });
}
copyTypesAsCommonJs(join(root, 'dist/testing/index.d.ts'));
await bundle(root);
chmodSync(join(root, 'dist/cli/bin.js'), 0o755);
rememberBuild(root);
