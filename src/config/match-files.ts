/** Which files globs of the configuration name: those that a glob matches, without those of a glob that begins with `!`. */

import picomatch from 'picomatch';

/** Names are relative to the folder of the configuration, with `/` between folders. */
export function matchFiles(globs: readonly string[]): (name: string) => boolean {
  const isExcluded = (glob: string): boolean => glob.startsWith('!');
  return picomatch(
    globs.filter((glob) => !isExcluded(glob)),
    { ignore: globs.filter(isExcluded).map((glob) => glob.slice(1)) },
  );
}
