/** A person in the shape of the service's interface (docs/service.md, "Persons"), and the checks of an answer. */

import { FlagwrightError } from '../../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { JsonPath } from '../../../base/json-pointer.ts';
import { readObject, UnexpectedShape } from '../shape.ts';

/** Other fields are kept unchanged. All but `properties` are read-only. */
export interface Person extends JsonObject {
  /** A number; in answers of the analyses the UUID, or for a group its key. */
  readonly id: number | string;
  readonly uuid?: string;
  /** Derived by the service: e-mail address, a distinct id, or the id. */
  readonly name?: string;
  readonly distinct_ids?: readonly string[];
  readonly properties?: JsonObject;
  /** ISO 8601, UTC. */
  readonly created_at?: string;
}

/** The number of a person or, on services since 2023, its UUID. */
export type PersonId = number | string;

export function readPerson(value: JsonValue | undefined, path: JsonPath = []): Person {
  const person = readObject(value, path);
  const id = person['id'] ?? person['uuid'];
  if (typeof id !== 'number' && typeof id !== 'string') {
    throw new UnexpectedShape([...path, 'id'], 'a number or a UUID');
  }
  return { ...person, id };
}

/** The id as one segment of a path. Throws `usage` for a string that would change the meaning of the path. */
export function personSegment(id: PersonId): string {
  const text = String(id);
  if (/^\.*$/.test(text)) throw new FlagwrightError('usage', `'${text}' is not the id of a person.`);
  return encodeURIComponent(text);
}
