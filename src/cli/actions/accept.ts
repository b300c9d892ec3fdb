/** `flagwright accept`: writes live values into the manifests. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { quoted } from '../../base/wording.ts';
import { acceptLive } from '../../editing/actions/accept.ts';
import type { SelectedFields } from '../../editing/facet.ts';
import { withEdited } from '../../editing/texts.ts';
import { pointersOf } from '../../engine/field-path.ts';
import { matchKeys } from '../../engine/scope.ts';
import { FAMILIES } from '../../posthog/families.ts';
import { explainFieldPath } from '../../posthog/names/field-path-words.ts';
import { isOfMain, readName } from '../../posthog/names/resource-name.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import { unwrittenLines } from '../../report/formats/text/page.ts';
import type { AcceptReport } from '../../report/report.ts';
import { leftText } from '../../report/words/edits.ts';
import type { ExitCode } from '../line/exit.ts';
import { declareAllUnmanaged, nameUsed, selectUnmanaged } from '../manifests/accept-unmanaged.ts';
import { readManifestTexts, nameRoles } from '../manifests/export-read.ts';
import { readRenamedTests, noteNext, saveEdits, type Edits } from '../manifests/save-edits.ts';
import { withPlan, type FreshPlan } from '../plan/make-plan.ts';
import type { Session } from '../session/session.ts';

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
