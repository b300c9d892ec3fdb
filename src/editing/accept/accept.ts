/** Takes what is live over into the manifests: for each difference, the value in the layer that gives it. */

import { comparing } from '../../base/compare-strings.ts';
import { memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { matchKeys } from '../../engine/scope.ts';
import { findLeftOut } from '../../posthog/left-out.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import type { Plan } from '../../posthog/plan.ts';
import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import { sayInManifests } from '../say.ts';
import { readTexts, withEdited, type ReadTexts } from '../texts.ts';
import type { LayerChoice } from '../wish.ts';
import { previousKeysOf } from '../../manifest/previous-keys.ts';
import { writtenAt } from '../written-at.ts';
import type { Accepted, AcceptedChange, AcceptedFlag, LeftFlag, PendingFlag } from './accepted.ts';
import { toCohortWish } from './cohort-wish.ts';
import { findUneditable, selectDifferences, type Found, type Selection } from './select.ts';
import { toWish } from './to-wish.ts';
import { isOfMain } from '../../posthog/resource-name.ts';

export interface AcceptInput extends EditingInput {
  /** Made of these manifests and this live state, with a base if there is one. */
  readonly plan: Plan;
  readonly selection: Selection;
  readonly layer: LayerChoice;
}

export function acceptLive(input: AcceptInput): Accepted {
  const context = toEditingContext(input);
  const declared = declaredFlags(context);
  const fieldsOf = (key: string): JsonObject => declared.get(key)?.fields ?? {};
  const plan = withOmitted(input.plan, context, fieldsOf);
  const { chosen, pending } = selectDifferences(plan, input.selection, fieldsOf);
  const byKey = groupByKey(chosen);
  const made = [...byKey].map(([key, found]) =>
    isOfMain(key)
      ? toWish({ key, found, declared: declared.get(key), context })
      : toCohortWish({ key, found, context, warnings: input.plan.warnings }),
  );
  const wishes = made.flatMap((one) => ('wish' in one ? [one.wish] : []));
  const { edited, said, refused } = sayInManifests(context, wishes, input.layer);
  const left = [
    ...made.flatMap((one) => ('left' in one ? [one.left] : [])),
    ...refused,
    ...notPlanned(input, new Set([...chosen, ...pending].map(({ key }) => key))),
  ];
  const after = readTexts(withEdited(context.manifests, edited), context.allProjects);
  const accepted = [...byKey].flatMap(([key, found]): AcceptedFlag[] =>
    said.has(key) ? [{ key, changes: found.map((one) => toAccepted(one, after, context)) }] : [],
  );
  return {
    edited,
    accepted: accepted.toSorted(comparing(({ key }) => key)),
    left: left.map((one) => withPlace(one, context)).toSorted(comparing(({ key }) => key)),
    pending: toPending(pending),
  };
}

/** What differs although nothing of it is taken over is named too, and never taken for alike. */
function notPlanned({ plan, selection: { keys, only } }: AcceptInput, known: ReadonlySet<string>): LeftFlag[] {
  if (only !== undefined) return [];
  const isNamed = keys === undefined ? () => true : matchKeys(keys);
  const unplanned = findLeftOut(plan.warnings).filter(({ key }) => isNamed(key) && !known.has(key));
  return [
    ...unplanned.map(({ key }): LeftFlag => ({ key, reason: { code: 'not-planned' } })),
    ...findUneditable(plan).flatMap((key): LeftFlag[] =>
      isNamed(key) ? [{ key, reason: { code: 'not-editable' } }] : [],
    ),
  ];
}

function declaredFlags({ read, project }: EditingContext): Map<string, DeclaredFlag> {
  const { flags } = read.resolve(project).desired;
  return new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])));
}

/** Fields of flags with opaque filters, which a plan names in a warning and never writes, as changes. */
function withOmitted(
  { changes, warnings }: Plan,
  { snapshot }: EditingContext,
  fieldsOf: (key: string) => JsonObject,
): Pick<Plan, 'changes'> {
  const omitted = warnings.flatMap((warning): Plan['changes'] => {
    const live = warning.code === 'filters_opaque' ? snapshot.flags.byKey(warning.key) : undefined;
    if (warning.code !== 'filters_opaque' || live === undefined || warning.omitted.length === 0) return [];
    const fields = warning.omitted.map((field) => ({
      path: `/${field}`,
      ...defined({ before: memberOf(live, field), after: memberOf(fieldsOf(warning.key), field) }),
    }));
    const { key } = warning;
    return [
      {
        action: 'update',
        resource: 'flag',
        ref: `flag:${key}`,
        key,
        id: live.id,
        fields,
        body: {},
        needs: [],
        base: { version: null, flag: {}, former: {} },
      },
    ];
  });
  return { changes: [...changes, ...omitted] };
}

function toAccepted(
  { key, change, path, declared, live, divergence, base }: Found,
  after: ReadTexts,
  { project }: EditingContext,
): AcceptedChange {
  const facts = { ref: change.ref, path, ...defined({ before: declared, after: live, divergence, base }) };
  return { ...facts, ...writtenAt({ key: keyNow(key, after), path }, after, project) };
}

/** A renamed flag is declared with its former key as a previous one. */
function keyNow(key: string, { declarations }: ReadTexts): string {
  if (declarations.has(key)) return key;
  return [...declarations.values()].find((one) => previousKeysOf(one).includes(key))?.key ?? key;
}

function withPlace(one: LeftFlag, { read }: EditingContext): LeftFlag {
  const place = one.place ?? read.declarations.get(one.key)?.places.place;
  return { ...one, ...defined({ place }) };
}

function toPending(found: readonly Found[]): PendingFlag[] {
  return [...groupByKey(found)]
    .map(([key, all]) => ({ key, paths: all.map(({ path }) => path) }))
    .toSorted(comparing(({ key }) => key));
}

function groupByKey(found: readonly Found[]): Map<string, readonly Found[]> {
  const groups = new Map<string, Found[]>();
  for (const one of found) groups.set(one.key, [...(groups.get(one.key) ?? []), one]);
  return groups;
}
