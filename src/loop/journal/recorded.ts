/** What later runs need to know of a recorded one: the resources that it wrote under a name, when, and whether it switched flags. */

import { defined } from '../../base/optional.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import { kindFor, nameOfChange } from '../../posthog/kinds.ts';
import type { OwnWrite } from '../../posthog/authors/attribution.ts';
import type { Change, FlagChange, Plan } from '../../posthog/plan.ts';
import type { TurnedOff } from '../../posthog/flag/snapshot.ts';
import type { Run } from './read.ts';
import { wasSent } from './undo.ts';

/** The resource that a name belongs to after the run; null if the run itself renamed the flag. Other resources keep their aliases. */
export type RecordedHolder = ResourceId | null;

/** The holder of each name (`nameOfChange`) that the run says something about. */
export function recordedHolders({ plan, outcomes }: Run): ReadonlyMap<string, RecordedHolder> {
  const holders = new Map<string, RecordedHolder>();
  for (const change of plan.changes) {
    if (change.resource === 'role_access') continue;
    const outcome = outcomes.get(change.ref);
    if (outcome?.outcome !== 'applied') continue;
    const id = change.action === 'create' ? outcome.id : change.id;
    const name = nameOfChange(change);
    if (id !== undefined) holders.set(name, id);
    const former = kindFor(change).liveKey(change);
    if (former !== name && !holders.has(former)) holders.set(former, null);
  }
  return holders;
}

/** The writes of a recorded run that took place, with their times. */
export function ownWrites({ name, plan, outcomes, times }: Run): readonly OwnWrite[] {
  return plan.changes.flatMap((change): OwnWrite[] => {
    const outcome = outcomes.get(change.ref);
    const time = times?.get(change.ref);
    if (outcome?.outcome !== 'applied' || outcome.already === true || time === undefined) return [];
    const id = change.action === 'create' ? outcome.id : change.id;
    return id === undefined ? [] : [{ run: name, change, id, ...time }];
  });
}

/** What a run did to the switch of a flag. */
export type Switched =
  /** `saw`: the version of the flag that the run saw before it wrote. */
  { readonly kind: 'off'; readonly off: TurnedOff; readonly saw?: number } | { readonly kind: 'on' | 'other' };

/**
 * The flags whose `active` or conditions the run wrote, or may have written, by id; one that it may have created, by key. Only a run of `off`
 * turns a flag off in this sense.
 */
export function switchedIn(run: Run): ReadonlyMap<ResourceId, Switched> {
  const { plan, outcomes, name: recorded, startedAt: at, origin } = run;
  const { name, host } = origin?.actor ?? {};
  const by = host === undefined ? name : `${name}@${host}`;
  const offBy = (paths: readonly string[], already?: true): readonly Switched[] =>
    plan.off === undefined
      ? []
      : [
          {
            kind: 'off',
            off: { run: recorded, at, ...defined({ reason: plan.off.reason, by }), paths, ...defined({ already }) },
          },
        ];
  const already = (plan.off?.already ?? []).flatMap(({ id, paths }) =>
    offBy(paths, true).map((switched) => [id, switched] as const),
  );
  const written = plan.changes
    .filter(switches)
    .filter((change) => wasSent(run, change) || isCreateInDoubt(run, change))
    .flatMap((change) => {
      const outcome = outcomes.get(change.ref);
      const id = change.id ?? (outcome?.outcome === 'applied' ? outcome.id : undefined) ?? change.key;
      const paths = 'fields' in change ? change.fields.map(({ path }) => path) : [];
      const [off] = offBy(paths);
      const version = change.action === 'create' ? null : change.base.version;
      const seen = off && { ...off, ...(version !== null && { saw: version }) };
      return [[id, seen ?? ({ kind: change.body['active'] === true ? 'on' : 'other' } as const)] as const];
    });
  const continued = continuedFlags(plan).map((id) => [id, { kind: 'other' }] as const);
  return new Map<ResourceId, Switched>([...continued, ...already, ...written]);
}

/** The ids of flags whose rollouts the run let go on, whatever an earlier one of `off` or an undo wrote or found. */
export function continuedFlags({ rollouts = [] }: Pick<Plan, 'rollouts'>): readonly number[] {
  return rollouts.flatMap(({ continued }) => continued ?? []);
}

/** Its answer was lost, and who resumed the run found a flag with the key that is not as the create would have made it. */
function isCreateInDoubt({ attempted, outcomes }: Run, { action, ref }: Change): boolean {
  return action === 'create' && attempted?.has(ref) === true && outcomes.get(ref)?.outcome === 'skipped';
}

function switches(change: Change): change is FlagChange {
  return change.resource === 'flag' && (change.body['active'] !== undefined || change.body['filters'] !== undefined);
}
