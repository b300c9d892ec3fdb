/** What commits changed of flags, as effects: the history of the manifests, the newest commits first. */

import { join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalText } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import { MOST_CHANGES, type CatalogHistory, type PastChange } from '../../catalog/catalog.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchFiles } from '../../config/match-files.ts';
import type { Objects } from '../../loop/git/objects.ts';
import type { Repository } from '../../loop/git/repository.ts';
import { runGit } from '../../loop/git/run-git.ts';
import { asLive } from '../../posthog/as-live.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { parseManifest, resolveProject, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import { buildPlan } from '../../posthog/planning/build-plan.ts';
import { findEffects } from '../../review/effects/find-effects.ts';
import { noBaseText } from '../../report/words/base.ts';
import { whyNotOpen, type Checkout } from '../applied/open-checkout.ts';
import { identityOf } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';

export interface GitChanges {
  readonly history: CatalogHistory;
  /** By the key of the flag, the newest first. */
  readonly changes: ReadonlyMap<string, readonly PastChange[]>;
}

interface Reading {
  readonly session: Session;
  readonly config: Config;
  readonly projects: readonly ProjectConfig[];
  readonly checkout: Checkout;
  /** How many declarations may be read: what bounds the time. */
  readonly budget: number;
}

/** Reads commits until the budget is spent. A commit whose manifests had mistakes tells only of the flags without one. */
export async function readGitChanges({ session, config, projects, checkout, budget }: Reading): Promise<GitChanges> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return none(noBaseText(whyNotOpen(opened)));
  const { repository } = opened;
  const commits = await listCommits(repository, config);
  if (commits === undefined) return none('git cannot list the commits');
  const read = createReader(checkout.objectsOf(repository));
  const allProjects = Object.keys(config.projects);
  const changes = new Map<string, PastChange[]>();
  let since: string | undefined;
  for (const { at, by, commit, files } of commits) {
    await session.interrupts.breathe();
    if (read.declarations() > budget) {
      since = at;
      break;
    }
    const sides = await Promise.all(
      files.map(async ({ file, before, after }) => ({
        before: await read.file(file, before),
        after: await read.file(file, after),
      })),
    );
    for (const [key, all] of effectsOf(differing(sides), { projects, allProjects })) {
      const own = changes.get(key) ?? [];
      if (own.length >= MOST_CHANGES) continue;
      const facts = { at, source: 'git', commit, ...defined({ by }) } as const;
      changes.set(key, [...own, ...all.map((one) => ({ ...facts, ...one }))]);
    }
  }
  return { history: { kind: 'read', ...defined({ since }) }, changes };
}

type CommitEffects = readonly (Pick<PastChange, 'effects'> & { readonly projects: string[] })[];

/** What a commit changes, by the key of the flag; what it changes alike in several projects, once. */
function effectsOf(
  [former, wanted]: readonly [readonly ManifestFile[], readonly ManifestFile[]],
  { projects, allProjects }: { readonly projects: readonly ProjectConfig[]; readonly allProjects: readonly string[] },
): ReadonlyMap<string, CommitEffects> {
  const found = new Map<string, CommitEffects>();
  const add = (key: string, effects: PastChange['effects'], project: string): void => {
    const own = found.get(key) ?? [];
    const same = own.find((one) => isDeepStrictEqual(one.effects, effects));
    if (same === undefined) found.set(key, [...own, { effects, projects: [project] }]);
    else same.projects.push(project);
  };
  for (const project of projects) {
    const desiredOf = (files: readonly ManifestFile[]): DesiredState =>
      resolveProject({ files, project: atStart(project), allProjects }).desired;
    const { desired, live } = asLive(desiredOf(wanted), desiredOf(former));
    const plan = buildPlan(desired, live, { project: identityOf(project) });
    for (const { resource, key, effects } of findEffects(plan))
      if (resource === 'flag') add(key, effects, project.name);
  }
  return found;
}

function none(reason: string): GitChanges {
  return { history: { kind: 'none', reason }, changes: new Map() };
}

/** Steps of rollouts are no change of a commit: both sides are as before the first step. */
function atStart(project: ProjectConfig): ProjectConfig {
  return project.moment === undefined ? project : { ...project, moment: { ...project.moment, now: 0, progress: [] } };
}

interface Commit {
  readonly commit: string;
  readonly at: string;
  readonly by?: string;
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
      `--max-count=${MOST_COMMITS}`,
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
      const [commit = '', at = '', by = '', ...rest] = text.split('\0').map((part) => part.replace(/^\n/, ''));
      const entries = rest.filter((part) => part !== '');
      const files = entries.flatMap((entry, index): ChangedFile[] => {
        const [, before, after] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(entry) ?? [];
        const name = entries[index + 1];
        if (before === undefined || after === undefined || name === undefined) return [];
        const file = prefix === '' ? name : name.slice(prefix.length + 1);
        const sides = { before: isNone(before) ? undefined : before, after: isNone(after) ? undefined : after };
        return isManifest(file) ? [{ file, ...defined(sides) }] : [];
      });
      return { commit, at: new Date(at).toISOString(), files, ...(by === '' ? {} : { by }) };
    })
    .filter(({ files }) => files.length > 0);
}

const MOST_COMMITS = 1000;
const BEGIN = '\u0001';
const FORMAT = '%x01%H%x00%aI%x00%an%x00';

function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

function createReader(objects: Objects): {
  /** The parsed content of a file; `undefined` without a content, or if it is no text. */
  file(name: string, id: string | undefined): Promise<ManifestFile | undefined>;
  /** How many declarations were parsed. */
  declarations(): number;
} {
  const known = new Map<string, Promise<ManifestFile | undefined>>();
  let declarations = 0;
  const parse = async (name: string, id: string): Promise<ManifestFile | undefined> => {
    const object = await objects.read(id);
    const decoded = object?.bytes === undefined ? undefined : decodeUtf8(object.bytes);
    if (decoded === undefined || !('text' in decoded)) return undefined;
    const { file } = parseManifest(name, decoded.text);
    declarations += file.declarations.length;
    return file;
  };
  return {
    file: async (name, id) => {
      if (id === undefined) return undefined;
      const place = join(name, id);
      const found = known.get(place) ?? parse(name, id);
      known.set(place, found);
      return found;
    },
    declarations: () => declarations,
  };
}

/** Both sides with nothing but the declarations that differ, and all cohorts, which conditions name. */
function differing(
  sides: readonly { readonly before: ManifestFile | undefined; readonly after: ManifestFile | undefined }[],
): [ManifestFile[], ManifestFile[]] {
  const formOf = ({ section, key, value, written = value }: ManifestFile['declarations'][number]): string =>
    canonicalText([section, key, written]);
  const formsOf = (side: 'before' | 'after'): ReadonlySet<string> =>
    new Set(sides.flatMap((one) => one[side]?.declarations.map(formOf) ?? []));
  const [former, wanted] = [formsOf('before'), formsOf('after')];
  const rest = (file: ManifestFile | undefined, others: ReadonlySet<string>): ManifestFile[] =>
    file === undefined
      ? []
      : [
          {
            ...file,
            declarations: file.declarations.filter((one) => one.section !== 'flags' || !others.has(formOf(one))),
          },
        ];
  return [sides.flatMap(({ before }) => rest(before, wanted)), sides.flatMap(({ after }) => rest(after, former))];
}
