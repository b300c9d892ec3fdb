/** `flagwright accept`: writes live values into the manifests, and declares what no manifest names. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import { quoted, didYouMean } from '../../base/wording.ts';
import type { ProjectConfig } from '../../config/config.ts';
import { acceptLive } from '../../editing/actions/accept.ts';
import { FURTHER_FACETS } from '../../editing/actions/facets.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../editing/actions/declare-unmanaged.ts';
import type { EditingInput } from '../../editing/context.ts';
import type { DeclareInput, Nameable, Selectable, SelectedFields } from '../../editing/facet.ts';
import { withEdited } from '../../editing/texts.ts';
import { pointersOf } from '../../core/engine/field-path.ts';
import { matchKeys } from '../../core/engine/scope.ts';
import type { ExportInput } from '../../loop/export/export.ts';
import { FAMILIES } from '../../posthog/families.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import { explainFieldPath } from '../../posthog/names/field-path-words.ts';
import { isOfMain, readName } from '../../posthog/names/resource-name.ts';
import type { Project } from '../../posthog/project.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import { unwrittenLines } from '../../report/formats/text/page.ts';
import type { AcceptReport } from '../../report/editing.ts';
import { leftText } from '../../report/words/editing.ts';
import { FURTHER_WORDS } from '../../report/words/exported.ts';
import type { ExitCode } from '../line/exit.ts';
import { findAliases, type ExportSource } from '../manifests/export-read.ts';
import { noteNext, saveEdits, type Edits, findSchema, nameInConfiguration } from '../manifests/save-edits.ts';
import { withPlan, type FreshPlan } from '../plan/make-plan.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { type Session, advise } from '../session/session.ts';
import type { ManifestText } from '../../editing/edit.ts';
import { nameRoles, readManifestTexts, readRenamedTests } from './manifest-texts.ts';

interface AcceptOptions {
  readonly target?: readonly string[];
  /** Names of fields, as in `explain`. */
  readonly only?: readonly string[];
  /** Absent: the layer that gives the value. */
  readonly layer?: 'base' | 'project';
  readonly pending?: boolean;
  readonly unmanaged?: boolean;
  readonly tests?: boolean;
  readonly patch?: boolean;
  readonly base?: string;
  readonly who?: boolean;
  readonly yes?: boolean;
}

/** Exits with 3 if a flag was left as it is. */
export async function accept(
  session: Session,
  { keys, ...options }: AcceptOptions & { readonly keys: readonly string[] },
): Promise<ExitCode> {
  const named = [...keys, ...(options.target ?? [])];
  const targets = named.length === 0 ? undefined : named;
  refuseTogether(targets, options);
  const only = options.only === undefined ? undefined : parseOnly(options.only);
  const { unmanaged, base, who } = options;
  // The plan omits undeclared resources of a further family.
  const isApart = (target: string): boolean => unmanaged === true && !isOfMain(target);
  const planned = targets?.filter((target) => !isApart(target));
  const planning = {
    target: planned?.length === 0 ? undefined : planned,
    targeting: unmanaged === true ? 'unmanaged' : 'keys',
    listed: targets?.filter(isApart).map((name) => readName(name).section),
  } as const;
  return withPlan(session, defined({ ...planning, unmanaged, base, who }), async (made) => {
    const { loaded, live, plan, opened, attributions } = made;
    if (unmanaged === true) return acceptUnmanaged(session, made, { targets: targets ?? [], options });
    if (only !== undefined) checkOnly(only, made, targets);
    const { manifests, project, projects } = await readEditing(made);
    const selection = { pending: options.pending === true, ...defined({ keys: targets, only }) };
    const layer = options.layer ?? 'auto';
    const { edited, ...accepted } = acceptLive({ live, project, projects, manifests, plan, selection, layer });
    const outcome = { ...accepted, project: opened.identity, added: [], ...defined({ base: plan.base, attributions }) };
    const { config } = loaded;
    const after = withEdited(manifests, edited);
    const tests = await readRenamedTests(session, { config, projects, manifests: after, ...accepted, options });
    const texts = { manifests: [...manifests, ...tests.before], edited: [...edited, ...tests.edited] };
    return saveAccepted(session, { config, ...texts, created: [], outcome, options });
  });
}

async function acceptUnmanaged(
  session: Session,
  made: FreshPlan,
  { targets, options }: { readonly targets: readonly string[]; readonly options: AcceptOptions },
): Promise<ExitCode> {
  const { loaded, live, plan, opened, desired } = made;
  const apart = targets.filter((target) => !isOfMain(target));
  const keys = new Set(plan.unmanaged.filter(matchKeys(targets.filter((target) => !apart.includes(target)))));
  const editing = await readEditing(made);
  const further = selectUnmanaged(apart, { project: editing.project, desired, live });
  const { project, files } = editing;
  const source = { config: loaded.config, project, client: opened.client, files };
  const { before, named, ...use } = await nameUsed(session, source, { flags: live.flags, keys });
  const declared = await declareAllUnmanaged(loaded, { ...editing, ...use, live, keys, ...further });
  const { files: created, added, left } = declared;
  const outcome = { accepted: [], pending: [], left, project: opened.identity, added };
  const manifests = [...before, ...editing.manifests];
  const edited = [...(added.length === 0 ? [] : named), ...declared.edited];
  return saveAccepted(session, { config: loaded.config, manifests, edited, created, outcome, options });
}

/** A name that a kind of resource does not have selects nothing of that kind. */
function parseOnly(texts: readonly string[]): SelectedFields {
  const parsed = texts.map((text) =>
    FAMILIES.map((family) => ({ section: family.section, text, path: family.parsePath(text) })),
  );
  for (const found of parsed) {
    const [ofMain] = found;
    if (ofMain === undefined || !('problem' in ofMain.path) || found.some(({ path }) => !('problem' in path))) continue;
    const { message, remedy } = explainFieldPath(ofMain.text, ofMain.path.problem);
    throw new FlagwrightError('usage', `--only: ${message}`, { remedy });
  }
  return Object.fromEntries(
    FAMILIES.map(({ section }) => [
      section,
      parsed.flat().flatMap((one) => (one.section === section && !('problem' in one.path) ? [one.path] : [])),
    ]),
  );
}

function refuseTogether(targets: readonly string[] | undefined, options: AcceptOptions): void {
  const { unmanaged, only, pending, layer, tests } = options;
  if (unmanaged !== true) return;
  if (targets === undefined) {
    throw new FlagwrightError('usage', '--unmanaged needs the keys of the flags to declare.', {
      remedy: 'Name them, or use a glob such as "*" for all: flagwright accept --unmanaged "*".',
    });
  }
  const [other] = Object.entries({ only, pending, layer, tests }).flatMap(([name, given]) =>
    given ? [`--${name}`] : [],
  );
  if (other === undefined) return;
  throw new FlagwrightError('usage', `--unmanaged and ${other} cannot be used together.`, {
    remedy: '--unmanaged declares a flag as a whole.',
  });
}

/** Reads the manifests for editing: their texts, and the projects with the names that the texts use. */
async function readEditing({ loaded, opened, desired, live }: FreshPlan) {
  const { config, files, texts } = await readManifestTexts(loaded.config);
  const found = withFoundNames(loaded.project, desired, { live, shared: 'omit' });
  // Includes the service's role names, if the manifests use one that the configuration lacks, and the declared cohorts.
  const project = await nameRoles({ config, project: found }, texts, opened.client);
  return { manifests: texts, project, projects: Object.values(config.projects), files };
}

async function saveAccepted(
  session: Session,
  { outcome, ...edits }: Edits & { readonly outcome: Omit<AcceptReport, 'kind' | 'files' | 'patch'> },
): Promise<ExitCode> {
  const saved = await saveEdits(session, edits);
  await session.publish({ ...outcome, kind: 'accept', ...saved });
  const next =
    'Commit the files. The service has these values already: an apply of that commit writes none of them, and records it.';
  await noteNext(session, edits.config, { saved, next });
  if (saved.patch !== undefined) {
    const lines = outcome.left.flatMap((flag) => unwrittenLines(leftText(flag), flag.suggestion, session));
    for (const line of lines) await session.print(`${line}\n`);
  }
  return outcome.left.length === 0 ? 0 : 3;
}

/**
 * Refuses a place that no selected flag has: a mistyped number of a condition would silently select nothing. `targets`: keys, names of
 * cohorts and patterns; absent: all. A member need not have a value, but an element must exist.
 */
function checkOnly(
  only: SelectedFields,
  { desired, live }: Pick<FreshPlan, 'desired' | 'live'>,
  targets: readonly string[] | undefined,
): void {
  const { flags: paths = [], ...others } = only;
  // Names of a further family are not looked up.
  if (
    Object.values(others).some((found) => found.length > 0) &&
    (targets === undefined || targets.some((target) => !isOfMain(target)))
  )
    return;
  const isNamed = targets === undefined ? () => true : matchKeys(targets);
  const declared = desired.flags.flatMap((flag) => (flag.kind === 'declared' && isNamed(flag.key) ? flag : []));
  const keys = new Set(declared.map(({ key }) => key));
  const flags: JsonObject[] = [
    ...declared.map(({ fields }) => fields),
    ...live.flags.filter(({ key }) => keys.has(key)),
  ];
  const absent = paths.find((path) => flags.length > 0 && flags.every((flag) => pointersOf(path, flag).length === 0));
  if (absent === undefined) return;
  const words = `--only: no selected flag has ${quoted(absent.text)}, neither declared nor live.`;
  throw new FlagwrightError('usage', words, {
    remedy: 'Conditions count from 1; flagwright flags get KEY shows them.',
  });
}

/** Each kind is declared in the texts that have those before it. `keys`: of flags; of the further families the ids. */
export async function declareAllUnmanaged(
  loaded: LoadedProject,
  {
    keys,
    cohorts,
    early_access: features,
    ...input
  }: Pick<EditingInput, 'live' | 'project' | 'projects' | 'manifests'> &
    Readonly<Record<'keys' | FurtherFamily, ReadonlySet<string>>>,
): Promise<DeclaredUnmanaged> {
  const writing = await findWriting(loaded, input.manifests);
  const wanted = [
    ['flag', keys],
    ['cohort', cohorts],
    ['early_access', features],
  ] as const;
  let manifests = input.manifests;
  const made = wanted.flatMap(([resource, names]) => {
    if (resource !== 'flag' && names.size === 0) return [];
    const chosen = { manifests, withRoleAccess: false, resource, keys: names };
    const declared = declareUnmanaged({ ...input, ...writing, ...chosen });
    manifests = [...withEdited(manifests, declared.edited), ...declared.files];
    return [declared];
  });
  const before = new Map(input.manifests.map(({ file, text }) => [file, text]));
  return {
    edited: manifests.filter(({ file, text }) => before.has(file) && before.get(file) !== text),
    files: manifests.filter(({ file }) => !before.has(file)),
    added: made.flatMap(({ added }) => added),
    left: made.flatMap(({ left }) => left),
  };
}

/**
 * Gives the cohorts that the flags use names in the configuration, as an export does. `before`, `named`: the configuration as it is and with
 * the new names; neither without a new name.
 */
async function nameUsed(
  session: Session,
  source: ExportSource,
  { flags, keys }: Pick<ExportInput, 'flags' | 'keys'>,
): Promise<{ readonly project: ProjectConfig } & Record<'before' | 'named', readonly ManifestText[]>> {
  const input = { flags, names: source.project, roleAccess: undefined, ...defined({ keys }) };
  const found = await findAliases(source, input, { aliases: true });
  const { project, writes, texts } = await nameInConfiguration(session, source, found);
  for (const text of texts) await advise(session, text);
  const configuration = writes.map((write) => ({ ...write, file: path.basename(write.file) }));
  return {
    project,
    before: configuration.map(({ file, before }) => ({ file, text: before ?? '' })),
    named: configuration.map(({ file, text }) => ({ file, text })),
  };
}

/** The next plan must not create in other projects what only one project has. */
async function findWriting(
  { config, project }: LoadedProject,
  manifests: readonly ManifestText[],
): Promise<Pick<DeclareInput, 'folder' | 'writing'>> {
  const isShared = Object.values(config.projects).some(
    ({ name, service }) => name !== project.name && service === 'remote',
  );
  // The folder with most of the manifests, empty for that of the configuration; `flags` without any.
  const counts = new Map<string, number>();
  for (const { file } of manifests) {
    const name = path.posix.dirname(file);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [[most] = ['flags']] = [...counts].toSorted(([, a], [, b]) => b - a);
  const folder = most === '.' ? '' : most;
  const absolute = path.join(config.root, folder);
  const taken = new Set(await readdir(absolute).catch(() => []));
  const schemaPath = await findSchema(config.root, absolute);
  const onlyIn = isShared ? project.name : undefined;
  return { folder, writing: { taken, ...defined({ onlyIn, schemaPath }) } };
}

/**
 * The ids, by family. `targets`: of further families.
 * @throws {FlagwrightError} `usage` for an argument that names none.
 */
export function selectUnmanaged(
  targets: readonly string[],
  selectable: Selectable,
): Readonly<Record<FurtherFamily, ReadonlySet<string>>> {
  const select = (section: FurtherFamily): ReadonlySet<string> => {
    const own = targets.filter((target) => readName(target).section === section);
    const facet = FURTHER_FACETS.find(({ kind }) => kind.section === section);
    if (own.length === 0 || facet === undefined) return new Set();
    const unmanaged = facet.unmanaged(selectable);
    return new Set(own.flatMap((target) => matching(target, unmanaged, { section, project: selectable.project })));
  };
  return { cohorts: select('cohorts'), early_access: select('early_access') };
}

function matching(
  target: string,
  unmanaged: readonly Nameable[],
  { section, project }: { readonly section: FurtherFamily; readonly project: Project },
): string[] {
  const exact = unmanaged.filter(({ names }) => names.includes(target));
  const isMatch = exact.length > 0 ? undefined : matchKeys([target]);
  const found = isMatch === undefined ? exact : unmanaged.filter(({ names }) => names.some(isMatch));
  if (found.length > 0) return found.map(({ id }) => String(id));
  const { noun, remedy } = FURTHER_WORDS[section];
  const among = `of the project ${quoted(project.name)} that no manifest declares`;
  const known = unmanaged.flatMap(({ names }) => names);
  throw new FlagwrightError('usage', `${quoted(target)} matches no ${noun} ${among}.`, {
    remedy: didYouMean(nearest(target, known), remedy),
  });
}
