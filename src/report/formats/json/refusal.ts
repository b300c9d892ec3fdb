/** A change of a run that cannot be undone, in the documents of `undo` and of a failure. */

import type { JsonObject } from '../../../base/json.ts';
import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import { fieldDocuments } from './change.ts';

export function refusedDocument(refused: RefusedInversion): JsonObject {
  return { ...refused, moved: fieldDocuments(refused.moved) };
}
