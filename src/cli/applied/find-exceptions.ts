/** Finds the exceptions of a run: those of the file, judged by what was there before the change, and those that options make by hand. */

import path from 'node:path';
import { stringifyJson } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import type { Config } from '../../config/config.ts';
import type { ExceptionEntry } from '../../config/entries.ts';
import { type Exception, type Permit, PERMIT_OPTIONS } from '../../core/engine/exceptions.ts';
import { nameOfPolicy, type PolicySet } from '../../review/policy/built-in.ts';
import { DRIFT_RULE, rulesLiftedBy } from '../../review/policy/broken-rules.ts';
import type { PlanningOptions } from '../line/options.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Judge } from './find-judge.ts';

/**
 * Those of the file of the checkout, for the project of the run. What the change deletes lifts nothing, and what the base does not have in the
 * same words counts only if the run names who grants it. `judge`: what was there before.
 * @throws {FlagwrightError} `config_invalid` with every diagnostic.
 */
export async function findExceptions(
  { config, project }: LoadedProject,
  { judge, approvedBy = [] }: Pick<PlanningOptions, 'approvedBy'> & { readonly judge: Judge },
): Promise<readonly Exception[]> {
  const base = judge.from === 'base' ? judge : undefined;
  const own = await readOwn(config, base?.config.policies);
  // Another project may have had the name that this one has now.
  const former = base === undefined ? [] : (await readBase(base)).filter(isFor(base.project));
  const known = new Set(former.map(identityOf));
  return own
    .filter((entry) => isFor(project.name)(entry) && entry.rule !== DRIFT_RULE)
    .map((entry) =>
      exceptionOf(entry, { isInBase: known.has(identityOf(entry)), isApproved: approvedBy.includes(entry.grantedBy) }),
    );
}

/** Whether an entry counts in a project of that name. */
export function isFor(name: string): (entry: ExceptionEntry) => boolean {
  return ({ projects }) => projects?.includes(name) ?? true;
}

export function exceptionOf(
  { rule, keys, most, until, place, reason, grantedBy }: ExceptionEntry,
  judged: { readonly isInBase: boolean; readonly isApproved: boolean },
): Exception {
  const origin = { from: 'file', place, reason, until, grantedBy, ...judged } as const;
  return { rules: [rule], keys, ...defined({ most }), origin };
}

/**
 * Those of the file of the checkout, for every project. `former`: the policies of the base, which an exception may also name.
 * @throws {FlagwrightError} `config_invalid` with every diagnostic.
 */
export async function readOwn(
  { root, exceptions: file, policies, projects }: Config,
  former?: PolicySet,
): Promise<readonly ExceptionEntry[]> {
  const names = [former, policies].flatMap((set) => set?.rules ?? []).map(nameOfPolicy);
  const { readExceptions } = await import('../../config/entries.ts');
  const allProjects = Object.keys(projects);
  return readExceptions({ path: path.resolve(root, file), file, allProjects, policies: [...new Set(names)] });
}

/** A file of the base that cannot be read counts as empty: then each exception needs who grants it. */
async function readBase({
  tree,
  folder,
  config: { exceptions: file },
}: Extract<Judge, { readonly from: 'base' }>): Promise<readonly ExceptionEntry[]> {
  const bytes = await tree.readFile(path.resolve(folder, file)).catch(() => undefined);
  const decoded = bytes && decodeUtf8(bytes);
  const { parseExceptions } = await import('../../config/entries.ts');
  return decoded && 'text' in decoded ? parseExceptions(file, decoded.text) : [];
}

/** An exception with another reason, day or flag is another one. */
function identityOf({ rule, keys, most, reason, until, grantedBy, projects }: ExceptionEntry): string {
  return stringifyJson([
    ...[rule, keys.toSorted(), most ?? null, reason, until, grantedBy],
    projects?.toSorted() ?? null,
  ]);
}

/** The exceptions that the options of a run make by hand. */
export function exceptionsOf({
  allowDeletes: deletes,
  allowUpdates: updates,
  allowDisables: disables,
  allowProtected,
  allowRisky: risky,
  override,
}: PlanningOptions): readonly Exception[] {
  const given = { deletes, updates, disables, protected: allowProtected, risky, override };
  return Object.entries(PERMIT_OPTIONS).flatMap(([name, option]): readonly Exception[] => {
    const kind = name as Permit['kind'];
    const value = given[kind];
    if (value === undefined) return [];
    const what = typeof value === 'number' ? { keys: [], most: value } : { keys: value };
    return [{ rules: rulesLiftedBy(kind), ...what, origin: { from: 'option', option } }];
  });
}
