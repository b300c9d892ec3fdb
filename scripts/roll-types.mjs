// Joins the types that users of the library need into one file for each entry, without those that no entry shows.

import { copyFileSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** `from`, `to`: files of types. `compiled`: the folder of those that tsc wrote, of the sources in `root`. */
export async function rollTypes({ root, compiled, from, to }) {
  // What tsc wrote is in a cache below node_modules, where packages are external.
  const joined = await rollup({
    input: resolve(compiled, from),
    plugins: [withoutHeads(root, compiled), dts({ respectExternal: true })],
    external: /^node:/,
    onwarn: refuse,
  });
  await joined.write({
    file: resolve(root, to),
    format: 'es',
    plugins: [{ name: 'tabs', renderChunk: indentWithTabs }],
  });
}

/** The comment that says what a source file is about. In one file with all types it would be read as that of whatever follows. */
const HEAD = /^(\/\*\*[^]*?\*\/)\n\n/;

function withoutHeads(root, compiled) {
  return {
    name: 'heads',
    load: (id) => {
      const name = relative(compiled, id);
      if (name.startsWith('..')) return null;
      const source = readFileSync(resolve(root, name.replace(/\.d\.ts$/, '.ts')), 'utf8');
      const [, head = ''] = HEAD.exec(source) ?? [];
      return readFileSync(id, 'utf8').replace(head, '');
    },
  };
}

/** A tab in place of four spaces: 5% of the file, in a package that has a limit. */
function indentWithTabs(code) {
  return code.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

/** CommonJS has the same types under another name. */
export function copyTypesAsCommonJs(file) {
  copyFileSync(file, file.replace(/\.d\.ts$/, '.d.cts'));
}

function refuse({ message }) {
  throw new Error(`The types cannot be joined: ${message}`);
}
