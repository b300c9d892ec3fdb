/** A diagnostic in a document. */

import { describe } from '../../words/diagnostics.ts';
import { maskKeys } from '../../../base/api-key.ts';
import type { Diagnostic } from '../../../base/diagnostic.ts';
import type { JsonObject } from '../../../base/json.ts';

export function diagnosticDocument(diagnostic: Diagnostic): JsonObject {
  const { message, remedy } = describe(diagnostic);
  return {
    code: diagnostic.code,
    severity: diagnostic.severity,
    message,
    remedy,
    ...diagnostic.place,
    ...(diagnostic.path === undefined ? {} : { path: maskKeys(diagnostic.path) }),
  };
}
