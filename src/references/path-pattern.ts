/** Patterns of files as `.gitignore` and CODEOWNERS have them. The time to match grows with the lengths of both, whatever the pattern is. */

/** Its folders and its name; `**` stands for any folders. */
export type PathPattern = readonly string[];

/** `undefined`: a pattern that fits nothing. */
export function parsePath(written: string): PathPattern | undefined {
  const isFolder = written.endsWith('/');
  const text = written.replace(/^\/+/, '').replace(/\/+$/, '');
  if (text === '') return written === '/' || isFolder ? ['**'] : undefined;
  const parts = text.split('/').filter((part) => part !== '');
  const isAnchored = written.startsWith('/') || text.includes('/');
  // What is in a folder that fits, fits too; `docs/*` names files of the folder alone.
  const isOfFiles = !isFolder && isAnchored && parts.at(-1) === '*';
  return [...(isAnchored ? [] : ['**']), ...parts, ...(isOfFiles || parts.at(-1) === '**' ? [] : ['**'])];
}

export function matchPath(pattern: PathPattern, file: string): boolean {
  return matchList(pattern, file.split('/'), {
    isAny: (part) => part === '**',
    fits: (part, name) => matchName(part, name),
  });
}

function matchName(pattern: string, name: string): boolean {
  return matchList(Array.from(pattern), Array.from(name), {
    isAny: (one) => one === '*',
    fits: (one, other) => one === '?' || one === other,
  });
}

interface Matching {
  /** It stands for any number of elements. */
  readonly isAny: (element: string) => boolean;
  readonly fits: (element: string, other: string) => boolean;
}

/** Goes back to the last element for any number only, which is enough. */
function matchList(pattern: readonly string[], list: readonly string[], { isAny, fits }: Matching): boolean {
  let [at, from, last, resume] = [0, 0, -1, 0];
  while (from < list.length) {
    const element = pattern[at];
    if (element !== undefined && isAny(element)) [last, resume, at] = [at, from, at + 1];
    else if (element !== undefined && fits(element, list[from] as string)) [at, from] = [at + 1, from + 1];
    else if (last === -1) return false;
    else [at, from, resume] = [last + 1, resume + 1, resume + 1];
  }
  return pattern.slice(at).every(isAny);
}
