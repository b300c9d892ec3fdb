/** A rule that a plan breaks as Markdown, a safety rule or a policy: with its line, the ways out, and where the rule is. */

import { placeOf, type BrokenRule } from '../../../policy/broken-rules.ts';
import { brokenRuleText, ruleSourceText, waysOutOf } from '../../words/broken-rules.ts';
import { placeText } from '../text/place.ts';
import { codeSpan, shortSpan } from './markup.ts';

/** `project`: its name, for commands. */
export function brokenRuleSentence(broken: BrokenRule, project: string | undefined): string {
  const ways = waysOutOf(broken, project, shortSpan).map((way) =>
    'text' in way ? `${way.words} ${codeSpan(way.text)}.` : way.words,
  );
  const source = ruleSourceText(broken, shortSpan);
  return [brokenRuleHead(broken), ...ways, ...(source === undefined ? [] : [source])].join(' ');
}

/** The rule and the line of the manifests. */
export function brokenRuleHead(broken: BrokenRule): string {
  const place = placeOf(broken);
  return `${brokenRuleText(broken, shortSpan)}${place === undefined ? '' : ` ${codeSpan(placeText(place))}`}`;
}
