/** Changes which projects have a resource: limits declarations to those that do, and adds the project to those that omit it. */

import { arrayOrEmpty } from '../base/json.ts';
import type { MemberEdit } from '../base/yaml/editing/edits.ts';
import { type Declaration, isDeclaredIn, membersIn } from '../manifest/declaration.ts';
import type { EditingContext } from './context.ts';
import type { FileEdit } from './edit.ts';

/** Declares the resource for every project that has it now except `project`; `undefined` if no project would be left. */
export function limitEdit(
  declaration: Declaration,
  project: string,
  allProjects: readonly string[],
): MemberEdit | undefined {
  const left = allProjects.filter((name) => name !== project && isDeclaredIn(declaration, name));
  return left.length === 0 ? undefined : onlyIn(declaration, left);
}

/** Declares it for `project` too. */
export function extendEdit(declaration: Declaration, project: string): MemberEdit {
  const written = membersIn(declaration)['only_in'];
  const names = arrayOrEmpty(written).filter((name) => typeof name === 'string');
  return onlyIn(declaration, [...names, project]);
}

/** The same edits of the declarations with these names, in their files. */
export function extendEdits(
  names: readonly string[],
  { read, project }: Pick<EditingContext, 'read' | 'project'>,
): readonly FileEdit[] {
  return names.flatMap((name) => {
    const declaration = read.declarations.get(name);
    return declaration === undefined ? [] : [{ file: declaration.file, edit: extendEdit(declaration, project.name) }];
  });
}

function onlyIn({ section, key }: Declaration, projects: readonly string[]): MemberEdit {
  return { path: [section, key, 'only_in'], value: projects };
}
