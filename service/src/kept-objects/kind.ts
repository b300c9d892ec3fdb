/** Objects that the service keeps and returns, and does nothing else with: what their kinds have in common. */

import { memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Call, Handler, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { userOf } from '../handler/user.ts';
import type { KeptObject } from '../store/kept-objects.ts';

export interface KeptKind {
  readonly kind: string;
  readonly ids: 'number' | 'uuid';
  /** The fields that a request may write. */
  readonly fields: readonly BodyField[];
  /** Every stored field that answers show, with the value that stands for none. */
  readonly defaults: JsonObject;
  readonly findsDeleted: (call: Call) => boolean;
  /** The values to store, checked against each other and against other objects. */
  readonly complete: (service: ServiceContext, write: KeptWrite) => JsonObject;
  /** What follows once the objects are stored: one before a change, if any, and the one after it. */
  readonly stored?: (service: ServiceContext, objects: readonly KeptObject[]) => void;
  readonly serialise: (service: ServiceContext, object: KeptObject, call: Call) => JsonObject;
}

export interface KeptWrite {
  readonly call: Call;
  /** `undefined` where the number of a new object is not known yet. */
  readonly id: string | undefined;
  /** Those of the request. */
  readonly values: JsonObject;
  /** The object before an update. */
  readonly before?: KeptObject;
}

export function createHandler(kind: KeptKind): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const id = kind.ids === 'uuid' ? service.randomUuid() : undefined;
      const values = readFields(call.body, kind.fields);
      const time = formatTimestamp(service.now());
      const made = { created_at: time, created_by: userOf(service), updated_at: time };
      const object = service.store.keptObjects.insert({
        kind: kind.kind,
        projectId: call.projectId,
        id,
        fields: { ...kind.complete(service, { call, id, values }), ...made },
      });
      kind.stored?.(service, [object]);
      return { status: 201, body: kind.serialise(service, object, call) };
    });
}

export function getHandler(kind: KeptKind): Handler {
  return (service, call) => ({ status: 200, body: kind.serialise(service, findObject(service, call, kind), call) });
}

export function updateHandler(kind: KeptKind): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const before = findObject(service, call, kind);
      const values = readFields(call.body, kind.fields, { partial: true });
      const changed = kind.complete(service, { call, id: before.id, values, before });
      const fields = { ...before.fields, ...changed, updated_at: formatTimestamp(service.now()) };
      const after = { ...before, fields };
      service.store.keptObjects.update(after);
      kind.stored?.(service, [before, after]);
      return { status: 200, body: kind.serialise(service, after, call) };
    });
}

/** Throws a 404. */
export function findObject({ store }: ServiceContext, call: Call, kind: KeptKind): KeptObject {
  const object = store.keptObjects.find(
    { kind: kind.kind, projectId: call.projectId },
    call.params['id']?.toLowerCase() ?? '',
  );
  if (object === undefined || (object.fields['deleted'] === true && !kind.findsDeleted(call))) throw notFound();
  return object;
}

/** Those that are not deleted, sorted by creation. */
export function listObjects({ store }: ServiceContext, { projectId }: Call, { kind }: KeptKind): KeptObject[] {
  return store.keptObjects.list({ kind, projectId }).filter(({ fields }) => fields['deleted'] !== true);
}

export function shownFields({ fields }: KeptObject, { defaults }: KeptKind): JsonObject {
  const shown = Object.entries(defaults).map(([name, fallback]) => [
    name,
    storedOr(memberOf(fields, name), fallback ?? null),
  ]);
  return Object.fromEntries(shown) as JsonObject;
}

/** A stored null stays null. */
export function storedOr(stored: JsonValue | undefined, fallback: JsonValue): JsonValue {
  return stored === undefined ? fallback : stored;
}
