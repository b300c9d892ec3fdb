/** Chooses names for the ids of cohorts and roles that exported flags use and the configuration does not name. */

import { EXPORTED_COHORTS } from '../../posthog/cohort/export.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { declaredKeys, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import type { ExportInput } from './export.ts';
import { findNotes } from './notes.ts';

/** Resources without an alias, each with the service's own name, if it was returned with the flag. */
export interface Nameless {
  readonly cohorts: ReadonlyMap<number, string | undefined>;
  readonly roles: ReadonlyMap<string, string>;
}

/** `listed`: what is read for names alone is not exported. */
export function findNameless(
  flags: readonly Flag[],
  input: ExportInput,
  { cohorts: listed = [] }: Pick<LiveState, 'cohorts'> = input,
): Nameless {
  const lookup = lookupNames(input.flags, input.names);
  const cohorts = new Map<number, string | undefined>();
  const roles = new Map<string, string>();
  for (const note of flags.flatMap((flag) => findNotes(flag, input, lookup))) {
    if (note.kind === 'cohort-without-alias') cohorts.set(note.cohort, cohorts.get(note.cohort) ?? note.name);
    else if (note.kind === 'role-without-name') roles.set(note.role, note.name);
  }
  const byId = new Map((input.cohorts ?? []).map((cohort) => [cohort.id, cohort]));
  for (const id of EXPORTED_COHORTS.idsOf(flags, byId)) {
    const cohort = byId.get(id);
    if (cohort !== undefined && lookup.cohort(id) === undefined) cohorts.set(id, cohort.name ?? cohorts.get(id));
  }
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  return { cohorts: new Map([...cohorts].map(([id, known]) => [id, names.get(id) ?? known])), roles };
}

/** The names that no other id may get: those of the configuration, and those that manifests declare. */
export function findTaken(project: ProjectNames, files: readonly ManifestFile[] = []): ProjectNames {
  const declared = [...declaredKeys(files, 'cohorts')].map((alias) => [alias, NO_ID] as const);
  return { roles: project.roles, cohorts: { ...Object.fromEntries(declared), ...project.cohorts } };
}

/** The id of a declared cohort that the service does not have yet. */
const NO_ID = 0;

/** `elsewhere`: the role names of other projects, which have the same roles if they belong to the same organization. */
export function chooseAliases(
  { cohorts, roles }: Nameless,
  taken: ProjectNames,
  elsewhere: readonly ProjectNames['roles'][],
): ProjectNames {
  const ofOthers = new Map(
    elsewhere.flatMap((names) => Object.entries(names).map(([name, id]) => [id, name] as const)),
  );
  const roleNames = [...roles].map(
    ([id, name]) => [id, ofOthers.get(id) ?? (name === id ? undefined : name.trim())] as const,
  );
  const cohortNames = [...cohorts].map(([id, name]) => [id, name === undefined ? undefined : toAlias(name)] as const);
  return { cohorts: assign(cohortNames, taken.cohorts), roles: assign(roleNames, taken.roles) };
}

/** A name that is taken gets the id behind it, until nothing has it. An id without a name gets no alias. */
function assign<Id extends string | number>(
  named: readonly (readonly [id: Id, name: string | undefined])[],
  taken: Readonly<Record<string, Id>>,
): Record<string, Id> {
  const chosen = new Map<string, Id>();
  for (const [id, name] of named.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (name === undefined || name === '') continue;
    let free = name;
    while (chosen.has(free) || Object.hasOwn(taken, free)) free = `${free}-${String(id).split('-', 1)[0]}`;
    chosen.set(free, id);
  }
  return Object.fromEntries([...chosen].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const LONGEST_ALIAS = 60;

/** `Beta testers (EU)` becomes `beta-testers-eu`. A number would be read as an id. */
function toAlias(name: string): string {
  const alias = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, LONGEST_ALIAS)
    .replace(/^-|-$/g, '');
  return /^\d*$/.test(alias) ? (alias === '' ? '' : `cohort-${alias}`) : alias;
}
