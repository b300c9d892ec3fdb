/** The differences that a plan does not write: facts about its base, left and released resources, values of others, and unmanaged flags. */

import type { Left } from '../../engine/matched.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine, placeText } from '../escape.ts';
import { baseTexts, deletionHints, type LeavingReason, leftWhole, observedText, ownershipText } from '../words/base.ts';
import { labelsOf, labelsOfPath, labelsOfRef } from '../words/kinds.ts';
import { authoredLeft, authorLines, type Authors } from './authors.ts';
import { fieldLines } from './fields.ts';
import { toned, spansOf } from '../phrase.ts';
import type { ReportEntry, ReportFact, ReportGroup } from './report-model.ts';
import { BLOCKS, LIST } from './change.ts';
import { defined } from '../../base/optional.ts';

export function baseFacts(
  plan: Pick<Plan, 'changes' | 'base' | 'converged' | 'left'>,
  how: LeavingReason,
): ReportFact[] {
  return baseTexts(plan, how).map((phrase) => ({ about: 'base', phrase }));
}

interface LeftOptions {
  readonly verbose: boolean;
  /** The authors of the differences, if they were looked up. */
  readonly authors?: Authors | undefined;
}

/** `counted`: why these differences are not among the changes. */
export function leftGroup(
  left: readonly Left[],
  { title, counted }: { readonly title: string; readonly counted: string },
  options: LeftOptions,
): ReportGroup {
  return {
    about: 'left',
    isRest: true,
    title,
    counted: `${left.length} ${counted}`,
    isHeaded: true,
    ...BLOCKS,
    entries: left.map((one) => leftEntry(one, options)),
  };
}

export const LEFT = {
  title: 'Left as it is in the service (shown as live → declared)',
  counted: 'left as in the service',
};

function leftEntry(left: Left, { verbose, authors }: LeftOptions): ReportEntry {
  const { ref, key, fields } = left;
  const whole = leftWhole(left);
  const head = [toned('change', '='), ' ', toned('strong', escapeLine(key)), qualifierOf(left)];
  const made = authors === undefined ? [] : authoredLeft({ left: [left] }).flatMap((one) => authorLines(one, authors));
  if (whole !== undefined) return { head: [...head, ` ${whole}`], lines: made };
  const labels = labelsOfPath(ref, fields[0]?.path ?? '');
  return { head, lines: [...fieldLines(fields, { verbose, labels, places: true }), ...made] };
}

/** The access to a flag is left under the name of the flag. */
function qualifierOf({ resource, ref }: Left): string {
  return resource === 'role_access' ? '' : labelsOfRef(ref).qualifier;
}

export function releasedGroup(released: NonNullable<Plan['released']>): ReportGroup {
  return {
    about: 'released',
    isRest: true,
    title: 'Released (declared at the base, in no manifest now; left alone)',
    counted: `${released.length} released (declared at the base, in no manifest now; left alone)`,
    isHeaded: true,
    ...LIST,
    entries: released.map(({ key, place }) => ({
      head: [`? ${escapeLine(key)}`, ...(place === undefined ? [] : ['  ', toned('dim', placeText(place))])],
      lines: [],
    })),
    hints: deletionHints(released),
  };
}

const MOST_UNMANAGED = 20;

export function unmanagedGroup({ unmanaged }: Pick<Plan, 'unmanaged'>, verbose: boolean): ReportGroup {
  return {
    about: 'unmanaged',
    isRest: true,
    title: 'Unmanaged (in no manifest)',
    counted: `${unmanaged.length} unmanaged (in no manifest)`,
    isHeaded: true,
    ...LIST,
    entries: unmanaged.map((key) => ({ head: `? ${escapeLine(key)}`, lines: [] })),
    ...(verbose
      ? {}
      : {
          limit: { entries: MOST_UNMANAGED, more: `… ${unmanaged.length - MOST_UNMANAGED} more; --verbose lists all` },
        }),
  };
}

type Observed = NonNullable<Plan['observed']>;

/** Each value, below the key that it shares with others. */
export function observedGroup(observed: Observed, verbose: boolean): ReportGroup {
  const text = observedText(observed);
  return {
    about: 'observed',
    isRest: true,
    title: `${text}, as declared → live`,
    isHeaded: true,
    form: 'list',
    indent: { head: 4, lines: 4 },
    entries: byKey(observed).map((one) => observedEntry(one, verbose)),
    ...(verbose ? {} : { brief: `${text}; --verbose lists ${observed.length === 1 ? 'it' : 'them'}` }),
  };
}

function byKey(observed: Observed): Observed {
  const keys = [...new Set(observed.map(({ key }) => key))];
  return keys.flatMap((key) => observed.filter((one) => one.key === key));
}

function observedEntry(one: Observed[number], verbose: boolean): ReportEntry {
  const field = { path: one.path, ...defined({ before: one.declared, after: one.live, source: one.source }) };
  const labels = labelsOf({ resource: 'flag' });
  const [first = { phrase: '' }, ...lines] = fieldLines([field], { verbose, labels, places: true });
  return {
    subject: escapeLine(one.key),
    head: [...spansOf(first.phrase), '  ', toned('dim', ownershipText(one))],
    lines,
  };
}

/** States only that there are some, for comments: there, the values are below. */
export function observedFact(observed: Observed): ReportFact {
  return { about: 'observed', phrase: `${observedText(observed)}.` };
}
