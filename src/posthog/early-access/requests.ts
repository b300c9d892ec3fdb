/** The operations on early access features: list, read, create, update and delete. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { JsonPath } from '../../base/json-pointer.ts';
import { collectionCalls } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readNothing, readObject, readText } from '../client/shape.ts';
import type { EarlyAccessFeature } from './feature.ts';

export interface EarlyAccessOperations {
  /** Every early access feature of the project. The key needs the scope `early_access_feature:read`. */
  listEarlyAccessFeatures(): Promise<readonly EarlyAccessFeature[]>;
  /** One early access feature by its UUID. Throws `not_found`. */
  getEarlyAccessFeature(id: string): Promise<EarlyAccessFeature>;
  /**
   * Creates an early access feature. `feature_flag_id` names its flag for good; without it the service makes a flag. In the
   * stages `alpha`, `beta` and `general-availability` the flag starts to enrol people. The key needs
   * `early_access_feature:write`, and `feature_flag:write` for whatever writes the flag. Names need not be unique. Never
   * repeated when the service may have executed it: list the features when `mayHaveHappened` is set.
   */
  createEarlyAccessFeature(body: JsonObject): Promise<EarlyAccessFeature>;
  /**
   * Changes the fields in `body` (PATCH) and returns the whole feature, without a lock. A stage also writes the flag: an
   * active one starts its enrollment, any other ends it. Not repeated when the service may have executed it.
   */
  updateEarlyAccessFeature(id: string, body: JsonObject): Promise<EarlyAccessFeature>;
  /** Deletes an early access feature for good, and ends the enrollment of its flag, which stays. Throws `not_found`. */
  deleteEarlyAccessFeature(id: string): Promise<void>;
}

export function earlyAccessOperations(operations: Operations): EarlyAccessOperations {
  const path = `${operations.projectPath}/early_access_feature/`;
  const calls = collectionCalls(operations, { path, noun: 'EarlyAccessFeature', readEntry: readFeature });
  return {
    listEarlyAccessFeatures: calls.list,
    getEarlyAccessFeature: calls.get,
    createEarlyAccessFeature: calls.create,
    updateEarlyAccessFeature: calls.update,
    deleteEarlyAccessFeature: (id) =>
      operations.send({
        operation: 'deleteEarlyAccessFeature',
        method: 'DELETE',
        path: calls.pathOf(id),
        repeat: 'unless_sent',
        read: (body, status) => readNothing(body, { status, expected: [204] }),
      }),
  };
}

function readFeature(value: JsonValue | undefined, path: JsonPath): EarlyAccessFeature {
  const feature = readObject(value, path);
  return {
    ...feature,
    id: readText(feature['id'], [...path, 'id']),
    name: readText(feature['name'], [...path, 'name']),
    stage: readText(feature['stage'], [...path, 'stage']),
  };
}
