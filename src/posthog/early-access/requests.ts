/** The operations on early access features: list, read, create, update and delete. */

import type { JsonPath } from '../../base/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { readListing } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readNothing, readObject, readText, UnexpectedShape } from '../client/shape.ts';
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
   * active one starts its enrolment, any other ends it. Not repeated when the service may have executed it.
   */
  updateEarlyAccessFeature(id: string, body: JsonObject): Promise<EarlyAccessFeature>;
  /** Deletes an early access feature for good, and ends the enrolment of its flag, which stays. Throws `not_found`. */
  deleteEarlyAccessFeature(id: string): Promise<void>;
}

/** Features asked for per request. */
const FEATURES_PER_PAGE = 100;

export function earlyAccessOperations({ send, projectPath, concurrency, callee }: Operations): EarlyAccessOperations {
  const collection = `${projectPath}/early_access_feature/`;
  const item = (id: string): string => `${collection}${encodeURIComponent(id)}/`;
  return {
    listEarlyAccessFeatures: () =>
      readListing(send, {
        operation: 'listEarlyAccessFeatures',
        path: collection,
        first: { limit: FEATURES_PER_PAGE },
        concurrency,
        callee,
        readEntry: readFeature,
      }),
    getEarlyAccessFeature: (id) =>
      send({
        operation: 'getEarlyAccessFeature',
        method: 'GET',
        path: item(id),
        repeat: 'freely',
        read: (body) => readFeatureOf(body, id),
      }),
    createEarlyAccessFeature: (body) =>
      send({
        operation: 'createEarlyAccessFeature',
        method: 'POST',
        path: collection,
        body,
        repeat: 'unless_sent',
        read: (answer) => readFeature(answer),
      }),
    updateEarlyAccessFeature: (id, body) =>
      send({
        operation: 'updateEarlyAccessFeature',
        method: 'PATCH',
        path: item(id),
        body,
        repeat: 'unless_sent',
        read: (answer) => readFeatureOf(answer, id),
      }),
    deleteEarlyAccessFeature: (id) =>
      send({
        operation: 'deleteEarlyAccessFeature',
        method: 'DELETE',
        path: item(id),
        repeat: 'unless_sent',
        read: (body, status) => readNothing(body, { status, expected: [204] }),
      }),
  };
}

/** Reads the feature that was requested or written; an answer that holds another feature has an unexpected shape. */
function readFeatureOf(body: JsonValue | undefined, id: string): EarlyAccessFeature {
  const feature = readFeature(body);
  if (feature.id.toLowerCase() !== id.toLowerCase()) throw new UnexpectedShape(['id'], id);
  return feature;
}

function readFeature(value: JsonValue | undefined, path: JsonPath = []): EarlyAccessFeature {
  const feature = readObject(value, path);
  return {
    ...feature,
    id: readText(feature['id'], [...path, 'id']),
    name: readText(feature['name'], [...path, 'name']),
    stage: readText(feature['stage'], [...path, 'stage']),
  };
}
