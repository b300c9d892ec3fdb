/** Who made the differences of a plan, as sentences with links to the flags and cohorts. */

import { pageUrl } from '../../../posthog/page-url.ts';
import { attributionText } from '../../words/attributions.ts';
import { labelsOf } from '../../words/kinds.ts';
import { attributionsOf, authoredLeft, type Authored, type Authors, type PlanAuthors } from '../text/authors.ts';
import { codeSpan, shortSpan } from './markup.ts';

/** One for each author of each change. */
export function authorSentences({ plan, attributions }: PlanAuthors): string[] {
  return [...plan.changes, ...authoredLeft(plan)].flatMap((change: Authored) => {
    const fieldsByText = new Map<string, string[]>();
    for (const [path, attribution] of attributionsOf(change, attributions)) {
      const text = attributionText(attribution, shortSpan);
      const field = path === '' ? [] : [labelsOf(change).field(path)];
      fieldsByText.set(text, [...(fieldsByText.get(text) ?? []), ...field]);
    }
    return [...fieldsByText].map(([text, fields]) => {
      const named = fields.length === 0 ? '' : `, ${fields.map((field) => shortSpan(field)).join(', ')}`;
      return `${linkTo(change, plan)}${named}: ${text}`;
    });
  });
}

function linkTo(change: Authored, { project }: Authors['plan']): string {
  const { key, resource } = change;
  const url = pageUrl(project, change);
  const name = url === undefined ? codeSpan(key) : `[${codeSpan(key)}](${url})`;
  return resource === 'role_access' ? `role access of ${name}` : `${name}${labelsOf(change).qualifier}`;
}
