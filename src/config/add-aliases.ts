/** Adds names of roles and cohorts to the text of a configuration; every other character stays as it is. */

import { stringify } from 'yaml';
import { toPointer, valueAt } from '../base/json-pointer.ts';
import { editYaml } from '../base/yaml/editing/edit.ts';
import type { MemberEdit } from '../base/yaml/editing/edits.ts';
import { readYaml } from '../base/yaml/read.ts';
import type { ProjectNames } from '../posthog/project.ts';

/** `undefined` if the text does not have the project, or cannot be edited without changing something else. */
export function addAliases(text: string, project: string, { cohorts, roles }: ProjectNames): string | undefined {
  const [document] = readYaml('', text).documents;
  if (valueAt(document?.value, toPointer(['projects', project])) === undefined) return undefined;
  const edits = [...Object.entries({ roles, cohorts })].flatMap(([member, names]) =>
    Object.entries(names).map(([name, value]): MemberEdit => ({ path: ['projects', project, member, name], value })),
  );
  const edited = editYaml(text, edits, {
    layOut: (members, _path, style) => stringify(members, { compat: 'yaml-1.1', lineWidth: 0, ...style }),
  });
  return edited.refused.length === 0 ? edited.text : undefined;
}
