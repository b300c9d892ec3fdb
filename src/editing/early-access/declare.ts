/** Declares live early access features that no manifest names: in the file of most declared ones, or of their flag. */

import { writeDeclarations } from '../../export/further.ts';
import { changeFeature } from '../../posthog/early-access/find-changes.ts';
import { ARCHIVED, type LiveFeature } from '../../posthog/early-access/feature.ts';
import { chooseAlias } from '../../posthog/early-access/export.ts';
import type { NamedLive } from '../../posthog/exported.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { EditCandidate, DeclareFacet, Declaring } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import type { LeftFlag } from '../results.ts';
import { commonestHome, type DeclaredIn, type ReadTexts } from '../texts.ts';

export const FEATURE_DECLARING: DeclareFacet = { identify, exported, homeOf, findDiffering };

/** The alias is the key of the flag, which identifies the feature. */
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
  const names = lookupNames(context.live.flags, context.project);
  return { files: writeDeclarations('early_access', chosenOf(open, context), { names, options: writing }), left: [] };
}

interface ChosenFeature extends NamedLive<LiveFeature> {
  readonly flag: string;
}

function chosenOf(open: readonly EditCandidate[], context: EditingContext): readonly ChosenFeature[] {
  const byName = new Map(
    (context.live.early_access ?? []).flatMap((live) => {
      const flag = keyOf(live, context);
      return flag === undefined ? [] : [[nameResource('early_access', flag), { live, flag }] as const];
    }),
  );
  return open.flatMap(({ key, declared }) => {
    const one = byName.get(key);
    return one === undefined ? [] : [{ ...one, key: declared }];
  });
}

/** The file with most of the declared features. */
function homeOf(_key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const declared = [...declarations.values()].filter(({ section }) => section === EDITED.early_access.section);
  return commonestHome(declared);
}

function findDiffering({ context }: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[] {
  const desiredNow = EDITED.early_access.desired(after.resolve(context.project).desired);
  const declared = new Map(desiredNow.map((one) => [one.key, one]));
  return chosenOf(open, context).flatMap(({ key, flag, live: feature }) => {
    const desired = declared.get(key);
    const live = { id: feature.id, key, feature };
    const isSame = desired?.flag === flag && changeFeature({ desired, live }).changes.length === 0;
    return isSame ? [] : [nameResource('early_access', flag)];
  });
}
