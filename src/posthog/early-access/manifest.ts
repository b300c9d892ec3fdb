/** The section `early_access` of manifests: early access features by alias. */

import { comparing } from '../../base/compare-strings.ts';
import type { ProblemOf } from '../../base/diagnostic.ts';
import { isJsonObject, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import type { FindingOf } from '../../manifest/declaration.ts';
import type { Layer, LayeredDeclaration } from '../../manifest/layers.ts';
import type { DesiredFlag, DesiredState } from '../desired.ts';
import {
  placeInLayer,
  reportProjects,
  withNamedElsewhere,
  type SectionScope,
  type Section,
} from '../declared/section.ts';
import { variablesIn, withoutIntended, type SlipFinding } from '../flag/checks/slips.ts';
import { FIELDS, parseFeaturePath } from './canonical.ts';
import { type DesiredFeature, ARCHIVED, isEnrolling } from './feature.ts';
import type { EarlyAccessProblems } from './problems.ts';

export const EARLY_ACCESS_SECTION: Section = {
  name: 'early_access',
  duplicate: (alias: string, other: Place) => ({
    severity: 'error',
    ...problem({ code: 'early-access-duplicate', args: { alias, other } }),
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
  for (const { layer, retired } of layered) {
    scope.report(placeInLayer(layer, checkFlag(layer, { retired, flags, taken, scope })));
    if (!retired) scope.report(placeInLayer(layer, checkTexts(layer)));
  }
  const features = layered
    .filter(({ declaration }) => declaration.sound)
    .map((one) => toDesired(one, flags))
    .toSorted(comparing(({ key }) => key));
  return { ...named, early_access: features };
}

type DesiredFlags = ReadonlyMap<string, DesiredFlag>;
type FeatureFinding = FindingOf<EarlyAccessProblems>;

interface Checking {
  readonly retired: boolean;
  readonly flags: DesiredFlags;
  /** The alias of the feature of each flag, by its key. */
  readonly taken: Map<string, string>;
  readonly scope: SectionScope;
}

function checkFlag(layer: Layer, { retired, flags, taken, scope }: Checking): FeatureFinding[] {
  const { key: alias, value } = layer;
  const flag = flagOf(layer);
  const other = taken.get(flag);
  taken.set(flag, other ?? alias);
  if (other !== undefined) return [error('/flag', { code: 'early-access-flag-taken', args: { alias, other, flag } })];
  const declared = flags.get(flag);
  if (declared === undefined) return retired ? [] : unknownFlag({ alias, flag }, flags, scope);
  if (declared.kind === 'retired') {
    return retired ? [] : [error('/flag', { code: 'early-access-flag-deleted', args: { alias, flag } })];
  }
  const { stage } = retired ? { stage: ARCHIVED } : value;
  return contradictedParts(declared.fields, stage).map((part) =>
    error('/stage', {
      code: 'early-access-contradicted',
      args: { alias, flag, part, ...defined({ stage: typeof stage === 'string' ? stage : undefined }) },
    }),
  );
}

/** A file that could not be read may declare it. */
function unknownFlag(
  named: { readonly alias: string; readonly flag: string },
  flags: DesiredFlags,
  { complete, project, suggest }: SectionScope,
): FeatureFinding[] {
  if (!complete) return [];
  const isFormer = (one: DesiredFlag): boolean => one.kind === 'declared' && one.previousKeys.includes(named.flag);
  const renamed = [...flags.values()].find(isFormer)?.key;
  const suggestion = suggest(named.flag, flags.keys());
  const args = { ...named, project: project.name, ...defined({ renamed, suggestion }) };
  const severity = renamed === undefined ? 'warning' : 'error';
  return [{ severity, at: '/flag', code: 'early-access-flag-unknown', args }];
}

/** The parts of declared filters that the stage would overwrite, again and again. */
function contradictedParts({ filters }: JsonObject, stage: JsonValue | undefined): string[] {
  if (!isJsonObject(filters)) return [];
  const enrols = memberOf(filters, 'feature_enrollment') ?? null;
  const groups = memberOf(filters, 'super_groups') ?? null;
  return [
    ...(isDeclaredOtherwise(enrols, stage) ? ['feature_enrollment'] : []),
    ...(groups === null ? [] : ['super_groups']),
  ];
}

/** The stage in the service decides if none is declared. */
function isDeclaredOtherwise(enrols: JsonValue, stage: JsonValue | undefined): boolean {
  if (enrols === null) return false;
  return stage === undefined || (enrols === true) !== isEnrolling(stage);
}

function checkTexts({ value }: Layer): SlipFinding[] {
  const found = TEXTS.flatMap((name) => variablesIn(memberOf(value, name) ?? null, `/${name}`));
  return withoutIntended(found, { fields: value, intended: value['intended'], parsePath: parseFeaturePath });
}

const TEXTS = ['name', 'description', 'documentation_url'];

function flagOf({ key, value }: Layer): string {
  const flag = memberOf(value, 'flag');
  return typeof flag === 'string' ? flag : key;
}

function toDesired({ layer, retired }: LayeredDeclaration, flags: DesiredFlags): DesiredFeature {
  const { key, value, places } = layer;
  const flag = flagOf(layer);
  const identity = { key, flag, managed: flags.get(flag)?.kind === 'declared', places };
  if (retired) return { kind: 'retired', ...identity };
  const fields = FIELDS.flatMap((name): [string, JsonValue][] => {
    const given = memberOf(value, name) ?? null;
    return given === null ? [] : [[name, given]];
  });
  return { kind: 'declared', previousKeys: [], fields: objectFrom(fields), ...identity };
}

function error(at: string, found: ProblemOf<EarlyAccessProblems>): FeatureFinding {
  return { severity: 'error', at, ...found } as FeatureFinding;
}

function problem(own: ProblemOf<EarlyAccessProblems>): ProblemOf<EarlyAccessProblems> {
  return own;
}
