// Joins the command, the library and the packages that they use into a few files of CommonJS, with the packages' licenses beside them.

// Most of the time that a short command takes is spent on finding, opening and compiling modules: parts of packages that nothing uses are
// left out, and what is loaded together is in one file. Node takes longer for ES modules.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { rollup } from 'rollup';
import { BUNDLED } from './bundled-packages.mjs';
import { helpTexts } from './help-texts.mjs';

/** The library's second entry is also for Jest, which loads no ES modules. */
const ENTRIES = {
  command: 'src/cli/run.ts',
  library: 'src/index.ts',
  testing: 'src/testing/index.ts',
  // The steps of CI reach the forge as the command reaches the service.
  proxies: 'src/posthog/client/proxies.ts',
};

/** What only some runs need, of modules that nearly every run loads: a simple manifest needs no parser of all YAML, a valid one no errors. */
const LATER = { yaml: 'yaml', validators: 'src/base/generated/validators.ts' };

/** Writes dist/cli/bin.js, what it runs, and the library's entries, which are in the same files. */
export async function bundle(root) {
  const folder = join(root, 'dist/cli');
  for (const name of ['cli', 'testing']) mkdirSync(join(root, 'dist', name), { recursive: true });
  const { metafile, outputFiles } = await build({
    ...OPTIONS,
    absWorkingDir: root,
    plugins: [trimPackages],
    entryPoints: ENTRIES,
    outdir: 'dist/cli',
    splitting: true,
    format: 'esm',
    metafile: true,
    write: false,
  });
  await joinChunks(folder, new Map(outputFiles.map(({ path, text }) => [basename(path), text])));
  const later = await build({
    ...OPTIONS,
    absWorkingDir: root,
    entryPoints: LATER,
    outdir: folder,
    format: 'cjs',
    metafile: true,
  });
  const inputs = { ...metafile.inputs, ...later.metafile.inputs };
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(packagesIn(inputs, root)));
  const exportsOf = (name) => metafile.outputs[`dist/cli/${name}.js`].exports;
  writeFileSync(join(root, 'dist/index.js'), entryOf('./cli/library.js', exportsOf('library')));
  writeFileSync(join(root, 'dist/testing/index.cjs'), "module.exports = require('../cli/testing.js');\n");
  writeFileSync(join(root, 'dist/testing/index.js'), entryOf('./index.cjs', exportsOf('testing')));
  writeFileSync(join(folder, 'help.json'), JSON.stringify(await helpTexts(root)));
  await build({
    ...OPTIONS,
    absWorkingDir: root,
    plugins: [trimPackages],
    entryPoints: ['src/cli/bin.ts'],
    outfile: join(folder, 'bin.js'),
    format: 'cjs',
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  // The package is one of ES modules. Node 20 takes 4 ms to set up their loader, a sixth of the time of `node -e 0`.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

/** esbuild makes a chunk for each set of entry points that share a module: hundreds, each of which a run finds and opens. */
async function joinChunks(folder, chunks) {
  const joined = await rollup({
    logLevel: 'warn',
    input: Object.keys(ENTRIES).map((name) => `${name}.js`),
    // It would join more, and take twice as long, which costs every build more than it saves a start.
    treeshake: false,
    plugins: [
      {
        name: 'chunks',
        resolveId: (name) => (chunks.has(basename(name)) ? basename(name) : { id: name, external: true }),
        load: (name) => chunks.get(name),
        renderChunk: (code) => transform(code, { ...MINIFIED, format: 'cjs' }),
        resolveImportMeta: () => "require('node:url').pathToFileURL(__filename).href",
      },
    ],
  });
  await joined.write({
    dir: folder,
    format: 'cjs',
    chunkFileNames: 'part.js',
    dynamicImportInCjs: false,
    esModule: false,
    experimentalMinChunkSize: 10_000,
    externalLiveBindings: false,
    freeze: false,
    generatedCode: 'es2015',
  });
}

const MINIFIED = {
  platform: 'node',
  target: 'node20.19',
  // V8 stores it as it is, a byte for each character.
  charset: 'ascii',
  minify: true,
  // The licenses are in a file.
  legalComments: 'none',
};

const OPTIONS = {
  ...MINIFIED,
  bundle: true,
  // A native addon, and files that the build makes apart.
  external: ['libsql', ...Object.keys(LATER).map((name) => `./${name}.js`)],
};

/** An ES module of what a file of CommonJS exports. */
const entryOf = (file, names) => `import program from '${file}';

export const {
${names
  .toSorted()
  .map((name) => `  ${name},\n`)
  .join('')}} = program;
`;

/** Modules that replace parts of packages: by the file that imports them, and the name by which it does. */
const REPLACEMENTS = [
  // Of undici only the connection pool and the agent for proxies are used, over HTTP/1.1.
  {
    in: /\/src\//,
    name: /^undici$/,
    by: () =>
      `exports.Pool = require('undici/lib/dispatcher/pool.js');
      Object.defineProperty(exports, 'EnvHttpProxyAgent', {
        enumerable: true,
        get: () => {
          // The index of undici adds the methods of requests to all dispatchers; an agent for proxies calls this one.
          require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js');
          return require('undici/lib/dispatcher/env-http-proxy-agent.js');
        },
      });`,
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
  // They cost more to load than most of the runs whose modules name them can use; commander starts no process here.
  {
    in: /\/(src|commander)\//,
    name: /^(node:child_process|node:crypto)$/,
    by: (name) => loadedLater(namesIn(name), `process.getBuiltinModule('${name}')`),
  },
  { in: /\/src\//, name: /^yaml$/, by: (name) => loadedLater(namesIn(name), "require('./yaml.js')") },
  {
    in: /\/src\//,
    name: /\/generated\/validators\.ts$/,
    by: () => loadedLater(['validateManifest', 'validateConfig'], "require('./validators.js')"),
  },
];

const namesIn = (name) => Object.keys(createRequire(import.meta.url)(name));

/** Each member of a module, found when it is used. */
function loadedLater(members, source) {
  return `for (const member of '${members.join(' ')}'.split(' '))
    Object.defineProperty(exports, member, { enumerable: true, get: () => ${source}[member] });`;
}

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
function packagesIn(inputs, root) {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => join(root, folder));
}

function licensesOf(folders) {
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
      if (file === undefined) throw new Error(`${name} has no license file.`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
