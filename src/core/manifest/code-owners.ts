/**
 * Reads who owns a file from CODEOWNERS, as GitHub and GitLab understand it: the last pattern that fits counts, in GitLab the last of each section.
 * A line that cannot be read names nobody. The owner of a resource is whom a tag names, else the owners of the file that declares it.
 */

/** Where the file may be, from the top of the repository; the first that exists counts. */
export const OWNER_FILES: readonly string[] = [
  '.github/CODEOWNERS',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
];

interface OwnerRule {
  readonly section: string;
  readonly pattern: PathPattern;
  /** GitLab: the file has no owner in this section. */
  readonly isExclusion: boolean;
  readonly owners: readonly string[];
}

/** @returns The owners of a file, named from the top of the repository. */
export function parseOwners(text: string): (file: string) => readonly string[] {
  const rules = readRules(text);
  const sections = [...new Set(rules.map(({ section }) => section))];
  return (file) => {
    const found = rules.filter(({ pattern }) => matchPath(pattern, file));
    return [...new Set(sections.flatMap((section) => ownersIn(found.filter((rule) => rule.section === section))))];
  };
}

function ownersIn(found: readonly OwnerRule[]): readonly string[] {
  return found.some(({ isExclusion }) => isExclusion) ? [] : (found.at(-1)?.owners ?? []);
}

function readRules(text: string): readonly OwnerRule[] {
  const rules: OwnerRule[] = [];
  let [section, defaults]: [string, readonly string[]] = ['', []];
  for (const line of text.split(/\r?\n/)) {
    const [, name, owners] = SECTION.exec(line) ?? [];
    if (name !== undefined) [section, defaults] = [name.trim().toLowerCase(), ownersOf(owners ?? '')];
    const [written, rest = ''] = name === undefined ? splitLine(line) : [];
    if (written === undefined) continue;
    const isExclusion = written.startsWith('!');
    const pattern = parsePath(isExclusion ? written.slice(1) : written);
    if (pattern === undefined) continue;
    const own = ownersOf(rest);
    rules.push({ section, pattern, isExclusion, owners: own.length === 0 ? defaults : own });
  }
  return rules;
}

/** `[Section]`, `^[Optional]`, `[Section][2] @owners`. */
const SECTION = /^\s*\^?\[([^\]]+)\](?:\[\d+\])?(?:\s+(.*))?$/;

/** The pattern, in which a backslash stands before spaces and `#`, and the rest. */
function splitLine(line: string): readonly [written: string, rest: string] | readonly [] {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return [];
  const [written = ''] = /^(?:\\.|[^\s\\])+/.exec(text) ?? [];
  return written === '' ? [] : [written.replaceAll(/\\(.)/g, '$1'), text.slice(written.length)];
}

/** A comment may follow. */
function ownersOf(text: string): readonly string[] {
  return text
    .replace(/(?:^|\s)#.*$/, '')
    .split(/\s+/)
    .filter((word) => OWNER.test(word));
}

/** `@user`, `@org/team`, `@@role` or an address. */
const OWNER = /^@{1,2}[\w./-]+$|^[^\s@]+@[^\s@]+$/;

/** Its folders and its name; `**` stands for any folders. */
type PathPattern = readonly string[];

/** `undefined`: a pattern that fits nothing. */
function parsePath(written: string): PathPattern | undefined {
  const isFolder = written.endsWith('/');
  const text = written.replace(/^\/+/, '').replace(/\/+$/, '');
  if (text === '') return written === '/' || isFolder ? ['**'] : undefined;
  const parts = text.split('/').filter((part) => part !== '');
  const isAnchored = written.startsWith('/') || text.includes('/');
  // What is in a folder that fits, fits too; `docs/*` names files of the folder alone.
  const isOfFiles = !isFolder && isAnchored && parts.at(-1) === '*';
  return [...(isAnchored ? [] : ['**']), ...parts, ...(isOfFiles || parts.at(-1) === '**' ? [] : ['**'])];
}

function matchPath(pattern: PathPattern, file: string): boolean {
  return matchList(pattern, file.split('/'), {
    isAny: (part) => part === '**',
    fits: (part, name) =>
      matchList(Array.from(part), Array.from(name), {
        isAny: (one) => one === '*',
        fits: (one, other) => one === '?' || one === other,
      }),
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

/** `code_owners`: of the file that declares the resource. */
export interface Owner {
  readonly name: string;
  readonly by: 'tag' | 'code_owners';
}

export const DEFAULT_OWNER_PREFIXES: readonly string[] = ['owner:', 'team:'];

/** What the configuration and the repository say about owners. */
export interface OwnerRules {
  /** What the tags begin with that name an owner. */
  readonly prefixes: readonly string[];
  /** The owners of a file, which is named as places of manifests name it. */
  readonly ownersOf: (file: string) => readonly string[];
  /** There is a list of owners, and it cannot be read. */
  readonly isUnread?: true;
}

/** `file`: absent if no manifest declares the resource. */
interface OwnedResource {
  /** Those of manifests and of the service, which may have any value. */
  readonly tags: readonly unknown[];
  readonly file?: string;
}

export function ownerOf({ tags, file }: OwnedResource, { prefixes, ownersOf }: OwnerRules): Owner | undefined {
  for (const tag of tags) {
    const prefix = typeof tag === 'string' ? prefixes.find((one) => tag.startsWith(one)) : undefined;
    const name = prefix === undefined ? '' : String(tag).slice(prefix.length).trim();
    if (name !== '') return { name, by: 'tag' };
  }
  const owners = file === undefined ? [] : ownersOf(file);
  return owners.length === 0 ? undefined : { name: owners.join(' '), by: 'code_owners' };
}
