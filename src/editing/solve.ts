/**
 * The one solver of editing: it tries changes, proves the texts, leaves out what cannot be proved, and continues with the rest. A proof
 * compares the edited texts with the former ones, and returns changed meanings and new errors, each with its possible causes.
 */

import { jsonEquals } from '../base/json.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { Project } from '../posthog/project.ts';
import { EDITED_KINDS, meaningsOf, nameAtPath } from './kinds.ts';
import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';

/** An omitted edit, by the name of its resource in options, and the reason. */
interface FailedEdit {
  readonly key: string;
}

/** The result of the attempts so far. */
interface SolveProgress<Failed extends FailedEdit> {
  /** The omitted edits, by key. */
  readonly left: ReadonlyMap<string, Failed>;
  /** Keys that are written in their second form, since the first one failed. */
  readonly fallback: ReadonlySet<string>;
}

export interface ProofAttempt<Failed extends FailedEdit> {
  /** All manifests, with the edited ones and the new ones. */
  readonly texts: readonly ManifestText[];
  /** The same, where they are read already. */
  readonly read?: ReadTexts;
  /** The edits that cannot be written. If there are any, nothing is proved yet. */
  readonly failed: readonly Failed[];
}

interface Steps<Failed extends FailedEdit, Made extends ProofAttempt<Failed>> {
  /** Writes everything that is not left out. */
  readonly write: (progress: SolveProgress<Failed>) => Made;
  /** The edits whose meaning in the texts is wrong; none if they are proved. */
  readonly prove: (after: ReadTexts, made: Made) => readonly Failed[];
  /** Whether something that failed has a second form. */
  readonly hasFallback?: (failed: Failed, made: Made) => boolean;
}

/** The result of the last attempt, which is proved. */
interface Solution<Failed extends FailedEdit, Made> {
  readonly made: Made;
  readonly after: ReadTexts;
  /** Sorted by attempt. */
  readonly left: readonly Failed[];
}

export function solve<Failed extends FailedEdit, Made extends ProofAttempt<Failed>>(
  allProjects: readonly string[],
  { write, prove, hasFallback = () => false }: Steps<Failed, Made>,
): Solution<Failed, Made> {
  const left = new Map<string, Failed>();
  const fallback = new Set<string>();
  // The first form is what people would write, so its failure is the reason where both forms fail.
  const first = new Map<string, Failed>();
  for (;;) {
    const made = write({ left, fallback });
    let { failed } = made;
    if (failed.length === 0) {
      const after = made.read ?? readTexts(made.texts, allProjects);
      failed = prove(after, made);
      if (failed.length === 0) return { made, after, left: [...left.values()] };
    }
    const open = failed.filter(({ key }) => !left.has(key));
    if (open.length === 0) throw new TypeError('What failed is left out already.');
    for (const one of open) {
      if (!fallback.has(one.key) && hasFallback(one, made)) {
        fallback.add(one.key);
        first.set(one.key, one);
      } else if (!left.has(one.key)) {
        left.set(one.key, first.get(one.key) ?? one);
      }
    }
  }
}

/** The failed open keys. If only others failed, all open keys are suspects, or the more likely ones of them. */
export function blame<Failed extends FailedEdit>(
  failed: readonly Failed[],
  open: readonly string[],
  suspects: readonly string[] = open,
): readonly Failed[] {
  const byKey = new Map(failed.toReversed().map((one) => [one.key, one]));
  const own = open.flatMap((key) => byKey.get(key) ?? []);
  return own.length > 0 ? own : suspects.flatMap((key) => failed.slice(0, 1).map((one) => ({ ...one, key })));
}

/** The names of resources whose declarations changed their meaning for the project, or were added or removed. */
export function findChanged(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const [former, now] = [before, after].map((read) => meaningsOf(read.resolve(project).desired));
  const names = new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].filter((name) => !jsonEquals(former?.get(name), now?.get(name)));
}

/** The names of those that were declared before: additions do not count. */
export function findLost(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const former = meaningsOf(before.resolve(project).desired);
  return findChanged(before, after, project).filter((name) => former.has(name));
}

interface NewError {
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

/** The first cause that is about an edit, or else the likeliest one. */
export function causeOf({ names }: NewError, isEdited: (name: string) => boolean): string {
  return names.find(isEdited) ?? names[0];
}

export function errorsOf(read: ReadTexts, project: Project): ManifestDiagnostic[] {
  return read.resolve(project).diagnostics.filter(({ severity }) => severity === 'error');
}

function identityOf({ code, path = '' }: ManifestDiagnostic): string {
  return `${code} ${path}`;
}
