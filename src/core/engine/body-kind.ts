/**
 * What the kinds share whose resources are written by the body of a request, deleted softly and compared in a canonical form: how a change
 * shows what it writes, how live state shows a change, how a write whose answer was lost is looked up, and when a change can be reverted.
 */

import type { OfId, ResourceId } from './snapshot.ts';
import { jsonEquals, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type PlaceTree } from '../../base/place.ts';
import type { Divergence } from './base.ts';
import { refTo, type Change, type FieldChange } from './change.ts';
import { type Difference, type Remainder, remainderOf } from './diff.ts';
import type { Applied, RefusedInversion } from './kind.ts';
import type { LookUpResult, StandingBeforeWrite, Write } from './writer.ts';

export interface BodyChange extends Change {
  readonly action: 'create' | 'update' | 'restore' | 'delete';
  readonly fields: readonly FieldChange[];
  readonly body: JsonObject;
}

/** Facts of a run about the resources of a kind. */
export interface BodyRun<Live> {
  /** Finds the id of the key that the plan gives a resource. */
  readonly idOf: (key: string) => ResourceId | undefined;
  readonly find: OfId<Live | undefined>;
  readonly keep: (key: string, live: Live) => void;
}

/** What the functions below need from a kind. */
export interface BodyKind<Made extends BodyChange, Live, Run extends BodyRun<Live>> {
  /** The differences that the change still has to make: what its request would write now. None once it is in effect. */
  findMissing(change: Made, live: Live, run: Run): readonly Pick<Difference, 'path'>[];
  /** The differences between what the request writes and what the plan saw; for a create, between that and the fields that it shows. */
  findWritten(change: Made, run: Run): readonly Difference[];
  /** The fields that are not as the plan saw them; for a create, the obstacles. */
  findMoved(change: Made, live: Live | undefined, run: Run): readonly FieldChange[];
  /** The differences that remain after the write of a change, for a resource that exists. */
  findRemainder(change: Made, live: Live, run: Run): readonly Remainder[];
}

/** The fields of a create: what is declared, as it is shown. */
export function createdFields(
  shown: JsonObject,
  places: PlaceTree,
  divergence: Divergence | undefined,
): readonly FieldChange[] {
  return Object.entries(shown).flatMap(([field, after]) =>
    after === undefined
      ? []
      : [{ path: `/${field}`, after, source: placeAt(places, `/${field}`), ...defined({ divergence }) }],
  );
}

/** The name of a change. */
export function nameChange<Name extends string>(
  resource: Name,
  key: string,
): { readonly ref: string; readonly resource: Name; readonly key: string } {
  return { ref: refTo(resource, key), resource, key };
}

/** A soft delete of a live resource, without its reason and place. */
export function softDelete<Name extends string, Base, Id extends ResourceId>(
  resource: Name,
  key: string,
  { id, base, divergence }: { readonly id: Id; readonly base: Base; readonly divergence?: Divergence | undefined },
): ReturnType<typeof nameChange<Name>> & {
  readonly action: 'delete';
  readonly id: Id;
  readonly fields: readonly FieldChange[];
  readonly body: JsonObject;
  readonly base: Base;
  readonly needs: readonly string[];
} {
  return {
    action: 'delete',
    ...nameChange(resource, key),
    id,
    fields: [{ path: '/deleted', before: false, after: true, ...defined({ divergence }) }],
    body: { deleted: true },
    base,
    needs: [],
  };
}

/** The id of what the change is about, once it exists. */
export function idIn<Id extends ResourceId>(
  { action, id, key }: Pick<BodyChange, 'action' | 'key'> & { readonly id?: Id | undefined },
  { idOf }: { readonly idOf: (key: string) => Id | undefined },
): Id | undefined {
  return action === 'create' ? idOf(key) : id;
}

/** The id of the resource, where live state shows the effect of the change. */
export function findEffect<Made extends BodyChange, Live, Run extends BodyRun<Live>>(
  change: Made,
  run: Run,
  kind: BodyKind<Made, Live, Run>,
): ResourceId | undefined {
  const id = idIn(change, run);
  const live = id === undefined ? undefined : run.find(id);
  return live !== undefined && kind.findMissing(change, live, run).length === 0 ? id : undefined;
}

/** The paths at which the request of a change writes what the change does not show: other values count, too. */
function findUnshown<Made extends BodyChange, Live, Run extends BodyRun<Live>>(
  change: Made,
  run: Run,
  kind: BodyKind<Made, Live, Run>,
): readonly string[] {
  // Not every service says of a resource that it is not deleted.
  const valueAt = (path: string, value: JsonValue | undefined): JsonValue | undefined =>
    path === '/deleted' && value === undefined ? false : value;
  const isShown = ({ path, before, after }: Difference): boolean =>
    change.fields.some(
      (shown) =>
        shown.path === path &&
        jsonEquals(valueAt(path, shown.before), valueAt(path, before)) &&
        jsonEquals(shown.after, after),
    );
  return kind.findWritten(change, run).flatMap((one) => (isShown(one) ? [] : [one.path]));
}

/** The top-level fields of a create, as it shows them. */
export function shownFields({ fields }: Pick<BodyChange, 'fields'>): JsonObject {
  return objectFrom(fields.map(({ path, after = null }) => [fromPointer(path)[0] ?? '', after]));
}

/** A resource that moved may already be as the plan wants it. */
export function inspect<Made extends BodyChange, Live, Run extends BodyRun<Live>>(
  change: Made,
  run: Run,
  kind: BodyKind<Made, Live, Run>,
): StandingBeforeWrite {
  const live = change.action === 'create' || change.id === undefined ? undefined : run.find(change.id);
  const moved = kind.findMoved(change, live, run);
  const paths = moved.length === 0 ? findUnshown(change, run, kind) : [];
  if (paths.length > 0) return { kind: 'unshown', paths };
  if (moved.length === 0) return { kind: 'as_planned' };
  const id = findEffect(change, run, kind);
  return id === undefined ? { kind: 'moved', moved } : { kind: 'in_effect', id };
}

interface Rewrite<Made extends BodyChange, Live, Run extends BodyRun<Live>> {
  readonly run: Run;
  readonly kind: BodyKind<Made, Live, Run>;
  /** A request over what was read last. */
  readonly sendOver: (original: Live | undefined) => () => Promise<ResourceId>;
  readonly read: () => Promise<Live | undefined>;
}

/** Writes a resource that exists. If the service does not show deleted resources, one that is gone counts as deleted. */
export function rewrite<Made extends BodyChange & { readonly id: ResourceId }, Live, Run extends BodyRun<Live>>(
  change: Made,
  { run, kind, sendOver, read }: Rewrite<Made, Live, Run>,
  { hidesDeleted }: { readonly hidesDeleted: boolean },
): Write {
  const { id, key, action } = change;
  return {
    send: sendOver(run.find(id)),
    lookUpAfter: 'conflict',
    repeatRefused: true,
    lookUp: async (): Promise<LookUpResult> => {
      const now = await read();
      if (now === undefined ? hidesDeleted && action === 'delete' : kind.findMissing(change, now, run).length === 0) {
        if (now !== undefined) run.keep(key, now);
        return { kind: 'in_effect', id };
      }
      const moved = kind.findMoved(change, now, run);
      return moved.length > 0 ? { kind: 'changed', moved } : { kind: 'unwritten', send: sendOver(now) };
    },
  };
}

/** The differences after the changes. `read`: the resources as they were read back, by id. */
export function findRemainders<Made extends BodyChange, Live extends object, Run extends BodyRun<Live>>(
  changes: readonly Made[],
  read: ReadonlyMap<ResourceId, Live>,
  { run, kind }: Pick<Rewrite<Made, Live, Run>, 'run' | 'kind'>,
): readonly Remainder[] {
  return changes.flatMap((change): readonly Remainder[] => {
    const live = read.get(idIn(change, run) ?? Number.NaN);
    const exists = live !== undefined && !('deleted' in live && live.deleted === true);
    if (change.action === 'delete') {
      return exists ? [remainderOf(change, { path: '/deleted', before: false, after: true })] : [];
    }
    if (!exists) return [{ ref: change.ref, key: change.key, path: '', reason: 'not_found' }];
    return kind.findRemainder(change, live, run);
  });
}

/** The live resource of an applied change with all of its effect, or why the change cannot be reverted. */
export function findToInvert<Made extends BodyChange, Live>(
  { change, id: answered }: Applied<Made>,
  byId: OfId<Live | undefined>,
  missingEffect: (live: Live) => readonly Difference[],
): { readonly live: Live } | RefusedInversion {
  const { ref, key } = change;
  const id = change.action === 'create' ? answered : change.id;
  const live = id === undefined ? undefined : byId(id);
  if (live === undefined) return { ref, key, refusal: 'gone', moved: [] };
  const moved = missingEffect(live).map(({ path, before, after }) => ({
    path,
    ...defined({ before: after, after: before }),
  }));
  return moved.length > 0 ? { ref, key, refusal: 'moved', moved } : { live };
}
