/**
 * Proves edited texts: they are read again for every project. They must be valid, say for the project exactly what is wished, and
 * say the same as before everywhere else.
 */

import { fromPointer } from '../base/json-pointer.ts';
import { definedKeys, jsonEquals, type JsonObject, type JsonValue } from '../base/json.ts';
import type { DeclaredFlag, DesiredFlag } from '../posthog/desired.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { Project } from '../posthog/project.ts';
import { EDITOR } from '../posthog/role-access/access.ts';
import type { EditingContext } from './context.ts';
import { meaningOf, readTexts, type ManifestText, type ReadTexts } from './texts.ts';
import type { FlagWish, LayerChoice, RefusalReason, RefusedWish } from './wish.ts';
import { wishedFlag } from './wished-flag.ts';

export interface Proving {
  readonly wishes: readonly FlagWish[];
  readonly layer: LayerChoice;
}

/** The wishes that must be left out; none if everything is proven. */
export function prove(
  context: EditingContext,
  texts: readonly ManifestText[],
  { wishes, layer }: Proving,
): readonly RefusedWish[] {
  const after = readTexts(texts, context.allProjects);
  const wished = new Map(
    wishes.flatMap((wish) => [wish.key, wish.renamed ?? wish.key].map((key) => [key, wish] as const)),
  );
  const wrong = new Map<string, RefusalReason>();
  for (const project of context.projects) {
    const isOwn = project.name === context.project.name;
    for (const { key, problem } of findNewErrors(context.read, after, project)) {
      if (!wrong.has(key)) wrong.set(key, { code: 'invalid', problem });
    }
    for (const { key, before, now } of findChanged(context.read, after, project)) {
      const wish = wished.get(key);
      const isRenamed = wish?.renamed !== undefined;
      const isWished =
        wish !== undefined && (isOwn ? isRenamed || isFulfilled(wish, { before, now }, context) : layer === 'base');
      if (!isWished && !wrong.has(key))
        wrong.set(key, { code: isOwn && wish ? 'reads-differently' : 'changes-others' });
    }
    if (isOwn) for (const key of unchangedOf(wishes, after, context)) wrong.set(key, wrong.get(key) ?? DIFFERENT);
  }
  return blame(wrong, wishes);
}

const DIFFERENT: RefusalReason = { code: 'reads-differently' };

/** Wishes that no change fulfils are checked too: nothing may have been edited for them. */
function unchangedOf(wishes: readonly FlagWish[], after: ReadTexts, context: EditingContext): string[] {
  const before = flagsOf(context.read, context.project);
  const now = flagsOf(after, context.project);
  return wishes
    .filter((wish) => !isFulfilled(wish, { before: before.get(wish.key), now: now.get(nowKey(wish)) }, context))
    .map(({ key }) => key);
}

function nowKey({ key, renamed }: FlagWish): string {
  return renamed ?? key;
}

interface Changed {
  readonly before: DesiredFlag | undefined;
  readonly now: DesiredFlag | undefined;
}

function findChanged(former: ReadTexts, after: ReadTexts, project: Project): (Changed & { readonly key: string })[] {
  const [before, now] = [flagsOf(former, project), flagsOf(after, project)];
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((key) => {
    const [had, has] = [before.get(key), now.get(key)];
    return jsonEquals(meaning(had), meaning(has)) ? [] : [{ key, before: had, now: has }];
  });
}

function flagsOf(read: ReadTexts, project: Project): Map<string, DesiredFlag> {
  return new Map(read.resolve(project).desired.flags.map((flag) => [flag.key, flag]));
}

function meaning(flag: DesiredFlag | undefined): JsonValue | undefined {
  return flag === undefined ? undefined : (meaningOf(flag) as JsonValue);
}

/** Whether the flag says what is wished, and otherwise what it said before. */
function isFulfilled(wish: FlagWish, { before, now }: Changed, context: EditingContext): boolean {
  if (wish.deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const former = before?.kind === 'declared' ? before : undefined;
  const fields = wish.fields ?? {};
  const { isMet } = wishedFlag(context, wish);
  return (
    definedKeys(fields).every((name) => Object.hasOwn(now.fields, name) && isMet(pick(now.fields, name))) &&
    (former === undefined || isSameBut(former, now, definedKeys(fields))) &&
    hasAccess(wish, { former, now })
  );
}

function pick(fields: JsonObject, name: string): JsonObject {
  return { [name]: fields[name] };
}

function isSameBut(former: DeclaredFlag, now: DeclaredFlag, changed: readonly string[]): boolean {
  const names = new Set([...definedKeys(former.fields), ...definedKeys(now.fields)]);
  const isSame = (name: string): boolean => jsonEquals(former.fields[name], now.fields[name]);
  return (
    [...names].every((name) => changed.includes(name) || isSame(name)) &&
    (former.key !== now.key || jsonEquals(former.previousKeys, now.previousKeys))
  );
}

function hasAccess(
  { access }: FlagWish,
  { former, now }: { readonly former: DeclaredFlag | undefined; readonly now: DeclaredFlag },
): boolean {
  const roles = access?.roles === undefined ? undefined : Object.fromEntries(access.roles);
  const everyone = access?.everyone;
  const hasRoles =
    roles !== undefined
      ? jsonEquals(rolesOf(now), roles)
      : former === undefined || jsonEquals(rolesOf(now), rolesOf(former));
  const isLevel =
    everyone !== undefined
      ? now.everyone?.level === everyone
      : former === undefined || now.everyone?.level === former.everyone?.level;
  return hasRoles && isLevel;
}

function rolesOf({ roleAccess }: DeclaredFlag): JsonObject | undefined {
  return roleAccess && Object.fromEntries(roleAccess.map(({ id, level = EDITOR }) => [id, level]));
}

export interface NewError {
  readonly key: string;
  readonly problem: ManifestDiagnostic;
}

/** The errors that a project has only after an edit. */
export function findNewErrors(former: ReadTexts, after: ReadTexts, project: Project): NewError[] {
  const known = new Set(errorsOf(former, project).map(nameOf));
  return errorsOf(after, project)
    .filter((problem) => !known.has(nameOf(problem)))
    .map((problem) => ({ key: fromPointer(problem.path ?? '')[1] ?? '', problem }));
}

function errorsOf(read: ReadTexts, project: Project): ManifestDiagnostic[] {
  return read.resolve(project).diagnostics.filter(({ severity }) => severity === 'error');
}

function nameOf({ code, path = '' }: ManifestDiagnostic): string {
  return `${code} ${path}`;
}

/** What is wrong with a flag that no wish is about comes from a wish all the same: from one that deletes, if there is one. */
function blame(wrong: ReadonlyMap<string, RefusalReason>, wishes: readonly FlagWish[]): readonly RefusedWish[] {
  const own = wishes.flatMap(({ key }) => {
    const reason = wrong.get(key);
    return reason === undefined ? [] : [{ key, reason }];
  });
  const [first] = wrong.values();
  if (own.length > 0 || first === undefined) return own;
  const deleting = wishes.filter(({ deleted }) => deleted === true);
  return (deleting.length > 0 ? deleting : wishes).map(({ key }) => ({ key, reason: first }));
}
