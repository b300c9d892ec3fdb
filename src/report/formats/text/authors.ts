/** Who made the differences of a change: one line where all have the same author, else one for each field. */

import type { Left } from '../../../engine/left.ts';
import type { Attribution, Attributions } from '../../../posthog/attribution.ts';
import { pageUrl } from '../../../posthog/page-url.ts';
import type { Change, Plan } from '../../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { Palette } from '../../view.ts';
import { attributionText, reasonText } from '../../words/attributions.ts';
import { labelsOf } from '../../words/kinds.ts';

export interface Authors {
  readonly plan: Pick<Plan, 'project'>;
  readonly attributions?: Attributions | undefined;
}

/** With the differences themselves. */
export interface PlanAuthors extends Authors {
  readonly plan: Pick<Plan, 'project' | 'changes' | 'left'>;
}

/** A change, or the part of one that a run leaves: the two have the same ref. */
export type Authored = Pick<Change, 'ref' | 'resource' | 'key'> & Partial<Pick<Left, 'id' | 'fields'>>;

export function authoredLeft({ left = [] }: Pick<Plan, 'left'>): readonly Authored[] {
  return left.map((one) => ({ ...one, resource: one.resource as Change['resource'] }));
}

/** Who made the differences that it has. */
export function attributionsOf(
  { ref, fields }: Authored,
  attributions: Attributions | undefined,
): readonly (readonly [path: string, attribution: Attribution])[] {
  const paths = fields && new Set(['', ...fields.map(({ path }) => path)]);
  return [...(attributions?.get(ref) ?? [])].filter(([path]) => paths?.has(path) !== false);
}

/** Ends with the page of the flag or cohort in the web interface. */
export function authorLines(change: Authored, { plan, attributions }: Authors, palette: Palette): string[] {
  const found = attributionsOf(change, attributions).filter(([, attribution]) => !isRefusal(attribution));
  if (found.length === 0) return [];
  const texts = found.map(([path, attribution]) => ({ path, text: attributionText(attribution, quoteShort) }));
  const [first] = texts;
  const isOne = texts.every(({ text }) => text === first?.text);
  const lines = isOne
    ? texts.slice(0, 1).map(({ text }) => text)
    : texts.map(({ path, text }) => `${escapeLine(labelsOf(change).field(path))}: ${text}`);
  const url = pageUrl(plan.project, change);
  return [...lines, ...(url === undefined ? [] : [escapeLine(url)])].map((line) => palette.dim(line));
}

/** Why nobody is named at all: said once. */
export function refusalLines({ attributions }: Authors, palette: Palette): string[] {
  const refusal = [...(attributions?.values() ?? [])].flatMap((ofChange) => [...ofChange.values()]).find(isRefusal);
  if (refusal?.kind !== 'unknown') return [];
  return [palette.dim(`Who made these changes is unknown: ${reasonText(refusal, quoteShort)}.`)];
}

function isRefusal(attribution: Attribution): boolean {
  return attribution.kind === 'unknown' && attribution.reason === 'forbidden';
}
