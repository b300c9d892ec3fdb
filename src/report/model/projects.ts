/** The model of a run over several projects: a table of what it does in each, and the reports of those in which it does something. */

import type { Action, Change } from '../../posthog/plan.ts';
import { groupDrift, type DriftGroups } from '../../posthog/planning/drift-groups.ts';
import { findDriftEffects, findEffects } from '../../review/effects/find-effects.ts';
import { EFFECT_CLASSES, type EffectClass, type ResourceEffects } from '../../review/effects/effect.ts';
import { groupBy } from '../../base/group.ts';
import { canonicalText, type JsonObject } from '../../base/json.ts';
import type { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { toned, type Tone } from '../phrase.ts';
import {
  PROJECT_STATES,
  PROJECTS_TITLES,
  stateOfProject,
  summaryOfStates,
  type ProjectState,
} from './project-states.ts';
import type { Report, ReportOf } from '../report.ts';
import { ACTIONS, count, keysText } from '../words/amounts.ts';
import { DRIFT_WORDS } from '../words/summaries.ts';
import { type ModeledKind, modelOf } from './model-of.ts';
import type { Remark } from './remark.ts';
import type { Notice, ReportModel, ReportTable, RunStanding } from './report-model.ts';

export async function projectsModel(report: ReportOf<'projects'>, verbose: boolean): Promise<ReportModel> {
  const { command, projects, refusal } = report;
  const states = projects.map((one) => stateOfProject(one));
  const parts = await Promise.all(
    projects.map(async (one, index) =>
      one.kind === 'held' || isQuiet(states[index] as ProjectState)
        ? undefined
        : {
            name: one.project,
            model: named(one.project, await modelOf(one.report as ReportOf<ModeledKind>, { verbose })),
          },
    ),
  );
  const shown = parts.filter((part) => part !== undefined);
  return {
    command,
    title: { words: `${PROJECTS_TITLES[command]} ${count(projects.length, 'project')}` },
    summary: summaryOfStates(states),
    standing: refusal === undefined ? standingOf(states) : 'bad',
    page: () => ({ table: tableOf(report, states), notices: refusal === undefined ? [] : [refusalNotice(refusal)] }),
    parts: shown,
    remarks: async () =>
      joinRemarks(
        await Promise.all(shown.map(async ({ name, model }) => ({ name, remarks: (await model.remarks?.()) ?? [] }))),
      ),
  };
}

function refusalNotice({ message, remedy }: FlagwrightError): Notice {
  const title = 'Apply would refuse these plans';
  const ways = remedy === undefined ? [] : [{ words: escapeLine(remedy) }];
  return { about: 'refusals', title, listTitle: title, statements: [{ phrase: escapeLine(message), ways }] };
}

/** A run that failed early knows no project. */
function named(name: string, model: ReportModel): ReportModel {
  if (model.failure === undefined || model.title?.project !== undefined) return model;
  return { ...model, title: { words: ['The run failed for ', { code: name }] } };
}

/** What is said alike of several projects is one remark, which names them. */
function joinRemarks(of: readonly { readonly name: string; readonly remarks: readonly Remark[] }[]): readonly Remark[] {
  const all = of.flatMap(({ name, remarks }) => remarks.map((remark) => ({ name, remark })));
  const alike = groupBy(all, ({ remark }) => canonicalText(remark as unknown as JsonObject));
  return [...alike.values()].map((same) => {
    const [{ remark }] = same as [(typeof same)[number]];
    const {
      afterName: _afterName,
      name,
      subject = name === undefined ? undefined : quoteShort(name),
      ...rest
    } = remark;
    const projects = keysText(same.map((one) => one.name));
    const said = { ...rest, text: `${projects}: ${remark.text}` };
    return subject === undefined ? said : { ...said, subject: `${projects}: ${subject}`, ...defined({ name }) };
  });
}

function isQuiet(state: ProjectState): boolean {
  return PROJECT_STATES[state].isQuiet === true;
}

function standingOf(states: readonly ProjectState[]): RunStanding {
  const standings = new Set(states.map((state) => PROJECT_STATES[state].standing));
  return (['bad', 'warning', 'open', 'good'] as const).find((one) => standings.has(one)) ?? 'good';
}

const TONES: Readonly<Record<RunStanding, Tone>> = { bad: 'error', warning: 'warning', open: 'change', good: 'add' };

/** Columns of other actions stand there if a project has any. */
const ALWAYS: readonly Action[] = ['create', 'update', 'delete'];

function tableOf({ command, projects }: ReportOf<'projects'>, states: readonly ProjectState[]): ReportTable {
  const isDrift = command === 'drift';
  const changes = projects.map((one) => (one.kind === 'held' ? [] : changesIn(one.report)));
  const unapplied = projects.map((one) =>
    one.kind !== 'held' && one.report.kind === 'drift' ? groupsIn(one.report).pending.length : 0,
  );
  const always = isDrift ? ALWAYS.filter((action) => action !== 'delete') : ALWAYS;
  const actions = ACTIONS.filter(
    (action) => always.includes(action) || changes.some((own) => own.some((change) => change.action === action)),
  );
  const effects = projects.map((one) => (one.kind === 'held' ? '' : effectsIn(one.report)));
  const hasUnapplied = unapplied.some((amount) => amount > 0);
  const hasEffects = effects.some((text) => text !== '');
  return {
    columns: [
      ...['project', 'result'],
      ...actions.map((action) => (isDrift ? DRIFT_WORDS[action] : action)),
      ...(hasUnapplied ? ['not applied yet'] : []),
      ...(hasEffects ? ['effects'] : []),
    ],
    rows: projects.map((one, index) => {
      const state = states[index] as ProjectState;
      const { words, standing } = PROJECT_STATES[state];
      const own = changes[index] ?? [];
      return [
        [{ code: one.project }],
        [
          toned(TONES[standing], words),
          ...(one.kind === 'held' ? [', since ', { code: one.by }, ' is not in sync'] : []),
        ],
        ...actions.map((action) => amountText(own.filter((change) => change.action === action).length)),
        ...(hasUnapplied ? [amountText(unapplied[index] ?? 0)] : []),
        ...(hasEffects ? [effects[index] ?? ''] : []),
      ];
    }),
  };
}

function amountText(amount: number): string {
  return amount === 0 ? '·' : String(amount);
}

/** Of a run that wrote, only what it wrote; of drift, only what people changed. */
function changesIn(report: Report): readonly Pick<Change, 'action'>[] {
  if (report.kind === 'plan') return report.plan.changes;
  if (report.kind === 'drift') return groupsIn(report).drifted;
  if (report.kind !== 'result') return [];
  return report.result.changes.filter(({ result }) => result.outcome === 'applied').map(({ change }) => change);
}

function effectsIn(report: Report): string {
  if (report.kind === 'plan') return classesText(findEffects(report.plan));
  if (report.kind !== 'drift') return '';
  return classesText(findDriftEffects({ changes: groupsIn(report).drifted, warnings: report.plan.warnings }));
}

function groupsIn({ groups, plan }: ReportOf<'drift'>): DriftGroups {
  return groups ?? groupDrift(plan);
}

const TOLD: ReadonlySet<EffectClass> = new Set(['create', 'restore', 'access', 'delete']);

function classesText(effects: readonly ResourceEffects[]): string {
  return EFFECT_CLASSES.filter((name) => !TOLD.has(name))
    .flatMap((name) => {
      const amount = effects.filter(({ classes }) => classes.includes(name)).length;
      return amount === 0 ? [] : [`${amount} ${name}`];
    })
    .join(', ');
}
