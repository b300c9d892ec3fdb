// Joins the command, the library and the packages that they use into a few files, with the packages' licences beside them.

// Most of the time that a short command takes is spent on finding, opening and compiling modules. Parts of packages that nothing uses
// are left out, and V8 keeps what it compiled (src/cli/session/code-cache.ts).

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLED } from './bundled-packages.mjs';
import { findLoads } from './command-loads.mjs';
import { helpTexts } from './help-texts.mjs';
import { packChunks } from './pack-chunks.mjs';

const COMMAND = 'src/cli/run.ts';
const LIBRARY = 'src/index.ts';
/** Also for Jest, which loads no ES modules. */
const TESTING = 'src/testing/index.ts';

/** Writes dist/cli/bin.js, what it runs, and the library's entries, which are other views of the same files. */
export async function bundle(root) {
  const folder = join(root, 'dist/cli');
  for (const name of ['cli', 'testing']) mkdirSync(join(root, 'dist', name), { recursive: true });
  const exportsOf = await bundleProgram(root, folder);
  writeFileSync(join(root, 'dist/index.js'), entryOf('./cli/program.js', '.library', exportsOf(LIBRARY)));
  writeFileSync(join(root, 'dist/testing/index.cjs'), "module.exports = require('../cli/program.js').testing;\n");
  writeFileSync(join(root, 'dist/testing/index.js'), entryOf('./index.cjs', '', exportsOf(TESTING)));
  const help = await helpTexts(root);
  writeFileSync(join(folder, 'help.json'), JSON.stringify(help));
  await bundleStarter(root, folder, {
    PROGRAM_DIGEST: JSON.stringify(digestOf(folder)),
    COMMANDS: JSON.stringify(Object.keys(help.texts).filter((words) => /^[a-z-]+$/.test(words))),
  });
  // The package is one of ES modules. Node 20 takes 4 ms to set up their loader, a sixth of the time of `node -e 0`.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Returns what tells the names that an entry exports. */
async function bundleProgram(root, folder) {
  const { metafile, outputFiles } = await build({
    ...OPTIONS,
    absWorkingDir: root,
    plugins: [trimPackages],
    entryPoints: [COMMAND, LIBRARY, TESTING],
    outdir: 'dist/cli',
    entryNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    define: { 'import.meta.url': 'moduleUrl' },
    metafile: true,
    write: false,
  });
  await packChunks(folder, {
    chunks: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
    outputs: metafile.outputs,
    start: COMMAND,
    loads: [...(await findLoads(root)), [LIBRARY], [TESTING]],
    views: { command: COMMAND, library: LIBRARY, testing: TESTING },
  });
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(packagesIn(metafile, root)));
  return (source) => Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === source).exports;
}

async function bundleStarter(root, folder, define) {
  await build({
    ...OPTIONS,
    absWorkingDir: root,
    plugins: [trimPackages],
    entryPoints: ['src/cli/bin.ts'],
    outfile: join(folder, 'bin.js'),
    format: 'cjs',
    define: { 'import.meta.url': 'moduleUrl', ...define },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
}

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // A native addon.
  external: ['libsql'],
  // V8 stores it as it is, a byte for each character.
  charset: 'ascii',
  minify: true,
  // The licences are in a file.
  legalComments: 'none',
};

function digestOf(folder) {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .toSorted())
    hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

/** An ES module of the members of a view. */
const entryOf = (file, view, names) => `import program from '${file}';

export const {
${names
  .toSorted()
  .map((name) => `  ${name},\n`)
  .join('')}} = program${view};
`;

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
  // What it needs for bodies that are forms, of which flagwright sends none.
  {
    in: /\/undici\//,
    name: /\/web\/fetch\/body(\.js)?$/,
    by: () => 'exports.extractBody = () => { throw new Error("Forms are off"); };',
  },
  // It has its parser twice: one uses instructions that not every machine has, and is hardly faster on the short headers of an API.
  {
    in: /\/undici\//,
    name: /\/llhttp_simd-wasm(\.js)?$/,
    by: () => "module.exports = require('undici/lib/llhttp/llhttp-wasm.js');",
  },
  // Commander starts processes for commands in files of their own; flagwright has none.
  {
    in: /\/commander\//,
    name: /^node:child_process$/,
    by: (name) =>
      `module.exports = new Proxy({}, { get: (_, member) => process.getBuiltinModule('${name}')[member] });`,
  },
];

const trimPackages = {
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
    onLoad({ filter: /\/fdir\/dist\/index\.mjs$/ }, ({ path }) => ({
      // It looks for an installed picomatch, for a function that tinyglobby does not call.
      contents: replaceOnce(readFileSync(path, 'utf8'), 'createRequire(import.meta.url)', 'undefined'),
    }));
  },
};

function replaceOnce(text, found, by) {
  if (text.split(found).length !== 2) throw new Error(`Expected one ${found}: the package has changed.`);
  return text.replace(found, by);
}

/** Folders of the packages whose files are in the bundle, sorted. */
function packagesIn({ inputs }, root) {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => join(root, folder));
}

function licencesOf(folders) {
  const packages = folders.map((folder) => ({
    folder,
    ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  }));
  const names = packages.map(({ name }) => name);
  if (names.join() !== BUNDLED.join())
    throw new Error(`scripts/bundled-packages.mjs does not have ${names.join(', ')}.`);
  return packages
    .map(({ folder, name, version, license }) => {
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} has no licence file.`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
