/** Declares live early access features that no manifest names: in the file of most declared ones, or of their flag. */

import { featureFiles, type ChosenFeature } from '../../export/early-access.ts';
import { changeFeature } from '../../posthog/early-access/find-changes.ts';
import { ARCHIVED, type LiveFeature } from '../../posthog/early-access/feature.ts';
import { chooseAlias } from '../../posthog/early-access/layout.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { EditCandidate, DeclareFacet, Declaring } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { findLost, findNewErrors } from '../proof.ts';
import type { LeftFlag } from '../results.ts';
import { commonestFile, type ReadTexts } from '../texts.ts';

export const FEATURE_DECLARING: DeclareFacet = { identify, exported, homeOf, findWrong };

/** The alias is the key of the flag, which tells which feature is meant. */
function identify({ keys, context }: Declaring): ReturnType<DeclareFacet['identify']> {
  const { read, live, projects } = context;
  const all = projects.flatMap((project) => EDITED.early_access.desired(read.resolve(project).desired));
  const declaredFor = new Set(all.map(({ flag }) => flag));
  const taken = new Set(
    [...read.declarations.values()].flatMap((one) => (one.section === EDITED.early_access.section ? one.key : [])),
  );
  const open: EditCandidate[] = [];
  const left: LeftFlag[] = [];
  for (const feature of live.early_access ?? []) {
    const flag = keyOf(feature, context);
    if (flag === undefined || feature.stage === ARCHIVED || !keys.has(String(feature.id))) continue;
    const key = nameResource('early_access', flag);
    if (declaredFor.has(flag)) {
      left.push({ key, reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } });
      continue;
    }
    const declared = chooseAlias(flag, taken);
    taken.add(declared);
    open.push({ key, declared });
  }
  return { open, left };
}

function keyOf({ id }: LiveFeature, { snapshot: { flags } }: EditingContext): string | undefined {
  return flags.keyOf(id);
}

function exported(
  { context, writing }: Declaring,
  open: readonly EditCandidate[],
): ReturnType<DeclareFacet['exported']> {
  return { files: featureFiles(chosenOf(open, context), writing), left: [] };
}

function chosenOf(open: readonly EditCandidate[], context: EditingContext): readonly ChosenFeature[] {
  const byName = new Map(
    (context.live.early_access ?? []).flatMap((feature) => {
      const flag = keyOf(feature, context);
      return flag === undefined ? [] : [[nameResource('early_access', flag), { feature, flag }] as const];
    }),
  );
  return open.flatMap(({ key, declared }) => {
    const one = byName.get(key);
    return one === undefined ? [] : [{ ...one, alias: declared }];
  });
}

/** The file with most of the declared features. */
function homeOf(_key: string, { declarations }: ReadTexts): string | undefined {
  const declared = [...declarations.values()].filter(({ section }) => section === EDITED.early_access.section);
  return commonestFile(declared.map(({ file }) => file));
}

/** The candidates that a plan would still change, and the others that the edit changed. */
function findWrong({ context }: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[] {
  const { read, project, projects } = context;
  const declared = new Map(EDITED.early_access.desired(after.resolve(project).desired).map((one) => [one.key, one]));
  const differing = chosenOf(open, context).flatMap(({ alias, flag, feature }) => {
    const desired = declared.get(alias);
    const live = { id: feature.id, key: alias, feature };
    const isSame = desired?.flag === flag && changeFeature({ desired, live }).changes.length === 0;
    return isSame ? [] : [nameResource('early_access', flag)];
  });
  const others = projects.flatMap((one) => [
    ...findNewErrors(read, after, one).flatMap(({ names }) => names),
    ...findLost(read, after, one),
  ]);
  return [...differing, ...others];
}
