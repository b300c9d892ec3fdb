/** Declares live cohorts that no manifest names: in the file that has most of the declared cohorts. */

import { chooseAliases } from '../../export/aliases.ts';
import { declareResources } from '../../export/further.ts';
import { changeCohort } from '../../posthog/cohort/find-changes.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import { type Cohort, snapshotCohorts } from '../../posthog/cohort/cohort.ts';
import { aliasesOf, matchAllCohorts } from '../../posthog/cohort/match.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { EditCandidate, DeclareFacet, Declaring } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import type { LeftFlag } from '../results.ts';
import { commonestHome, type DeclaredIn, type ReadTexts } from '../texts.ts';

export const COHORT_DECLARING: DeclareFacet = { identify, exported: exportCohorts, homeOf, findDiffering };

/** The alias in the configuration, or else one made from the name, by which the cohort must be found. */
function identify({ keys, context }: Declaring): ReturnType<DeclareFacet['identify']> {
  const { read, project, live } = context;
  const cohorts = (live.cohorts ?? []).filter(({ deleted }) => deleted !== true);
  const isAsked = ({ id }: Cohort): boolean => keys.has(String(id));
  const { cohort: configured } = lookupNames([], project);
  const declared = [...read.declarations.values()].filter(({ section }) => section === EDITED.cohorts.section);
  const taken = { ...Object.fromEntries(declared.map(({ key }) => [key, 0])), ...project.cohorts };
  const nameless = cohorts.filter((cohort) => isAsked(cohort) && configured(cohort.id) === undefined);
  const names = new Map(nameless.map(({ id, name }) => [id, name ?? undefined]));
  const { cohorts: chosen } = chooseAliases({ cohorts: names, roles: new Map() }, { cohorts: taken, roles: {} }, []);
  const aliasOf = new Map(Object.entries(chosen).map(([alias, id]) => [id, alias]));
  const open: EditCandidate[] = [];
  const left: LeftFlag[] = [];
  for (const cohort of cohorts.filter(isAsked)) {
    const { id } = cohort;
    const name = cohort.name?.trim() ?? '';
    const alias = configured(id) ?? aliasOf.get(id);
    const isFound = configured(id) !== undefined || cohorts.filter((other) => other.name?.trim() === name).length === 1;
    if (alias !== undefined && declared.some(({ key }) => key === alias)) {
      left.push({ key: nameOfId(cohort), reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } });
    } else if (alias === undefined || !isFound) {
      const reason = { code: 'cohort-unidentified', name, alias: alias ?? `cohort-${id}`, id } as const;
      left.push({ key: nameOfId(cohort), reason });
    } else open.push({ key: nameOfId(cohort), declared: alias });
  }
  return { open, left };
}

/** A cohort that was not declared is named as the command line names it. */
function nameOfId({ id }: Cohort): string {
  return nameResource('cohort', String(id));
}

function exportCohorts(
  { context, writing }: Declaring,
  open: readonly EditCandidate[],
): ReturnType<DeclareFacet['exported']> {
  const { live, project } = context;
  const chosen = chosenOf(open, live.cohorts);
  const added = Object.fromEntries(chosen.map(({ declared, cohort }) => [declared, cohort.id]));
  const names = { ...project, cohorts: { ...project.cohorts, ...added } };
  const exported = { flags: [], roleAccess: undefined, names, cohorts: live.cohorts ?? [] };
  const surroundings = { input: exported, options: writing, names: lookupNames([], names) };
  const ids = chosen.map(({ cohort }) => cohort.id);
  const { files, reasons } = declareResources('cohorts', ids, surroundings);
  const left = chosen.flatMap(({ key, cohort }): LeftFlag[] => {
    const reason = reasons.get(cohort.id);
    const name = cohort.name?.trim() ?? '';
    return reason === undefined ? [] : [{ key, reason: { code: 'cohort-undeclarable', name, reason } }];
  });
  return { files, left };
}

function chosenOf(
  open: readonly EditCandidate[],
  live: readonly Cohort[] = [],
): readonly (EditCandidate & { readonly cohort: Cohort })[] {
  const byName = new Map(live.map((cohort) => [nameOfId(cohort), cohort]));
  return open.flatMap((one) => {
    const cohort = byName.get(one.key);
    return cohort === undefined ? [] : [{ ...one, cohort }];
  });
}

/** The file with most of the declared cohorts. */
function homeOf(_key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const declared = [...declarations.values()].filter(({ section }) => section === EDITED.cohorts.section);
  return commonestHome(declared);
}

/** The texts are read with the names that the configuration has, so that the cohort is found as in a plan. */
function findDiffering({ context }: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[] {
  const { live, project } = context;
  const cohorts = live.cohorts ?? [];
  const matches = matchAllCohorts(after.resolve(project).desired, { cohorts });
  const snapshot = snapshotCohorts(cohorts, aliasesOf(matches));
  const same = new Set(
    matches.pairs.flatMap((pair) => (changeCohort(pair, snapshot).changes.length === 0 ? (pair.live?.id ?? []) : [])),
  );
  const differing = chosenOf(open, cohorts).filter(({ cohort }) => !same.has(cohort.id));
  return differing.map(({ key }) => key);
}
