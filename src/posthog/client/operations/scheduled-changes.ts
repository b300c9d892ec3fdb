/** The operation on scheduled changes: their list, which says what the service is to change by itself. */

import type { JsonPath } from '../../../base/json-pointer.ts';
import type { JsonValue } from '../../../base/json.ts';
import type { ScheduledChange } from '../../flag/schedules.ts';
import { readListing } from '../listing.ts';
import type { Operations } from '../request-spec.ts';
import { readInteger, readObject, readText } from '../shape.ts';

export interface ScheduledChangeOperations {
  /** Every scheduled change of the project's flags, executed ones too. Newer services only; the older have `not_found`. */
  listScheduledChanges(): Promise<readonly ScheduledChange[]>;
}

const CHANGES_PER_PAGE = 500;

export function scheduledChangeOperations(operations: Operations): ScheduledChangeOperations {
  const { send, projectPath, concurrency, callee } = operations;
  return {
    listScheduledChanges: () =>
      readListing(send, {
        operation: 'listScheduledChanges',
        path: `${projectPath}/scheduled_changes/`,
        query: { model_name: 'FeatureFlag' },
        first: { limit: CHANGES_PER_PAGE },
        concurrency,
        callee,
        readEntry: readScheduledChange,
      }),
  };
}

function readScheduledChange(value: JsonValue, path: JsonPath): ScheduledChange {
  const change = readObject(value, path);
  return {
    ...change,
    id: readInteger(change['id'], [...path, 'id']),
    record_id: readText(change['record_id'], [...path, 'record_id']),
    scheduled_at: readText(change['scheduled_at'], [...path, 'scheduled_at']),
  };
}
