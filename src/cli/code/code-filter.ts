/** Tells code from the other files of a repository. */

import path from 'node:path';
import picomatch from 'picomatch';
import { matchFiles } from '../../config/match-files.ts';
import type { Config } from '../../config/config.ts';
import { DEFAULT_TESTS } from '../../expectations/read.ts';

/** Whether a file, named from the top of the repository, is code as the configuration says. `named`: absolute files that declare flags, and read none. */
export function codeFilter(config: Config, top: string, named: ReadonlySet<string>): (name: string) => boolean {
  const { root, manifests, tests = DEFAULT_TESTS, refs } = config;
  const own = [matchFiles(manifests), matchFiles(tests)];
  const isChosen = refs.paths === undefined ? () => true : picomatch([...refs.paths], { dot: true });
  const isIgnored = picomatch([...refs.ignore], { dot: true });
  const below = path.relative(top, root).split(path.sep).join('/');
  return (name) => {
    if (!isChosen(name) || isIgnored(name) || named.has(path.join(top, name))) return false;
    if (below !== '' && !name.startsWith(`${below}/`)) return true;
    const inRoot = below === '' ? name : name.slice(below.length + 1);
    return !own.some((matches) => matches(inRoot));
  };
}

/** The files of flagwright that the configuration names, absolute. */
export function namedFiles({ root, file, refs, policies }: Config): readonly string[] {
  const named = [
    ...(file === undefined ? [] : [path.basename(file)]),
    ...refs.sources.map((source) => source.file),
    ...(policies?.waivers === undefined ? [] : [policies.waivers]),
  ];
  return named.map((name) => path.resolve(root, name));
}
