/** The JSON documents beside the plan's: result, validation and error, each with the version of its format. */

import { describe } from '../../words/diagnostics.ts';
import { maskKeys } from '../../../base/api-key.ts';
import type { Diagnostic } from '../../../base/diagnostic.ts';
import { hasErrors } from '../../../base/diagnostic.ts';
import type { FlagwrightError } from '../../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { ApplyResult, ChangeResult, Outcome, SkipReason } from '../../../apply/result.ts';
import type { RefusedInversion } from '../../../engine/invert-plan.ts';
import type { Hazard } from '../../../posthog/plan.ts';
import { labelsOf } from '../../words/kinds.ts';
import {
  countRecorded,
  isUndoable,
  stateOf,
  type History,
  type RecordedChange,
  type RecordedRun,
} from '../../run-record.ts';

/** Of every document; schemas/*.schema.json describe it. */
export const FORMAT_VERSION = '1.0';

/**
 * The result of an apply: each change of the plan, flat, with its `outcome` (schemas/result.schema.json).
 * `run`: its name in the journal, where it was recorded.
 */
export function resultDocument(result: ApplyResult, run?: string): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    ...(run === undefined ? {} : { run }),
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

/** What `undo --out` prints (schemas/undo.schema.json): the plan's own document, and what it leaves out. */
export function undoDocument(undo: {
  readonly run: string;
  readonly plan: JsonObject;
  readonly refused: readonly RefusedInversion[];
}): JsonObject {
  return { format_version: FORMAT_VERSION, run: undo.run, plan: undo.plan, refused: undo.refused.map(refusedDocument) };
}

/** What `history` prints (schemas/history.schema.json). */
export function historyDocument({ runs, unreadable, more }: History): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    runs: runs.map(runSummary),
    unreadable: unreadable.map(({ name, problem: { code, message } }) => ({ run: name, code, message })),
    more,
  };
}

/** What `history RUN` prints (schemas/history.schema.json). */
export function runDocument(run: RecordedRun): JsonObject {
  return { format_version: FORMAT_VERSION, ...runSummary(run), changes: run.changes.map(recordedDocument) };
}

/** What a refusal refers to: the safety rules that a plan breaks, or what cannot be taken back. */
export interface RefusalDetails {
  readonly hazards?: readonly Hazard[];
  readonly refused?: readonly RefusedInversion[];
}

/** Why a run as a whole failed (schemas/error.schema.json). */
export function errorDocument(error: FlagwrightError, { hazards = [], refused = [] }: RefusalDetails = {}): JsonObject {
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
      ...(refused.length === 0 ? {} : { refused: refused.map(refusedDocument) }),
    },
  };
}

function refusedDocument(refused: RefusedInversion): JsonObject {
  return { ...refused, moved: fieldDocuments(refused.moved) };
}

function runSummary(run: RecordedRun): JsonObject {
  const counts = countRecorded(run);
  return {
    run: run.name,
    started_at: run.startedAt,
    ...(run.endedAt === undefined ? {} : { ended_at: run.endedAt }),
    project: { ...run.project },
    state: stateOf(run),
    undoable: isUndoable(run),
    outcomes: { ...counts },
  };
}

function recordedDocument(recorded: RecordedChange): JsonObject {
  if (!('open' in recorded)) return changeDocument(recorded);
  return { ...(recorded.change as unknown as JsonObject), outcome: recorded.open };
}

function fieldDocuments(fields: RefusedInversion['moved']): JsonValue[] {
  return fields.map((field) => ({ ...field }) as unknown as JsonValue);
}

function diagnosticDocument(diagnostic: Diagnostic): JsonObject {
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

function changeDocument({ change, result }: ChangeResult): JsonObject {
  return { ...(change as unknown as JsonObject), ...outcomeDocument(change, result) };
}

function outcomeDocument(change: ChangeResult['change'], result: Outcome): JsonObject {
  switch (result.outcome) {
    case 'applied':
      return {
        outcome: 'applied',
        ...appliedId(change, result.id),
        ...(result.already === true ? { already: true } : {}),
      };
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
  return { [labelsOf(change).answeredId]: id };
}

function skipDocument(reason: SkipReason): JsonObject {
  const { code } = reason;
  switch (code) {
    case 'interrupted':
    case 'deadline':
    case 'not_recorded':
      return { code };
    case 'needs_failed':
      return { code, refs: [...reason.refs] };
    case 'stale':
      return { code, moved: fieldDocuments(reason.moved) };
  }
}
