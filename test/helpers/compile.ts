/** Compiles the TypeScript of a folder with the strictest options that users have. */

import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Workspace } from './workspace.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const TSC = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** What the compiler says: nothing if the programs are right. The JavaScript is in `out`. */
export function compile({ root, write }: Workspace): string {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noImplicitReturns: true,
    isolatedDeclarations: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    declaration: true,
    skipLibCheck: true,
    types: ['node'],
    rootDir: '.',
    outDir: 'out',
  };
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts'], exclude: ['out'] }));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  return spawnSync(process.execPath, [TSC, '-p', root], { encoding: 'utf8' }).stdout;
}
