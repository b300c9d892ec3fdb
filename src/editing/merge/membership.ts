/** Which projects have a flag: limits declarations to those that do, and adds the project to those that leave it out. */

import { arrayOrEmpty } from '../../base/json.ts';
import type { MemberEdit } from '../../base/yaml/editing/edits.ts';
import { membersIn, type Declaration } from '../../manifest/declaration.ts';
import { isDeclaredIn } from '../../manifest/projects.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';

/** Declares the flag for every project that has it now, but not for `project`; `undefined` if no project would be left. */
export function limitEdit(
  declaration: Declaration,
  project: string,
  allProjects: readonly string[],
): MemberEdit | undefined {
  const left = allProjects.filter((name) => name !== project && isDeclaredIn(declaration, name));
  return left.length === 0 ? undefined : onlyIn(declaration, left);
}

/** Declares the flag for `project` too. */
export function extendEdit(declaration: Declaration, project: string): MemberEdit {
  const written = membersIn(declaration)['only_in'];
  const names = arrayOrEmpty(written).filter((name) => typeof name === 'string');
  return onlyIn(declaration, [...names, project]);
}

function onlyIn({ key }: Declaration, projects: readonly string[]): MemberEdit {
  return { path: [FLAG_SECTION.name, key, 'only_in'], value: projects };
}
