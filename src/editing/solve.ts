/** The one solver of editing: tries changes, proves the texts, leaves out what cannot be proved, and goes on with the rest. */

import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';

/** An omitted edit and the reason: named as options name the resource. */
export interface FailedEdit {
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

export interface Steps<Failed extends FailedEdit, Made extends ProofAttempt<Failed>> {
  /** Writes everything that is not left out. */
  readonly write: (progress: SolveProgress<Failed>) => Made;
  /** The edits whose meaning in the texts is wrong; none if they are proved. */
  readonly prove: (after: ReadTexts, made: Made) => readonly Failed[];
  /** Whether something that failed has a second form. */
  readonly hasFallback?: (failed: Failed, made: Made) => boolean;
}

/** The result of the last attempt, which is proved. */
export interface Solution<Failed extends FailedEdit, Made> {
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
