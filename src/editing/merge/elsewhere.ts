/** Cohorts that manifests declare for other projects only, and that a further project has too. */

import { aliasesOf, createFinder, matchAllCohorts } from '../../posthog/cohort/match.ts';
import type { EditingContext } from '../context.ts';
import { editTexts, readTexts, type ManifestText } from '../texts.ts';
import { extendEdit } from './membership.ts';
import { nameResource } from '../../posthog/resource-name.ts';

/** Their aliases, each of another live cohort. `ids`: of the cohorts that count; absent: all. */
export function findElsewhere(context: EditingContext, ids: ReadonlySet<number> | undefined): readonly string[] {
  const { live, project, read, allProjects } = context;
  const { desired } = read.resolve(project);
  const aliases = desired.namedElsewhere?.cohorts ?? [];
  if (aliases.length === 0) return [];
  const { cohorts = [] } = readTexts(declareHere(aliases, context), allProjects).resolve(project).desired;
  const find = createFinder(live.cohorts ?? []);
  const taken = new Set(aliasesOf(matchAllCohorts(desired, live)).values());
  return aliases.filter((alias) => {
    const declared = cohorts.find(({ key, kind }) => key === alias && kind === 'declared');
    const [found, ...others] = declared === undefined ? [] : find(declared);
    if (found === undefined || found.deleted === true || others.length > 0) return false;
    if (taken.has(found.id) || ids?.has(found.id) === false) return false;
    taken.add(found.id);
    return true;
  });
}

/** All manifests, which declare the cohorts for the project too. Where a text cannot take that, the cohort stays as it is declared. */
export function declareHere(
  aliases: readonly string[],
  { manifests, read, project }: EditingContext,
): readonly ManifestText[] {
  const edits = aliases.flatMap((alias) => {
    const declaration = read.declarations.get(nameResource('cohort', alias));
    return declaration === undefined ? [] : [{ file: declaration.file, edit: extendEdit(declaration, project.name) }];
  });
  return editTexts(manifests, edits).texts;
}
