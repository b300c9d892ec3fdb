/** The checks that several settings and files share: each finds the problems of one value. */

import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import { isDate } from '../base/times.ts';
import type { ConfigDiagnostic } from './problems.ts';

/** A problem of a setting, before its place is known. `member`: the pointer to the part that has it. */
export type MemberProblem = Pick<ConfigDiagnostic, 'code' | 'args'> & { readonly member: string };

/** `at`: the pointer to the setting. */
export function placeProblems(problems: readonly MemberProblem[], at: string, places: PlaceTree): ConfigDiagnostic[] {
  return problems.map(({ member, ...problem }) => {
    const path = at + member;
    return { ...problem, severity: 'error', place: placeAt(places, path), path } as ConfigDiagnostic;
  });
}

/** `all`: the projects of the configuration. */
export function projectProblems(project: string, all: readonly string[], member: string): MemberProblem[] {
  if (all.includes(project)) return [];
  return [{ code: 'project-unknown', args: { project, ...defined({ suggestion: nearest(project, all) }) }, member }];
}

export function globProblems(pattern: string, member: string): MemberProblem[] {
  const problem = keyGlobProblem(pattern);
  return problem === undefined ? [] : [{ code: 'key-pattern-invalid', args: { pattern, problem }, member }];
}

export function dateProblems(date: string, member: string): MemberProblem[] {
  return isDate(date) ? [] : [{ code: 'date-invalid', args: { date }, member }];
}

/** The problems of each value of a list. */
export function problemsOfEach<Value>(
  values: readonly Value[],
  member: string,
  problemsOf: (value: Value, member: string) => readonly MemberProblem[],
): MemberProblem[] {
  return values.flatMap((value, index) => problemsOf(value, `${member}/${index}`));
}
