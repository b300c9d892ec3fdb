/** One change as an entry: its sign, verb and key, a line for each field, and its effects on people; and groups of changes. */

import { groupBy } from '../../base/group.ts';
import { defined } from '../../base/optional.ts';
import { type Effect, EFFECT_CLASSES, type EffectClass, type ResourceEffects } from '../../review/effects/effect.ts';
import type { Impact } from '../../review/effects/impact.ts';
import type { Action, Change, DeleteFlag, Plan } from '../../posthog/plan.ts';
import type { RefusedInversion } from '../../posthog/planning/invert-plan.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { type Phrase, phraseOf, type Span, toned } from '../phrase.ts';
import { changedByOthers } from '../report-facts.ts';
import { actionCount, keysText, needsNouns } from '../words/amounts.ts';
import { type DivergenceNotes, NO_NOTES, noteOfChange } from '../words/base.ts';
import {
  classCounts,
  effectLine,
  impactFacts,
  impactTexts,
  legendText,
  personsTexts,
  throughText,
} from '../words/effects.ts';
import { labelsOf, labelsOfRef } from '../words/kinds.ts';
import { REFUSALS } from '../words/rules.ts';
import { fieldLines, type FieldOptions, plannedFields } from './fields.ts';
import type { ChangeMark, GroupSort, ReportEntry, ReportFact, ReportGroup, ReportLine } from './report-model.ts';

/** How a plan shows an action, and how drift does, which is seen from the live side. */
type Mark = readonly [sign: string, verb: string, tone: ChangeMark['tone']];

const MARKS: Readonly<Record<Action, { readonly plan: Mark; readonly drift: Mark }>> = {
  create: { plan: ['+', 'create', 'add'], drift: ['-', 'missing', 'remove'] },
  update: { plan: ['~', 'update', 'change'], drift: ['~', 'differs', 'change'] },
  restore: { plan: ['↺', 'restore', 'change'], drift: ['-', 'deleted', 'remove'] },
  delete: { plan: ['-', 'delete', 'remove'], drift: ['+', 'live', 'add'] },
  grant: { plan: ['»', 'grant', 'add'], drift: ['-', 'role', 'remove'] },
  adjust: { plan: ['±', 'adjust', 'change'], drift: ['~', 'level', 'change'] },
  revoke: { plan: ['«', 'revoke', 'remove'], drift: ['+', 'role', 'add'] },
};

const DELETE_REASONS: Readonly<Record<DeleteFlag['reason'], string>> = {
  retired: 'deleted: true',
  pruned: 'in no manifest, --prune',
  undone: 'created or restored by the run',
};

const VERB_WIDTH = 7;

export const CHANGES = { form: 'changes', indent: { head: 2, lines: 12 }, spacing: 'around' } as const;

export const BLOCKS = { form: 'blocks', indent: { head: 2, lines: 6 } } as const;

export const LIST = { form: 'list', indent: { head: 2, lines: 2 } } as const;

interface ChangeOptions {
  readonly verbose: boolean;
  /** Whether the manifests ask for it, at a place. */
  readonly places: boolean;
  readonly notes?: DivergenceNotes;
  readonly due?: ReadonlySet<string>;
}

export function changeEntry(change: Change, { verbose, places, notes, due }: ChangeOptions): ReportEntry {
  const labels = labelsOf(change);
  const note = notes === undefined ? '' : noteOfChange(change, notes);
  const consequences = labels.consequences(change, quoteShort).map((text) => ({ phrase: [toned('dim', text)] }));
  const entry = {
    mark: markOf(change.action),
    head: [...nameSpans(change), ...factSpans(change, verbose), ...noteSpans(note)],
  };
  if (!('fields' in change) || change.action === 'delete') return { ...entry, lines: consequences };
  const options: FieldOptions =
    change.action === 'create'
      ? { labels, verbose, notes: NO_NOTES, places: false, onlyAfter: true }
      : { labels, verbose, places, headPlace: change.source, ...defined({ notes, due }) };
  return { ...entry, lines: [...fieldLines(plannedFields(change), options), ...consequences] };
}

export function markOf(action: Action, showing: 'plan' | 'drift' = 'plan'): ChangeMark {
  const [sign, verb, tone] = MARKS[action][showing];
  return { sign, verb: verb.padEnd(VERB_WIDTH), tone };
}

/** `+ create  new-checkout`, `» grant   new-checkout to engineering`: names a change in results. */
export function changeHead(change: Change): readonly Span[] {
  const { sign, verb, tone } = markOf(change.action);
  return [toned(tone, `${sign} ${verb}`), ' ', ...nameSpans(change)];
}

function nameSpans(change: Change): Span[] {
  return [toned('strong', escapeLine(change.key)), labelsOf(change).target(change, quoteShort)];
}

function factSpans(change: Change, verbose: boolean): Span[] {
  const facts = [...labelsOf(change).identity(change, verbose)];
  if (change.action === 'delete') facts.push(DELETE_REASONS[change.reason]);
  if (change.source !== undefined) facts.push(placeText(change.source));
  return facts.length === 0 ? [] : ['  ', toned('dim', facts.map(escapeLine).join(' · '))];
}

export function noteSpans(note: string): Span[] {
  return note === '' ? [] : ['  ', toned('warning', note)];
}

/** A fact that is a sentence of its own; only pages show the label. */
export function saying(label: string, phrase: Phrase): ReportFact {
  return { label, phrase, isSentence: true };
}

/** The same, next to the summary in a terminal. */
export function summed(label: string, phrase: Phrase): ReportFact {
  return { place: 'summary', ...saying(label, phrase) };
}

/** Lines that are not in a tone of their own. */
export function linesOf(phrases: readonly Phrase[]): ReportLine[] {
  return phrases.map((phrase) => ({ phrase }));
}

/** The effects of a plan's changes, by the ref of the first change of each resource. */
export type EffectsByRef = ReadonlyMap<string, ResourceEffects>;

export const NO_EFFECTS: EffectsByRef = new Map();

export function effectsByRef(effects: readonly ResourceEffects[]): EffectsByRef {
  return new Map(effects.map((one) => [one.refs[0] ?? '', one]));
}

/** `widen: condition 2 (country is US): 10% → 35%`. Without what the lines above say already. */
export function effectLines(change: Change, effects: EffectsByRef): ReportLine[] {
  const own = effects.get(change.ref);
  if (own === undefined || change.action === 'delete') return [];
  const shown = own.effects.filter(
    ({ what, classes }) =>
      what !== 'renamed' &&
      (change.action !== 'create' || what === 'created') &&
      (EXPLAINS.has(what) || classes.some((name) => !UNTOLD.has(name))),
  );
  const lines = shown.map((effect) => effectLine(effect));
  const dormant = own.dormant === true && shown.some(({ what }) => what !== 'created') ? [DORMANT] : [];
  return linesOf([...lines, ...dormant].map((text) => [toned('dim', text)]));
}

export const DORMANT = 'The flag is disabled, so nobody is affected yet.';

/** `Effects: 1 kill (checkout), 3 widen`; without the classes that the plan's own summary counts and that take nothing away. */
export function effectFacts(effects: EffectsByRef, label = 'Effects'): ReportFact[] {
  const listed = EFFECT_CLASSES.filter((name) => !COUNTED.has(name));
  const phrase = phraseOf((quote) => classCounts([...effects.values()], listed, quote));
  const legend = legendText(
    listed.filter((name) => [...effects.values()].some(({ classes }) => classes.includes(name))),
  );
  return [
    ...(phrase === '' ? [] : [{ place: 'summary', label, phrase } as const]),
    ...(legend === '' ? [] : [{ label: 'Classes', phrase: legend }]),
  ];
}

const COUNTED: ReadonlySet<EffectClass> = new Set(['create', 'restore', 'access']);

/** Classes of effects that are told by the lines above. */
const UNTOLD: ReadonlySet<EffectClass> = new Set(['metadata', 'payload', 'access']);

/** Effects that the lines above do not state are shown even if they affect nobody. */
const EXPLAINS: ReadonlySet<Effect['what']> = new Set(['condition_moved', 'condition_rewritten']);

/** `impact: of everyone, 25% get the flag`, below the first change of the flag. */
export function impactLines(change: Change, effects: EffectsByRef, impact: Pick<Impact, 'flags'>): ReportLine[] {
  const changed = effects.get(change.ref);
  if (changed?.resource !== 'flag') return [];
  const own = impact.flags.find(({ key }) => key === changed.key);
  if (own === undefined) return [];
  const texts = [
    ...impactTexts(own).map((text) => `impact: ${text}`),
    ...personsTexts(own).map((text) => `people: ${text}`),
  ];
  return linesOf(texts.map((text) => [toned('aside', text)]));
}

export function affectedGroup(effects: EffectsByRef, impact: Impact): ReportGroup {
  const affected = changedByOthers([...effects.values()], impact).filter((flag) => impactFacts(flag).length > 0);
  // What changes alike is said once.
  const alike = groupBy(affected, (flag) => [throughText(flag), ...impactFacts(flag)].join('\n'));
  return {
    title: 'Also affected, by flags or cohorts that change',
    prominence: 'aside',
    ...LIST,
    form: 'blocks',
    entries: [...alike.values()].flatMap((flags) => {
      const [first] = flags;
      if (first === undefined) return [];
      const keys = flags.map(({ key }) => key);
      return [
        {
          head: `${keysText(keys, quoteShort, MOST_AFFECTED)}: ${throughText(first)}`,
          lines: linesOf(impactFacts(first).map((fact) => `  ${fact}`)),
        },
      ];
    }),
  };
}

const MOST_AFFECTED = 20;

/** Actions that remove something come first in a document that may be cut. */
const GRAVEST_FIRST: readonly Action[] = ['delete', 'revoke', 'adjust', 'update', 'restore', 'create', 'grant'];

/** `word`: `3 to delete`. */
export function changesGroup(
  changes: readonly Change[],
  {
    plan,
    effects,
    toEntry,
    word,
  }: {
    readonly plan: Pick<Plan, 'summary'>;
    readonly effects: EffectsByRef;
    readonly toEntry: (change: Change) => ReportEntry;
    readonly word: (action: Action, amount: number | string) => string;
  },
): ReportGroup {
  // All changes of a resource have its classes.
  const classes = new Map([...effects.values()].flatMap((one) => one.refs.map((ref) => [ref, one.classes] as const)));
  const found = new Set(changes.map(({ action }) => action));
  const isNamed = needsNouns(plan.summary);
  return {
    title: 'Changes',
    ...CHANGES,
    entries: changes.map((change) => ({
      ...toEntry(change),
      sort: change.action,
      kinds: classes.get(change.ref) ?? [],
    })),
    sorts: GRAVEST_FIRST.filter((action) => found.has(action)).map((name): GroupSort => ({
      name,
      counted: actionCount(changes, name, { word, isNamed }),
    })),
  };
}

export function toAction(action: Action, amount: number | string): string {
  return `${amount} to ${action}`;
}

export function withLines(entry: ReportEntry, lines: readonly ReportLine[]): ReportEntry {
  return lines.length === 0 ? entry : { ...entry, lines: [...(entry.lines ?? []), ...lines] };
}

/** Changes of a run that cannot be undone. Values are shown as the run wrote them → as they are live now. */
export function refusedGroup(refused: readonly RefusedInversion[], verbose: boolean): ReportGroup {
  return {
    title: 'Cannot be undone',
    prominence: 'warning',
    ...BLOCKS,
    spacing: 'around',
    entries: refused.map(({ ref, key, refusal, moved }) => {
      const labels = labelsOfRef(ref);
      const shown = refusal === 'moved' ? ' (shown as written by the run → live)' : '';
      return {
        head: [
          toned('warning', '○'),
          ' ',
          toned('strong', escapeLine(key)),
          `${labels.qualifier}  ${REFUSALS[refusal]}${shown}`,
        ],
        lines: fieldLines(moved, { verbose, labels, places: false }),
      };
    }),
  };
}
