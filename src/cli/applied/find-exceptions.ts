/** Finds the exceptions of a run: those of the file, judged by what was there before the change, and those that options make by hand. */

import path from 'node:path';
import { stringifyJson } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import type { Config } from '../../config/config.ts';
import type { ExceptionEntry } from '../../config/entries.ts';
import type { Exception, Permit } from '../../core/engine/exceptions.ts';
import { nameOfPolicy } from '../../review/policy/built-in.ts';
import { DRIFT_RULE, rulesLiftedBy } from '../../review/policy/broken-rules.ts';
import type { PlanningOptions } from '../line/options.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { advise, type Session } from '../session/session.ts';
import type { Judge } from './find-judge.ts';

/** What the exceptions are judged by: what was there before, and who approves the change. */
interface Granted extends Pick<PlanningOptions, 'approvedBy' | 'permits'> {
  readonly judge: Judge;
}

/**
 * Those of the files of the checkout, for the project of the run. What the change deletes lifts nothing, and what the base does not have in the
 * same words counts only if the run names who grants it.
 * @throws {FlagwrightError} `config_invalid` with every diagnostic.
 */
export async function findExceptions(
  session: Session,
  { config, project }: LoadedProject,
  { judge, approvedBy = [], permits }: Granted,
): Promise<readonly Exception[]> {
  const base = judge.from === 'base' ? judge : undefined;
  const own = await readOwn(session, config, (base?.config.policies?.rules ?? []).map(nameOfPolicy));
  const former = base === undefined ? [] : await readBase(base);
  // Another project may have had the name that this one has now.
  const known = new Set(base === undefined ? [] : former.filter(isFor(base.project)).map(identityOf));
  const ofFile = own
    .filter((entry) => isFor(project.name)(entry) && !entry.rules.includes(DRIFT_RULE))
    .map((entry) =>
      exceptionOf(entry, {
        isInBase: known.has(identityOf(entry)),
        isApproved: approvedBy.includes(entry.grantedBy ?? ''),
      }),
    );
  if (permits === undefined) return ofFile;
  const { readPermits } = await import('../../config/former-exceptions.ts');
  await advise(session, ...NOTES.permits);
  const named = { path: path.resolve(session.context.cwd, permits), file: permits };
  const given = await readPermits({ ...named, allProjects: Object.keys(config.projects), policies: [] });
  // Whoever gives the option vouches for the file.
  const ofOption = given.filter(isFor(project.name)).map(({ place, reason, projects: _projects, ...facts }) => ({
    ...facts,
    origin: { from: 'option', option: '--permits', place, reason } as const,
  }));
  return [...ofOption, ...ofFile];
}

/** Whether an entry counts in a project of that name. */
export function isFor(name: string): (entry: ExceptionEntry) => boolean {
  return ({ projects }) => projects?.includes(name) ?? true;
}

export function exceptionOf(
  { rules, keys, most, until, place, reason, grantedBy = '' }: ExceptionEntry,
  judged: { readonly isInBase: boolean; readonly isApproved: boolean },
): Exception {
  return { rules, keys, until, ...defined({ most }), origin: { from: 'file', place, reason, grantedBy, ...judged } };
}

const NOTES = {
  waivers: [
    '`policies.waivers` is read for one more release.',
    'Write its entries into exceptions.yaml: `key: KEY` becomes `keys: [KEY]`, and `expires` becomes `until`.',
  ],
  permits: [
    '--permits is read for one more release.',
    'Write its entries into exceptions.yaml, which plan and apply read by themselves: `rule`, `keys` or `most`, `reason`, `until` and `granted_by`.',
  ],
} as const;

/**
 * Those of the files of the checkout, for every project.
 * @throws {FlagwrightError} `config_invalid` with every diagnostic.
 */
export async function readOwn(
  session: Session,
  { root, exceptions: file, policies, projects }: Config,
  formerRules: readonly string[] = [],
): Promise<readonly ExceptionEntry[]> {
  const rules = [...formerRules, ...(policies?.rules ?? []).map(nameOfPolicy)];
  const checked = { allProjects: Object.keys(projects), policies: [...new Set(rules)] };
  const { readExceptions } = await import('../../config/entries.ts');
  const entries = await readExceptions({ ...checked, path: path.resolve(root, file), file });
  const waivers = policies?.waivers;
  if (waivers === undefined) return entries;
  const { readWaivers } = await import('../../config/former-exceptions.ts');
  const former = await readWaivers({ ...checked, path: path.resolve(root, waivers), file: waivers });
  await advise(session, ...NOTES.waivers);
  return [...entries, ...former];
}

/** Every text of the base that cannot be read counts as empty: then each exception needs who grants it. */
async function readBase({
  tree,
  folder,
  config: { exceptions, policies },
}: Extract<Judge, { readonly from: 'base' }>): Promise<readonly ExceptionEntry[]> {
  const textOf = async (file: string): Promise<string | undefined> => {
    const bytes = await tree.readFile(path.resolve(folder, file)).catch(() => undefined);
    const decoded = bytes && decodeUtf8(bytes);
    return decoded && 'text' in decoded ? decoded.text : undefined;
  };
  const { parseExceptions } = await import('../../config/entries.ts');
  const text = await textOf(exceptions);
  const entries = text === undefined ? [] : parseExceptions(exceptions, text);
  const waivers = policies?.waivers;
  const former = waivers === undefined ? undefined : await textOf(waivers);
  if (waivers === undefined || former === undefined) return entries;
  const { parseWaivers } = await import('../../config/former-exceptions.ts');
  return [...entries, ...parseWaivers(waivers, former)];
}

/** An exception with another reason, day or flag is another one. */
function identityOf({ rules, keys, most, reason, until, grantedBy, projects }: ExceptionEntry): string {
  const lists = [rules, keys, projects ?? []].map((one) => one.toSorted());
  return stringifyJson([...lists, projects !== undefined, most ?? null, reason, until, grantedBy ?? null]);
}

/** The exceptions that the options of a run make by hand. */
export function exceptionsOf({
  allowDeletes,
  allowUpdates,
  allowDisables,
  allowProtected,
  allowRisky,
  override,
}: PlanningOptions): readonly Exception[] {
  const given: readonly (readonly [Permit['kind'], string, number | readonly string[] | undefined])[] = [
    ['deletes', '--allow-deletes', allowDeletes],
    ['updates', '--allow-updates', allowUpdates],
    ['disables', '--allow-disables', allowDisables],
    ['protected', '--allow-protected', allowProtected],
    ['risky', '--allow-risky', allowRisky],
    ['override', '--override', override],
  ];
  return given.flatMap(([kind, option, value]): readonly Exception[] => {
    if (value === undefined) return [];
    const what = typeof value === 'number' ? { keys: [], most: value } : { keys: value };
    return [{ rules: rulesLiftedBy(kind), ...what, origin: { from: 'option', option } }];
  });
}
