// Joins the types that users of the library need into one file for each entry, without those that no entry shows.

import { copyFileSync } from 'node:fs';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** `from`, `to`: files of types. */
export async function rollTypes({ from, to }) {
  // What tsc wrote is in a cache below node_modules, where packages are external.
  const joined = await rollup({
    input: from,
    plugins: [dts({ respectExternal: true })],
    external: /^node:/,
    onwarn: refuse,
  });
  await joined.write({ file: to, format: 'es', plugins: [{ name: 'tabs', renderChunk: indentWithTabs }] });
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
