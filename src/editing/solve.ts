/** The one solver of editing: tries changes, proves the texts, leaves out what cannot be proved, and goes on with the rest. */

import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';

/** What is left out, and why: named by the key of a flag or the name of a cohort. */
export interface FailedEdit {
  readonly key: string;
}

/** What the attempts so far lead to. */
interface SolveProgress<Failed extends FailedEdit> {
  /** What is left out, by key. */
  readonly left: ReadonlyMap<string, Failed>;
  /** Keys that are written in their second form, since the first one failed. */
  readonly fallback: ReadonlySet<string>;
}

export interface ProofAttempt<Failed extends FailedEdit> {
  /** All manifests, with the edited ones and the new ones. */
  readonly texts: readonly ManifestText[];
  /** The same, where they are read already. */
  readonly read?: ReadTexts;
  /** What cannot be written. Where there is any, nothing is proved yet. */
  readonly failed: readonly Failed[];
}

export interface Steps<Failed extends FailedEdit, Made extends ProofAttempt<Failed>> {
  /** Writes everything that is not left out. */
  readonly write: (progress: SolveProgress<Failed>) => Made;
  /** What the texts do not say as they must; none if they are proved. */
  readonly prove: (after: ReadTexts, made: Made) => readonly Failed[];
  /** Whether something that failed has a second form. */
  readonly hasFallback?: (failed: Failed, made: Made) => boolean;
}

/** What the last attempt made, which is proved. */
export interface Solution<Failed extends FailedEdit, Made> {
  readonly made: Made;
  readonly after: ReadTexts;
  /** In the order of the attempts. */
  readonly left: readonly Failed[];
}

export function solve<Failed extends FailedEdit, Made extends ProofAttempt<Failed>>(
  allProjects: readonly string[],
  { write, prove, hasFallback = () => false }: Steps<Failed, Made>,
): Solution<Failed, Made> {
  const left = new Map<string, Failed>();
  const fallback = new Set<string>();
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
      if (!fallback.has(one.key) && hasFallback(one, made)) fallback.add(one.key);
      else if (!left.has(one.key)) left.set(one.key, one);
    }
  }
}

/**
 * What failed among the open keys. Where only something else did, all of them are suspects, or those of them that are likelier
 * to be the cause.
 */
export function blame<Failed extends FailedEdit>(
  failed: readonly Failed[],
  open: readonly string[],
  suspects: readonly string[] = open,
): readonly Failed[] {
  const byKey = new Map(failed.toReversed().map((one) => [one.key, one]));
  const own = open.flatMap((key) => byKey.get(key) ?? []);
  return own.length > 0 ? own : suspects.flatMap((key) => failed.slice(0, 1).map((one) => ({ ...one, key })));
}
