/**
 * The version of this package, what it runs on, and its files outside `dist`, from the source and from the bundled command alike. Versions
 * and help, as the build made it, are shown without loading anything else.
 */

import { existsSync, readFileSync } from 'node:fs';
import { memberOf } from '../../base/json.ts';
import { once } from '../../base/once.ts';

export function version(): string {
  return readPackage().version;
}

/** The versions of Node.js that this package supports: `>=20.19`. */
export function neededNode(): string {
  return readPackage().engines.node;
}

interface Package {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const readPackage = once(() => JSON.parse(readPackageFile('package.json')) as Package);

/** `name`: relative to the package's root. */
export function readPackageFile(name: string): string {
  return readFileSync(new URL(name, packageRoot()), 'utf8');
}

function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('schemas/', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href)
      throw new Error('This copy of flagwright is incomplete: it has no folder schemas. Install it again.');
    folder = parent;
  }
  return folder;
}

/** Version managers and prompts ask often. `undefined` if the program has to be loaded. */
export function answerAtOnce(argv: readonly string[], columns: number | undefined): string | undefined {
  const [first = '', ...others] = argv;
  const isVersion = others.length === 0 && ['--version', '-V'].includes(first);
  return isVersion ? `${version()}\n` : findHelp(argv, columns);
}

const USUAL_COLUMNS = 80;

/** `undefined` if the arguments do not ask for help, or it has to be laid out for them. `columns`: absent or 0 if it is not for a terminal. */
export function findHelp(argv: readonly string[], columns: number | undefined): string | undefined {
  const words = wordsOf(argv);
  if (words === undefined || (columns || USUAL_COLUMNS) !== USUAL_COLUMNS) return undefined;
  const { lines, texts } = JSON.parse(readPackageFile('dist/cli/help.json')) as HelpTexts;
  return memberOf(texts, words.join(' '))
    ?.map((index) => lines[index])
    .join('\n');
}

/** Texts are indices of lines, since most lines are in many texts. */
interface HelpTexts {
  readonly lines: readonly string[];
  readonly texts: Readonly<Record<string, readonly number[]>>;
}

/** The words that name the command whose help is asked for. */
function wordsOf(argv: readonly string[]): readonly string[] | undefined {
  if (argv.length === 0) return argv;
  if (['-h', '--help'].includes(argv.at(-1) ?? '')) return argv.slice(0, -1);
  return argv[0] === 'help' ? argv.slice(1) : undefined;
}
