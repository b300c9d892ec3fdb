// Joins the command and the packages that it uses into a few files, with the packages' licences beside them.

// Most of the time that a short command takes is spent on finding, opening and compiling modules. Parts of packages that
// the command never uses are left out, and builtin modules that it rarely uses are loaded on first use.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { findLoads } from './command-loads.mjs';
import { joinChunks } from './join-chunks.mjs';

/** Bundles src/cli/bin.ts of the project at `root` into dist/cli. */
export async function bundleCommand(root) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/bin.ts'],
    outdir: 'dist/cli',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // A native addon.
    external: ['libsql'],
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    plugins: [trimPackages],
  });
  await joinChunks(join(root, 'dist/cli'), metafile.outputs, {
    bin: 'src/cli/bin.ts',
    start: 'src/cli/run.ts',
    commands: await findLoads(root, metafile.inputs),
  });
  writeFileSync(join(root, 'dist/cli/LICENSES.txt'), licencesOf(packagesIn(metafile, root)));
}

/** Modules that replace parts of packages: by the file that imports them, and the name by which it does. */
const REPLACEMENTS = [
  // Of undici only the connection pool is used, over HTTP/1.1.
  {
    in: /\/src\//,
    name: /^undici$/,
    by: () => "exports.Pool = require('undici/lib/dispatcher/pool.js');",
  },
  {
    in: /\/undici\//,
    name: /\/client-h2(\.js)?$/,
    by: () => 'module.exports = () => { throw new Error("HTTP/2 is off"); };',
  },
  // Commander starts processes for commands in files of their own; flagwright has none.
  {
    in: /\/commander\//,
    name: /^node:child_process$/,
    by: (name) =>
      `module.exports = new Proxy({}, { get: (_, member) => process.getBuiltinModule('${name}')[member] });`,
  },
  // A bundle of ES modules has no `require` for the builtin modules that packages in CommonJS ask for.
  {
    in: /\/node_modules\//,
    name: /./,
    by: (name, kind) =>
      kind === 'require-call' && isBuiltin(name) ? `module.exports = process.getBuiltinModule('${name}');` : undefined,
  },
];

export const trimPackages = {
  name: 'trim-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./, namespace: 'file' }, ({ path, importer, resolveDir, kind }) => {
      const found = REPLACEMENTS.find(({ in: importers, name }) => importers.test(importer) && name.test(path));
      const contents = found?.by(path, kind);
      return contents === undefined
        ? undefined
        : { path, namespace: 'replacement', pluginData: { contents, resolveDir } };
    });
    onLoad({ filter: /./, namespace: 'replacement' }, ({ pluginData }) => pluginData);
    // The names of our own functions stay, for the stack traces of bug reports.
    onLoad({ filter: /\/(node_modules|generated)\/.*\.(m?js|ts)$/ }, async ({ path }) => {
      const { code } = await transform(withoutRequire(path), {
        loader: path.endsWith('.ts') ? 'ts' : 'js',
        minify: true,
      });
      return { contents: code };
    });
  },
};

/** fdir looks for an installed picomatch, for a function that tinyglobby does not call. */
function withoutRequire(path) {
  const text = readFileSync(path, 'utf8');
  return /\/fdir\/dist\/index\.mjs$/.test(path)
    ? replaceOnce(text, 'createRequire(import.meta.url)', 'undefined')
    : text;
}

function replaceOnce(text, found, by) {
  if (text.split(found).length !== 2) throw new Error(`Expected one ${found}: the package has changed.`);
  return text.replace(found, by);
}

/** Folders of the packages whose files are in the bundle, sorted. */
export function packagesIn({ inputs }, root) {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => join(root, folder));
}

export function licencesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} has no licence file.`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
