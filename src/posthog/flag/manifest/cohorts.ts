/** Replaces the cohort aliases in a flag's filters with the project's ids. */

import type { JsonObject } from '../../../base/json.ts';
import type { Suggest } from '../../../base/text.ts';
import type { Project } from '../../project.ts';
import { mapReferences } from '../model/references.ts';
import { viewFilters } from '../model/view.ts';
import type { FlagFinding } from '../checks/problems.ts';

export interface CohortContext {
  readonly project: Project;
  /** The aliases of the cohorts that manifests declare for the project. */
  readonly declared?: ReadonlySet<string>;
  /** All aliases, in one array for all flags: suggestions are cached by it. */
  readonly aliases: readonly string[];
  readonly suggest: Suggest;
}

/** A string that is not a number is an alias. Ids are kept, and so are aliases without an id. */
export function resolveCohorts(
  filters: JsonObject,
  context: CohortContext,
): { readonly filters: JsonObject; readonly findings: FlagFinding[] } {
  const { project } = context;
  const view = viewFilters(filters);
  const conditions = view.properties.filter(({ part }) => part.type === 'cohort');
  const aliases = conditions.flatMap(({ part: { value }, at }) => (isAlias(value) ? [{ alias: value, at }] : []));
  const findings = aliases
    .filter(({ alias }) => !Object.hasOwn(project.cohorts, alias) && context.declared?.has(alias) !== true)
    .map(({ alias, at }) => unknownCohort(alias, `${at}/value`, context));
  const cohort = (value: unknown): number | undefined =>
    isAlias(value) && Object.hasOwn(project.cohorts, value) ? project.cohorts[value] : undefined;
  return { filters: mapReferences(filters, { cohort: (value) => cohort(value) ?? value }), findings };
}

function isAlias(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/^\d+$/.test(value);
}

function unknownCohort(cohort: string, at: string, { project, aliases, suggest }: CohortContext): FlagFinding {
  const suggestion = suggest(cohort, aliases);
  const args = { cohort, project: project.name };
  return {
    code: 'cohort-unknown',
    severity: 'error',
    at,
    args: suggestion === undefined ? args : { ...args, suggestion },
  };
}
