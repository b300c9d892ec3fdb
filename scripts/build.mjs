// Builds dist/: validators from the schemas, the library with plain tsc, and the command as a few files.

// Most of the time that a short command takes is spent on finding and opening modules, so that our own ones are joined
// for the command; packages stay outside, and a command still loads only what it needs.

import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { compileSchemas } from './compile-schemas.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

compileSchemas();
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiled = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json')], { stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
rmSync(join(root, 'dist/cli'), { recursive: true });
buildSync({
  absWorkingDir: root,
  entryPoints: ['src/cli/bin.ts'],
  outdir: 'dist/cli',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
});
chmodSync(join(root, 'dist/cli/bin.js'), 0o755);
