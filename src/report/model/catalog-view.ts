/** Makes the words of the catalog from its facts, once for all formats. */

import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import { upperFirst } from '../../base/text.ts';
import {
  MOST_CHANGES,
  type Catalog,
  type CatalogFlag,
  type CatalogGap,
  type CatalogProject,
  type FlagDifference,
  type FlagInProject,
  type RolloutInProject,
  type FlagRequest,
  type ForgeAddress,
  type PastAuthor,
  type PastChange,
  type PersonAnswer,
} from '../../catalog/catalog.ts';
import { frozenTimes, type FreezeRule } from '../../catalog/freezes.ts';
import { REMOVALS } from '../../code/references/staleness.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { flagPages, pageUrl } from '../../posthog/names/resource-name.ts';
import type { Effect } from '../../review/effects/effect.ts';
import type { ScheduledEffects } from '../../review/effects/impact.ts';
import { isDue } from '../../posthog/rollouts/rollouts.ts';
import { windowText } from '../../review/policy/rules/freeze.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { count, keysText, timeText } from '../words/amounts.ts';
import { SEARCHED, whoText } from '../words/audience.ts';
import { approvalText, standingText as requestText } from '../words/authors.ts';
import { noBaseNote } from '../words/base.ts';
import { gapRemedy, gapText, STEP_WORDS, signalText } from '../words/code.ts';
import { dayOf, daysAfter, LATELY_DAYS } from '../words/days.ts';
import { effectText } from '../words/effects.ts';
import { DUE_BY_ROLLOUT, rolloutText, scheduledTexts, waitReason, waitText } from '../words/rollouts.ts';
import type {
  CalendarEntry,
  CatalogAuthor,
  CatalogChange,
  CatalogDifference,
  CatalogFlagView,
  CatalogGoneFlag,
  CatalogNote,
  CatalogPlace,
  CatalogProjectView,
  CatalogRequest,
  CatalogRollout,
  CatalogStanding,
  CatalogStateView,
  CatalogView,
} from './catalog.ts';

export function catalogView(catalog: Catalog): CatalogView {
  const { madeAt, commit, branch, projects, flags } = catalog;
  return {
    made_at: madeAt,
    ...defined({ commit, branch }),
    projects: projects.map(projectView),
    flags: flags.map((flag) => flagView(flag, catalog)),
    ...defined({ gone: some(goneOf(catalog)) }),
    calendar: calendarOf(catalog),
    notes: notesOf(catalog),
  };
}

function projectView(project: CatalogProject): CatalogProjectView {
  const { identity, source } = project;
  const { name, host, project_id } = identity;
  return {
    name,
    host,
    project_id,
    source,
    ...defined({
      url: flagPages(identity),
      read_at: 'readAt' in project ? project.readAt : undefined,
      reason: 'reason' in project ? project.reason : undefined,
    }),
  };
}

function flagView(flag: CatalogFlag, catalog: Catalog): CatalogFlagView {
  const { key, description, tags, owner, place, stale, dependsOn, dependents, answers, changes } = flag;
  // Another project, which was not read, may have been called since.
  const isWhole = catalog.projects.every(({ source }) => source !== 'unread');
  const times = isWhole ? stale.live.map(({ last_called_at: at }) => at) : [];
  const called = times
    .filter((at) => typeof at === 'string')
    .toSorted()
    .at(-1);
  const never = times.length > 0 && times.every((at) => at === null) ? null : undefined;
  const next = nextOf(flag);
  return {
    key,
    ...defined({
      description,
      owner,
      tags: some(tags),
      depends_on: some(dependsOn),
      dependents: some(dependents),
      place: place && placeView(place, catalog),
      created: flag.created && authorView(flag.created, catalog.forge),
      changed: flag.changed && authorView(flag.changed, catalog.forge),
      expires: stale.expires,
      last_called: called ?? never,
      next,
      removal: REMOVALS.find((step) => step === stale.step),
    }),
    states: flag.states.map((state, index) => stateView(state, catalog.projects[index])),
    code: codeView(flag, catalog),
    ...defined({
      answers: some(answers.map(({ value, ...one }) => ({ ...one, value: answerWord(value) }))),
      changes: some(changes.map((change) => changeView(change, catalog))),
    }),
  };
}

function some<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

function goneOf(catalog: Catalog): readonly CatalogGoneFlag[] {
  const first = daysAfter(catalog.madeAt.slice(0, 10), -LATELY_DAYS);
  return catalog.gone.flatMap(({ key, changes }) => {
    const lately = changes.filter(({ at }) => (dayOf(at) ?? '') >= first).slice(0, MOST_CHANGES);
    const isGone = lately.length > 0;
    return isGone ? [{ key, changes: lately.map((change) => changeView(change, catalog, true)) }] : [];
  });
}

function answerWord(value: PersonAnswer['value']): string {
  if (value === undefined) return 'not known';
  return typeof value === 'string' ? `variant ${quoteShort(value)}` : value ? 'on' : 'off';
}

function stateView(state: FlagInProject, project: CatalogProject | undefined): CatalogStateView {
  const { differences, id, rollouts, requests } = state;
  return {
    project: state.project,
    word: state.word,
    who: whoText(state, SEARCHED),
    standing: standingOf(state, project),
    ...defined({
      differences: some(differences.flatMap(differenceViews)),
      rollouts: some(rollouts.map(rolloutView)),
      requests: some(requests.map(requestView)),
      url: project && id !== undefined ? pageUrl(project.identity, { resource: 'flag', id }) : undefined,
    }),
  };
}

function standingOf({ differences, isUnmanaged }: FlagInProject, project: CatalogProject | undefined): CatalogStanding {
  if (project === undefined || project.source === 'unread' || project.source === 'manifests') return 'unread';
  const sorts = new Set(differences.map(({ sort }) => sort));
  if (sorts.has('differs')) return 'differs';
  if (sorts.size === 2) return 'both';
  return [...sorts][0] ?? (isUnmanaged ? 'unmanaged' : 'in_sync');
}

function requestView({ id, url, standing, effects = [] }: FlagRequest): CatalogRequest {
  const asked = noticed(effects).flatMap((one) => [
    ...(one.what === 'created' ? ['the flag is created'] : []),
    effectText(one),
  ]);
  const words = [approvalText({ id, standing }, quoteShort), ...(asked.length === 0 ? [] : [asked.join('; ')])].join(
    ': ',
  );
  return { id, state: standing.kind, words, ...defined({ url }) };
}

function differenceViews({ sort, effects, isDue, attribution }: FlagDifference): CatalogDifference[] {
  const who = attribution?.kind === 'known' ? defined({ by: attribution.by, at: attribution.at }) : {};
  if (effects.length === 0) return [{ standing: sort, words: UNWRITABLE }];
  const due = isDue === true ? `, ${DUE_BY_ROLLOUT}` : '';
  return noticed(effects).map((effect) => ({ standing: sort, words: `${effectText(effect)}${due}`, ...who }));
}

const UNWRITABLE = 'in ways that no plan can change, which `flagwright plan` names';

/** Effects that people notice, or all where none is. */
function noticed(effects: readonly Effect[]): readonly Effect[] {
  const own = effects.filter(({ classes }) => classes.some((name) => name !== 'metadata'));
  return own.length > 0 ? own : effects;
}

function rolloutView({ rollout, times, waits }: RolloutInProject): CatalogRollout {
  const [step] = comingSteps(rollout);
  const next = step && { at: times[0] ?? step.at, words: valueWords(step.to) };
  return { now: rolloutText(rollout), ...defined({ next, waits: waits && waitReason(waits, rollout) }) };
}

/** Those that no run has made. */
function comingSteps({ steps, step, applied }: PlannedRollout): PlannedRollout['steps'] {
  return steps.slice((applied?.step ?? step) + 1);
}

function valueWords(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : `${String(value)}%`;
}

function codeView({ stale }: CatalogFlag, catalog: Catalog): NonNullable<CatalogFlagView['code']> {
  const { verdict, references } = stale.use;
  const own = references.filter(({ certain }) => certain || verdict !== 'read');
  const places = own.slice(0, MOST_PLACES).map(({ place, repository }) => ({
    ...(repository === undefined ? placeView(place, catalog) : { file: place.file, line: place.line }),
    ...defined({ repository }),
  }));
  return { verdict, places, more: own.length - places.length };
}

const MOST_PLACES = 5;

function placeView({ file, line }: Place, { forge, commit }: Catalog): CatalogPlace {
  const url = forge && commit && fileUrl(forge, { file, line, commit });
  return { file, line, ...defined({ url: url || undefined }) };
}

function fileUrl(
  { forge, url }: ForgeAddress,
  { file, line, commit }: { file: string; line: number; commit: string },
): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  switch (forge) {
    case 'github':
      return `${url}/blob/${commit}/${path}#L${line}`;
    case 'gitlab':
      return `${url}/-/blob/${commit}/${path}#L${line}`;
    case 'bitbucket':
      return `${url}/src/${commit}/${path}#lines-${line}`;
  }
}

function commitUrl({ forge, url }: ForgeAddress, commit: string): string {
  return {
    github: `${url}/commit/${commit}`,
    gitlab: `${url}/-/commit/${commit}`,
    bitbucket: `${url}/commits/${commit}`,
  }[forge];
}

function authorView({ at, by, source, commit }: PastAuthor, forge: ForgeAddress | undefined): CatalogAuthor {
  return { at, source, ...defined({ by, commit, url: forge && commit && commitUrl(forge, commit) }) } as CatalogAuthor;
}

function changeView(
  { effects, isAgain, projects, ...author }: PastChange,
  { forge, projects: all }: Catalog,
  isGone = false,
): CatalogChange {
  const made = isAgain === true ? 'declared again: ' : 'new: ';
  const words =
    effects === 'released'
      ? [`taken out of git${isGone ? '' : ': PostHog keeps it as it is'}`]
      : noticed(effects).map((effect) => `${effect.what === 'created' ? made : ''}${effectText(effect)}`);
  const some = projects !== undefined && projects.length < all.length ? projects : undefined;
  return { ...authorView(author, forge), words: upperFirst(words.join('; ')), ...defined({ projects: some }) };
}

/** What to do about the flag, the most urgent first: one thing. */
function nextOf({ states, stale }: CatalogFlag): CatalogFlagView['next'] {
  const inProjects = (is: (state: FlagInProject) => boolean): string =>
    keysText(states.filter(is).map(({ project }) => project));
  const waiting = states.find(({ rollouts }) => rollouts.some(({ waits }) => waits !== undefined));
  const overdue = states.find(({ rollouts }) => rollouts.some(({ rollout }) => rollout.overdue === true));
  const has =
    (sort: FlagDifference['sort']) =>
    (state: FlagInProject): boolean =>
      state.differences.some((one) => one.sort === sort);
  if (waiting !== undefined) {
    const [why = 'waits'] = waiting.rollouts.flatMap(({ rollout, waits }) => (waits ? [waitText(waits, rollout)] : []));
    return {
      step: 'rollout_waits',
      words: 'Decide about its rollout',
      reason: `In ${quoteShort(waiting.project)} its next step ${why}.`,
    };
  }
  const asked = askedNext(states);
  if (asked !== undefined) return asked;
  if (overdue !== undefined)
    return {
      step: 'rollout_overdue',
      words: 'Find out why its rollout is late',
      reason: `In ${quoteShort(overdue.project)} no run has made its next step.`,
    };
  if (states.some(has('drifted')))
    return {
      step: 'decide_edit',
      words: 'Keep or revert what was edited in the service',
      reason: `It differs from git in ${inProjects(has('drifted'))}.`,
    };
  if (states.some(has('differs')))
    return {
      step: 'decide_difference',
      words: 'Find out which side is right',
      reason: `The service and git differ in ${inProjects(has('differs'))}, and nothing tells which side changed.`,
    };
  const pending = states.flatMap(({ differences }) => differences.filter(({ sort }) => sort === 'pending'));
  if (pending.length > 0 && pending.every(({ isDue }) => isDue === true))
    return {
      step: 'rollout_due',
      words: 'Let a run make its due step',
      reason: `In ${inProjects(has('pending'))} it is due: the next \`flagwright apply --due\` makes it.`,
    };
  if (pending.length > 0)
    return {
      step: 'apply',
      words: 'Apply what was merged',
      reason: `A change in git is not applied in ${inProjects(has('pending'))}.`,
    };
  if (stale.step === 'none' || stale.step === 'wait') return undefined;
  const { title } = STEP_WORDS[stale.step];
  const reasons = (['code', 'calls', 'answer', 'expiry'] as const).filter(
    (name) => stale.signals[name] === 'for' || (name === 'code' && stale.signals.code === 'against'),
  );
  return {
    step: stale.step,
    words: title,
    reason: `${upperFirst(reasons.map((name) => signalText(stale, name)).join('; '))}.`,
  };
}

/** A run asked the service, and asks no more as long as people have not decided, or decided against it. */
function askedNext(states: CatalogFlag['states']): CatalogFlagView['next'] {
  const all = states.flatMap(({ project, requests }) => requests.map((request) => ({ project, ...request })));
  const reason = ({ project, ...request }: (typeof all)[number]): string =>
    `In ${quoteShort(project)}: ${requestText(request, quoteShort)}.`;
  const open = all.find(({ standing }) => standing.kind === 'open');
  if (open !== undefined)
    return { step: 'decide_request', words: 'Decide about what waits in PostHog', reason: reason(open) };
  const refused = all.find(({ standing: { kind } }) => kind === 'rejected' || kind === 'withdrawn');
  return refused && { step: 'decide_rejected', words: 'Take it back in git, or ask again', reason: reason(refused) };
}

function calendarOf({ flags, projects, freezes, madeAt }: Catalog): readonly CalendarEntry[] {
  const today = madeAt.slice(0, 10);
  const steps = flags.flatMap(({ key, states }) =>
    states.flatMap(({ project, rollouts }) =>
      rollouts.flatMap(({ rollout, times, waits }) =>
        comingSteps(rollout).map((step, index): CalendarEntry => ({
          at: times[index] ?? step.at,
          kind: 'step',
          project,
          key,
          words: `${valueWords(step.to)}${index === 0 ? stateOfNext(rollout, waits) : ''}`,
        })),
      ),
    ),
  );
  const expiries = flags.flatMap(({ key, stale }): CalendarEntry[] =>
    stale.expires === undefined || stale.expires < today
      ? []
      : [{ at: stale.expires, kind: 'expiry', key, words: 'its last day' }],
  );
  const schedules = projects.flatMap((project): CalendarEntry[] =>
    ('scheduled' in project ? (project.scheduled?.changes ?? []) : []).map((one) => ({
      at: one.at,
      kind: 'schedule',
      project: project.identity.name,
      key: one.key,
      words: scheduleWords(one),
    })),
  );
  const timeOf = ({ at }: CalendarEntry): number => Date.parse(at);
  const planned = [...steps, ...expiries, ...schedules];
  const start = Date.parse(madeAt);
  const end = Math.min(start + MOST_AHEAD, Math.max(start + LEAST_AHEAD, ...planned.map(timeOf)));
  const frozen = freezes.flatMap((freeze) => freezeEntries(freeze, { start, end }));
  return [...planned, ...frozen].toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** ` (overdue)`: its time has passed. */
function stateOfNext(rollout: PlannedRollout, waits: RolloutInProject['waits']): string {
  if (waits !== undefined) return ` (${waitText(waits, rollout)})`;
  if (rollout.overdue === true) return ' (overdue)';
  return isDue(rollout) ? ' (due)' : '';
}

/** What it does comes first, without the class of the effect. */
function scheduleWords(scheduled: ScheduledEffects): string {
  const { effects = [], ...others } = scheduled;
  const own = noticed(effects).map((effect) => effectText(effect));
  return [...own, ...scheduledTexts(effects.length === 0 ? scheduled : others)].join('; ');
}

const WEEK = 7 * 86_400_000;
/** The page shows this week and the next. */
const LEAST_AHEAD = 2 * WEEK;
/** A freeze of each night would fill the page. */
const MOST_AHEAD = 12 * WEEK;

/** Those of dates are shown however far they are. */
function freezeEntries(
  { deny, allow, except }: FreezeRule,
  { start, end }: Readonly<Record<'start' | 'end', number>>,
): readonly CalendarEntry[] {
  const dates = deny.filter(({ kind }) => kind === 'dates');
  const times = [
    ...frozenTimes({ deny: dates, except }, { start, end: Infinity }),
    ...frozenTimes(
      { deny: deny.filter(({ kind }) => kind === 'weekly'), except, ...defined({ allow }) },
      { start, end },
    ),
  ];
  const but = except.length === 0 ? 'no changes are allowed' : `only changes of ${except.join(', ')} are allowed`;
  return times.map(({ from, to, windows, isOutside }) => {
    const [first] = windows;
    const when = windows.map((window) => windowText(window, quoteShort)).join('; ');
    const of =
      first?.kind === 'dates' && !isOutside ? first.zone : `${isOutside ? 'outside of ' : 'each week, '}${when}`;
    const isOfDays = [from, to ?? from].every((time) => time % 86_400_000 === 0);
    const text = (time: number): string => new Date(time).toISOString().slice(0, isOfDays ? 10 : undefined);
    return {
      at: text(from),
      ...(to === undefined ? {} : { until: text(to) }),
      kind: 'freeze',
      words: `${but} (${of})`,
    };
  });
}

function notesOf({ projects, gaps }: Catalog): readonly CatalogNote[] {
  const unread = projects.flatMap((project): CatalogNote[] => {
    if (project.source !== 'unread') return [];
    const { name } = project.identity;
    return [
      { what: 'project', project: name, words: `${quoteShort(name)} was not read: ${escapeLine(project.reason)}` },
    ];
  });
  const declared = projects.filter(({ source }) => source === 'manifests').length;
  const all = `The service was not asked: ${count(declared, 'project')} as declared in git. What was edited in the service is missing.`;
  return [
    ...unread,
    ...(declared === 0 ? [] : [{ what: 'service', words: all } as const]),
    ...gaps.map((gap) => ({
      what: gap.what,
      ...('project' in gap && { project: gap.project }),
      words: gapWords(gap),
    })),
  ];
}

/** What is missing, why, and what helps. */
function gapWords(gap: CatalogGap): string {
  switch (gap.what) {
    case 'service_changes':
      return `Changes made in PostHog are missing for ${quoteShort(gap.project)}: ${logText(gap)}`;
    case 'service_changes_before':
      return `Changes made in PostHog before ${timeText(gap.since)} are missing for ${quoteShort(gap.project)}: only the newest entries of its activity log are read.`;
    case 'schedules':
      return `Scheduled changes are missing for ${quoteShort(gap.project)}: ${UNREAD.schedules[gap.why]}`;
    case 'requests':
      return `Changes that wait for approval are missing for ${quoteShort(gap.project)}: ${UNREAD.requests[gap.why]}`;
    case 'base':
      return `Where ${quoteShort(gap.project)} differs, nothing tells whether git or PostHog changed: ${noBaseNote(gap.reason)}.`;
    case 'git_changes':
      return `Changes of git are missing: ${escapeLine(gap.reason)}.`;
    case 'git_changes_before':
      return gap.why === 'many'
        ? `Changes of git until ${timeText(gap.since)} are missing: there are too many.`
        : `Changes of git until ${timeText(gap.since)} are missing: the clone is shallow. Fetch the whole history: \`git fetch --unshallow\`, in GitHub Actions \`fetch-depth: 0\`.`;
    case 'git_contents':
      return `Some changes of git are missing: ${count(gap.amount, 'file')} of commits could not be read. The clone lacks them, or they are not text.`;
    case 'owners':
      return 'Owners are known from tags alone: CODEOWNERS cannot be read. It must be a file of at most 3 MB, and no link.';
    case 'people':
      return 'Test people may be missing: test files have errors, which `flagwright test` shows.';
    case 'code':
      return `Code may read more flags than found: ${gapText(gap.gap)}. ${gapRemedy(gap.gap)}`;
  }
}

function logText({ why, detail = '' }: Extract<CatalogGap, { readonly what: 'service_changes' }>): string {
  if (why === 'snapshot') return 'a snapshot has none.';
  if (why === 'failed') return `the activity log could not be read. ${escapeLine(detail)}`;
  return 'the API key cannot read the activity log. Give the key the scope `activity_log:read`.';
}

const UNREAD: Readonly<Record<'schedules' | 'requests', Readonly<Record<UnreadGap['why'], string>>>> = {
  schedules: unreadTexts('`feature_flag:read`; services before autumn 2026 let no key'),
  requests: unreadTexts('`approvals:read`'),
};

type UnreadGap = Extract<CatalogGap, { readonly what: 'schedules' | 'requests' }>;

function unreadTexts(scope: string): Readonly<Record<UnreadGap['why'], string>> {
  return {
    forbidden: `the API key cannot read them. Give the key the scope ${scope}.`,
    failed: 'the request failed. Run the command again.',
    snapshot: 'the snapshot has none.',
  };
}
