/** The section `early_access` of manifests: early access features by alias. */

import { comparing } from '../../base/compare-strings.ts';
import { memberOf, objectFrom, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import type { FindingOf } from '../../core/manifest/declaration.ts';
import type { Layer, LayeredDeclaration } from '../../core/manifest/layers.ts';
import type { DesiredFlag, DesiredState } from '../desired.ts';
import {
  placeInLayer,
  reportProjects,
  withNamedElsewhere,
  type SectionScope,
  type Section,
} from '../declared/section.ts';
import { variablesIn, withoutIntended } from '../flag/checks/slips.ts';
import {
  ARCHIVED,
  FEATURE_FIELDS,
  FEATURE_MEMBERS,
  isEnrolling,
  parseFeaturePath,
  type DesiredFeature,
} from './feature.ts';
import type { EarlyAccessProblems } from './problems.ts';

export const EARLY_ACCESS_SECTION: Section = {
  name: 'early_access',
  duplicate: (alias: string, other: Place) => ({
    severity: 'error',
    code: 'early-access-duplicate',
    args: { alias, other },
  }),
  resolve: resolveFeatures,
};

function resolveFeatures(scope: SectionScope, desired: DesiredState): DesiredState {
  reportProjects(scope, 'early_access');
  const layered = scope.layered('early_access');
  const named = withNamedElsewhere(scope, desired, 'early_access');
  if (layered.length === 0) return named;
  const flags = new Map(desired.flags.map((flag) => [flag.key, flag]));
  const taken = new Map<string, string>();
  for (const one of layered) {
    const { layer } = one;
    const { key: alias, value } = layer;
    const flag = flagOf(layer);
    const other = taken.get(flag);
    taken.set(flag, other ?? alias);
    const found: FeatureFinding[] =
      other === undefined
        ? checkFlag(one, flags, scope)
        : [{ severity: 'error', at: '/flag', code: 'early-access-flag-taken', args: { alias, other, flag } }];
    scope.report(placeInLayer(layer, found));
    if (one.retired) continue;
    const slips = FEATURE_MEMBERS.filter((name) => FEATURE_FIELDS[name].form === 'text').flatMap((name) =>
      variablesIn(memberOf(value, name) ?? null, `/${name}`),
    );
    const given = { fields: value, intended: value['intended'], parsePath: parseFeaturePath };
    scope.report(placeInLayer(layer, withoutIntended(slips, given)));
  }
  const features = layered
    .filter(({ declaration }) => declaration.sound)
    .map((one) => toDesired(one, flags))
    .toSorted(comparing(({ key }) => key));
  return { ...named, early_access: features };
}

type FeatureFinding = FindingOf<EarlyAccessProblems>;

function flagOf({ key, value }: Layer): string {
  const flag = memberOf(value, 'flag');
  return typeof flag === 'string' ? flag : key;
}

function checkFlag(
  { layer, retired }: LayeredDeclaration,
  flags: ReadonlyMap<string, DesiredFlag>,
  { complete, project, suggest }: SectionScope,
): FeatureFinding[] {
  const { key: alias, value } = layer;
  const flag = flagOf(layer);
  const declared = flags.get(flag);
  if (declared === undefined) {
    // A file that could not be read may declare it.
    if (retired || !complete) return [];
    const renamed = [...flags.values()].find((one) => one.kind === 'declared' && one.previousKeys.includes(flag))?.key;
    const args = {
      alias,
      flag,
      project: project.name,
      ...defined({ renamed, suggestion: suggest(flag, flags.keys()) }),
    };
    const severity = renamed === undefined ? 'warning' : 'error';
    return [{ severity, at: '/flag', code: 'early-access-flag-unknown', args }];
  }
  if (declared.kind === 'retired') {
    if (retired) return [];
    return [{ severity: 'error', at: '/flag', code: 'early-access-flag-deleted', args: { alias, flag } }];
  }
  const stage = retired ? ARCHIVED : value['stage'];
  // The parts of declared filters that the stage would overwrite, again and again. The one in the service decides if none is declared.
  const { feature_enrollment: enrols = null, super_groups: groups = null } = objectOrEmpty(declared.fields['filters']);
  const isMeant = enrols === null || (stage !== undefined && (enrols === true) === isEnrolling(stage));
  const parts = [...(isMeant ? [] : ['feature_enrollment']), ...(groups === null ? [] : ['super_groups'])];
  return parts.map((part) => ({
    severity: 'error',
    at: '/stage',
    code: 'early-access-contradicted',
    args: { alias, flag, part, ...(typeof stage === 'string' && { stage }) },
  }));
}

function toDesired({ layer, retired }: LayeredDeclaration, flags: ReadonlyMap<string, DesiredFlag>): DesiredFeature {
  const { key, value, places } = layer;
  const flag = flagOf(layer);
  const identity = { key, flag, managed: flags.get(flag)?.kind === 'declared', places };
  if (retired) return { kind: 'retired', ...identity };
  const fields = FEATURE_MEMBERS.flatMap((name): [string, JsonValue][] => {
    const given = memberOf(value, name) ?? null;
    return given === null ? [] : [[name, given]];
  });
  return { kind: 'declared', previousKeys: [], fields: objectFrom(fields), ...identity };
}
