/** The JSON documents beside the plan's: result, validation and error, each with the version of its format. */

import { describe } from '../base/diagnostic-info.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { hasErrors } from '../base/diagnostic.ts';
import type { FlaghoistError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ApplyResult, ChangeResult, Outcome, SkipReason } from '../apply/result.ts';
import type { Hazard } from '../plan/plan.ts';

/** Of every document; schemas/*.schema.json describe it. */
export const FORMAT_VERSION = '1.0';

/** The result of an apply: each change of the plan, flat, with its `outcome` (schemas/result.schema.json). */
export function resultDocument(result: ApplyResult): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project: { ...result.project },
    summary: { ...result.summary },
    outcomes: { ...result.outcomes },
    changes: result.changes.map(changeDocument),
    remainder: result.remainder.map((rest) => ({ ...rest })),
    verified: result.verified,
    requests: result.requests,
  };
}

/** What `validate` prints, also when there are errors (schemas/validation.schema.json). */
export function validationDocument(input: {
  readonly files: number;
  readonly flags: number;
  readonly diagnostics: readonly Diagnostic[];
}): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    valid: !hasErrors(input.diagnostics),
    files: input.files,
    flags: input.flags,
    diagnostics: input.diagnostics.map(diagnosticDocument),
  };
}

/** Why a run as a whole failed (schemas/error.schema.json); `hazards` say what `refused` refers to. */
export function errorDocument(error: FlaghoistError, hazards: readonly Hazard[] = []): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    error: {
      code: error.code,
      message: error.message,
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      diagnostics: error.diagnostics.map(diagnosticDocument),
      ...(hazards.length === 0
        ? {}
        : { hazards: hazards.map((hazard) => ({ ...hazard, permit: { ...hazard.permit } })) }),
    },
  };
}

function diagnosticDocument(diagnostic: Diagnostic): JsonObject {
  const { message, remedy } = describe(diagnostic);
  return {
    code: diagnostic.code,
    severity: diagnostic.severity,
    message,
    remedy,
    ...diagnostic.place,
    ...(diagnostic.path === undefined ? {} : { path: diagnostic.path }),
  };
}

function changeDocument({ change, result }: ChangeResult): JsonObject {
  return { ...(change as unknown as JsonObject), ...outcomeDocument(change, result) };
}

function outcomeDocument(change: ChangeResult['change'], result: Outcome): JsonObject {
  switch (result.outcome) {
    case 'applied':
      return { outcome: 'applied', ...appliedId(change, result.id) };
    case 'failed':
    case 'pending':
    case 'unknown':
      return { outcome: result.outcome, error: { ...result.error } };
    case 'skipped':
      return { outcome: 'skipped', skipped: skipDocument(result.reason) };
  }
}

/** A grant is answered with the entry's id; `id` is always the flag's. */
function appliedId(change: ChangeResult['change'], id: number | undefined): JsonObject {
  if (id === undefined) return {};
  return change.resource === 'role_access' ? { entry_id: id } : { id };
}

function skipDocument(reason: SkipReason): JsonObject {
  const { code } = reason;
  switch (code) {
    case 'interrupted':
    case 'deadline':
      return { code };
    case 'needs_failed':
      return { code, refs: [...reason.refs] };
    case 'stale':
      return { code, moved: reason.moved.map((field) => ({ ...field }) as unknown as JsonValue) };
  }
}
