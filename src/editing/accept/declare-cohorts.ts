/** Declares live cohorts that no manifest names: in the file that has most of the declared cohorts, or in a new file. */

import { comparing } from '../../base/compare-strings.ts';
import { jsonEquals } from '../../base/json.ts';
import { chooseAliases } from '../../export/aliases.ts';
import { declareCohorts as writeDeclarations } from '../../export/cohorts.ts';
import { changeCohort } from '../../posthog/cohort/changes.ts';
import type { Cohort } from '../../posthog/cohort/cohort.ts';
import { COHORT_SECTION } from '../../posthog/cohort/manifest.ts';
import { aliasesOf, matchAllCohorts } from '../../posthog/cohort/match.ts';
import { snapshotCohorts } from '../../posthog/cohort/snapshot.ts';
import { parseManifest } from '../../posthog/manifests/manifests.ts';
import { lookupNames } from '../../posthog/names.ts';
import type { Project } from '../../posthog/project.ts';
import { toEditingContext, type EditingContext } from '../context.ts';
import { meaningsOf } from '../declared.ts';
import { findNewErrors } from '../new-errors.ts';
import { editTexts, readTexts, type FileEdit, type ManifestText, type ReadTexts } from '../texts.ts';
import type { LeftFlag } from './accepted.ts';
import type { DeclareInput, DeclaredUnmanaged } from './declare-unmanaged.ts';
import { nameResource } from '../../posthog/resource-name.ts';

export interface DeclareCohortsInput extends Omit<DeclareInput, 'keys' | 'withRoleAccess'> {
  /** The ids of the cohorts to declare. */
  readonly ids: ReadonlySet<number>;
}

/** Nothing that is declared changes, in no project, and a plan has nothing to do for the new ones: both are checked on the texts. */
export function declareUnmanagedCohorts(input: DeclareCohortsInput): DeclaredUnmanaged {
  const context = toEditingContext(input);
  const identified = identify(input, context);
  const left: LeftFlag[] = [...identified.left];
  let open: readonly NamedCohort[] = identified.named;
  for (;;) {
    const attempt = tryDeclare(context, input, open);
    const wrong = attempt.left.length > 0 ? attempt.left : findWrong(context, attempt.after, open);
    if (wrong.length === 0) return finish(attempt, open, left);
    left.push(...wrong);
    open = open.filter(({ cohort }) => !wrong.some(({ key }) => key === nameOfId(cohort)));
  }
}

interface NamedCohort {
  readonly alias: string;
  readonly cohort: Cohort;
}

/** A cohort that was not declared is named as the command line names it. */
function nameOfId({ id }: Cohort): string {
  return nameResource('cohort', String(id));
}

/** The alias of the configuration, or else one made from the name, by which the cohort must be found. */
function identify(
  { ids, live, project }: DeclareCohortsInput,
  { read }: EditingContext,
): { readonly named: readonly NamedCohort[]; readonly left: readonly LeftFlag[] } {
  const cohorts = (live.cohorts ?? []).filter(({ deleted }) => deleted !== true);
  const { cohort: configured } = lookupNames([], project);
  const declared = [...read.declarations.values()].filter(({ section }) => section === COHORT_SECTION.name);
  const taken = { ...Object.fromEntries(declared.map(({ key }) => [key, 0])), ...project.cohorts };
  const nameless = cohorts.filter(({ id }) => ids.has(id) && configured(id) === undefined);
  const names = new Map(nameless.map(({ id, name }) => [id, name ?? undefined]));
  const { cohorts: chosen } = chooseAliases({ cohorts: names, roles: new Map() }, { cohorts: taken, roles: {} }, []);
  const aliasOf = new Map(Object.entries(chosen).map(([alias, id]) => [id, alias]));
  const named: NamedCohort[] = [];
  const left: LeftFlag[] = [];
  for (const cohort of cohorts.filter(({ id }) => ids.has(id))) {
    const { id } = cohort;
    const name = cohort.name?.trim() ?? '';
    const alias = configured(id) ?? aliasOf.get(id);
    const isFound = configured(id) !== undefined || cohorts.filter((other) => other.name?.trim() === name).length === 1;
    if (alias !== undefined && declared.some(({ key }) => key === alias)) {
      left.push({ key: nameOfId(cohort), reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } });
    } else if (alias === undefined || !isFound) {
      const reason = { code: 'cohort-unidentified', name, alias: alias ?? `cohort-${id}`, id } as const;
      left.push({ key: nameOfId(cohort), reason });
    } else named.push({ alias, cohort });
  }
  return { named, left };
}

interface Attempt extends Pick<DeclaredUnmanaged, 'edited' | 'files' | 'left'> {
  readonly after: ReadTexts;
}

function tryDeclare(context: EditingContext, input: DeclareCohortsInput, open: readonly NamedCohort[]): Attempt {
  const { live, writing, folder } = input;
  const project = withAliases(input.project, open);
  const exported = { flags: [], roleAccess: undefined, names: project, cohorts: live.cohorts ?? [] };
  const surroundings = { input: exported, options: writing, names: lookupNames([], project) };
  const ids = open.map(({ cohort }) => cohort.id);
  const { files, reasons } = writeDeclarations(ids, surroundings, []);
  const home = homeOf(context.read);
  const edits = home === undefined ? [] : files.flatMap(({ path, text }) => editsOf(parseManifest(path, text), home));
  const { texts, refused } = editTexts(context.manifests, edits);
  const isNew = home === undefined || refused.length > 0;
  const added = isNew ? files.map(({ path, text }) => ({ file: `${folder}/${path}`, text })) : [];
  const all = isNew ? context.manifests : texts;
  return {
    edited: changed(context.manifests, all),
    files: added,
    after: readTexts([...all, ...added], context.allProjects),
    left: open.flatMap(({ cohort }): LeftFlag[] => {
      const reason = reasons.get(cohort.id);
      const name = cohort.name?.trim() ?? '';
      return reason === undefined
        ? []
        : [{ key: nameOfId(cohort), reason: { code: 'cohort-undeclarable', name, reason } }];
    }),
  };
}

function withAliases(project: Project, open: readonly NamedCohort[]): Project {
  const added = Object.fromEntries(open.map(({ alias, cohort }) => [alias, cohort.id]));
  return { ...project, cohorts: { ...project.cohorts, ...added } };
}

/** The file with most of the declared cohorts. */
function homeOf({ declarations }: ReadTexts): string | undefined {
  const counts = new Map<string, number>();
  for (const { section, file } of declarations.values()) {
    if (section === COHORT_SECTION.name) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}

function editsOf({ file }: ReturnType<typeof parseManifest>, home: string): FileEdit[] {
  return file.declarations.map(({ key, value }) => ({
    file: home,
    edit: { path: [COHORT_SECTION.name, key], value },
  }));
}

function changed(before: readonly ManifestText[], after: readonly ManifestText[]): ManifestText[] {
  return after.filter(({ text }, index) => before[index]?.text !== text);
}

/** Read with the names that the configuration has: the cohort is found as a plan finds it. */
function findWrong(context: EditingContext, after: ReadTexts, open: readonly NamedCohort[]): readonly LeftFlag[] {
  const { live, project, projects } = context;
  const cohorts = live.cohorts ?? [];
  const { desired } = after.resolve(project);
  const matches = matchAllCohorts(desired, { cohorts });
  const snapshot = snapshotCohorts(cohorts, aliasesOf(matches));
  const same = new Set(
    matches.pairs.flatMap((pair) => (changeCohort(pair, snapshot).changes.length === 0 ? (pair.live?.id ?? []) : [])),
  );
  const wrong = open.filter(({ cohort }) => !same.has(cohort.id));
  const isSound = projects.every(
    (one) => findNewErrors(context.read, after, one).length === 0 && keepsAll(one, context.read, after),
  );
  const failing = wrong.length > 0 || isSound ? wrong : open;
  return failing.map(({ cohort }) => ({ key: nameOfId(cohort), reason: { code: 'reads-differently' } }));
}

function keepsAll(project: Project, before: ReadTexts, after: ReadTexts): boolean {
  const now = meaningsOf(after.resolve(project).desired);
  return [...meaningsOf(before.resolve(project).desired)].every(([name, had]) => jsonEquals(had, now.get(name)));
}

function finish(
  { edited, files, after }: Attempt,
  open: readonly NamedCohort[],
  left: readonly LeftFlag[],
): DeclaredUnmanaged {
  const added = open.flatMap(({ alias }) => {
    const key = nameResource('cohort', alias);
    const place = after.declarations.get(key)?.places.place;
    return place === undefined ? [] : [{ key, place }];
  });
  const byKey = comparing(({ key }: { readonly key: string }) => key);
  return { edited, files, added: added.toSorted(byKey), left: left.toSorted(byKey) };
}
