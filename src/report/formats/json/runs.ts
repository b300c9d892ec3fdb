/** The JSON of plans, drift, runs and values: `plan`, `drift`, `apply`, `undo`, `history`, `explain`, `parity` and `rehearse`; and of runs over several projects. */

import type { ApplyResult, ChangeResult, Outcome } from '../../../loop/apply/result.ts';
import { type JsonArray, type JsonObject, type JsonValue, objectFrom } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ResourceEffects } from '../../../review/effects/effect.ts';
import { findDriftEffects, findEffects } from '../../../review/effects/find-effects.ts';
import type { PlannedRollout } from '../../../core/rollout/rollout.ts';
import type { KnownRequest } from '../../../core/engine/change-request.ts';
import { sumUp } from '../../../core/engine/seal-plan.ts';
import type { ChangedAnswers, LiveAnswer } from '../../../review/expectations/compare-answers.ts';
import type { FlagImpact, Impact, ScheduledFacts } from '../../../review/effects/impact.ts';
import { brokenRuleDocument, brokenRules } from '../../../review/policy/broken-rules.ts';
import { judgementDocument } from '../../../review/policy/finding.ts';
import type { Attributions } from '../../../posthog/authors/attribution.ts';
import { kindFor, KINDS } from '../../../posthog/kinds.ts';
import type { PlanSummary } from '../../../posthog/plan.ts';
import { groupDrift } from '../../../posthog/planning/drift-groups.ts';
import { isHeldByGuard } from '../../../posthog/rollouts/rollouts.ts';
import { formatAttributions, planDocument } from '../../../posthog/planning/plan-document.ts';
import { quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { countRecorded, isUndoable, outcomeOf, type RecordedRun, stateOf } from '../../run-record.ts';
import { changedAnswerText } from '../../words/answers.ts';
import { approvalText } from '../../words/authors.ts';
import { effectText, impactFacts } from '../../words/effects.ts';
import { labelsOf, RESOURCES } from '../../words/kinds.ts';
import { brokenRuleText, findingText } from '../../words/rules.ts';
import { FORMAT_VERSION } from './seal.ts';
import { pageUrl, readName } from '../../../posthog/names/resource-name.ts';
import { stateOfProject } from '../../model/project-states.ts';
import { countParity, shownRows } from '../../report-facts.ts';

export function planReportDocument(report: ReportOf<'plan' | 'drift'>): JsonObject {
  const { plan, attributions, cohortNames } = report;
  if (report.kind === 'drift') {
    // Only changes by people.
    const { drifted: changes } = report.groups ?? groupDrift(plan);
    const driftEffects = (): JsonObject[] =>
      findDriftEffects({ changes, warnings: plan.warnings }).map(effectsDocument);
    return {
      ...planDocument(plan, defined({ attributions, cohortNames })),
      live_effects: findDriftEffects(plan).map(effectsDocument),
      ...(plan.base?.kind === 'commit' ? { drift_effects: driftEffects() } : {}),
      ...ifAny('unmanaged_edits', report.edits),
      ...ifAny('owners', ownersOf(report)),
      ...approvalsMember(report.requests),
      ...scheduledMember(report.scheduled),
    };
  }
  const { forecast, against } = report;
  return {
    ...planDocument(plan, defined({ forecast, attributions, cohortNames, against })),
    ...defined({ at: report.at }),
    effects: findEffects(plan).map(effectsDocument),
    ...ifAny('owners', ownersOf(report)),
    ...ifAny(
      'steps_ahead',
      report.steps?.map(({ at, due, jump_since, plan: coming }) => ({
        at,
        ...defined({ due, jump_since }),
        keys: [...new Set(coming.changes.map(({ key }) => key))],
        effects: findEffects(coming).map(effectsDocument),
      })),
    ),
    ...defined({ steps_soon: report.soon as unknown as readonly JsonObject[] | undefined }),
    ...defined({
      policy: report.judgement && judgementDocument(report.judgement, (finding) => ({ text: findingText(finding) })),
    }),
    ...ifAny('exceptions', report.excepted as unknown as readonly JsonObject[] | undefined),
    ...(report.grantors === undefined || report.grantors === 'anybody' ? {} : { approvers: report.grantors }),
    broken_rules: brokenRuleDocuments({ ...plan, findings: report.judgement?.findings ?? [] }),
    ...defined({
      named_people: report.named && namedDocument(report.named),
      impact: report.impact && impactMember(report.impact),
    }),
    ...approvalsMember(report.requests),
    ...scheduledMember(report.scheduled),
    ...(report.sections as unknown as JsonObject | undefined),
  };
}

function brokenRuleDocuments(plan: Parameters<typeof brokenRules>[0]): JsonObject[] {
  return brokenRules(plan).map((one) => brokenRuleDocument(one, { text: brokenRuleText(one) }));
}

function ifAny(name: string, documents: readonly object[] = []): JsonObject {
  return documents.length === 0 ? {} : { [name]: documents as readonly JsonObject[] };
}

function ownersOf({ owners }: Pick<ReportOf<'plan'>, 'owners'>): readonly JsonObject[] {
  return [...(owners ?? [])].map(([ref, { name, by }]) => ({ ref, name, by }));
}

function approvalsMember(requests: readonly KnownRequest[] | undefined): JsonObject {
  const documents = requests?.map((request) => {
    const { ref, key, id, url, action, standing } = request;
    const { kind: state, ...others } = standing;
    const change_request = { id, ...defined({ url, action }) };
    return { ref, key, change_request, state, ...others, text: approvalText(request, quoteShort) };
  });
  return ifAny('approvals', documents);
}

export function scheduledMember(scheduled: ScheduledFacts | undefined): JsonObject {
  if (scheduled === undefined) return {};
  const changes = scheduled.changes.map(({ effects, impact, ...facts }) => ({
    ...facts,
    ...(effects && { effects: effects.map((effect) => ({ classes: effect.classes, text: effectText(effect) })) }),
    ...(impact && { impact: impact.map(greatestImpact) }),
  }));
  return { scheduled: { ...scheduled, changes } as unknown as JsonObject };
}

function greatestImpact(found: FlagImpact): JsonObject {
  const { key, estimate } = found;
  const names = ['turnsOn', 'turnsOff', 'changesVariant', 'changesPayload'] as const;
  const up_to =
    estimate.kind === 'audiences'
      ? Object.fromEntries(
          names.map((name) => [name, Math.max(0, ...estimate.audiences.map(({ shares }) => shares[name]))]),
        )
      : undefined;
  return { key, ...defined({ up_to }), text: impactFacts(found) };
}

function namedDocument({ people, changed, total, answers }: ChangedAnswers): JsonObject {
  return {
    people,
    changed,
    answers_changed: total,
    answers: answers.map((one) => ({
      person: one.person,
      flag: one.flag,
      before: answerDocument(one.before),
      after: answerDocument(one.after),
      payload_changes: one.payloadChanges,
      text: changedAnswerText(one),
    })),
  };
}

function answerDocument(given: LiveAnswer): JsonObject {
  if (given.kind === 'undecided') return { undecided: given.why };
  const { value, reason, condition } = given.answer;
  return { value, reason, ...defined({ condition: condition && { ...condition } }) };
}

function impactMember({ flags, steps, ...read }: Impact): JsonObject {
  const ofSteps = steps?.map(({ flags: counted, ...step }) => ({ ...step, flags: counted.map(impactDocument) }));
  return { flags: flags.map(impactDocument), ...defined({ steps: ofSteps }), ...(read as unknown as JsonObject) };
}

function impactDocument(found: FlagImpact): JsonObject {
  return { ...(found as unknown as JsonObject), text: impactFacts(found) };
}

function effectsDocument({ effects, ...found }: ResourceEffects): JsonObject {
  const documents = effects.map((effect) => ({ ...effect, text: effectText(effect) }));
  return { ...found, effects: documents as unknown as JsonValue };
}

export function undoDocument({ run, plan, forecast, refused }: ReportOf<'undo'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    run,
    plan: planDocument(plan, defined({ forecast })),
    refused: refused as unknown as readonly JsonObject[],
    effects: findEffects(plan).map(effectsDocument),
    broken_rules: brokenRuleDocuments(plan),
  };
}

export function resultDocument(
  report: Pick<ReportOf<'result'>, 'result' | 'run' | 'attributions' | 'rollouts'>,
): JsonObject {
  const { result, run, attributions, rollouts = [] } = report;
  return {
    format_version: FORMAT_VERSION,
    ...defined({ run, undoes: result.undoes, off: result.off as JsonObject | undefined }),
    project: { ...result.project },
    summary: result.summary as unknown as JsonObject,
    outcomes: outcomeCounts(
      result.outcomes,
      result.changes.map(({ change: { resource }, result: { outcome } }) => ({ resource, outcome })),
    ),
    changes: result.changes.map(changeDocument),
    remainder: result.remainder.map((rest) => ({ ...rest })),
    ...defined({
      left: result.left as unknown as readonly JsonObject[] | undefined,
      attributions: attributions && leftAttributions(result, attributions),
      left_out: result.unwritable?.map((one) => ({ ...one })),
      released: result.released?.map(({ key, place }) => ({ key, ...defined({ place: place && { ...place } }) })),
      not_known: result.notKnown?.map(({ key, why }) => ({ key, why })),
    }),
    ...ifAny('guarded', rollouts.filter(isHeldByGuard).map(guardedDocument)),
    verified: result.verified,
    requests: result.requests,
  };
}

function guardedDocument({ key, path, due, overdue, guard_readings }: PlannedRollout): JsonObject {
  return { key, path, ...defined({ due, overdue, guard_readings: guard_readings as unknown as JsonArray }) };
}

function leftAttributions({ project, left }: ApplyResult, attributions: Attributions): JsonArray | undefined {
  if (left === undefined) return undefined;
  const refs = new Set(left.map(({ ref }) => ref));
  const own = new Map([...attributions].filter(([ref]) => refs.has(ref)));
  return formatAttributions(own, { project, changes: [], left });
}

/** The result of a run without changes, with the same members as any result. */
export function nothingDocument({ project }: ReportOf<'nothing'>): JsonObject {
  const outcomes = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };
  const summary: PlanSummary = sumUp({ changes: [], families: [], unmanaged: { count: 0 } }, KINDS);
  return resultDocument({
    result: { project, summary, outcomes, changes: [], remainder: [], verified: false, requests: 0 },
  });
}

function changeDocument({ change, result }: ChangeResult): JsonObject {
  return { ...(change as unknown as JsonObject), ...outcomeDocument(change, result) };
}

function outcomeDocument(change: ChangeResult['change'], result: Outcome): JsonObject {
  if (result.outcome === 'applied') {
    const member = labelsOf(change).answeredId(change);
    return {
      outcome: 'applied',
      // `id` is always the id of the flag. A service of 2023 answers a grant with the id of its entry.
      ...(result.id === undefined || member === undefined ? {} : { [member]: result.id }),
      ...(result.already === true ? { already: true } : {}),
    };
  }
  const { outcome } = result;
  const parts = defined({ parts: result.parts && ({ ...result.parts } as unknown as JsonObject) });
  if (outcome === 'skipped') return { outcome, skipped: { ...result.reason } as unknown as JsonObject, ...parts };
  const document: JsonObject = { outcome, error: { ...result.error } };
  if (outcome !== 'pending' || result.request === undefined) return { ...document, ...parts };
  const { id, url, action, key, wasOpen, asks } = result.request;
  const request = { id, ...defined({ url, action, key }), was_open: wasOpen, ...defined({ asks }) };
  return { ...document, change_request: request, ...parts };
}

export function historyDocument({ history }: ReportOf<'history'>): JsonObject {
  const { folder, runs, unreadable, more } = history;
  return {
    format_version: FORMAT_VERSION,
    journal: folder,
    runs: runs.map(runSummary),
    unreadable: unreadable.map(({ name, problem: { code, message } }) => ({ run: name, code, message })),
    more,
  };
}

export function runDocument({ run }: ReportOf<'run'>): JsonObject {
  const changes = run.changes.map((recorded) =>
    'open' in recorded
      ? { ...(recorded.change as unknown as JsonObject), outcome: recorded.open }
      : changeDocument(recorded),
  );
  return { format_version: FORMAT_VERSION, ...runSummary(run), changes };
}

function runSummary(run: RecordedRun): JsonObject {
  return {
    run: run.name,
    started_at: run.startedAt,
    ...defined({ ended_at: run.endedAt }),
    project: { ...run.project },
    state: stateOf(run),
    undoable: isUndoable(run),
    ...defined({
      follows: run.follows && [...run.follows],
      undoes: run.undoes,
      commit: run.commit,
      off: run.off as JsonObject | undefined,
      actor: run.actor && { ...run.actor },
    }),
    outcomes: outcomeCounts(
      countRecorded(run),
      run.changes.map((recorded) => ({ resource: recorded.change.resource, outcome: outcomeOf(recorded) })),
    ),
  };
}

/** `all`: a count for every outcome that the document can have. `changes`: those that are counted. */
function outcomeCounts<Outcome extends string>(
  all: Readonly<Record<Outcome, number>>,
  changes: readonly { readonly resource: string; readonly outcome: Outcome }[],
): JsonObject {
  const outcomes = Object.keys(all) as Outcome[];
  const rows = RESOURCES.flatMap((name) => {
    const own = changes.filter(({ resource }) => resource === name);
    if (own.length === 0 && kindFor({ resource: name }).countedIfAny === true) return [];
    const counts = outcomes.map((one) => [one, own.filter(({ outcome }) => outcome === one).length] as const);
    return [[name, Object.fromEntries(counts)] as const];
  });
  return { ...all, kinds: Object.fromEntries(rows) };
}

export function explainDocument({
  project,
  key,
  values,
  live,
  history,
  scheduled,
  rollouts = [],
}: ReportOf<'explain'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project: { ...project },
    key,
    live: { ...live },
    history: { ...history },
    ...defined({
      url: live.kind === 'read' ? pageUrl(project, { resource: readName(key).kind, id: live.id }) : undefined,
    }),
    values: values.map((value) => ({ ...value }) as unknown as JsonObject),
    ...scheduledMember(scheduled),
    ...(rollouts.length > 0 && { rollouts: rollouts as unknown as JsonArray }),
  };
}

export function parityDocument(report: ReportOf<'parity'>): JsonObject {
  const { parity, source } = report;
  const { declared, undeclared } = countParity(parity);
  return {
    format_version: FORMAT_VERSION,
    source,
    projects: parity.projects,
    summary: {
      flags: parity.flags,
      cohorts: parity.cohorts,
      ...(parity.early_access === 0 ? {} : { early_access: parity.early_access }),
      undeclared,
      declared,
    },
    differences: shownRows(report).map((row) => ({
      key: row.key,
      path: row.path,
      declared: row.declared,
      ...defined({ others: row.others }),
      values: objectFrom(
        row.cells.map((cell, index) => [
          parity.projects[index] ?? '',
          cell.kind === 'value' ? { state: 'value', value: cell.value } : { state: cell.kind },
        ]),
      ),
    })),
    ...(report.withAlike === true ? { alike: parity.alike.map(({ key }) => key) } : {}),
    ...defined({
      not_read:
        report.unread &&
        objectFrom(
          report.unread.map(({ project, error: { code, message, remedy } }) => [
            project,
            { code, message, ...defined({ remedy }) },
          ]),
        ),
    }),
  };
}

export function rehearsalDocument({ project, moments, isRefused, verdicts }: ReportOf<'rehearsal'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project,
    ...defined({ verdicts: verdicts && { ...verdicts } }),
    moments: moments.map(({ share, guard_readings: readings, ...moment }) => ({
      ...moment,
      on_percent: { ...share },
      ...defined({ guard_readings: readings as unknown as JsonArray }),
    })),
    refused: isRefused,
  };
}

/** The document of each project, as a run over it alone prints it. `documents`: in the order of the projects; none for a project that is held. */
export function projectsDocument(
  { command, projects, refusal }: ReportOf<'projects'>,
  documents: readonly (JsonObject | undefined)[],
): JsonObject {
  const members = projects.map((one, index): readonly [string, JsonObject] => [
    one.project,
    {
      state: stateOfProject(one),
      ...(one.kind === 'held' ? { held_by: one.by } : { exit: one.exit }),
      ...defined({ report: documents[index] }),
    },
  ]);
  const { code, message, remedy } = refusal ?? {};
  return {
    format_version: FORMAT_VERSION,
    command,
    projects: Object.fromEntries(members),
    ...(refusal !== undefined && { refusal: defined({ code, message, remedy }) }),
  };
}
