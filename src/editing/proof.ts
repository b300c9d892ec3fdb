/** Compares edited texts with the former ones: changed meanings and new errors, with the possible causes of each. */

import { jsonEquals } from '../base/json.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { Project } from '../posthog/project.ts';
import { EDITED_KINDS, meaningsOf, nameAtPath } from './kinds.ts';
import type { ReadTexts } from './texts.ts';

/** The names of resources whose declarations mean something else for the project, or came, or went. */
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
  const { desired } = after.resolve(project);
  return errorsOf(after, project)
    .filter((problem) => !known.has(identityOf(problem)))
    .map((problem) => {
      const [first, ...others] = [
        ...EDITED_KINDS.flatMap((kind) => kind.causesOf?.(problem, kind.desired(desired)).map(kind.nameOf) ?? []),
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
