/** Declares the early access features of exported flags, each proven to load to what is live. */

import { fromPointer } from '../base/json-pointer.ts';
import { MAX_FILE_BYTES } from '../manifest/tree-source.ts';
import { layOut } from '../manifest/write/layout.ts';
import { changeFeature } from '../posthog/early-access/find-changes.ts';
import { chooseAlias, FEATURE_BLOCK, writeFeature } from '../posthog/early-access/layout.ts';
import { ARCHIVED, type LiveFeature } from '../posthog/early-access/feature.ts';
import { EARLY_ACCESS_SECTION } from '../posthog/early-access/manifest.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { parseManifest, resolveManifests } from '../posthog/manifests/manifests.ts';
import type { ExportedFile, ExportNote, ExportOptions } from './export.ts';
import { freePath, splitText, type ExportContext } from './files.ts';

const FILE = 'early-access.yaml';
const PROJECT = 'exported';

/** A live feature, the key of its flag, and the alias that it gets. */
export interface ChosenFeature {
  readonly alias: string;
  readonly flag: string;
  readonly feature: LiveFeature;
}

/** `files`: those of the flags. An archived feature offers nothing, and is not declared. */
export function writeFeatures(
  flags: readonly Flag[],
  { input, options }: ExportContext,
  files: readonly ExportedFile[],
): { readonly files: readonly ExportedFile[]; readonly notes: readonly ExportNote[] } {
  const keys = new Map(flags.map(({ id, key }) => [id, key]));
  const taken = new Set(options.declaredFeatures?.aliases);
  const wanted = (input.earlyAccess ?? []).flatMap((feature): ChosenFeature[] => {
    const flag = keys.get(feature.id);
    if (flag === undefined || feature.stage === ARCHIVED || options.declaredFeatures?.flags.has(flag) === true)
      return [];
    const alias = chooseAlias(flag, taken);
    taken.add(alias);
    return [{ alias, flag, feature }];
  });
  const chosen = wanted.toSorted((a, b) => (a.alias < b.alias ? -1 : 1));
  const wrong = findWrong(chosen, { options, files });
  const kept = chosen.filter((one) => !wrong.includes(one));
  const names = new Set([...files.map(({ path }) => path), ...(options.taken ?? [])]);
  return {
    files: featureFiles(kept, { ...options, taken: names }),
    notes: wrong.map(({ flag, feature }) => ({ kind: 'early-access-undeclared', key: flag, name: feature.name })),
  };
}

/** Unproven. */
export function featureFiles(chosen: readonly ChosenFeature[], options: ExportOptions): readonly ExportedFile[] {
  if (chosen.length === 0) return [];
  const taken = new Set(options.taken);
  const texts = splitText(chosen, { writeText: (part) => writeText(part, options), maxBytes: MAX_FILE_BYTES });
  return texts.map((text) => ({ path: freePath(FILE, { taken, onlyIn: options.onlyIn }), text }));
}

function writeText(chosen: readonly ChosenFeature[], { minimal, onlyIn, schemaPath }: ExportOptions): string {
  const { name } = EARLY_ACCESS_SECTION;
  const written = chosen.map(({ alias, flag, feature }) => {
    const declaration = writeFeature(feature, { alias, flag, minimal: minimal === true });
    return [alias, onlyIn === undefined ? declaration : { ...declaration, only_in: [onlyIn] }] as const;
  });
  return layOut({ [name]: Object.fromEntries(written) }, { blocks: { [name]: FEATURE_BLOCK }, schemaPath });
}

/** Loads and plans each declaration with those of the flags: those that are refused, or that a plan would change. */
function findWrong(
  chosen: readonly ChosenFeature[],
  { options, files }: { readonly options: ExportOptions; readonly files: readonly ExportedFile[] },
): readonly ChosenFeature[] {
  if (chosen.length === 0) return [];
  const project = { name: options.onlyIn ?? PROJECT, roles: {}, cohorts: {} };
  const flags = files.map(({ path, text }) => parseManifest(path, text).file);
  const own = chosen.map((one) => ({ one, ...parseManifest(FILE, writeText([one], options)) }));
  const resolved = resolveManifests([...flags, ...own.map(({ file }) => file)], project, [project.name]);
  const isOfFeature = ({ path = '' }: { readonly path?: string }): boolean =>
    fromPointer(path)[0] === EARLY_ACCESS_SECTION.name;
  const refused = new Set(
    resolved.diagnostics
      .filter((found) => found.severity === 'error' && isOfFeature(found))
      .map(({ path = '' }) => fromPointer(path)[1]),
  );
  const desired = new Map((resolved.desired.early_access ?? []).map((one) => [one.key, one]));
  return own.flatMap(({ one, diagnostics }) => {
    const declared = desired.get(one.alias);
    const isRefused = diagnostics.some(({ severity }) => severity === 'error') || refused.has(one.alias);
    return isRefused || declared === undefined || !isAsLive(declared, one) ? [one] : [];
  });
}

function isAsLive(desired: Parameters<typeof changeFeature>[0]['desired'], { alias, feature }: ChosenFeature): boolean {
  return changeFeature({ desired, live: { id: feature.id, key: alias, feature } }).changes.length === 0;
}
