// Joins the files of a bundle that are always loaded together.

// esbuild makes a file of its own for each set of entry points that share a module. It does not know which entry points are
// loaded together: a command opens dozens of files, and finding and opening a file costs more than reading it.

import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * `outputs`: of the metafile of a bundle in `folder`. `bin`: the source of the file that starts the process; its own modules
 * stay apart, since it may end before it loads more. `start`: the source of what every command loads. `commands`: for each
 * command, the sources of the entry points that it loads.
 */
export async function joinChunks(folder, outputs, { bin, start, commands }) {
  const files = Object.fromEntries(Object.entries(outputs).map(([file, output]) => [basename(file), output]));
  const groups = groupFiles(files, { bin, start, commands });
  const groupOf = new Map(groups.flatMap((group) => group.members.map((file) => [file, group])));
  for (const group of groups) {
    await build({
      ...OPTIONS,
      stdin: { contents: group.members.map((file) => exportLine(file, group, files)).join('\n'), resolveDir: folder },
      outfile: join(folder, group.name),
      plugins: [redirect(groupOf, files, group)],
    });
  }
  const rest = Object.keys(files).filter((file) => file.endsWith('.js') && !groupOf.has(file));
  await build({
    ...OPTIONS,
    entryPoints: rest.map((file) => join(folder, file)),
    outdir: folder,
    allowOverwrite: true,
    plugins: [redirect(groupOf, files)],
  });
  for (const file of groupOf.keys()) rmSync(join(folder, file));
}

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

/** Files that the same commands load. A file that another one imports is loaded by at least the same commands: no circles. */
function groupFiles(files, { bin, start, commands }) {
  const load = (source) => closureOf(findEntry(files, source), files);
  const before = load(bin);
  const loads = [load(start), ...commands.map((sources) => new Set(sources.flatMap((source) => [...load(source)])))];
  const bySignature = new Map();
  for (const file of Object.keys(files).filter((name) => name.endsWith('.js') && !before.has(name))) {
    const signature = loads[0].has(file) ? 'start' : loads.map((loaded) => Number(loaded.has(file))).join('');
    if (signature.includes('1') || signature === 'start') {
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), file]);
    }
  }
  return [...bySignature.values()]
    .filter((members) => members.length > 1)
    .map((members, index) => ({ name: `joined-${index}.js`, members }));
}

function findEntry(files, source) {
  const found = Object.keys(files).find((file) => files[file].entryPoint === source);
  if (found === undefined) throw new Error(`${source} is no entry point of the bundle.`);
  return found;
}

/** The file and all that it imports at once. */
function closureOf(file, files, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind, external } of files[file].imports) {
    if (kind === 'import-statement' && external !== true) closureOf(basename(path), files, found);
  }
  return found;
}

/** Files may export equal names: each name gets the number of its file. What `import()` loads keeps its names too. */
function exportLine(file, { members }, files) {
  const { exports, entryPoint } = files[file];
  const number = members.indexOf(file);
  const names = exports.flatMap((name) => [
    `${name} as ${name}$${number}`,
    ...(entryPoint === undefined ? [] : [name]),
  ]);
  return names.length === 0 ? `import './${file}';` : `export { ${names.join(', ')} } from './${file}';`;
}

/** Imports of files that were joined come from the joined file, others stay. `own`: the group that is being joined. */
function redirect(groupOf, files, own) {
  return {
    name: 'redirect',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path, kind }) => {
        const group = groupOf.get(basename(path));
        if (group === undefined) return { path, external: true };
        if (kind === 'dynamic-import') return { path: `./${group.name}`, external: true };
        return group === own ? undefined : { path: basename(path), namespace: 'joined' };
      });
      onLoad({ filter: /./, namespace: 'joined' }, ({ path }) => {
        const { name: target, members } = groupOf.get(path);
        const names = files[path].exports.map((name) => `${name}$${members.indexOf(path)} as ${name}`);
        return { contents: names.length === 0 ? '' : `export { ${names.join(', ')} } from './${target}';` };
      });
    },
  };
}
