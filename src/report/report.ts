/** Everything that a command reports, as facts. `formats/` decides how it looks, `words/` has the sentences. */

import type { ApplyResult } from '../loop/apply/result.ts';
import type { BlamedLine } from '../loop/git/blame.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { FlagwrightError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { KnownRequest } from '../core/engine/change-request.ts';
import type { Ownership } from '../core/engine/ownership.ts';
import type { ProjectIdentity } from '../core/engine/project.ts';
import type { Owner } from '../core/manifest/code-owners.ts';
import type { GuardReading } from '../core/rollout/guard.ts';
import type { PlannedRollout } from '../core/rollout/rollout.ts';
import type { ChangedAnswers } from '../review/expectations/compare-answers.ts';
import type { ExpectationCase } from '../review/expectations/expectation.ts';
import type { MergeOutcome, NotExported, UncheckedFlag, UnmanagedMember } from '../loop/export/export.ts';
import type { Impact, ScheduledFacts } from '../review/effects/impact.ts';
import type { ShareOn } from '../review/effects/share.ts';
import type { ExceptionReport, Grantors } from '../review/policy/exceptions.ts';
import type { Finding, Judgement } from '../review/policy/finding.ts';
import type { Attribution } from '../posthog/authors/attribution.ts';
import type { Parity } from '../posthog/parity/parity.ts';
import type { Change, Hazard, Plan } from '../posthog/plan.ts';
import type { DriftGroups } from '../posthog/planning/drift-groups.ts';
import type { RefusedInversion } from '../posthog/planning/invert-plan.ts';
import type { PlanExtras } from '../posthog/planning/plan-document.ts';
import type { StepAhead } from '../posthog/planning/steps-ahead.ts';
import type { UnmanagedEdit } from '../posthog/reading/unmanaged-edits.ts';
import type { StepSoon } from '../posthog/rollouts/rollouts-in-review.ts';
import type { CatalogReport } from '../catalog/catalog.ts';
import type { Readers } from '../code/references/losses.ts';
import type { CodeReport } from '../code/references/reports.ts';
import type { EditReport } from './editing.ts';
import type { FileOutcome } from './file-outcome.ts';
import type { CheckResult, ConfigurationValue } from './check-result.ts';
import type { StandingFacts } from './report-status.ts';
import type { RecordedRun, RunHistory } from './run-record.ts';

/** Who owns what changes, by the ref of the change; nobody where it is not known. */
type OwnersByRef = ReadonlyMap<string, Owner>;

export interface UnreadProject {
  readonly project: string;
  readonly error: FlagwrightError;
}

export interface RehearsalMoment {
  readonly at: string;
  readonly key: string;
  readonly step: number;
  readonly steps: number;
  readonly share: ShareOn;
  /** What the guards of the next step say, which is due and waits for them. */
  readonly guard_readings?: readonly GuardReading[];
  /** The step waits for longer than its guards allow. */
  readonly overdue?: true;
}

/** What the guards of a rehearsal look at; `nothing`: each passes. */
export type RehearsedVerdicts =
  | { readonly from: 'nothing' }
  | { readonly from: 'file'; readonly file: string }
  | { readonly from: 'random'; readonly seed: number };

/** Where and when a plan was made. */
export interface PlanOrigin {
  readonly commit?: string;
  readonly branch?: string;
  /** ISO 8601. */
  readonly at?: string;
}

export type Report =
  /**
   * `impact`: if the run asks for it. `named`: if test files name people. `requests`: change requests of the service. `scheduled`: what the
   * service will change by itself; absent if nothing.
   */
  | ({
      readonly kind: 'plan';
      readonly plan: Plan;
      readonly impact?: Impact;
      readonly named?: ChangedAnswers;
      readonly requests?: readonly KnownRequest[];
      readonly sections?: PlanSections;
      readonly scheduled?: ScheduledFacts;
      /** Another time than now that the plan is of, ISO 8601. */
      readonly at?: string;
      /** The steps ahead of rollouts that the manifests declare or change. */
      readonly steps?: readonly StepAhead[];
      /** Steps that come while the plan may be reviewed. */
      readonly soon?: readonly StepSoon[];
      /** The report of the result follows at once and says what is left. */
      readonly leftFollows?: true;
      /** The judgement of the policies; absent if the configuration has none. */
      readonly judgement?: Judgement;
      /** What the exceptions of files do for the plan; absent if there are none. */
      readonly excepted?: readonly ExceptionReport[];
      readonly grantors?: Grantors;
      readonly origin?: PlanOrigin;
      readonly owners?: OwnersByRef;
      /** Who approved it so far. */
      readonly approvers?: readonly string[];
    } & PlanExtras)
  /**
   * `groups`: its changes, apart; absent: each change is in one of them as a whole. `counting`: what the run counts as drift besides live
   * edits.
   */
  | ({
      readonly kind: 'drift';
      readonly plan: Plan;
      readonly groups?: DriftGroups;
      readonly counting?: StandingFacts;
      readonly requests?: readonly KnownRequest[];
      readonly scheduled?: ScheduledFacts;
      /** Edits that no manifest decides about; absent where they were not looked for. */
      readonly edits?: readonly UnmanagedEdit[];
      readonly origin?: PlanOrigin;
      readonly owners?: OwnersByRef;
    } & Pick<PlanExtras, 'attributions' | 'cohortNames'>)
  /** `run`: its name in the journal, if it was recorded. `attributions`: of what the plan left, where that was asked. */
  | ({
      readonly kind: 'result';
      readonly result: ApplyResult;
      readonly durationMs: number;
      /** The environment variable that holds the API key. */
      readonly keyVariable?: string;
      readonly run?: string;
      readonly owners?: OwnersByRef;
      /** Who approved what the plan does. */
      readonly approvers?: readonly string[];
      readonly rollouts?: Plan['rollouts'];
      /** What the plan decides about later steps. */
      readonly later?: Plan['rollout_changes'];
    } & Pick<PlanExtras, 'attributions' | 'cohortNames'>)
  | { readonly kind: 'nothing'; readonly project: ProjectIdentity; readonly reason: NothingReason }
  /** One run over several projects, in the order of the configuration. */
  | {
      readonly kind: 'projects';
      readonly command: 'plan' | 'drift' | 'apply' | 'export';
      readonly projects: readonly ProjectOutcome[];
      /** Why `apply` would refuse all of these plans, whatever the rules say of each. */
      readonly refusal?: FlagwrightError;
    }
  /** The plan that reverts `run`, and the changes of the run that it leaves out. */
  | ({
      readonly kind: 'undo';
      readonly run: string;
      readonly plan: Plan;
      readonly refused: readonly RefusedInversion[];
      readonly owners?: OwnersByRef;
    } & Pick<PlanExtras, 'forecast' | 'cohortNames'>)
  /** A run that was interrupted and continues now. */
  | { readonly kind: 'resuming'; readonly run: RecordedRun }
  | { readonly kind: 'run'; readonly run: RecordedRun }
  | { readonly kind: 'history'; readonly history: RunHistory }
  | {
      readonly kind: 'validation';
      readonly files: number;
      readonly flags: number;
      readonly cohorts: number;
      /** Test files. */
      readonly tests: number;
      readonly diagnostics: readonly Diagnostic[];
      /** The judgement of the changes since the base, by project; absent if nothing was judged. */
      readonly policies?: readonly {
        readonly project: string;
        readonly judgement: Judgement;
        readonly excepted?: readonly ExceptionReport[];
      }[];
    }
  /** The answers of flags to the people of the test files. `people`: those with a name. */
  | {
      readonly kind: 'test';
      readonly files: number;
      readonly people: number;
      /** The names of the projects for which flags were evaluated. */
      readonly projects: readonly string[];
      readonly cases: readonly ExpectationCase[];
    }
  | { readonly kind: 'files'; readonly files: readonly FileOutcome[] }
  | {
      readonly kind: 'export';
      readonly files: readonly FileOutcome[];
      readonly unchecked: readonly UncheckedFlag[];
      readonly notExported: readonly NotExported[];
      readonly unmanaged: readonly UnmanagedMember[];
      /** Present for an export that merges into manifests. */
      readonly merge?: MergeOutcome;
    }
  /** `withDeclared`: also differences that the manifests declare. `withAlike`: also what is the same in all projects. */
  | {
      readonly kind: 'parity';
      readonly parity: Parity;
      readonly source: 'manifests' | 'live';
      readonly withDeclared: boolean;
      readonly withAlike?: true;
      /** The projects that could not be read, and so are not compared. */
      readonly unread?: readonly UnreadProject[];
    }
  | {
      readonly kind: 'rehearsal';
      readonly project: string;
      /** The moments in order of time; the first of each flag is before its first step. */
      readonly moments: readonly RehearsalMoment[];
      /** A run was refused, and the rehearsal ended there. */
      readonly isRefused: boolean;
      /** Absent if no guard guards the rollouts. */
      readonly verdicts?: RehearsedVerdicts;
    }
  | EditReport
  | {
      readonly kind: 'explain';
      readonly project: ProjectIdentity;
      readonly key: string;
      readonly values: readonly ExplainedValue[];
      /** The values that text omits: usual ones, live as declared. */
      readonly omitted: readonly ExplainedValue[];
      readonly live: LiveFacts;
      readonly history: HistoryFacts;
      /** Of a flag: with what their guards say, if the service was read. */
      readonly rollouts?: readonly PlannedRollout[];
      readonly scheduled?: ScheduledFacts;
    }
  /** The findings of `doctor`, by section. `values`: of the configuration, if it can be used. */
  | {
      readonly kind: 'doctor';
      readonly results: readonly CheckResult[];
      readonly values: readonly ConfigurationValue[];
    }
  /** The embedded service listens. `environment` points a client at it. */
  | {
      readonly kind: 'service';
      readonly url: string;
      readonly projectId: string;
      readonly environment: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'flag-manifest'; readonly manifest: JsonObject }
  | CodeReport
  | CatalogReport
  /** A program for a shell. */
  | { readonly kind: 'script'; readonly text: string }
  | RecordsReport
  /** `layout`: text lays it out as what it is. */
  | { readonly kind: 'record'; readonly record: JsonObject; readonly layout?: 'flag'; readonly about?: RecordsOrigin }
  /** A write to one resource: a sentence of its command for people, a record for programs. */
  | { readonly kind: 'done'; readonly text: string; readonly record: JsonObject; readonly about?: RecordsOrigin }
  | { readonly kind: 'warnings'; readonly warnings: Plan['warnings'] }
  /** Warnings about the configuration or the manifests; the command continues. */
  | { readonly kind: 'diagnostics'; readonly diagnostics: readonly Diagnostic[] }
  /** The whole run failed. `hazards`, `findings` and `refused` are the reasons of a refusal, in the project; `changes`: of the plan. */
  | {
      readonly kind: 'failure';
      readonly error: FlagwrightError;
      readonly hazards?: readonly Hazard[];
      readonly findings?: readonly Finding[];
      readonly changes?: readonly Change[];
      readonly refused?: readonly RefusedInversion[];
      readonly project?: ProjectIdentity;
      readonly grantors?: Grantors;
      readonly base?: Plan['base'];
    };

/** `exit`: what the run over this project alone would have exited with. `held`: it comes after `by`, which is not in sync. */
export type ProjectOutcome =
  | { readonly kind: 'ran'; readonly project: string; readonly exit: number; readonly report: Report }
  | { readonly kind: 'held'; readonly project: string; readonly by: string };

/** What optional rooms say of a plan, each by rows of `model/plan.ts`. */
export interface PlanSections {
  /** Code that reads what changes. */
  readonly readers?: Readers;
}

/** What a page about records says of the whole. */
export interface RecordsOrigin {
  /** `flags`, `flags activity`. */
  readonly name: string;
  /** A service and when it was read, or the projects for which the manifests were read. */
  readonly source?:
    { readonly project: ProjectIdentity; readonly at: string } | { readonly declared: readonly string[] };
}

/** A list of resources, read while it is written. */
export interface RecordsReport {
  readonly kind: 'records';
  readonly records: AsyncIterable<JsonObject>;
  readonly columns: readonly string[];
  /** All columns, where a record has more than fit on a screen. */
  readonly allColumns?: readonly string[];
  /** Text lays them out as what they are. `flags`: in words for people. */
  readonly layout?: 'activity' | 'flags';
  readonly about?: RecordsOrigin;
  /** The answer of the service, where it contains more than the records. */
  readonly document?: JsonValue;
}

export type ReportKind = Report['kind'];
export type ReportOf<Kind extends ReportKind> = Extract<Report, { readonly kind: Kind }>;

export type NothingReason =
  | { readonly code: 'nothing_to_resume' }
  | { readonly code: 'already_off' }
  | { readonly code: 'run_changed_nothing'; readonly run: string };

export interface ExplainedValue {
  /** JSON pointer in the API's names; the access of roles is at `/role_access`. */
  readonly path: string;
  readonly value: JsonValue;
  readonly place: Place;
  /** `overlay`: of the project. Absent for access, which may be declared in two sections. */
  readonly layer?: 'base' | 'overlay';
  readonly replaces?: { readonly value: JsonValue; readonly place: Place };
  readonly ownership: Ownership;
  /** The last author of the value's line; absent without a history. */
  readonly line?: BlamedLine;
  /** Absent if live state was not read. */
  readonly live?: { readonly value?: JsonValue; readonly differs: boolean };
  readonly attribution?: Attribution;
}

/** `missing`: the project has no such flag. `unread`: why, in words. */
export type LiveFacts =
  | { readonly kind: 'read'; readonly id: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unread'; readonly reason: string };

/** Whether there is a history of the manifests. `none`: no checkout of git, or none that git opens. */
export type HistoryFacts = { readonly kind: 'read' } | { readonly kind: 'none'; readonly reason: string };
