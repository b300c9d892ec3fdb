/**
 * The one solver of editing: it tries edits, proves the texts, and leaves out what cannot be proved. Its proof is the same for all: no new
 * error in any project, and no declaration that means something else unless an edit asks for it. Which edit is likely to be at fault
 * decides only what is tried again.
 */

import type { Severity } from '../base/diagnostic.ts';
import { jsonEquals } from '../base/json.ts';
import { stringifyJson } from '../base/json-text.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { Project } from '../posthog/project.ts';
import type { EditingContext } from './context.ts';
import type { UnwrittenEdit, ManifestText } from './edit.ts';
import { EDITED_KINDS, meaningsOf, nameAtPath } from './kinds.ts';
import { readTexts, type ReadTexts } from './texts.ts';

/** An omitted edit, by the name of its resource in options, and the reason. */
interface FailedEdit {
  readonly key: string;
}

/** The result of the attempts so far. */
interface SolveProgress<Failed extends FailedEdit> {
  /** The omitted edits, by key. */
  readonly left: ReadonlyMap<string, Failed>;
  /** Whether a key is omitted, or not tried yet. */
  readonly isLeft: (key: string) => boolean;
  /** Whether a key is written in its second form, since the first one failed. */
  readonly isFallback: (key: string) => boolean;
}

export interface ProofAttempt<Failed extends FailedEdit> {
  /** All manifests, with the edited ones and the new ones. */
  readonly texts: readonly ManifestText[];
  /** The same, where they are read already. */
  readonly read?: ReadTexts;
  /** The keys of the edits that the texts have. */
  readonly open: readonly string[];
  /** The edits that cannot be written. If there are any, nothing is proved yet. */
  readonly failed: readonly Failed[];
}

/** What edited texts say that nobody asked for. `names`: the likeliest cause first; the last one is where it is. */
interface Fault {
  readonly names: readonly [string, ...string[]];
  /** A new error; absent for a changed meaning. */
  readonly problem?: ManifestDiagnostic;
}

type NewProblem = Fault & Required<Pick<Fault, 'problem'>>;

/** Why an edit is left that makes this fault. */
export function reasonOf({ problem }: Fault): UnwrittenEdit['reason'] {
  return problem === undefined ? { code: 'changes-others' } : { code: 'invalid', problem };
}

interface Steps<Failed extends FailedEdit, Made extends ProofAttempt<Failed>> {
  /** Writes everything that is not left out. */
  readonly write: (progress: SolveProgress<Failed>) => Made;
  /** The edits after which the texts do not declare what they ask for. `errors`: the new ones. */
  readonly unmet: (after: ReadTexts, made: Made, errors: readonly NewProblem[]) => readonly Failed[];
  /** Whether an edit may change what the project declares under a name. */
  readonly isAsked: (name: string, project: Project, made: Made) => boolean;
  readonly toFailed: (key: string, fault: Fault) => Failed;
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
  { read, projects, allProjects }: Pick<EditingContext, 'read' | 'projects' | 'allProjects'>,
  { write, unmet, isAsked, toFailed, hasFallback = () => false }: Steps<Failed, Made>,
): Solution<Failed, Made> {
  const left = new Map<string, Failed>();
  // The first form is what people would write, so its failure is the reason where both forms fail.
  const fallback = new Map<string, Failed>();
  const leave = (failed: Failed, made: Made): void => {
    if (!fallback.has(failed.key) && hasFallback(failed, made)) fallback.set(failed.key, failed);
    else left.set(failed.key, fallback.get(failed.key) ?? failed);
  };
  const attempt = (held: ReadonlySet<string> = new Set()): Attempted<Failed, Made> => {
    const isLeft = (key: string): boolean => left.has(key) || held.has(key);
    const made = write({ left, isLeft, isFallback: (key) => fallback.has(key) });
    const after = made.read ?? readTexts(made.texts, allProjects);
    if (made.failed.length > 0) return { made, after, failed: made.failed, faults: [] };
    const errors = projects.flatMap((one) => findNewProblems('error', { former: read, after }, one));
    const changed = projects.flatMap((one) =>
      findChanged(read, after, one).filter((name) => !isAsked(name, one, made)),
    );
    const faults = [...errors, ...changed.map((name): Fault => ({ names: [name] }))];
    return { made, after, failed: unmet(after, made, errors), faults };
  };
  for (;;) {
    const { made, after, failed, faults } = attempt();
    // Of several reasons against one edit, the first one counts.
    const open = new Map(failed.toReversed().flatMap((one) => (left.has(one.key) ? [] : [[one.key, one] as const])));
    const [fault] = faults;
    if (fault === undefined) {
      if (failed.length === 0) return { made, after, left: [...left.values()] };
      if (open.size === 0) throw new TypeError('What failed is left out already.');
      for (const one of open.values()) leave(one, made);
      continue;
    }
    if (made.open.length === 0) throw new TypeError('Manifests without an edit are not proved.');
    const only = (keys: readonly string[]): Attempted<Failed, Made> =>
      attempt(new Set(made.open.filter((key) => !keys.includes(key))));
    const proven = findProven(made.open, only);
    for (const key of made.open.filter((one) => !proven.includes(one))) {
      const alone = only([...proven, key]);
      leave(alone.failed.find((one) => one.key === key) ?? toFailed(key, alone.faults[0] ?? fault), alone.made);
    }
  }
}

interface Attempted<Failed extends FailedEdit, Made> extends Omit<Solution<Failed, Made>, 'left'> {
  readonly failed: readonly Failed[];
  readonly faults: readonly Fault[];
}

type TryOnly = (keys: readonly string[]) => Pick<Attempted<FailedEdit, unknown>, 'failed' | 'faults'>;

/** Edits that are proved together. What fails without others is tried again with them. */
function findProven(all: readonly string[], only: TryOnly): readonly string[] {
  let proven: readonly string[] = [];
  for (;;) {
    const known = proven;
    proven = extend(
      known,
      all.filter((key) => !known.includes(key)),
      only,
    );
    if (proven.length === known.length || proven.length === all.length) return proven;
  }
}

/** Suspects are tried after the others; where there are none or they are all, the halves are. */
function extend(proven: readonly string[], further: readonly string[], only: TryOnly): readonly string[] {
  const { failed, faults } = only([...proven, ...further]);
  if (failed.length === 0 && faults.length === 0) return [...proven, ...further];
  if (further.length < 2) return proven;
  const suspected = new Set([
    ...failed.map(({ key }) => key),
    ...faults.flatMap(({ names }) => names.find((name) => further.includes(name)) ?? []),
  ]);
  const suspects = further.filter((key) => suspected.has(key));
  const others = further.filter((key) => !suspected.has(key));
  const middle = Math.ceil(further.length / 2);
  const [first, second] =
    others.length > 0 && suspects.length > 0 ? [others, suspects] : [further.slice(0, middle), further.slice(middle)];
  return extend(extend(proven, first, only), second, only);
}

/** The names of resources whose declarations changed their meaning for the project, or were added or removed. */
function findChanged(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const [former, now] = [before, after].map((read) => meaningsOf(read.resolve(project).desired));
  const names = new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].filter((name) => !jsonEquals(former?.get(name), now?.get(name)));
}

/** A problem is new unless the texts had as many of its kind about the same resource: elements of a list may move. */
export function findNewProblems(
  severity: Severity,
  { former, after }: { readonly former: ReadTexts; readonly after: ReadTexts },
  project: Project,
): NewProblem[] {
  const known = problemsOf(severity, former, project).map(identityOf);
  const { desired } = after.resolve(project);
  return problemsOf(severity, after, project)
    .filter((problem) => {
      const at = known.indexOf(identityOf(problem));
      if (at !== -1) known.splice(at, 1);
      return at === -1;
    })
    .map((problem) => {
      const [first, ...others] = [
        ...EDITED_KINDS.flatMap((kind) => kind.causesOf?.(problem, kind.desired(desired)).map(kind.nameOf) ?? []),
        nameAtPath(problem.path ?? ''),
      ];
      return { names: [first ?? '', ...others], problem };
    });
}

export function problemsOf(severity: Severity, read: ReadTexts, project: Project): ManifestDiagnostic[] {
  return read.resolve(project).diagnostics.filter((one) => one.severity === severity);
}

function identityOf({ code, path = '', args }: ManifestDiagnostic): string {
  return stringifyJson([code, nameAtPath(path), args]);
}
