/** Compares edited texts with the former ones: changed meanings and new errors, with the possible causes of each. */

import { reach } from '../base/graph.ts';
import { jsonEquals, type JsonObject } from '../base/json.ts';
import { nameResource } from '../posthog/resource-name.ts';
import { cohortsIn, leavesOf } from '../posthog/filter-tree.ts';
import type { DesiredCohort } from '../posthog/cohort/desired.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { Project } from '../posthog/project.ts';
import { COHORTS, fieldsOf, meaningsOf, nameAtPath } from './kinds.ts';
import type { ReadTexts } from './texts.ts';

/** The names of flags and cohorts whose declarations mean something else for the project, or came, or went. */
export function findChanged(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const [former, now] = [before, after].map((read) => meaningsOf(read.resolve(project).desired));
  const names = new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].filter((name) => !jsonEquals(former?.get(name), now?.get(name)));
}

/** The same of what was declared before: what comes is no change. */
export function findLost(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const former = meaningsOf(before.resolve(project).desired);
  return findChanged(before, after, project).filter((name) => former.has(name));
}

export interface NewError {
  /** The likeliest cause first; the last one is where the error is. */
  readonly names: readonly [string, ...string[]];
  readonly problem: ManifestDiagnostic;
}

export function findNewErrors(former: ReadTexts, after: ReadTexts, project: Project): NewError[] {
  const known = new Set(errorsOf(former, project).map(identityOf));
  const cohorts = COHORTS.desired(after.resolve(project).desired);
  return errorsOf(after, project)
    .filter((problem) => !known.has(identityOf(problem)))
    .map((problem) => {
      const [first, ...others] = [
        ...causesOf(problem, cohorts).map((alias) => nameResource('cohort', alias)),
        nameAtPath(problem.path ?? ''),
      ];
      return { names: [first ?? '', ...others], problem };
    });
}

/** The first cause that an edit is about; else the likeliest one. */
export function causeOf({ names }: NewError, isEdited: (name: string) => boolean): string {
  return names.find(isEdited) ?? names[0];
}

export function errorsOf(read: ReadTexts, project: Project): ManifestDiagnostic[] {
  return read.resolve(project).diagnostics.filter(({ severity }) => severity === 'error');
}

function identityOf({ code, path = '' }: ManifestDiagnostic): string {
  return `${code} ${path}`;
}

/** The aliases of cohorts whose declarations may be the reason for an error elsewhere. */
function causesOf(problem: ManifestDiagnostic, cohorts: readonly DesiredCohort[]): readonly string[] {
  if (problem.code === 'cohort-deleted') return [problem.args.alias];
  if (problem.code === 'cohort-unknown') return [problem.args.cohort];
  if (problem.code === 'cohort-name-taken') return [problem.args.alias, problem.args.other];
  if (problem.code === 'cohort-depends-on-itself') return problem.args.cycle;
  if (problem.code !== 'cohort-behavioral') return [];
  return eventsFirst([...reach([problem.args.alias], (alias) => namedBy(alias, cohorts))], cohorts);
}

/** Cohorts that depend on events themselves precede those that only name them. */
function eventsFirst(aliases: readonly string[], cohorts: readonly DesiredCohort[]): readonly string[] {
  const isOnEvents = (alias: string): boolean => leavesIn(alias, cohorts).some(({ type }) => type === 'behavioral');
  return [...aliases.filter(isOnEvents), ...aliases.filter((alias) => !isOnEvents(alias))];
}

function namedBy(alias: string, cohorts: readonly DesiredCohort[]): readonly string[] {
  const named = cohortsIn(leavesIn(alias, cohorts));
  return named.flatMap((one) =>
    typeof one === 'string' ? one : cohorts.flatMap(({ id, key }) => (id === one ? key : [])),
  );
}

function leavesIn(alias: string, cohorts: readonly DesiredCohort[]): readonly JsonObject[] {
  return leavesOf(fieldsOf(cohorts.find(({ key }) => key === alias))['filters']);
}
