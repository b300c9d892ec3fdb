/** The library: what other programs may use. Nothing of the command line is exported. */

export { FlagwrightError, type ErrorCode, type ErrorDetails } from './base/errors.ts';
export { hasErrors, type Diagnostic, type Severity } from './base/diagnostic.ts';
export { describe as describeDiagnostic, type DiagnosticCode } from './report/words/diagnostics.ts';
export type { ConfigDiagnostic } from './config/problems.ts';
export type { ManifestDiagnostic } from './posthog/manifests/problems.ts';
export { LongDecimal } from './base/exact-number.ts';
export type { JsonArray, JsonNumber, JsonObject, JsonPrimitive, JsonValue } from './base/json.ts';
export { parseJson, stringifyJson } from './base/json-text.ts';
export type { Place, PlaceTree } from './base/place.ts';

export { canonicalFlag } from './posthog/flag/model/canonical.ts';
export type { DeclaredFlag, DesiredFlag, DesiredRole, DesiredState, RetiredFlag } from './posthog/desired.ts';
export type { Condition, ExperimentSummary, Filters, Flag, Property, Variant } from './posthog/flag/model/flag.ts';
export type { LiveState } from './posthog/live.ts';
export type { FlagAccess, Organization, RefusedAccess } from './posthog/role-access/access.ts';
export type { Role, RoleAccessEntry } from './posthog/role-access/access.ts';
export type { AccessLevel, OrganizationRole } from './posthog/role-access/requests.ts';
export type { AccessRule, AccessRules } from './posthog/role-access/access.ts';
export type { Project, ProjectNames } from './posthog/project.ts';

export type { Config, EmbeddedProject, Environment, Limits, ProjectConfig, RemoteProject } from './config/config.ts';
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from './config/load.ts';
export { apiKeyOf, selectProject } from './config/select.ts';

export { loadDesired, type LoadOptions } from './posthog/manifests/load.ts';
export {
  readManifests,
  resolveManifests,
  type ManifestFile,
  type ReadOptions,
  type Resolution,
} from './posthog/manifests/manifests.ts';
export { validateManifests } from './posthog/manifests/load.ts';
export type {
  Export,
  ExportedFile,
  ExportInput,
  ExportNote,
  ExportOptions,
  ExportReason,
  NotExported,
  UncheckedFlag,
} from './loop/export/export.ts';
export { writeManifests } from './loop/export/write-manifests.ts';

export { createClient, type ServiceClient } from './posthog/service-client.ts';
export type { ClientBudget, ClientOptions, ClientStats } from './posthog/client/connection.ts';
export type { Clock } from './posthog/client/pace.ts';
export { ServiceError } from './posthog/client/service-error.ts';
export type { Failure } from './posthog/client/failure.ts';
export type { ServiceEvent } from './posthog/client/events.ts';
export type { Window as RequestWindow } from './posthog/client/pace.ts';
export type { Cohort as ListedCohort } from './posthog/cohort/cohort.ts';
export type { EarlyAccessFeature } from './posthog/early-access/feature.ts';
export type {
  ActivityEntry,
  ActivityPage,
  ActivityQuery,
  BlastRadius,
  EvaluationReason,
  EvaluationReasons,
  Groups,
  LocalEvaluation,
  MyFlag,
} from './posthog/client/operations/flag-insight.ts';
export type { FlagListQuery } from './posthog/flag/requests.ts';
export type { PersonListQuery, PersonPage, PersonPropertyFilter } from './posthog/client/operations/persons.ts';
export type { AnalysisParameters, PersonAnalysis } from './posthog/client/operations/persons.ts';
export type { PersonCsvOperations } from './posthog/client/operations/persons.ts';
export type { NameCount } from './posthog/client/operations/persons.ts';
export type { Paged } from './posthog/client/listing.ts';
export type { Person, PersonId } from './posthog/client/operations/persons.ts';
export type { Alert, AlertCheck } from './posthog/client/operations/alerts.ts';
export { readLiveState, type ReadingOptions } from './posthog/reading/live-state.ts';
export type { LiveSelection } from './posthog/live-selection.ts';
export { selectionOf } from './posthog/live-selection.ts';

export { buildPlan, type PlanOptions } from './posthog/planning/build-plan.ts';
export { forecastOf, type ForecastBasis } from './loop/apply/read-again.ts';
export type { Forecast, ForecastBudget } from './core/engine/forecast.ts';
export type {
  Action,
  Change,
  CreateFlag,
  DeleteFlag,
  FieldChange,
  FlagBase,
  FlagChange,
  GrantRole,
  Hazard,
  RiskHazard,
  Plan,
  PlanSummary,
  PlanWarning,
  RestoreFlag,
  RevokeRole,
  RoleAccessBase,
  RoleChange,
  RoleName,
  UpdateFlag,
  AdjustLevel,
} from './posthog/plan.ts';
export type { ProjectIdentity } from './core/engine/project.ts';
export type { Remainder } from './core/engine/diff.ts';
export type { Exception, Lifted, Permit } from './core/engine/exceptions.ts';
export type {
  Origin,
  RuleHazard,
  SafetyLimits,
  SafetyOrigins,
  SafetyRules,
  SafetySource,
} from './core/engine/safety.ts';
export { planDocument } from './posthog/planning/plan-document.ts';
export { parseSavedPlan } from './posthog/planning/plan-document.ts';

export { applyPlan, type ApplyOptions } from './loop/apply/apply-plan.ts';
export type { ApplyProgress } from './loop/apply/recorder.ts';
export type {
  ApplyResult,
  ChangeResult,
  Outcome,
  OutcomeCounts,
  OutcomeError,
  OutcomeKind,
  SkipReason,
} from './loop/apply/result.ts';

export { beginJournal, continueJournal, type Journal, type JournalOptions } from './loop/journal/write.ts';
export { isComplete, NoRunError, readRun, type Run } from './loop/journal/read.ts';
export { listRuns } from './loop/journal/run-order.ts';
export type { ClaimHolder, LockOptions } from './loop/journal/lock.ts';
export { mayBeUndone } from './loop/journal/undo.ts';
export { invertRun, type InvertedRun } from './loop/journal/undo.ts';
export type { RefusedInversion } from './posthog/planning/invert-plan.ts';

export { evaluateFlag, evaluateFlags } from './evaluation/evaluate.ts';
export { matchesCondition } from './evaluation/condition.ts';
export { matchesProperty } from './evaluation/match-property.ts';
export type {
  KnownCohort as Cohort,
  EvaluationContext,
  EvaluationInput,
  Generation,
  Subject,
} from './evaluation/input.ts';
export type { Evaluation, FlagValue, Reason as VerdictReason, Verdict } from './evaluation/input.ts';
export type { SearchRegex } from './base/search-regex.ts';

export { startEmbedded, type EmbeddedOptions, type EmbeddedService, type Profile } from '../service/src/index.ts';
