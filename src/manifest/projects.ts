/** Finds the projects that a declaration is for: `only_in`, overlays, and names that the configuration lacks. */

import { toPointer } from '../base/json-pointer.ts';
import { isJsonArray, isJsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { nearest } from '../base/text.ts';
import type { ProjectProblems } from '../engine/problems.ts';
import { membersIn, type Declaration } from './declaration.ts';
import type { FindingOf } from './finding.ts';
import { placedStrings, stringsOf } from './strings.ts';

/** Whether a declaration applies to a project. A lone string in place of the list was reported, but its meaning is clear. */
export function isDeclaredIn(declaration: Declaration, project: string): boolean {
  const onlyIn = membersIn(declaration)['only_in'];
  return onlyIn === undefined || (isJsonArray(onlyIn) ? onlyIn.includes(project) : onlyIn === project);
}

/** The project names of a declaration that the configuration does not have. Pointers are in the manifest's names. */
export function checkProjects(declaration: Declaration, allProjects: readonly string[]): FindingOf<ProjectProblems>[] {
  const named = [
    ...overlayNames(declaration).map((project) => ({ project, at: toPointer(['projects', project]) })),
    ...placedStrings(membersIn(declaration)['only_in']).map(({ text, index }) => ({
      project: text,
      at: `/only_in/${index}`,
    })),
  ];
  return named
    .filter(({ project }) => !allProjects.includes(project))
    .map(({ project, at }) => ({
      code: 'project-unknown',
      severity: 'error',
      at,
      args: { project, ...defined({ suggestion: nearest(project, allProjects) }) },
    }));
}

/** The projects of overlays and `only_in` that the configuration does not have. */
export function strayProjects(declaration: Declaration, allProjects: readonly string[]): string[] {
  const named = [...overlayNames(declaration), ...stringsOf(membersIn(declaration)['only_in'])];
  return named.filter((name) => !allProjects.includes(name));
}

function overlayNames(declaration: Declaration): string[] {
  const { projects } = membersIn(declaration);
  return isJsonObject(projects) ? Object.keys(projects) : [];
}
