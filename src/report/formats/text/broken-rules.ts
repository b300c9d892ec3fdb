/** The rules that a plan breaks as text, safety rules and policies in one list: each with its line, the way out, and where it is. */

import { placeOf, type BrokenRule } from '../../../policy/broken-rules.ts';
import { escapeLine } from '../../escape.ts';
import type { Palette } from '../../view.ts';
import { brokenRuleText, ruleSourceText, waysOutOf } from '../../words/broken-rules.ts';
import { placeText } from './place.ts';

/** Heads the rules that a plan breaks that is shown and not applied. */
export const WOULD_REFUSE = 'Apply would refuse this plan (exit code 4):';

export interface RulesView {
  readonly heading: string;
  readonly palette: Palette;
  /** Its name, for commands; absent where the run failed before it had one. */
  readonly project: string | undefined;
}

export function brokenRuleLines(broken: readonly BrokenRule[], view: RulesView): string[] {
  if (broken.length === 0) return [];
  return [view.palette.error(view.heading), ...broken.flatMap((one) => oneRule(one, view))];
}

/** The rule and the line of the manifests. */
export function brokenRuleHead(broken: BrokenRule): string {
  const place = placeOf(broken);
  return `${brokenRuleText(broken)}${place === undefined ? '' : ` ${placeText(place)}`}`;
}

/** One way out stands on the line of the rule, several below it. */
function oneRule(broken: BrokenRule, { palette, project }: RulesView): string[] {
  const [first, ...others] = waysOutOf(broken, project).map((way) =>
    palette.dim('text' in way ? `${way.words} ${escapeLine(way.text)}` : way.words),
  );
  const head = `  ${brokenRuleHead(broken)}`;
  const source = ruleSourceText(broken);
  const below = (line: string | undefined): string => `    ${line}`;
  return [
    ...(others.length === 0 ? [`${head} ${first}`] : [head, ...[first, ...others].map(below)]),
    ...(source === undefined ? [] : [below(palette.dim(source))]),
  ];
}
