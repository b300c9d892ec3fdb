/**
 * `flagwright explain`: shows where the values of a flag, a cohort or an early access feature come from, who changed them last, and what is
 * live.
 */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import type { Config } from '../../config/config.ts';
import type { FieldPath } from '../../core/engine/field-path.ts';
import { blameLines } from '../../loop/git/blame.ts';
import type { ScheduledFacts } from '../../review/effects/impact.ts';
import type { Declaration } from '../../core/manifest/declaration.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DeclaredValue } from '../../posthog/declared/explain.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { FAMILIES, familyIn } from '../../posthog/families.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { PostHog } from '../../posthog/kind.ts';
import { selectionOf } from '../../posthog/live-selection.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { isDue, isHeldByGuard } from '../../posthog/rollouts/rollouts.ts';
import { readAttributions } from '../../posthog/reading/read-attributions.ts';
import { explainPathOf, parsePathOf } from '../../posthog/resource-path.ts';
import { quoteShort } from '../../report/escape.ts';
import type { HistoryFacts, ExplainedValue, LiveFacts } from '../../report/report.ts';
import { noBaseText } from '../../report/words/base.ts';
import { atRecord, findBase } from '../applied/find-base.ts';
import { whyNotOpen, withCheckout } from '../applied/open-checkout.ts';
import type { ExitCode } from '../line/exit.ts';
import { askGuards } from '../plan/ask-guards.ts';
import { findScheduledOf } from '../plan/forecast.ts';
import { createKnownFiles } from '../project/known-files.ts';
import { loadDesiredState, loadProject, type LoadedProject } from '../project/load-project.ts';
import { identityOf, withProject } from '../project/open-project.ts';
import { findOwnWrites } from '../runs/find-recorded.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';

type DesiredOfFamily = PostHog['desired'];

interface ExplainedResource {
  readonly declaration: Declaration;
  readonly resource: DesiredOfFamily;
  readonly section: FamilyName;
  /** The form that options use. */
  readonly name: string;
  readonly path?: FieldPath;
}

interface ExplainOptions {
  /** A flag or one of its fields. */
  readonly name: string;
  readonly all?: boolean;
  /** Uses the manifests and git only. */
  readonly offline?: boolean;
  /** The file of verdicts that guards look at. */
  readonly verdicts?: string;
}

const OFFLINE: ReadFlag = { live: { kind: 'offline' }, values: new Map() };

/** Missing git or service data is named, and the rest is shown. */
export async function explain(session: Session, { name, all, offline, verdicts }: ExplainOptions): Promise<ExitCode> {
  const asked = offline === true ? { offline } : {};
  const loaded = await atRecord(session, await loadProject(session), { reach: 'due', ...asked });
  const desired = await loadDesiredState(session, loaded);
  const found = await findExplained(loaded, desired, name);
  const { declaration, path, section, resource } = found;
  const { explained } = familyIn(section);
  const declared = explained.values(resource, {
    declaration,
    project: loaded.project.name,
    ...defined({ path, moment: loaded.project.moment }),
  });
  if (path !== undefined && declared.length === 0) {
    const place = `${quoteShort(path.text)} of ${quoteShort(declaration.key)}`;
    await session.note(`No manifest declares ${place} for ${quoteShort(loaded.project.name)}: the service decides.\n`);
  }
  const [read, blamed] = await Promise.all([
    offline === true ? OFFLINE : readExplained(session, loaded, { section, resource, declared, verdicts }),
    blameValues(session, loaded.config, declared),
  ]);
  const values = declared.map((value) => ({
    ...value,
    ownership: explained.ownershipOf?.(resource, value.path) ?? 'managed',
    ...defined({ line: blamed.lineOf(value.place) }),
    ...read.values.get(value.path),
  }));
  const isUsual = (value: ExplainedValue): boolean =>
    explained.isUsual?.(value) === true &&
    value.replaces === undefined &&
    value.ownership === 'managed' &&
    value.live?.differs !== true;
  await session.publish({
    kind: 'explain',
    project: identityOf(loaded.project),
    key: found.name,
    values,
    omitted: path === undefined && all !== true ? values.filter(isUsual) : [],
    live: read.live,
    history: blamed.history,
    ...defined({ scheduled: read.scheduled }),
    rollouts: rolloutsOf(read.held ?? resource).filter(
      (one) => path === undefined || declared.some((value) => value.path === one.path),
    ),
  });
  return 0;
}

function rolloutsOf(resource: DesiredOfFamily): readonly PlannedRollout[] {
  const all = 'rollouts' in resource ? (resource.rollouts ?? []) : [];
  return all.map((one) => ({ ...one, key: resource.key, ...(isHeldByGuard(one) && { waits: 'guarded' }) }));
}

/** One process for each file. `lineOf`: `undefined` without a history. */
async function blameValues(
  session: Session,
  config: Config,
  values: readonly { readonly place: Place }[],
): Promise<{ readonly history: HistoryFacts; readonly lineOf: (place: Place) => ExplainedValue['line'] | undefined }> {
  return withCheckout(session, config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') {
      return { history: { kind: 'none', reason: noBaseText(whyNotOpen(opened)) }, lineOf: () => undefined };
    }
    const { repository } = opened;
    const files = [...new Set(values.map(({ place }) => place.file))];
    const found = await Promise.all(
      files.map(async (file) => {
        const ofFile = values.filter(({ place }) => place.file === file);
        const lines = [...new Set(ofFile.map(({ place }) => place.line))];
        return [file, await blameLines(repository, path.normalize(file), lines)] as const;
      }),
    );
    const byFile = new Map(found);
    return { history: { kind: 'read' }, lineOf: ({ file, line }) => byFile.get(file)?.get(line) };
  });
}

/** @throws {FlagwrightError} `usage` for what the manifests do not declare for the project, and for an unknown field. */
async function findExplained(
  { config, project }: LoadedProject,
  desired: DesiredState,
  name: string,
): Promise<ExplainedResource> {
  const resources: ReadonlyMap<string, DesiredOfFamily> = new Map(
    FAMILIES.flatMap(({ kind, section }) => (desired[section] ?? []).map((one) => [nameResource(kind, one.key), one])),
  );
  const found = splitName(name, resources);
  if (found === undefined) {
    const suggestion = nearest(name.split(/[./]/)[0] ?? '', [...resources.keys()]);
    const words = `The manifests declare no flag, cohort or early access feature ${quoted(name)} for the project ${quoted(project.name)}.`;
    throw new FlagwrightError('usage', words, {
      remedy: didYouMean(suggestion, 'Name a flag of a manifest, and a field after a dot: new-checkout.active'),
    });
  }
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const declaration = files
    .flatMap(({ declarations }) => declarations)
    .find(({ section, key }) => section === found.section && key === found.resource.key);
  if (declaration === undefined) throw new FlagwrightError('internal', 'The manifest changed while it was read.');
  return { ...found, declaration };
}

/** No key contains a dot or a slash. */
function splitName(
  name: string,
  resources: ReadonlyMap<string, DesiredOfFamily>,
): Omit<ExplainedResource, 'declaration'> | undefined {
  const [, key = name, separator, rest = ''] = /^([^./]*)([./])(.*)$/s.exec(name) ?? [];
  const resource = resources.get(key);
  if (resource === undefined) return undefined;
  const found = { resource, section: readName(key).section, name: key };
  if (separator === undefined) return found;
  const text = separator === '/' ? `/${rest}` : rest;
  const parsed = parsePathOf(key, text);
  if (!('problem' in parsed)) return { ...found, path: parsed };
  const { message, remedy } = explainPathOf(key, text, parsed.problem);
  throw new FlagwrightError('usage', message, { remedy });
}

interface ReadFlag {
  readonly live: LiveFacts;
  /** Keys are paths. */
  readonly values: ReadonlyMap<string, Pick<ExplainedValue, 'live' | 'attribution'>>;
  readonly scheduled?: ScheduledFacts;
  /** What is declared, where guards hold the steps that they do not let through. */
  readonly held?: DesiredOfFamily;
}

/**
 * Costs the pages of the lists of flags and scheduled changes, one request for the activity, and one for the access of a flag if that is
 * declared.
 */
async function readExplained(
  session: Session,
  loaded: LoadedProject,
  {
    section,
    resource,
    declared,
    verdicts,
  }: Omit<ExplainedResource, 'declaration' | 'name'> & {
    readonly declared: readonly DeclaredValue[];
    readonly verdicts: string | undefined;
  },
): Promise<ReadFlag> {
  const schedules = section === 'flags';
  try {
    return await withProject(session, loaded, async ({ client, identity }) => {
      const live = await readLiveState(client, selectionOf({ flags: [], [section]: [resource] }), { schedules });
      const found = familyIn(section).explained.live(resource, declared, live);
      if (found === undefined) return { live: { kind: 'missing' }, values: new Map() };
      const { id, logged, sought } = found;
      const isRecorded = logged !== undefined || found.attached !== undefined;
      const writes = isRecorded ? await findOwnWrites(session, identity) : [];
      const [attributions] = logged === undefined ? [] : await readAttributions(client, [{ logged, sought }], writes);
      const values = sought.map((one) => {
        const attribution = attributions?.get(one.path);
        return [one.path, { live: found.liveValueOf(one), ...defined({ attribution }) }] as const;
      });
      const subjects = schedules ? [{ key: resource.key, id }] : [];
      const scheduled = await findScheduledOf(session, { loaded, live }, subjects);
      const { moment } = loaded.project;
      const isDueNow = 'rollouts' in resource && resource.rollouts?.some(isDue) === true && moment !== undefined;
      const held = isDueNow
        ? await holdDue(session, resource, { loaded, moment, client, ...defined({ verdicts }) })
        : undefined;
      return {
        live: { kind: 'read', id },
        values: new Map([...values, ...(found.attached?.(writes) ?? [])]),
        ...defined({ scheduled, held }),
      };
    });
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'aborted') throw error;
    if (!(error instanceof ServiceError || error instanceof FlagwrightError)) throw error;
    const { message, remedy = '' } = toFlagwrightError(error);
    return { live: { kind: 'unread', reason: `${message} ${remedy}`.trim() }, values: new Map() };
  }
}

/** Also by the guards of what was applied last, as a plan does. */
async function holdDue(
  session: Session,
  flag: DesiredFlag,
  asking: Omit<Parameters<typeof askGuards>[2], 'search' | 'base'>,
): Promise<DesiredFlag | undefined> {
  const { loaded } = asking;
  return withCheckout(session, loaded.config, async (checkout) => {
    const search = { loaded, checkout, known: createKnownFiles() };
    const base = await findBase(session, search);
    const { flags } = await askGuards(session, { flags: [flag] }, { ...asking, search, base });
    return flags[0];
  });
}
