/** What commits did to flags: the history of the manifests, the newest commits first, as effects; and who wrote what is on disk. */

import { join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fromPointer } from '../../base/json-pointer.ts';
import { canonicalText, definedKeys } from '../../base/json.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/optional.ts';
import type { PlaceTree } from '../../base/place.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import { MOST_CHANGES, type CatalogGap, type PastAuthor, type PastChange } from '../../catalog/catalog.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchFiles } from '../../config/select.ts';
import type { ManifestSource } from '../../core/manifest/source.ts';
import { blobName } from '../../loop/git/code-files.ts';
import type { Objects } from '../../loop/git/objects.ts';
import type { Repository } from '../../loop/git/repository.ts';
import { runGit } from '../../loop/git/run-git.ts';
import { asLive } from '../../posthog/as-live.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { canonicalFlag } from '../../posthog/flag/model/canonical.ts';
import { toForm } from '../../posthog/flag/model/normal-forms.ts';
import { parseManifest, resolveProject, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import { buildPlan } from '../../posthog/planning/build-plan.ts';
import type { ResourceEffects } from '../../review/effects/effect.ts';
import { findEffects, standingOf } from '../../review/effects/find-effects.ts';
import { noBaseText } from '../../report/words/base.ts';
import { whyNotOpen, type Checkout } from '../applied/open-checkout.ts';
import type { BlamedFlag } from '../code/stale-evidence.ts';
import { identityOf } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';

export interface GitChanges {
  /** By the key of the flag, the newest first. */
  readonly changes: ReadonlyMap<string, readonly PastChange[]>;
  /** The newest commit after which a flag is declared otherwise, not only written otherwise; `undefined`: it cannot be known. */
  readonly declared: ReadonlyMap<string, PastAuthor | undefined>;
  /** By the key of the flag; without those of which the commits that were read do not tell. */
  readonly authors: ReadonlyMap<string, BlamedFlag>;
  readonly gaps: readonly CatalogGap[];
}

interface Reading {
  readonly session: Session;
  readonly config: Config;
  readonly projects: readonly ProjectConfig[];
  readonly checkout: Checkout;
  /** The manifests on disk. */
  readonly files: readonly ManifestFile[];
  readonly source: ManifestSource;
}

/** Reads commits until they declare much more than the disk. What a commit with mistakes did to a flag is not told. */
export async function readGitChanges(reading: Reading): Promise<GitChanges> {
  const { session, config, projects, checkout, files, source } = reading;
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return none(noBaseText(whyNotOpen(opened)));
  const { repository } = opened;
  const commits = await listCommits(repository, config);
  if (commits === undefined) return none('git cannot list the commits');
  const read = createReader({ objects: () => checkout.objectsOf(repository), repository, source });
  const authors = await followAuthors(files, read);
  const budget = 2 * read.declarations() + LEAST_READ;
  const allProjects = Object.keys(config.projects);
  const changes = new Map<string, PastChange[]>();
  const declared = new Map<string, PastAuthor | undefined>();
  const onDisk = flagsIn(files);
  const gaps: CatalogGap[] = [];
  let unread = 0;
  for (const [index, commit] of commits.entries()) {
    const { at, by, commit: id } = commit;
    await session.interrupts.breathe();
    if (read.declarations() > budget || index === MOST_COMMITS) {
      gaps.push({ what: 'git_changes_before', since: at, why: 'many' });
      break;
    }
    const sides = await read.sides(commit);
    // The first commit of a shallow clone has all that the older ones brought.
    if (commit.isRoot && repository.shallow) {
      authors.add({}, sides);
      gaps.push({ what: 'git_changes_before', since: at, why: 'shallow' });
      continue;
    }
    unread += sides.filter(({ isUnread }) => isUnread).length;
    authors.add({ at, ...defined({ author: by }) }, sides);
    const difference = differing(sides);
    const facts = { at, source: 'git', commit: id, ...defined({ by }) } as const;
    for (const [key, wanted] of flagsIn([...difference.former, ...difference.wanted], difference.wanted)) {
      // A merge, or an edit that is not committed, came after it where the disk has something else.
      const isKnown = !difference.unsure.has(key) && declareAlike(wanted, onDisk.get(key) ?? []);
      if (!declared.has(key)) declared.set(key, isKnown ? facts : undefined);
    }
    for (const [key, all] of effectsOf(difference, { projects, allProjects, onDisk })) {
      const own = changes.get(key) ?? [];
      if (own.length >= MOST_CHANGES) continue;
      changes.set(key, [...own, ...all.map((one) => ({ ...facts, ...one }))]);
    }
  }
  if (unread > 0) gaps.push({ what: 'git_contents', amount: unread });
  for (const [key, own] of changes) changes.set(key, withoutMoves(own));
  return { changes, declared, authors: authors.known(), gaps };
}

/** A flag that a commit declares although an older one did was not made by it: it moved to another file, or came back. The newest first. */
function withoutMoves(changes: readonly PastChange[]): PastChange[] {
  return changes.flatMap((change, index): readonly PastChange[] => {
    const { effects, commit, projects = [] } = change;
    if (effects === 'released' || !effects.some(({ what }) => what === 'created')) return [change];
    const older = changes
      .slice(index + 1)
      .find((one) => one.commit !== commit && one.projects?.some((name) => projects.includes(name)) === true);
    const wasThere = older !== undefined && !isDeletion(older);
    if (!wasThere) return [change];
    return isDeepStrictEqual(toCompare(older), toCompare(change)) ? [] : [{ ...change, isAgain: true }];
  });
}

/** The changes of a plan have canonical conditions, and those of new flags have them as they are written. */
function toCompare({ effects, projects = [] }: PastChange): unknown {
  if (effects === 'released') return effects;
  const canonical = effects.map((effect) => {
    if (effect.what !== 'created') return effect;
    const groups = effect.conditions.map(({ condition }) => condition);
    return { ...effect, conditions: canonicalFlag({ filters: { groups } }) };
  });
  return [canonical, projects];
}

function isDeletion({ effects }: PastChange): boolean {
  return effects !== 'released' && effects.some(({ what }) => what === 'deleted');
}

/** Declarations of commits, besides twice those on disk. */
const LEAST_READ = 2000;

type CommitEffects = readonly (Pick<PastChange, 'effects'> & { readonly projects: string[] })[];

/** What a commit changes, by the key of the flag; what it changes alike in several projects, once. */
function effectsOf(
  { former, wanted, unsure }: Difference,
  {
    projects,
    allProjects,
    onDisk,
  }: Pick<Reading, 'projects'> & {
    readonly allProjects: readonly string[];
    readonly onDisk: ReadonlyMap<string, unknown>;
  },
): ReadonlyMap<string, CommitEffects> {
  const found = new Map<string, CommitEffects>();
  const left = new Set(unsure);
  const isOfNewFlags = !former.some(({ declarations }) => declarations.some(({ section }) => section === 'flags'));
  const add = (key: string, effects: PastChange['effects'], project: string): void => {
    const own = found.get(key) ?? [];
    const same = own.find((one) => isDeepStrictEqual(one.effects, effects));
    if (same === undefined) found.set(key, [...own, { effects, projects: [project] }]);
    else same.projects.push(project);
  };
  for (const project of projects) {
    const desiredOf = (files: readonly ManifestFile[]): DesiredState => {
      const { desired, diagnostics } = resolveProject({ files, project: atStart(project), allProjects });
      for (const { severity, path = '' } of diagnostics) {
        const [section, key] = fromPointer(path);
        if (severity === 'error' && section === 'flags' && key !== undefined) left.add(key);
      }
      return desired;
    };
    const after = desiredOf(wanted);
    if (isOfNewFlags) {
      for (const { key, effects } of newFlags(after)) add(key, effects, project.name);
      continue;
    }
    const before = desiredOf(former);
    for (const { key, effects } of flagChanges(project, { after, before })) add(key, effects, project.name);
    const kept = new Set(after.flags.map(({ key }) => key));
    // One that came back is told by the commit that brought it.
    for (const { key, kind } of before.flags)
      if (kind === 'declared' && !kept.has(key) && !onDisk.has(key)) add(key, 'released', project.name);
  }
  for (const key of left) found.delete(key);
  return found;
}

type FlagEffects = readonly Pick<ResourceEffects, 'key' | 'effects'>[];

function flagChanges(
  project: ProjectConfig,
  { before, after }: Readonly<Record<'before' | 'after', DesiredState>>,
): FlagEffects {
  const { desired, live } = asLive(after, before);
  const plan = buildPlan(desired, live, { project: identityOf(project) });
  return findEffects(plan).filter(({ resource }) => resource === 'flag');
}

/** As a plan of them says, but with conditions as written: of the thousands of a first commit, a plan would compute forms and requests. */
export function newFlags({ flags }: Pick<DesiredState, 'flags'>): FlagEffects {
  return flags.flatMap((flag) => {
    if (flag.kind !== 'declared') return [];
    const { key, fields } = flag;
    const filters = toForm('aggregation', fields['filters'] ?? null, fields);
    return [{ key, effects: [standingOf({ ...fields, filters }, definedKeys(fields))] }];
  });
}

function none(reason: string): GitChanges {
  return { changes: new Map(), declared: new Map(), authors: new Map(), gaps: [{ what: 'git_changes', reason }] };
}

/** Steps of rollouts are no change of a commit: both sides are as before the first step. */
function atStart(project: ProjectConfig): ProjectConfig {
  return project.moment === undefined ? project : { ...project, moment: { ...project.moment, now: 0, progress: [] } };
}

interface Commit {
  readonly commit: string;
  readonly at: string;
  readonly by?: string;
  /** It has no parent in this clone. */
  readonly isRoot: boolean;
  readonly files: readonly ChangedFile[];
}

interface ChangedFile {
  /** Relative to the folder of the configuration. */
  readonly file: string;
  /** Ids of the contents; absent: there was no such file. */
  readonly before?: string;
  readonly after?: string;
}

/** Those that changed manifests, the newest first; a merge is told by the commits that it merges. */
async function listCommits(
  repository: Repository,
  { root, manifests }: Config,
): Promise<readonly Commit[] | undefined> {
  const isManifest = matchFiles(manifests);
  const prefix = relative(repository.top, root).split(sep).join('/');
  const run = await runGit(repository.caller, {
    args: [
      'log',
      '-z',
      '--no-merges',
      '--raw',
      '--no-abbrev',
      '--no-renames',
      `--max-count=${MOST_COMMITS + 1}`,
      `--format=${FORMAT}`,
      'HEAD',
      '--',
      root,
    ],
  });
  if (run.kind !== 'done') return undefined;
  return run.stdout
    .toString()
    .split(BEGIN)
    .slice(1)
    .map((text): Commit => {
      const [commit = '', parents, at = '', by = '', ...rest] = text.split('\0').map((part) => part.replace(/^\n/, ''));
      const entries = rest.filter((part) => part !== '');
      const files = entries.flatMap((entry, index): ChangedFile[] => {
        const [, before, after] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(entry) ?? [];
        const name = entries[index + 1];
        if (before === undefined || after === undefined || name === undefined) return [];
        const file = prefix === '' ? name : name.slice(prefix.length + 1);
        const sides = { before: isNone(before) ? undefined : before, after: isNone(after) ? undefined : after };
        return isManifest(file) ? [{ file, ...defined(sides) }] : [];
      });
      const facts = { commit, isRoot: parents === '', at: new Date(at).toISOString(), files };
      return by === '' ? facts : { ...facts, by };
    })
    .filter(({ files }) => files.length > 0);
}

const MOST_COMMITS = 1000;
const BEGIN = '\u0001';
const FORMAT = '%x01%H%x00%P%x00%aI%x00%an%x00';

function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

/** A file as a commit has it, or the disk. */
interface Version {
  readonly manifest: ManifestFile;
  /** The lines of each flag that it declares, by its key: those of which `git blame` tells. */
  readonly lines: () => ReadonlyMap<string, string>;
}

interface Sides {
  readonly file: string;
  /** Absent: there was no such file, or it is not known. */
  readonly before?: Version;
  readonly after?: Version;
  /** The clone lacks the content of a side, or the content is no text. */
  readonly isUnread: boolean;
}

interface Reader {
  onDisk(file: string): Promise<Version | undefined>;
  sides(commit: Pick<Commit, 'files'>): Promise<readonly Sides[]>;
  /** How many declarations were parsed. */
  declarations(): number;
}

interface ReadFrom {
  readonly objects: () => Objects;
  readonly repository: Repository;
  /** Of the files on disk. */
  readonly source: ManifestSource;
}

function createReader({ objects, repository, source }: ReadFrom): Reader {
  const known = new Map<string, Promise<Version | undefined>>();
  const versions = new Map<ManifestFile, Version>();
  let declarations = 0;
  const parse = (file: string, text: string): Version => {
    // The same text is the same manifest.
    const { file: manifest } = parseManifest(file, text);
    const found = versions.get(manifest);
    if (found !== undefined) return found;
    const version = { manifest, lines: once(() => linesOf(manifest, text)) };
    versions.set(manifest, version);
    declarations += manifest.declarations.length;
    return version;
  };
  const versionOf = async (file: string, id: string | undefined): Promise<Version | undefined> => {
    if (id === undefined) return undefined;
    const place = join(file, id);
    const found =
      known.get(place) ??
      objects()
        .read(id)
        .then((object) => {
          const decoded = object?.bytes && decodeUtf8(object.bytes);
          return decoded && 'text' in decoded ? parse(file, decoded.text) : undefined;
        });
    known.set(place, found);
    return found;
  };
  const sidesOf = async ({ file, before, after }: ChangedFile): Promise<Sides> => {
    const [former, later] = [await versionOf(file, before), await versionOf(file, after)];
    const isUnread =
      (former === undefined) !== (before === undefined) || (later === undefined) !== (after === undefined);
    return { file, isUnread, ...defined({ before: former, after: later }) };
  };
  return {
    onDisk: async (file) => {
      const read = await source.read(file);
      if (!('text' in read)) return undefined;
      const version = parse(file, read.text);
      // The newest commits have most of it: git need not read that again.
      if (read.bytes !== undefined) known.set(join(file, blobName(read.bytes, repository)), Promise.resolve(version));
      return version;
    },
    sides: async ({ files }) => Promise.all(files.map(sidesOf)),
    declarations: () => declarations,
  };
}

function linesOf({ declarations }: ManifestFile, text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/);
  const found = new Map<string, string>();
  for (const { section, key, places } of declarations) {
    if (section !== 'flags') continue;
    const own = new Set<number>();
    addLines(places, own);
    found.set(key, [found.get(key) ?? '', ...[...own].map((line) => lines[line - 1] ?? '')].join('\n'));
  }
  return found;
}

function addLines({ place, children = {} }: PlaceTree, lines: Set<number>): void {
  lines.add(place.line);
  for (const name of Object.keys(children)) addLines(children[name] as PlaceTree, lines);
}

interface Authors {
  /** Takes the commits from the newest on. `author`: empty if it is not the one who wrote what the commit brings. */
  add(author: BlamedFlag, sides: readonly Sides[]): void;
  known(): GitChanges['authors'];
}

/** Follows the lines of each flag from the disk to the commit that brought them, as `git blame` does, also to the former name of a file. */
async function followAuthors(files: readonly ManifestFile[], read: Reader): Promise<Authors> {
  /** The versions with the lines that no commit explains yet, by file and key. */
  const open = new Map<string, Map<string, Version>>();
  const found = new Map<string, BlamedFlag>();
  const lost = new Set<string>();
  for (const { file } of files) {
    const version = await read.onDisk(file);
    const flags = (version?.manifest.declarations ?? []).filter(({ section }) => section === 'flags');
    open.set(file, new Map(flags.flatMap(({ key }) => (version === undefined ? [] : [[key, version]]))));
  }
  // Of most files, the newest commit has what is on disk: their lines are not needed.
  const isIn = (version: Version | undefined, key: string, own: Version): boolean =>
    version === own || (version !== undefined && version.lines().get(key) === own.lines().get(key));
  return {
    add: (author, sides) => {
      const moved: (readonly [file: string, key: string, own: Version])[] = [];
      for (const { file, before, after, isUnread } of sides) {
        const flags = open.get(file) ?? new Map<string, Version>();
        for (const [key, own] of flags) {
          if (isIn(before, key, own) && isIn(after, key, own)) continue;
          flags.delete(key);
          const former = sides.find((one) => one.after === undefined && isIn(one.before, key, own));
          // They are not committed, or of a merge.
          if (isUnread || !isIn(after, key, own)) lost.add(key);
          else if (former !== undefined) moved.push([former.file, key, own]);
          else if (!found.has(key) || author.at === undefined) found.set(key, author);
        }
      }
      for (const [file, key, own] of moved) open.set(file, new Map(open.get(file)).set(key, own));
    },
    known: () => {
      for (const own of open.values()) for (const key of own.keys()) lost.add(key);
      return new Map([...found].filter(([key]) => !lost.has(key)));
    },
  };
}

interface Difference {
  /** The declarations that differ, and all cohorts, which conditions name. */
  readonly former: readonly ManifestFile[];
  readonly wanted: readonly ManifestFile[];
  /** The keys of flags of which a side is not known. */
  readonly unsure: ReadonlySet<string>;
}

function differing(sides: readonly Sides[]): Difference {
  const sound = sides.filter(({ isUnread }) => !isUnread);
  const [before, after] = [sound.flatMap(manifestsOf('before')), sound.flatMap(manifestsOf('after'))];
  const [former, wanted] = [withoutThose(before, after), withoutThose(after, before)];
  return { former, wanted, unsure: unsureIn(former, wanted, sides) };
}

/** A file that has none of the flags is itself, so that what is known of it is not computed again. */
function withoutThose(files: readonly ManifestFile[], others: readonly ManifestFile[]): readonly ManifestFile[] {
  if (files.length === 0 || others.length === 0) return files;
  const forms = new Set(others.flatMap(({ declarations }) => declarations.map(formOf)));
  return files.map((file) => {
    const rest = file.declarations.filter((one) => one.section !== 'flags' || !forms.has(formOf(one)));
    return rest.length === file.declarations.length ? file : { ...file, declarations: rest };
  });
}

function manifestsOf(side: 'before' | 'after'): (sides: Sides) => readonly ManifestFile[] {
  return ({ [side]: version }) => (version === undefined ? [] : [version.manifest]);
}

type Declaration = ManifestFile['declarations'][number];

/** The same text is the same declaration, on disk and in commits. */
const formsByDeclaration = new WeakMap<Declaration, string>();

function formOf(declaration: Declaration): string {
  const known = formsByDeclaration.get(declaration);
  if (known !== undefined) return known;
  const { section, key, value, written = value } = declaration;
  const form = canonicalText([section, key, written]);
  formsByDeclaration.set(declaration, form);
  return form;
}

/** What files declare of each flag that some of them name, by its key. */
function flagsIn(naming: readonly ManifestFile[], saying = naming): ReadonlyMap<string, readonly Declaration[]> {
  const found = new Map<string, Declaration[]>();
  const flagsOf = (some: readonly ManifestFile[]): readonly Declaration[] =>
    some.flatMap(({ declarations }) => declarations.filter(({ section }) => section === 'flags'));
  for (const { key } of flagsOf(naming)) found.set(key, []);
  for (const one of flagsOf(saying)) found.get(one.key)?.push(one);
  return found;
}

function declareAlike(some: readonly Declaration[], others: readonly Declaration[]): boolean {
  const areAlike = (one: Declaration, other: Declaration | undefined): boolean =>
    one === other || (other !== undefined && formOf(one) === formOf(other));
  return some.length === others.length && some.every((one, index) => areAlike(one, others[index]));
}

/** Those with a mistake, and those that one side declares and the unread part of the other side may. */
function unsureIn(
  former: readonly ManifestFile[],
  wanted: readonly ManifestFile[],
  sides: readonly Sides[],
): ReadonlySet<string> {
  const isAnyUnread = sides.some(({ isUnread }) => isUnread);
  const keysOf = (some: readonly ManifestFile[], isSought: (sound: boolean) => boolean): readonly string[] =>
    some.flatMap(({ declarations }) =>
      declarations.flatMap(({ section, key, sound }) => (section === 'flags' && isSought(sound) ? [key] : [])),
    );
  const onlyIn = (some: readonly ManifestFile[], others: readonly ManifestFile[]): readonly string[] => {
    if (!isAnyUnread && others.every(({ complete }) => complete)) return [];
    const known = new Set(keysOf(others, () => true));
    return keysOf(some, () => true).filter((key) => !known.has(key));
  };
  const unsound = keysOf([...former, ...wanted], (sound) => !sound);
  return new Set([...unsound, ...onlyIn(former, wanted), ...onlyIn(wanted, former)]);
}
