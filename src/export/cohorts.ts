/** Declares the dynamic cohorts that exported flags use, each proven to load to what is live. */

import { reach } from '../base/graph.ts';
import type { JsonObject } from '../base/json.ts';
import { fromPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { MAX_FILE_BYTES } from '../manifest/tree-source.ts';
import { layOut } from '../manifest/write/layout.ts';
import { changeCohort } from '../posthog/cohort/find-changes.ts';
import { type Cohort, snapshotCohorts } from '../posthog/cohort/cohort.ts';
import { COHORT_BLOCK, writeCohort } from '../posthog/cohort/layout.ts';
import { COHORT_SECTION } from '../posthog/cohort/manifest.ts';
import { aliasesOf, matchAllCohorts } from '../posthog/cohort/match.ts';
import { cohortsIn, leavesOf } from '../posthog/cohort/filter-tree.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { parseManifest, resolveManifests } from '../posthog/manifests/manifests.ts';
import type { ExportedFile, ExportNote, UndeclaredReason } from './export.ts';
import { type ExportContext, freePath, splitText } from './files.ts';
import { propertiesOf } from './notes.ts';

export interface ExportedCohorts {
  readonly files: readonly ExportedFile[];
  /** Sorted by the flags' keys, if these are. */
  readonly notes: readonly ExportNote[];
}

const FILE = 'cohorts.yaml';
const PROJECT = 'exported';

/** `taken`: the names of the flags' files. */
export function writeCohorts(
  flags: readonly Flag[],
  surroundings: ExportContext,
  taken: readonly string[],
): ExportedCohorts {
  const { cohorts } = surroundings.input;
  if (cohorts === undefined) return { files: [], notes: [] };
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  const used = [...new Set(flags.flatMap((flag) => cohortsUsedBy(flag, byId)))];
  const { files, reasons } = declareCohorts(used, surroundings, taken);
  return { files, notes: cohortNotes(flags, { cohorts, reasons }) };
}

export interface CohortFiles {
  readonly files: readonly ExportedFile[];
  /** The reasons against declaring, by id. A cohort without an alias, or with a declared one, is in neither. */
  readonly reasons: ReadonlyMap<number, UndeclaredReason>;
}

export function declareCohorts(
  ids: readonly number[],
  surroundings: ExportContext,
  taken: readonly string[],
): CohortFiles {
  const { input, options } = surroundings;
  const byId = new Map((input.cohorts ?? []).map((cohort) => [cohort.id, cohort]));
  const reasons = new Map(ids.flatMap((id) => toEntry(id, whyNot(id, byId))));
  const wanted = ids.flatMap((id) => (reasons.has(id) ? [] : toChosen(byId.get(id), surroundings)));
  const { chosen, wrong } = choose(
    wanted.toSorted((a, b) => (a.alias < b.alias ? -1 : 1)),
    surroundings,
  );
  for (const { cohort } of wrong) reasons.set(cohort.id, 'reads-differently');
  const names = new Set([...taken, ...(options.taken ?? [])]);
  const texts =
    chosen.length === 0
      ? []
      : splitText(chosen, { writeText: (part) => writeText(part, surroundings), maxBytes: MAX_FILE_BYTES });
  return {
    files: texts.map((text) => ({ path: freePath(FILE, { taken: names, onlyIn: options.onlyIn }), text })),
    reasons,
  };
}

/** Ids of cohorts that conditions of the flag name, and those that their definitions name. */
export function cohortsUsedBy(flag: Flag, byId: ReadonlyMap<number, Cohort>): number[] {
  return [...reach(namedIn(propertiesOf(flag)), (id) => namedIn(leavesOf(byId.get(id)?.filters)))];
}

function namedIn(properties: readonly JsonObject[]): number[] {
  return cohortsIn(properties).filter((one) => typeof one === 'number');
}

function whyNot(id: number, byId: ReadonlyMap<number, Cohort>): UndeclaredReason | undefined {
  const cohort = byId.get(id);
  if (cohort === undefined || cohort.deleted === true) return 'unlisted';
  if (cohort.is_static === true) return 'static';
  const reached = reach([id], (one) => namedIn(leavesOf(byId.get(one)?.filters)));
  const isOnEvents = [...reached].some((one) =>
    leavesOf(byId.get(one)?.filters).some(({ type }) => type === 'behavioral'),
  );
  return isOnEvents ? 'behavioral' : undefined;
}

function toEntry(id: number, reason: UndeclaredReason | undefined): [number, UndeclaredReason][] {
  return reason === undefined ? [] : [[id, reason]];
}

interface ChosenCohort {
  readonly alias: string;
  readonly cohort: Cohort;
}

function toChosen(cohort: Cohort | undefined, { names, options }: ExportContext): ChosenCohort[] {
  const alias = cohort && names.cohort(cohort.id);
  if (cohort === undefined || alias === undefined || options.declaredCohorts?.has(alias) === true) return [];
  return [{ alias, cohort }];
}

/** Each is read for itself first, so that one that cannot be read takes no other along. */
function choose(
  wanted: readonly ChosenCohort[],
  surroundings: ExportContext,
): { readonly chosen: readonly ChosenCohort[]; readonly wrong: readonly ChosenCohort[] } {
  const wrong = wanted.filter((one) => findWrong([one], surroundings).length > 0);
  for (;;) {
    const chosen = wanted.filter((one) => !wrong.includes(one));
    const found = chosen.length === 0 ? [] : findWrong(chosen, surroundings);
    if (found.length === 0) return { chosen, wrong };
    wrong.push(...found);
  }
}

/** Loads and plans the declarations: those that are refused, or that a plan would change. */
function findWrong(chosen: readonly ChosenCohort[], surroundings: ExportContext): readonly ChosenCohort[] {
  const { input, options } = surroundings;
  const { roles, cohorts } = input.names;
  const project = { name: options.onlyIn ?? PROJECT, roles, cohorts };
  const text = writeText(chosen, surroundings);
  if (chosen.length === 1 && Buffer.byteLength(text) > MAX_FILE_BYTES) return chosen;
  const { file, diagnostics } = parseManifest(FILE, text);
  const resolved = resolveManifests([file], project, [project.name]);
  const errors = [...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error');
  const refused = errors.map(({ path = '' }) => fromPointer(path)[1]);
  if (refused.includes(undefined)) return chosen;
  const matches = matchAllCohorts(resolved.desired, { cohorts: input.cohorts ?? [] });
  const snapshot = snapshotCohorts(input.cohorts ?? [], aliasesOf(matches));
  const same = new Set(
    matches.pairs.flatMap((pair) => {
      const { changes, warnings } = changeCohort(pair, snapshot);
      return changes.length === 0 && warnings.length === 0 ? [pair.desired.key] : [];
    }),
  );
  return chosen.filter(({ alias }) => refused.includes(alias) || !same.has(alias));
}

function writeText(chosen: readonly ChosenCohort[], { names, options }: ExportContext): string {
  const taken = new Set<string>();
  const written = chosen.map(({ alias, cohort }) => {
    const name = (cohort.name ?? '').trim();
    const nameless = taken.has(name);
    taken.add(name);
    const declaration = writeCohort(cohort, { nameOf: names.cohort, minimal: options.minimal === true, nameless });
    return [alias, options.onlyIn === undefined ? declaration : { ...declaration, only_in: [options.onlyIn] }] as const;
  });
  const { name } = COHORT_SECTION;
  const { schemaPath } = options;
  return layOut({ [name]: Object.fromEntries(written) }, { blocks: { [name]: COHORT_BLOCK }, schemaPath });
}

/** One for each flag and cohort that it uses, itself or through another one, and that is not declared for a reason. */
export function cohortNotes(
  flags: readonly Flag[],
  { cohorts, reasons }: { readonly cohorts: readonly Cohort[]; readonly reasons: CohortFiles['reasons'] },
): ExportNote[] {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  return flags.flatMap((flag) =>
    cohortsUsedBy(flag, byId).flatMap((id): ExportNote[] => {
      const reason = reasons.get(id);
      const name = byId.get(id)?.name ?? undefined;
      return reason === undefined
        ? []
        : [{ kind: 'cohort-undeclared', key: flag.key, cohort: id, reason, ...defined({ name }) }];
    }),
  );
}
