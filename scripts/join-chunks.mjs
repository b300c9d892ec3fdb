// Joins the files of a bundle that every command loads into one.

// esbuild makes a file of its own for each set of entry points that share a module. It does not know that every command is
// loaded after `run.ts`, whose modules would end up in dozens of files, and finding and opening a file costs more than reading it.

import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * `outputs`: of the metafile of a bundle in `folder`. `entry`: the source of the module that every command loads. `bin`: the
 * source of the file that loads it; its own modules stay apart, since it may end before.
 */
export async function joinStartup(folder, outputs, { bin, entry }) {
  const files = Object.fromEntries(Object.entries(outputs).map(([file, output]) => [basename(file), output]));
  const fileOf = (source) => Object.keys(files).find((file) => files[file].entryPoint === source);
  const before = closureOf(fileOf(bin), files);
  const joined = [...closureOf(fileOf(entry), files)].filter((file) => !before.has(file));
  const rest = Object.keys(files).filter((file) => file.endsWith('.js') && !joined.includes(file));
  await build({
    ...OPTIONS,
    stdin: { contents: joined.map((file, index) => exportLine(file, index, files)).join('\n'), resolveDir: folder },
    outfile: join(folder, STARTUP),
    plugins: [keepFiles((path) => !joined.includes(path))],
  });
  await build({
    ...OPTIONS,
    entryPoints: rest.map((file) => join(folder, file)),
    outdir: folder,
    allowOverwrite: true,
    plugins: [useStartup(joined, files), keepFiles(() => true)],
  });
  for (const file of joined) rmSync(join(folder, file));
}

const STARTUP = 'startup.js';

const OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  // The package's `sideEffects` is about its library.
  ignoreAnnotations: true,
  minifySyntax: true,
  minifyWhitespace: true,
};

/** The file and all that it imports at once. */
function closureOf(file, files, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind, external } of files[file].imports) {
    if (kind === 'import-statement' && external !== true) closureOf(basename(path), files, found);
  }
  return found;
}

/** Names of different files may be equal: each gets the number of its file. A file that is loaded by `import()` keeps its own. */
function exportLine(file, index, files) {
  const { exports, entryPoint } = files[file];
  const names = exports.flatMap((name) => [`${name} as ${name}$${index}`, ...(entryPoint === undefined ? [] : [name])]);
  return names.length === 0 ? `import './${file}';` : `export { ${names.join(', ')} } from './${file}';`;
}

/** An import of a joined file gets the same names from the one file. */
function useStartup(joined, files) {
  return {
    name: 'use-startup',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path, kind }) => {
        const file = basename(path);
        if (!joined.includes(file)) return undefined;
        return kind === 'dynamic-import'
          ? { path: `./${STARTUP}`, external: true }
          : { path: file, namespace: 'startup' };
      });
      onLoad({ filter: /./, namespace: 'startup' }, ({ path }) => {
        const names = files[path].exports.map((name) => `${name}$${joined.indexOf(path)} as ${name}`);
        return { contents: names.length === 0 ? '' : `export { ${names.join(', ')} } from './${STARTUP}';` };
      });
    },
  };
}

/** Leaves imports of other files of the bundle as they are. */
function keepFiles(isKept) {
  return {
    name: 'keep-files',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path }) => (isKept(basename(path)) ? { path, external: true } : undefined));
    },
  };
}
