// Makes the help of every command, as a terminal of 80 columns and a pipe show it.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ENTRY = `
  export * from './src/cli/commands/all-commands.ts';
  export * from './src/cli/line/command-line.ts';
  export * from './src/cli/line/exit.ts';
  export * from './src/cli/line/options.ts';
  export * from './src/cli/line/program.ts';
`;

/**
 * By the words that name the command: `plan`, `flags list`; the program itself has none. A text is the indices of its lines, since most
 * lines are in many texts.
 */
export async function helpTexts(root) {
  const { allCommands, parseCommandLine } = await loadCommandLine(root);
  const lines = new Map();
  const texts = {};
  const add = async (words) => {
    const argv = [...words, '--help'];
    const { kind, text } = parseCommandLine(argv, await allCommands(argv));
    if (kind !== 'print') throw new Error(`flagwright ${argv.join(' ')} prints no help.`);
    texts[words.join(' ')] = text
      .split('\n')
      .map((line) => lines.get(line) ?? (lines.set(line, lines.size), lines.size - 1));
    const [, list = ''] = /^Commands:\n((?:.+\n)+)/m.exec(text) ?? [];
    const ofGroup = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name).filter((one) => one !== 'help');
    const { commands, groups } = await allCommands(argv);
    const names = words.length === 0 ? [...commands, ...groups].map(({ name }) => name) : ofGroup;
    for (const name of names) await add([...words, name]);
  };
  await add([]);
  return { lines: [...lines.keys()], texts };
}

/** The modules of the command line, bundled to a file of its own, below the packages that it imports. */
export async function loadCommandLine(root) {
  const outfile = join(root, 'node_modules/.cache/flagwright/command-line.mjs');
  await build({
    absWorkingDir: root,
    stdin: { contents: ENTRY, resolveDir: root },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // What a command runs is not needed to describe it.
    external: ['../actions/*', '../catalog/*', '../code/*', '../editing/*', '../project/*', './execute.ts'],
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'src/cli/line/version.ts')).href) },
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
