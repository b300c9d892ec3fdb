/** The section `flags` of manifests. */

import { comparing } from '../../../base/compare-strings.ts';
import type { Diagnostic, ProblemOf } from '../../../base/diagnostic.ts';
import { isJsonObject, type JsonObject, arrayOrEmpty, objectOrEmpty, type JsonValue } from '../../../base/json.ts';
import { defined, ifGiven } from '../../../base/optional.ts';
import { type Place, placeAt, type PlaceTree } from '../../../base/place.ts';
import {
  type Declaration,
  membersIn,
  soundness,
  type Soundness,
  type ManifestFinding,
  placeFinding,
  type WrittenRollout,
} from '../../../core/manifest/declaration.ts';
import { type Layer, layerDeclaration, type LayeredDeclaration } from '../../../core/manifest/layers.ts';
import {
  checkPreviousKeys,
  checkProjects,
  keysNamedElsewhere,
  previousKeysOf,
  strayProjects,
} from '../../../core/manifest/members.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../desired.ts';
import type { DeclaredRollout } from '../../../core/rollout/rollout.ts';
import type { Section, SectionScope } from '../../declared/section.ts';
import { checkDependencies } from '../checks/dependencies.ts';
import { checkFilters } from '../checks/filters.ts';
import { checkSlips } from '../checks/slips.ts';
import { checkLayers, layering } from './layering.ts';
import {
  checkAgainstSchema,
  checkPayloadSchema,
  checkReadable,
  PAYLOAD_SCHEMA,
  payloadSchemaOf,
} from '../checks/payload-schema.ts';
import type { FlagProblems } from '../checks/problems.ts';
import { findMeant, findMeantOperator, hasConsent } from '../checks/unknown-members.ts';
import { type Filters, viewFilters } from '../model/flag.ts';
import { type OwnershipRule, parseFieldPath } from '../model/fields.ts';
import { type CohortContext, resolveCohorts, type FlagFields, memberPointer, toFields } from './fields.ts';
import { toPointer, valueAt } from '../../../base/json-pointer.ts';
import { rolloutAt } from '../../../core/manifest/at-moment.ts';
import { readRollout } from '../../../core/rollout/read-rollout.ts';
import type { Project } from '../../project.ts';
import type { Ownership } from '../../../core/engine/ownership.ts';
import { checkBounds, checkOwnRule, checkRule } from '../checks/ownership.ts';
import { comparePrecision } from '../../../core/engine/field-path.ts';

export const FLAG_SECTION: Section = {
  name: 'flags',
  stepped: [
    '/active',
    '/rollout_percentage',
    '/filters/groups/*/rollout_percentage',
    '/conditions/*/rollout_percentage',
  ],
  duplicate: (key: string, other: Place) => ({
    severity: 'error',
    ...({ code: 'flag-duplicate', args: { key, other } } satisfies ProblemOf<FlagProblems>),
  }),
  // The schema describes keys by a pattern and a length of names; users need words about keys of flags.
  keyProblem: (reported, key) => {
    if (reported.code === 'value-pattern') {
      const own = { code: 'flag-key-invalid', args: { key: reported.args.found } } as const;
      return { ...reported, ...(own satisfies ProblemOf<FlagProblems>) };
    }
    if (reported.code !== 'length-out-of-range') return undefined;
    const own = { code: 'flag-key-too-long', args: { key, length: key.length } } as const;
    return { ...reported, ...(own satisfies ProblemOf<FlagProblems>) };
  },
  // Members of the flag or of an overlay; the checks of filters explain members of filters.
  explainProblem: (reported) => {
    if (reported.code === 'value-not-allowed') {
      const { found, allowed } = reported.args;
      const suggestion = findMeantOperator(found);
      if (suggestion === undefined || !allowed.includes(suggestion)) return reported;
      return { ...reported, args: { ...reported.args, suggestion } };
    }
    if (reported.code !== 'property-unknown') return reported;
    const { property } = reported.args;
    return { ...reported, args: { property, ...(findMeant(property, 'flag') ?? reported.args) } };
  },
  naming: PAYLOAD_SCHEMA,
  layering,
  resolve: resolveFlags,
};

/** Resolves the declared flags of a project: fields, checks, cohorts, dependencies and previous keys. */
function resolveFlags(scope: SectionScope, desired: DesiredState): DesiredState {
  const all = scope.declared('flags');
  const layered = scope.layered('flags');
  const declared = new Set(scope.layered('cohorts').map(({ layer: { key } }) => key));
  const aliases = [...new Set([...Object.keys(scope.project.cohorts), ...declared])];
  const cohorts: CohortContext = { ...scope, declared, aliases };
  for (const declaration of all) {
    scope.checkpoint();
    scope.report(checkAsWritten(declaration, scope));
  }
  const resolved = layered
    .filter(({ retired }) => !retired)
    .map((flag) => {
      scope.checkpoint();
      return resolveFlag(flag, scope, cohorts);
    });
  scope.report(checkTogether(resolved, layered, scope));
  const retired = layered.filter((flag) => flag.retired);
  const isSound = ({ declaration }: LayeredDeclaration): boolean => declaration.sound;
  const flags = [
    ...resolved.filter(isSound).map(toDeclared),
    ...retired.filter(isSound).map(({ layer: { key, places } }): DesiredFlag => ({ kind: 'retired', key, places })),
  ];
  const elsewhere = all.length === layered.length ? [] : keysNamedElsewhere(all, layered, scope.project.name);
  return {
    ...desired,
    flags: flags.toSorted(comparing(({ key }) => key)),
    ...(elsewhere.length === 0 ? {} : { namedElsewhere: { ...desired.namedElsewhere, flags: elsewhere } }),
  };
}

/** The problems that do not depend on the project. */
function checkAsWritten(declaration: Declaration, { allProjects, suggest, project }: SectionScope): Diagnostic[] {
  const { named, rollouts } = declaration;
  const { projects, only_in: onlyIn } = membersIn(declaration);
  const ofProjects = projects ?? onlyIn;
  const findings: ManifestFinding[] = [
    ...checkLayers(declaration),
    ...ifGiven(ofProjects, () => checkProjects(declaration, allProjects)),
    ...ifGiven(named, checkPayloadSchema),
  ];
  return [
    ...findings.map((finding) => placeFinding(declaration, finding)),
    // Layers for unknown projects, which no project's own check covers.
    ...ifGiven(ofProjects, () =>
      strayProjects(declaration, allProjects).flatMap((name) => {
        const layer = layerDeclaration(declaration, name, layering);
        return layer.value['deleted'] === true ? [] : findFields(declaration, layer, suggest).diagnostics;
      }),
    ),
    ...ifGiven(rollouts, (written) => checkRollouts(declaration, written, project)),
  ];
}

interface ResolvedFlag extends LayeredDeclaration {
  readonly fields: FlagFields;
  readonly sound: Soundness;
  readonly ownership?: readonly OwnershipRule[];
  readonly rollouts?: readonly DeclaredRollout[];
  /** Whether a condition may name another flag. */
  readonly mayDepend: boolean;
}

function resolveFlag(flag: LayeredDeclaration, scope: SectionScope, context: CohortContext): ResolvedFlag {
  const { declaration, layer } = flag;
  const found = checked.get(layer) ?? findFields(declaration, layer, scope.suggest);
  checked.set(layer, found);
  const { fields: own, sound, diagnostics } = found;
  const { project } = scope;
  const isOwned = layer.value['ownership'] !== undefined || (project.ownership ?? []).length > 0;
  const ownership = isOwned ? resolveOwnership(flag, own, project) : { diagnostics: [] };
  scope.report([...diagnostics, ...ownership.diagnostics]);
  const { fields, places } = own;
  const filters = filtersOf(fields);
  const view = filters && viewFilters(filters);
  const rollouts = declaration.rollouts && resolveRollouts(flag, declaration.rollouts, { own, project });
  const mayDepend = view?.mayName('flags') === true;
  const resolved = { ...flag, sound, mayDepend, ...defined({ ownership: ownership.rules, rollouts }) };
  if (filters === undefined || own.unchecked || view?.mayName('cohorts') !== true) return { ...resolved, fields: own };
  const cohorts = resolveCohorts(filters, context);
  scope.report(cohorts.findings.map((finding) => placeInFields(finding, { layer, places })));
  if (cohorts.filters === filters) return { ...resolved, fields: own };
  return { ...resolved, fields: { ...own, fields: { ...fields, filters: cohorts.filters } } };
}

interface CheckedFields {
  readonly fields: FlagFields;
  readonly sound: Soundness;
  readonly diagnostics: readonly Diagnostic[];
}

/** The result is kept for a layer: the same one comes again for other projects, and after edits of other files. */
const checked = new WeakMap<Layer, CheckedFields>();

/** The fields of a flag, with the checks that need neither the project nor other flags. */
function findFields(declaration: Declaration, layer: Layer, suggest: SectionScope['suggest']): CheckedFields {
  const fields = toFields(layer);
  const sound = soundness(declaration.mistakes, (pointer) => layer.pathOf(memberPointer(layer, pointer)));
  const filters = filtersOf(fields.fields);
  const { intended } = layer.value;
  const slips = fields.unchecked
    ? []
    : checkSlips(fields.fields, { sound, intended, hasSteps: declaration.rollouts !== undefined });
  const findings =
    filters === undefined || fields.unchecked || viewFilters(filters).isOpaque
      ? slips
      : [...checkFilters(filters, { sound, suggest, unknownAllowed: hasConsent(layer.value) }), ...slips];
  const schema = declaration.named && payloadSchemaOf(declaration.named);
  const ofPayloads = schema === undefined ? [] : checkAgainstSchema(schema, fields.fields, sound);
  const unread = schema === undefined ? [] : checkReadable(schema, fields.fields);
  const diagnostics = [
    ...[...findings, ...ofPayloads].map((finding) => placeInFields(finding, { layer, places: fields.places })),
    ...unread.map((finding) => placeFinding(declaration, finding)),
  ];
  return { fields, sound, diagnostics };
}

/** The checks of flags against each other. */
function checkTogether(
  resolved: readonly ResolvedFlag[],
  layered: readonly LayeredDeclaration[],
  { project, complete, suggest }: SectionScope,
): Diagnostic[] {
  const isRenamed = layered.some(({ declaration }) => membersIn(declaration)['previous_keys'] !== undefined);
  const renames = isRenamed ? checkPreviousKeys(layered) : undefined;
  const ofRenames = layered.flatMap(({ declaration }) =>
    (renames?.get(declaration.key) ?? []).map((finding) => placeFinding(declaration, finding)),
  );
  if (!resolved.some(({ mayDepend }) => mayDepend)) return ofRenames;
  const dependencies = checkDependencies({
    project: project.name,
    declared: new Map(
      resolved.map(({ layer: { key }, sound, fields: { fields, unchecked } }) => {
        const active = sound.at('/active') ? fields['active'] !== false : undefined;
        return [key, { key, filters: filtersOf(fields), unchecked, active, sound }];
      }),
    ),
    retired: new Set(layered.filter(({ retired }) => retired).map(({ layer }) => layer.key)),
    complete,
    suggest,
  });
  return [
    ...ofRenames,
    ...resolved.flatMap(({ layer, fields: { places } }) =>
      (dependencies.get(layer.key) ?? []).map((finding) => placeInFields(finding, { layer, places })),
    ),
  ];
}

function filtersOf({ filters }: JsonObject): Filters | undefined {
  return isJsonObject(filters) ? (filters as Filters) : undefined;
}

/** Places a finding whose pointer is in the API's names. */
function placeInFields(
  { at, ...finding }: ManifestFinding,
  { layer, places }: { readonly layer: Layer; readonly places: PlaceTree },
): Diagnostic {
  return { ...finding, place: placeAt(places, at), path: layer.pathOf(memberPointer(layer, at)) };
}

function toDeclared({
  declaration,
  layer,
  ownership,
  rollouts,
  fields: { fields, places },
}: ResolvedFlag): DeclaredFlag {
  const usable = declaration.named && payloadSchemaOf(declaration.named);
  const own = usable === undefined ? {} : { payloadSchema: { file: usable.file, schema: usable.schema } };
  const previousKeys = ifGiven(membersIn(declaration)['previous_keys'], () => previousKeysOf(declaration));
  const further = defined({ ownership, rollouts });
  return { kind: 'declared', key: layer.key, previousKeys, ...own, fields, ...further, places };
}

/** Covers all layers, also those of other projects. */
function checkRollouts(
  declaration: Declaration,
  rollouts: readonly WrittenRollout[],
  { moment, guards }: Project,
): Diagnostic[] {
  // What was applied is no mistake of today.
  const present = moment?.reach === 'applied' ? undefined : moment?.present;
  return rollouts.flatMap(({ pointer, written }) => {
    const { findings } = readRollout(written, defined({ every: moment?.every, present, guards }));
    const unknown = { code: 'rollout-time-unknown', severity: 'error', at: pointer, args: {} } as const;
    return [
      ...findings.map((finding) => placeFinding(declaration, { ...finding, at: pointer + finding.at })),
      ...(moment === undefined ? [placeFinding(declaration, unknown)] : []),
    ];
  });
}

/** The rollouts that decide a value in the project; `undefined` if there are none. */
function resolveRollouts(
  { declaration, layer }: LayeredDeclaration,
  rollouts: readonly WrittenRollout[],
  { own: { fields }, project: { moment } }: { readonly own: FlagFields; readonly project: Project },
): readonly DeclaredRollout[] | undefined {
  const groups = arrayOrEmpty(objectOrEmpty(fields['filters'])['groups']);
  const paths = [
    '/active',
    ...groups.map((_, index) => toPointer(['filters', 'groups', String(index), 'rollout_percentage'])),
  ];
  const decided = paths.flatMap((path) => {
    const pointer = layer.pathOf(memberPointer(layer, path)).slice(declaration.path.length);
    const one = rollouts.find((each) => each.pointer === pointer);
    const at = one && rolloutAt(declaration, one, moment);
    return at === undefined ? [] : [{ ...at, path }];
  });
  return decided.length === 0 ? undefined : decided;
}

/** `rules`: absent if there are none. */
function resolveOwnership(
  { declaration, layer }: LayeredDeclaration,
  { fields, places }: FlagFields,
  project: Project,
): { readonly rules?: readonly OwnershipRule[]; readonly diagnostics: readonly Diagnostic[] } {
  const own = readRules(layer.value['ownership'], layer.places);
  const keys = [layer.key, ...previousKeysOf(declaration)];
  const sets = (project.ownership ?? []).filter(({ matches }) => keys.some(matches));
  if (own.length === 0 && sets.length === 0) return { diagnostics: [] };
  const diagnostics = own.flatMap(({ text, ...read }) => {
    const found = 'rule' in read ? [...checkRule(read.rule), ...checkOwnRule(read.rule, fields)] : [read.problem];
    const at = toPointer(['ownership', text]);
    return found.map((problem) => ({ ...problem, place: placeAt(layer.places, at), path: layer.pathOf(at) }));
  });
  const overlay = valueAt(membersIn(declaration), toPointer(['projects', project.name, 'ownership']));
  const isOfOverlay = ({ text }: ReadRule): boolean => isJsonObject(overlay) && Object.hasOwn(overlay, text);
  const rules = [
    ...sets.map((set) => set.rules),
    ...[false, true].map((ofOverlay) =>
      own.flatMap((each) => ('rule' in each && isOfOverlay(each) === ofOverlay ? [each.rule] : [])),
    ),
  ].flatMap((some) => some.toSorted((a, b) => comparePrecision(a.path, b.path)));
  const outside = checkBounds(rules, fields).map((finding) => placeInFields(finding, { layer, places }));
  return { rules, diagnostics: [...diagnostics, ...outside] };
}

/** `text`: the path as it is written. */
type ReadRule = { readonly text: string } & (
  { readonly rule: OwnershipRule } | { readonly problem: Pick<Diagnostic, 'code' | 'severity' | 'args'> }
);

/** Values of the wrong shape were reported by the schema. */
function readRules(written: JsonValue | undefined, places: PlaceTree): ReadRule[] {
  if (!isJsonObject(written)) return [];
  return Object.entries(written).flatMap(([text, value]): ReadRule[] => {
    const ownership = readOwnership(value);
    if (ownership === undefined) return [];
    const path = parseFieldPath(text);
    const source = placeAt(places, toPointer(['ownership', text]));
    if (!('problem' in path)) return [{ text, rule: { path, ownership, source } }];
    const { problem } = path;
    return [{ text, problem: { code: 'ownership-path-invalid', severity: 'error', args: { path: text, problem } } }];
  });
}

function readOwnership(value: JsonValue | undefined): Ownership | undefined {
  if (value === 'managed' || value === 'initial' || value === 'observed') return value;
  const between = isJsonObject(value) ? value['between'] : undefined;
  if (!Array.isArray(between) || between.length !== 2) return undefined;
  const [low, high] = between as readonly JsonValue[];
  return typeof low === 'number' && typeof high === 'number' ? { between: [low, high] } : undefined;
}
